import type { PlannedAction } from '../../backtest/actions.ts';
import { sharesPer, type Payment, type Split } from '../../domain/corporateAction.ts';
import type { ExactAccount } from './account.ts';
import type { Prices } from './prices.ts';
import type { SessionRows, SymbolRows } from './timeline.ts';

type Own<Action> = Readonly<{ symbol: number; action: Action }>;
type OwnPayment = Own<Payment> & Readonly<{ paidAt: number }>;
/** Payment that holders of the ex-date are due. */
type Due = { readonly paidAt: number; whole: bigint; own: bigint };

/** Splits and payments at the open of one session. */
export class SessionActions {
  readonly splits: readonly Own<Split>[];
  readonly #payments: readonly OwnPayment[];
  readonly #plan: ActionPlan;
  readonly #open: number;

  constructor(
    plan: ActionPlan,
    open: number,
    due: readonly (PlannedAction & Readonly<{ symbol: number }>)[],
  ) {
    this.#plan = plan;
    this.#open = open;
    this.splits = due.flatMap(({ action, symbol }) => (action.kind === 'split' ? [{ symbol, action }] : []));
    this.#payments = due.flatMap(({ action, symbol, paidAt }) =>
      action.kind === 'payment' ? [{ symbol, action, paidAt }] : [],
    );
  }

  /** Applies them: payments are due for the shares of before the splits. @returns mUSD that is paid at this open */
  apply(account: ExactAccount, prices: Prices): bigint {
    for (const { symbol, action, paidAt } of this.#payments) {
      const due = account.entitle(symbol, action);
      if (due.whole > 0n) this.#plan.unpaid.push({ paidAt, ...due });
    }
    for (const { symbol, action } of this.splits) {
      account.split(symbol, action);
      prices.split(symbol, sharesPer(action));
    }
    return this.#plan.payBy(this.#open, account);
  }
}

/** Splits and payments of a run, by the session that they come with. */
export class ActionPlan {
  unpaid: Due[] = [];
  readonly #bySession = new Map<number, SessionActions>();

  constructor(
    planned: readonly PlannedAction[],
    symbols: readonly SymbolRows[],
    sessions: readonly SessionRows[],
  ) {
    const own = planned.flatMap((each) => {
      const symbol = symbols.findIndex(({ symbol: name }) => name === each.action.symbol);
      return symbol < 0 ? [] : [{ ...each, symbol }];
    });
    if (own.length === 0) return;
    let before = -Infinity;
    for (const [index, { session }] of sessions.entries()) {
      const { open } = session;
      const due = own.filter((each) => each.open > before && each.open <= open);
      const isPayday = own.some(({ paidAt }) => paidAt > before && paidAt <= open);
      if (due.length > 0 || isPayday) this.#bySession.set(index, new SessionActions(this, open, due));
      before = open;
    }
  }

  of(session: number): SessionActions | null {
    return this.#bySession.get(session) ?? null;
  }

  /** Pays what is due by an instant. @returns its sum */
  payBy(at: number, account: ExactAccount): bigint {
    const payable = this.unpaid.filter(({ paidAt }) => paidAt <= at);
    this.unpaid = this.unpaid.filter(({ paidAt }) => paidAt > at);
    for (const due of payable) account.pay(due);
    return payable.reduce((sum, { whole }) => sum + whole, 0n);
  }
}
