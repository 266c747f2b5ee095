import { formatDecimal, cash, shares, type Shares } from '../../core/amount.ts';
import { type Address, sameAddress, type Ticker } from '../../domain/instrument.ts';
import { plainOr } from '../../domain/account/pins.ts';
import type { MoveTerms, Transfer, TransferId } from '../../domain/transfers/transfer.ts';
import {
  PAUSE_MS,
  type TreasuryPolicies,
  type TreasuryInput,
  type TransferIntent,
  wantCash,
  wantRepayment,
  wantStock,
} from './policy.ts';
import type { EpochMs } from '../../core/brand.ts';
import { InvariantError } from '../../core/errors.ts';
import { deferredUnderWay, uncommittedShares } from '../../domain/account/deferredSells.ts';
import { DEBT, UNALLOCATED } from '../../domain/account/ledger.ts';
import { isDeferred } from '../../domain/orders/order.ts';
import type { AccountReport, SendOutcome, SignedSend } from '../../domain/venue.ts';
import type { OrderIntent } from '../../domain/orders/orderIntent.ts';
import { describeTransfer } from '../../domain/describe.ts';
import type { EngineContext } from '../state/engineContext.ts';
import { gasIsWithin, reportGas, unknownOf } from '../state/notice.ts';
import { acceptance, restartEvent } from '../state/submissions.ts';
import type { Obstacles } from '../risk/gate.ts';
import { againstKind, againstManualTransfer, valueOf, type ManualTransfer } from './manualTransfers.ts';
import type { KernelEvent } from '../state/kernelEvent.ts';
import { transferDoubt, TransferMoves, TransferTracker } from './tracking.ts';
import type { CommandId } from '../../domain/operator/restriction.ts';
import { cashTokenName, changedCashToken, isCashToken } from '../../domain/account/pinBook.ts';

/** State of the allowance for a transfer. `approve`: the bot approves it first; `lacking`: a person has to. */
type Approval = Readonly<
  | { kind: 'enough' }
  | { kind: 'wait' }
  | { kind: 'approve'; intent: TransferIntent }
  | { kind: 'lacking'; why: string }
>;

/** An intent that takes tokens out of the wallet. */
type MoveIntent = Omit<TransferIntent, 'terms'> & Readonly<{ terms: MoveTerms }>;

/** The approval that a transfer needs: exactly the required amount, within its cap. Pure. */
function approvalFor(
  { policy, cause, value, terms }: MoveIntent,
  { approve }: TreasuryPolicies,
  freshness: TreasuryInput,
): Approval {
  const { allowances } = freshness;
  const { token, amount } = terms;
  if (!allowances) return { kind: 'enough' };
  const name = freshness.nameOf(terms) ?? token;
  const allowed = allowanceOf(allowances.of, token);
  if (allowed >= amount) return { kind: 'enough' };
  if (isJustApproved(terms, freshness)) return { kind: 'wait' };
  const { spender } = allowances;
  const cap = approve?.get(name.toUpperCase()) ?? approve?.get(token.toUpperCase());
  if (cap !== undefined && amount <= cap) {
    const approval = { kind: 'approve', token, name, spender, amount, before: terms.kind } as const;
    return { kind: 'approve', intent: { policy, cause, value, terms: approval } };
  }
  const need = formatDecimal(amount);
  const own = cap === undefined ? 'does not name it' : `allows ${formatDecimal(cap)}`;
  return {
    kind: 'lacking',
    why:
      `the wallet has approved ${formatDecimal(allowed)} ${name} for ${spender}, and ${need} is needed: nothing is sent. ` +
      `Approve it by "drover wallet approve ${plainOr(name, token)} ${need}"; treasury.approve ${own}`,
  };
}

/** Approved amount of a token, as a wad. */
const allowanceOf = (of: ReadonlyMap<Address, bigint>, token: Address): bigint =>
  of.get(token.toLowerCase() as Address) ?? 0n;

/** True when a sufficient approval was just mined but the venue does not show it yet: another one would not help. */
function isJustApproved({ token, amount }: MoveTerms, { transfers, endedAt, now }: TreasuryInput): boolean {
  const last = transfers.findLast(({ terms }) => sameAddress(terms.token, token));
  if (last?.terms.kind !== 'approve' || last.state.kind !== 'settled' || last.terms.amount < amount)
    return false;
  return now - (endedAt(last) ?? now) < PAUSE_MS;
}

/** A transfer to plan, requested by a policy or by a person. */
type TransferPlan = Omit<TransferIntent, 'policy' | 'seen'> &
  Readonly<{ seen?: Transfer['seen']; command?: CommandId }>;

