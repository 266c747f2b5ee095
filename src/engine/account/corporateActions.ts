import { price as asPrice, formatDecimal } from '../../core/amount.ts';
import type { Mismatch } from '../../domain/account/comparison.ts';
import { amountOf, payableFirst, paymentsMakingUp } from '../../domain/account/actionBook.ts';
import {
  type Split,
  actionId,
  describeAction,
  isOfSameEvent,
  rescalePrice,
  type CorporateAction,
  type Payment,
  type Entitlement,
} from '../../domain/corporateAction.ts';
import type { Ticker } from '../../domain/instrument.ts';
import { isToken } from '../../domain/account/ledger.ts';
import type { AccountReport } from '../../domain/venue.ts';
import type { Session } from '../../calendar/index.ts';
import { DAY_MS, epochMs, type EpochMs } from '../../core/brand.ts';
import type { Order } from '../../domain/orders/order.ts';
import type { EngineContext } from '../state/engineContext.ts';
import { Dividends, type Due } from './dividends.ts';
import { lowerStops } from './exitDividends.ts';
import type { ActionEvent } from '../state/kernelEvent.ts';
import { rescaleSynthetic } from '../../domain/orders/syntheticSplit.ts';
import { cutToStep } from '../state/market.ts';
import { rescaleIntent } from '../../domain/orders/orderIntent.ts';
import { cashGap, isHeld, showsSplits } from './shownActions.ts';

/** Longest wait in ms for a split after the open of its ex-date. */
const SPLIT_GRACE_MS = 1_800_000;
/** Longest wait in ms of a difference for the list of actions to explain it. */
const LIST_GRACE_MS = 600_000;
/** Maximum age in ms, before the latest session, of an action that may explain a difference. */
const LOOK_BACK_MS = 7 * DAY_MS;
const LOOK_AHEAD_MS = 14 * DAY_MS;

/**
 * `open`: start of its ex-date. `awaited`: orders of the stock wait, and its price is kept, until the account shows the
 * action. `changes`: time from which orders are placed at later prices: the end of that wait, or the open if there was none.
 */
type KnownAction = {
  readonly action: CorporateAction;
  readonly open: EpochMs;
  awaited: boolean;
  changes: number;
};

type AccountLook = Readonly<{ report: AccountReport; asked: EpochMs }>;

/**
 * Splits and dividends. The venue's list announces them; the ledger books each once, when the account shows it. If list
 * and account do not agree in time, the difference remains.
 */
export class CorporateActions {
  readonly #context: EngineContext;
  readonly #known = new Map<string, KnownAction>();
  readonly #dividends: Dividends;
  /** Late payments that have been reported. */
  readonly #late = new Set<string>();
  /** Payments that correct an earlier one already booked. */
  readonly #corrections = new Set<string>();
  /** Stocks whose bars are being read again. */
  readonly #rewarming = new Set<Ticker>();
  /** Time at which the latest list was requested, and at which a request was last wanted. */
  #readAt = -Infinity;
  #wantedAt = -Infinity;
  /** True once strategies see bars, which must be shown again after a split. */
  isShowing = false;

  constructor(context: EngineContext) {
    this.#context = context;
    this.#dividends = new Dividends(context, () => this.#dues());
  }

