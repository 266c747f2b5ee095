import { isSplit, type PlannedAction } from '../../backtest/actions.ts';
import { sharesPer } from '../../domain/corporateAction.ts';
import type { ExactAccount } from './account.ts';
import type { Prices } from './prices.ts';
import type { SessionRows, SymbolRows } from './timeline.ts';

type OwnAction = PlannedAction & Readonly<{ symbol: number }>;
/** Payment due to holders on the ex-date. */
type Due = { readonly paidAt: number; whole: bigint; own: bigint };

/** Splits and payments at the open of one session, by ex-date. Payments are for the shares before the day's splits. */
export class SessionActions {
  readonly #due: readonly OwnAction[];
  readonly #plan: ActionPlan;
  readonly #open: number;

  constructor(plan: ActionPlan, open: number, due: readonly OwnAction[]) {
    this.#plan = plan;
    this.#open = open;
    this.#due = due.toSorted((a, b) => a.open - b.open || Number(isSplit(a)) - Number(isSplit(b)));
  }

  /** Applies them. @returns mUSD paid at this open */
  apply(account: ExactAccount, prices: Prices): bigint {
    for (const { action, symbol, paidAt } of this.#due) {
      if (action.kind === 'split') {
        account.split(symbol, action);
        prices.split(symbol, sharesPer(action));
        continue;
      }
      const due = account.entitle(symbol, action);
      if (due.whole > 0n) this.#plan.unpaid.push({ paidAt, ...due });
    }
    return this.#plan.payBy(this.#open, account);
  }
}

/** Splits and payments of a run, by session. */
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

  /** Pays everything due by an instant. @returns the total */
  payBy(at: number, account: ExactAccount): bigint {
    const payable = this.unpaid.filter(({ paidAt }) => paidAt <= at);
    this.unpaid = this.unpaid.filter(({ paidAt }) => paidAt > at);
    for (const due of payable) account.pay(due);
    return payable.reduce((sum, { whole }) => sum + whole, 0n);
  }
}