/** Transfers money and stock between wallet and venue within the policies, and follows each transfer to its end. */
export class Treasury {
  readonly #context: EngineContext;
  readonly #policies: TreasuryPolicies;
  readonly #obstacles: Obstacles;
  readonly #moves: TransferMoves;
  readonly #tracker: TransferTracker;
  /** Account as last read from the venue, and the number of transfers that had ended by then. */
  #latest: Readonly<{ report: AccountReport; ended: number }> | null = null;
  /** Allowances that are too small, by token, as last reported. */
  readonly #lacking = new Map<Address, bigint>();
  /** Tokens that are reported and not moved because the wallet has less than the ledger. */
  readonly #doubted = new Set<Address>();

  constructor(context: EngineContext, policies: TreasuryPolicies, obstacles: Obstacles) {
    this.#context = context;
    this.#policies = policies;
    this.#obstacles = obstacles;
    this.#moves = new TransferMoves(context);
    this.#tracker = new TransferTracker(context, this.#moves);
  }

  /** Opens wallet and debts in the ledger when first seen. */
  open({ holdings, tokens, debts }: AccountReport): void {
    const { opened } = this.#context.accountState.transfers;
    if (!opened.wallet && tokens) {
      const stocks = [...holdings].map(([symbol, { wallet }]) => [symbol, wallet] as const);
      this.#context.record({ kind: 'walletOpened', tokens: [...tokens], stocks });
    }
    if (!opened.debts && debts) this.#context.record({ kind: 'debtsOpened', debts: [...debts] });
  }

  /** True when debts of deferred sells should be read: some exist or may arise, or may be repaid. */
  get wantsDebts(): boolean {
    const { ledger, live } = this.#context.accountState;
    const owes = () => [...ledger.assets].some((asset) => ledger.balance(UNALLOCATED, 'debt', asset) !== 0n);
    const mayOwe = () => [...live.values()].some(({ terms }) => isDeferred(terms));
    const { repayDebt, byHand } = this.#policies;
    const { isManual, rules } = this.#context;
    const isAsked = isManual && rules.limits.debt !== undefined;
    return repayDebt !== undefined || byHand?.has('repay') === true || isAsked || owes() || mayOwe();
  }