  /** Range of dates with actions that affect the holdings of the ledger. */
  get query(): Readonly<{ from: string; to: string }> {
    const { calendar, now } = this.#context;
    const until = calendar.newYorkDate(epochMs(now + LOOK_AHEAD_MS));
    return { from: calendar.newYorkDate(this.#since), to: until };
  }

  /** Earliest ex-date of actions that can still be booked. */
  get #since(): EpochMs {
    const { accountState, calendar, now } = this.#context;
    const seen =
      accountState.sessionDate === null ? undefined : calendar.sessionOn(accountState.sessionDate)?.open;
    return epochMs((seen ?? accountState.opened?.at ?? now) - LOOK_BACK_MS);
  }

  listed({ actions, asked }: Pick<Extract<ActionEvent, { kind: 'actions' }>, 'asked' | 'actions'>): void {
    this.#readAt = asked;
    const { accountState, now } = this.#context;
    const listed = new Map(actions.map((action) => [actionId(action), action]));
    for (const [id, { open }] of this.#known) if (!listed.has(id) && open > now) this.#forget(id);
    for (const [id, action] of listed) {
      const open = this.#dividends.beginOf(action);
      const isOld = accountState.opened === null || open <= accountState.opened.at || open < this.#since;
      if (isOld || accountState.actions.booked.has(id) || this.#known.has(id)) continue;
      if (!this.#takesPlace(id, action, listed)) continue;
      this.#known.set(id, { action, open, awaited: false, changes: open });
      if (this.#concerns(action.symbol))
        this.#context.notify(
          'info',
          `announced: ${describeAction(action)}${this.#dividends.describeWay(action)}`,
        );
    }
    this.check();
  }

  /**
   * Ends an earlier version of this action: its payment is no longer due. False if that was already paid, which is
   * reported once.
   */
  #takesPlace(id: string, action: CorporateAction, listed: ReadonlyMap<string, unknown>): boolean {
    const { booked, unpaid } = this.#context.accountState.actions;
    const isEarlier = (other: string) => isOfSameEvent(other, action) && !listed.has(other);
    for (const other of [...this.#known.keys()].filter(isEarlier)) this.#forget(other);
    const earlier = action.kind === 'payment' ? [...booked].filter(isEarlier) : [];
    if (earlier.length === 0) return true;
    const [due, isFirst] = [earlier.filter((other) => unpaid.has(other)), !this.#corrections.has(id)];
    this.#corrections.add(id);
    const text = `the venue has corrected it: ${describeAction(action)}`;
    for (const other of due) {
      this.#context.record({ kind: 'paidInTokens', id: other, price: asPrice(0n), parts: [] });
      this.#context.notify('account', `nothing is due any more of ${other}: ${text}`);
    }
    if (due.length > 0) return true;
    const remedy = 'nothing is due of it, because an earlier one is booked; what comes is a difference';
    if (isFirst) this.#context.notify('alarm', `${text}; ${remedy}`, { code: 'ACTION_UNBOOKED' });
    return false;
  }

  /** Starts and ends the wait for each action on time. `isShown`: an account has shown which splits are done. */
  check(isShown = false): void {
    const { accountState, now } = this.#context;
    for (const [id, known] of this.#known) {
      const { action, open } = known;
      if (action.kind === 'split') this.#await(action, known);
      else if (now >= open && (isShown || !this.#isAfterSplit(known))) this.#entitle(id, action, open);
    }
    for (const [id, due] of accountState.actions.unpaid) this.#reportLate(id, due);
  }

  /** True for a payment on the shares after a split that is not booked yet. */
  #isAfterSplit({ action: { symbol }, open }: KnownAction): boolean {
    return [...this.#known.values()].some(
      (one) => one.action.kind === 'split' && one.action.symbol === symbol && one.open < open,
    );
  }

  #entitle(id: string, action: Payment, begins: EpochMs): void {
    const way = this.#dividends.wayOf(action.symbol);
    if (way === 'price') return;
    this.#known.delete(id);
    if (!this.#corrections.has(id)) lowerStops(this.#context, { id, action, begins });
    const due = this.#dividends.entitlementOf(action, begins);
    if (!due) return;
    this.#context.record({ kind: 'entitled', ...due });
    const amount = `${formatDecimal(amountOf(due))} mUSD due${way === 'tokens' ? ' in tokens' : ''}`;
    this.#context.notify('account', `${amount}: ${describeAction(action)}`);
  }

  /** Payments that are due, and those announced for the current session or still within the price. */
  #dues(): Due[] {
    const { open } = this.#present;
    const { unpaid } = this.#context.accountState.actions;
    const booked = [...unpaid].map(([id, due]) => ({ id, due, isBooked: true }));
    const coming = [...this.#known].flatMap(([id, { action, open: begins }]): Due[] => {
      if (action.kind !== 'payment' || begins > open || begins < this.#since) return [];
      const due = this.#dividends.entitlementOf(action, begins);
      return due ? [{ id, due, isBooked: false }] : [];
    });
    return [...booked, ...coming];
  }

  /** Books the actions that the account shows; `asked`: when the request was sent. */
  account({ report, asked }: AccountLook): void {
    this.check();
    const symbols = new Set([...this.#known.values()].map(({ action }) => action.symbol));
    for (const symbol of symbols) this.#splits(symbol, { report, asked });
    this.check(true);
    this.#payments(report);
    this.#dividends.account(report, () => cashGap(this.#context.accountState, report));
  }

  /** Applies the multiplier by which balances of a stock grow. */
  takeMultiplier(symbol: Ticker, multiplier: bigint): void {
    this.check();
    this.#dividends.takeMultiplier(symbol, multiplier);
  }

  /** Stocks whose balances grow with a payment, from its announcement until it is booked. */
  get growing(): ReadonlySet<Ticker> {
    const coming = [...this.#known.values()].flatMap(({ action }) =>
      action.kind === 'payment' ? [action.symbol] : [],
    );
    const due = [...this.#context.accountState.actions.unpaid.values()].map(({ action }) => action.symbol);
    const isGrowing = (symbol: Ticker) =>
      this.#dividends.wayOf(symbol) === 'tokens' && this.#concerns(symbol);
    return new Set([...coming, ...due].filter(isGrowing));
  }

  /** True while prices and bars of a stock are withheld. */
  holdsBack(symbol: Ticker): boolean {
    return this.#rewarming.has(symbol) || this.#awaited(symbol);
  }

  rewarmed(symbol: Ticker): void {
    this.#rewarming.delete(symbol);
  }

  /** True for a surplus of a stock that a due payment in tokens explains. */
  readonly isGrowth = (mismatch: Mismatch): boolean => this.#dividends.explains(mismatch);

  /** True if an action may still explain a difference; the list is then read again. */
  mayExplain(mismatch: Mismatch, since: EpochMs): boolean {
    const { asset, explainable } = mismatch;
    if (isToken(asset)) return false;
    if (asset !== 'mUSD' && this.#awaited(asset)) return true;
    if (this.isGrowth(mismatch)) return true;
    if (!this.#context.rules.readsActions || explainable || this.#readAt >= since) return false;
    if (this.#wantedAt < since) this.#context.ask({ kind: 'readActions' });
    this.#wantedAt = Math.max(this.#wantedAt, since);
    return this.#context.now - since < LIST_GRACE_MS;
  }

  #awaited(symbol: Ticker): boolean {
    return [...this.#known.values()].some(({ action, awaited }) => awaited && action.symbol === symbol);
  }

  /** The current session, or the next one. */
  get #present(): Session {
    const { calendar, now } = this.#context;
    return calendar.sessionAt(now) ?? calendar.nextSession(now);
  }

  /** Holds the stock from the close before the ex-date until the split is booked or its time is over. */
  #await(split: Split, known: KnownAction): void {
    const { now, holds, market } = this.#context;
    const { symbol } = split;
    const isDue = known.open <= this.#present.open && now < known.open + SPLIT_GRACE_MS;
    if (isDue === known.awaited) return;
    known.awaited = isDue;
    if (!isDue) known.changes = Math.min(known.changes, Math.max(now, known.open));
    else if (now <= known.open) known.changes = Infinity;
    if (isDue) {
      holds.put('corporate action', `${symbol} is held for the ${describeAction(split)}`, symbol);
      market.keepPrice(symbol);
      return;
    }
    this.#release(symbol);
    if (this.#concerns(symbol))
      this.#context.freeze(symbol, `the account does not show the ${describeAction(split)}`);
  }

  #release(symbol: Ticker): void {
    if (this.#awaited(symbol)) return;
    this.#context.holds.lift('corporate action', symbol);
    this.#context.market.letPriceGo(symbol);
  }

  #forget(id: string): void {
    const known = this.#known.get(id);
    this.#known.delete(id);
    if (known?.awaited) this.#release(known.action.symbol);
  }

  /** Books the due splits of a stock: the longest run from the first that the account shows. */
  #splits(symbol: Ticker, { report, asked }: AccountLook): void {
    const { accountState, now } = this.#context;
    const isMoving = [...accountState.transfers.live.values()].some(
      ({ terms }) => 'symbol' in terms && terms.symbol === symbol,
    );
    const ending = accountState.open.inSymbol(symbol);
    if (isMoving || !ending.every((order) => this.#mayEnd(order, { report, asked }))) return;
    const due = [...this.#known.values()]
      .flatMap((known) => (known.action.kind === 'split' ? [{ ...known, action: known.action }] : []))
      .filter(({ action, open }) => action.symbol === symbol && open <= this.#present.open)
      .sort((a, b) => a.open - b.open);
    for (let count = due.length; count > 0; count--) {
      const first = due.slice(0, count);
      const splits = first.map(({ action }) => action);
      const isThere = isHeld(accountState, symbol)
        ? showsSplits(accountState, report, splits)
        : first.every(({ open }) => now >= open);
      if (!isThere) continue;
      for (const { id, claim } of ending) if (claim) this.#context.move(id, claim.end);
      for (const split of first) this.#book(split);
      return;
    }
  }

  /** True if the claimed end of an order is confirmed by the account's money alone, as its stock may have been split since. */
  #mayEnd({ claim, terms }: Order, { report, asked }: AccountLook): boolean {
    if (!claim || asked < claim.at) return false;
    return terms.side === 'sell' || cashGap(this.#context.accountState, report) === 0n;
  }

  #book({ action: split, open, changes }: KnownAction & Readonly<{ action: Split }>): void {
    const { accountState } = this.#context;
    const { symbol } = split;
    // A payment of the same day is for the shares before the split, which the account may show ahead of the open.
    const isBefore = (of: KnownAction) => of.open <= open || of.action.exDate === split.exDate;
    for (const [id, known] of this.#known)
      if (known.action.kind === 'payment' && known.action.symbol === symbol && isBefore(known))
        this.#entitle(id, known.action, known.open);
    const synthetics = this.#syntheticsAfter(split, changes);
    this.#context.record({
      kind: 'split',
      action: split,
      intents: this.#intentsAfter(split, changes),
      ...(synthetics.length === 0 ? {} : { synthetics }),
    });
    this.#known.delete(actionId(split));
    this.#context.market.movePrice(symbol, open, (price) => asPrice(rescalePrice(price, split)));
    this.#release(symbol);
    this.#context.reads.unshown.delete(symbol);
    if (this.#concerns(symbol))
      this.#context.notify(
        'account',
        `${describeAction(split)}: ${formatDecimal(accountState.ledger.total(symbol))} ${symbol} from now on`,
      );
    if (!this.isShowing) return;
    this.#rewarming.add(symbol);
    this.#context.ask({ kind: 'rewarm', symbol });
  }

  /** Earlier intents with their terms converted by the split. */
  #intentsAfter(split: Split, changes: number) {
    const { accountState, market } = this.#context;
    const instrument = market.instruments.get(split.symbol);
    const cut = (quantity: bigint) => (instrument ? cutToStep(quantity, instrument) : quantity);
    return [...accountState.intents.values()]
      .filter(({ symbol, at }) => symbol === split.symbol && at < changes)
      .map((intent) =>
        rescaleIntent(intent, split, { cut, filled: accountState.filledByIntent.get(intent.id) }),
      );
  }

  /** Earlier synthetic orders with prices and shares converted by the split. */
  #syntheticsAfter(split: Split, changes: number) {
    const { synthetics } = this.#context.accountState;
    return [...synthetics.inSymbol(split.symbol)]
      .map((id) => synthetics.of(id))
      .filter(({ order }) => order.at < changes)
      .map((state) => rescaleSynthetic(state, split));
  }

  /** Books payments if the account exceeds the ledger by exactly the sum of some, preferring those that are payable. */
  #payments(report: AccountReport): void {
    const { accountState, calendar, now } = this.#context;
    const { unpaid } = accountState.actions;
    const owed = [...unpaid].flatMap(([id, due]) =>
      this.#dividends.wayOf(due.action.symbol) === 'tokens' ? [] : [{ id, due }],
    );
    if (owed.length === 0) return;
    const first = payableFirst(owed, calendar.newYorkDate(now));
    const made = paymentsMakingUp(first, cashGap(accountState, report));
    for (const { id, due } of owed.filter((one) => made.includes(one))) {
      this.#context.record({ kind: 'paid', id });
      this.#context.notify(
        'account',
        `${formatDecimal(amountOf(due))} mUSD paid: ${describeAction(due.action)}`,
      );
    }
  }

  #reportLate(id: string, due: Entitlement): void {
    const { calendar, now } = this.#context;
    const { action } = due;
    const { close } = calendar.sessionFrom(action.payableDate ?? action.exDate);
    if (now <= close || this.#late.has(id)) return;
    this.#late.add(id);
    const remedy = this.#dividends.lateRemedy(action);
    const text = `${formatDecimal(amountOf(due))} mUSD have not arrived: ${describeAction(action)}${remedy}`;
    this.#context.notify('alarm', text, { code: 'ACTION_UNBOOKED' });
  }

  #concerns(symbol: Ticker): boolean {
    const { accountState } = this.#context;
    if (isHeld(accountState, symbol) || accountState.synthetics.inSymbol(symbol).size > 0) return true;
    return [...accountState.intents.values()].some((intent) => intent.symbol === symbol);
  }
}