  /**
   * Recovers transfers that the last run left under way: those sent without a response become unknown, those only
   * planned were never sent.
   */
  recovered(): void {
    for (const { id, state } of [...this.#book.live.values()]) {
      const event = restartEvent(state);
      if (event) this.#moves.move(id, event);
    }
  }

  /** Applies the account and plans the policies' transfers. `asked`: time at which the request was sent. */
  account(report: AccountReport, asked: EpochMs): void {
    this.#latest = { report, ended: this.#moves.ended };
    this.#tracker.account(report, asked);
    if (this.#obstacle() !== null) return;
    for (const terms of [wantCash, wantRepayment]) {
      const freshness = this.#freshness();
      const intent = freshness && terms(this.#policies, freshness);
      if (intent) this.#begin(intent, { strategyId: UNALLOCATED, freshness });
    }
  }

  /** Reason not to make a manual transfer now, or null. */
  againstManual(terms: MoveTerms): string | null {
    const [context, policies] = [this.#context, this.#policies];
    return (
      againstKind(terms.kind, policies) ??
      this.#obstacle() ??
      this.#unpinned(terms) ??
      this.#doubtOf(terms) ??
      againstManualTransfer(terms, { context, read: this.#freshness() })
    );
  }

  /** Plans a manual transfer that `againstManual` has no reason against. */
  byHand({ terms, command, cause }: ManualTransfer): TransferId {
    const { debts, stocks } = this.#freshness() ?? {};
    const shown =
      terms.kind === 'repay' && debts && stocks
        ? { wallet: stocks.get(terms.symbol) ?? 0n, debt: debts.get(terms.symbol) ?? 0n }
        : undefined;
    const value = valueOf(terms, this.#context) ?? cash(0n);
    return this.#plan({ cause, terms, value, command, seen: shown }, UNALLOCATED);
  }

  get mayBegin(): boolean {
    return this.#obstacle() === null;
  }

  /** Last check before a send, when its slot is free. */
  permit(id: TransferId): { go: true } | { stop: string } {
    const stop = this.#obstacle();
    if (stop !== null) return { stop };
    const { state, terms } = this.#book.of(id);
    if (state.kind !== 'planned') return { stop: 'it has been sent already' };
    const unsafe = this.#unpinned(terms) ?? this.#doubtOf(terms);
    if (unsafe !== null) return { stop: unsafe };
    const { allowances } = this.#latest?.report ?? {};
    if (terms.kind === 'approve' || !allowances) return { go: true };
    if (allowanceOf(allowances.of, terms.token) >= terms.amount) return { go: true };
    return { stop: `the wallet has approved too little for ${describeTransfer({ terms })}` };
  }

  sent(id: TransferId, request: SignedSend): void {
    const hash = 'txHash' in request ? { txHash: request.txHash } : {};
    this.#moves.move(id, { kind: 'sent', at: this.#context.now, ...hash }, request);
  }

  operated(id: TransferId, outcome: SendOutcome): void {
    const transfer = this.#book.of(id);
    const text = describeTransfer(transfer);
    // The refusal is of the copy that was answered: if the request arrived twice, the other may have been accepted.
    if (outcome.kind === 'refused' && outcome.unproven && transfer.state.kind !== 'planned')
      return this.operated(id, { kind: 'unknown', reason: outcome.reason });
    switch (outcome.kind) {
      case 'accepted':
        gasIsWithin(this.#context);
        return this.#moves.move(id, acceptance(this.#context, { id }, outcome.txHash));
      case 'unknown':
        if (transfer.state.kind === 'sent')
          this.#context.alarm(
            unknownOf(id),
            `${text}: no usable response (${outcome.reason}), reading what became of it`,
            { code: 'TRANSFER_UNKNOWN' },
          );
        this.#moves.move(id, { kind: 'lost', reason: outcome.reason });
        return;
      case 'refused':
      case 'stopped': {
        const isAlarm = outcome.kind === 'refused' || outcome.alarm === true;
        if (outcome.kind === 'stopped' && outcome.code === 'GAS')
          reportGas(this.#context, text, outcome.reason);
        else
          this.#context.notify(isAlarm ? 'alarm' : 'end', `${text}: not done, ${outcome.reason}`, {
            code: 'TRANSFER_FAILED',
          });
        const kind = transfer.state.kind === 'planned' ? 'abandoned' : 'refused';
        this.#moves.move(id, { kind, reason: outcome.reason });
      }
    }
  }

  /** Applies the state of transfers under way, as lists and chain show it. */
  followed(event: Extract<KernelEvent, { kind: 'transfers' | 'transferTraced' }>): void {
    if (event.kind === 'transfers') this.#tracker.listed(event);
    else this.#tracker.traced(event);
  }

  /** Moves the stock that a sell lacks out of the wallet, if the policies allow it. True when the sell has to wait. */
  coverShortfall(intent: OrderIntent, missing: Shares): boolean {
    const { stockForSells: policy } = this.#policies;
    if (policy === undefined || missing <= 0n) return false;
    if (policy.onlyAsked === true && intent.depositFirst !== true) return false;
    const moving = [...this.#book.live.values()].filter(
      ({ terms }) => (terms.kind === 'approve' ? terms.before : terms.kind) === 'stockDeposit',
    );
    if (moving.some(({ cause, state }) => cause === intent.id || state.kind !== 'unknown')) return true;
    if (this.#obstacle() !== null) return false;
    const freshness = this.#freshness();
    if (!freshness) return true;
    const wanted = wantStock(
      this.#policies,
      { intentId: intent.id, symbol: intent.symbol, missing },
      freshness,
    );
    return wanted !== null && this.#begin(wanted, { strategyId: intent.strategyId, freshness });
  }

  /** Plans a transfer, or first the approval it needs. False when a person has to approve it. */
  #begin(
    intent: TransferIntent,
    { strategyId, freshness }: Readonly<{ strategyId: string; freshness: TreasuryInput }>,
  ): boolean {
    const { terms } = intent;
    if (terms.kind === 'approve') throw new InvariantError('no policy wants an approval by itself');
    if (this.#reportDoubt(terms)) return false;
    const approval = approvalFor({ ...intent, terms }, this.#policies, freshness);
    if (approval.kind === 'lacking') this.#reportLacking(terms, { why: approval.why, freshness });
    else if (this.#lacking.delete(terms.token))
      this.#context.allClear(`allowance ${terms.token}`, `the allowance of ${terms.token} is enough again`);
    if (approval.kind === 'enough') this.#plan(intent, strategyId);
    if (approval.kind === 'approve') this.#plan(approval.intent, strategyId);
    return approval.kind !== 'lacking';
  }

  /** True while the wallet has less of the token than the ledger; reported once. */
  #reportDoubt(terms: MoveTerms): boolean {
    const doubt = this.#doubtOf(terms);
    if (doubt === null) this.#endDoubt(terms.token);
    else if (!this.#doubted.has(terms.token)) {
      this.#doubted.add(terms.token);
      this.#context.alarm(`wallet ${terms.token}`, doubt, { code: 'WALLET_DIFFERS' });
    }
    return doubt !== null;
  }

  #endDoubt(token: MoveTerms['token']): void {
    if (this.#doubted.delete(token))
      this.#context.allClear(`wallet ${token}`, `the wallet agrees with the ledger about ${token} again`);
  }

  #doubtOf(terms: Transfer['terms']): string | null {
    if (terms.kind === 'approve' || !this.#latest) return null;
    return transferDoubt(this.#context.accountState, this.#latest.report, terms);
  }

  /** Reports a missing allowance once, and again when it has changed but is still too small. */
  #reportLacking(
    terms: MoveTerms,
    { why, freshness }: Readonly<{ why: string; freshness: TreasuryInput }>,
  ): void {
    const amount = allowanceOf(freshness.allowances?.of ?? new Map(), terms.token);
    if (this.#lacking.get(terms.token) === amount) return;
    this.#lacking.set(terms.token, amount);
    this.#context.alarm(`allowance ${terms.token}`, `${describeTransfer({ terms })}: ${why}`, {
      code: 'ALLOWANCE_TOO_SMALL',
    });
  }

  #plan({ cause, terms, value, seen, command }: TransferPlan, strategyId: string): TransferId {
    const id = `op-${this.#book.all.size + 1}` as TransferId;
    const transfer: Transfer = {
      id,
      terms,
      strategyId,
      cause,
      value,
      plannedAt: this.#context.now,
      state: { kind: 'planned' },
      ...(seen ? { seen } : {}),
      ...(command === undefined ? {} : { command }),
    };
    this.#context.record({ kind: 'transferPlanned', transfer: transfer });
    this.#context.notify('account', `${describeTransfer(transfer)}: ${cause}`);
    this.#context.ask({ kind: 'operate', id });
    return id;
  }

  /** Reason to begin no transfer now, or null. */
  #obstacle(): string | null {
    const { accountState, reads, holds } = this.#context;
    const outside = this.#obstacles.reason('place') ?? holds.everything;
    if (outside !== null) return outside;
    if (this.#book.stopped !== null) return `the treasury has stopped: ${this.#book.stopped}`;
    if (!this.#book.opened.wallet) return 'the wallet has not been read yet';
    const { ofRun } = accountState.trading;
    if (ofRun?.state === 'halted') return `trading is halted: ${ofRun.reason}`;
    const changed = changedCashToken(accountState.pins);
    if (changed !== null) return changed;
    return reads.delegated ? null : this.#context.oneClickOff;
  }

  /** Reason not to move a token, such as that it is not the pinned one; or null. */
  #unpinned(terms: Transfer['terms']): string | null {
    if ('symbol' in terms) return this.#deferral(terms.symbol);
    const isCash = terms.kind !== 'approve' || terms.before === 'cashDeposit';
    if (!isCash || isCashToken(this.#context.accountState.pins, terms.token)) return null;
    return `${terms.token} is none of the cash tokens that are pinned`;
  }

  /** Reason not to move stock of a symbol now, or null. */
  #deferral(symbol: Ticker): string | null {
    const { accountState, holds } = this.#context;
    const why = accountState.frozen.get(symbol);
    return why === undefined ? holds.against(symbol) : `${symbol} is frozen: ${why}`;
  }

  /** Cash tokens in the wallet that may be moved: the pinned ones, and the one named in the config. */
  #movable(tokens: ReadonlyMap<Address, bigint>): ReadonlyMap<Address, bigint> {
    const { pins } = this.#context.accountState;
    const configured = this.#policies.cashBuffer?.token;
    return new Map([...tokens].filter(([token]) => token === configured || isCashToken(pins, token)));
  }

  #freshness(): TreasuryInput | null {
    const { accountState, market, now } = this.#context;
    const { report, ended } = this.#latest ?? {};
    if (!report?.tokens || ended !== this.#moves.ended) return null;
    const { cash: shown, holdings, tokens, debts = new Map(), allowances } = report;
    const strategyIds = [UNALLOCATED, ...accountState.allocations.keys()];
    const free = strategyIds.reduce(
      (sum, strategyId) => sum + accountState.ledger.balance(strategyId, 'free', 'mUSD'),
      0n,
    );
    return {
      now,
      freeCash: cash(shown > free ? shown : free),
      tokens: this.#movable(tokens),
      nameOf: (terms) => ('symbol' in terms ? terms.symbol : cashTokenName(accountState.pins, terms.token)),
      stocks: new Map([...holdings].map(([symbol, { wallet }]) => [symbol, shares(wallet)])),
      debts,
      uncommittedOf: (symbol) => (this.#policies.repayDebt ? uncommittedShares(accountState, symbol) : null),
      isOwedUnsettled: (symbol) =>
        deferredUnderWay(accountState, symbol) > 0n ||
        (debts.get(symbol) ?? 0n) !== -accountState.ledger.at(DEBT, symbol),
      ...(allowances ? { allowances } : {}),
      priceOf: (symbol) => market.price(symbol),
      addressOf: (symbol) =>
        this.#deferral(symbol) === null ? (market.instruments.get(symbol)?.address ?? null) : null,
      transfers: [...this.#book.all.values()],
      endedAt: ({ id }) => this.#book.endedAt.get(id),
    };
  }

  get #book() {
    return this.#moves.book;
  }
}
