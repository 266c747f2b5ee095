import type { TradingCalendar } from '../calendar/index.ts';
import { cash, formatDecimal, shares, sharesFor, parseCash, toNumber, type Cash } from '../core/amount.ts';
import { epochMs, toIso, type EpochMs } from '../core/brand.ts';
import { ConfigError, InvariantError } from '../core/errors.ts';
import { amountOf } from '../domain/account/actionBook.ts';
import { expectedAtVenue } from '../domain/account/comparison.ts';
import {
  ACTION_KINDS,
  actionId,
  actionOf,
  CASH_DIVIDENDS,
  describeAction,
  netOf,
  rescale,
  sharesPer,
  wayOf,
  type CorporateAction,
  type DividendRules,
  type ExDateBegin,
  type Payment,
  type Split,
} from '../domain/corporateAction.ts';
import type { Ticker } from '../domain/instrument.ts';
import type { AccountReport } from '../domain/venue.ts';
import type { Kernel } from '../engine/kernel/kernel.ts';
import type { KernelEvent } from '../engine/state/kernelEvent.ts';
import { exDateBegins } from '../sim/dayEnd.ts';
import { barEnd } from '../market/series.ts';
import { countBefore } from '../market/mergeBars.ts';
import { spanOf, type BacktestBars, type BacktestOptions } from './options.ts';
import { tradedHours } from './outside.ts';
import type { Tape } from './tape.ts';
import type { Trades } from './trades.ts';

/**
 * `open`: open of the session in which the action takes effect; for a payment within a week that has only a weekly bar,
 * the last moment of that week. `paidAt`: open of the session in which a payment arrives.
 */
export type PlannedAction = Readonly<{ action: CorporateAction; open: EpochMs; paidAt: EpochMs }>;
export type PlannedSplit = PlannedAction & Readonly<{ action: Split }>;

/** Change of the account that no order caused. */
export type BacktestEvent = Readonly<{ at: EpochMs; kind: 'split' | 'dividend' | 'writeOff'; text: string }>;

export const isSplit = (planned: PlannedAction): planned is PlannedSplit => planned.action.kind === 'split';

/**
 * Actions between the first bar of their symbol and the last bar of all, by ex-date.
 * @throws {InvalidValueError} for an action that lacks a required value
 * @throws {ConfigError} for an invalid date, and for a split in the middle of a bar
 */
export function actionsOf(options: BacktestOptions, calendar: TradingCalendar): PlannedAction[] {
  const { actions = [], bars } = options;
  const { to } = spanOf(options);
  if (actions.length === 0) return [];
  const last = Math.min(to, Math.max(...bars.map((set) => lastOf(set, calendar))));
  const byId = new Map<string, PlannedAction>();
  for (const announced of actions) {
    const own = bars.filter(({ symbol }) => symbol === announced.symbol);
    const first = Math.min(...own.map(({ start }) => start[0] ?? Infinity));
    const action = actionOf(announced);
    const begins = tradedHours(options, calendar) ? exDateBegin(options, action) : 'open';
    const open = openOf(action.exDate, calendar, begins);
    if (open <= first || open >= last) continue;
    const week = weekAround(open, own, calendar);
    if (action.kind === 'split' && week) throw splitWithinBar(action, week);
    const isCoarse = week !== null && own.every(({ interval }) => interval === '1w');
    const payable = (action.kind === 'payment' ? action.payableDate : null) ?? action.exDate;
    const paidAt = openOf(payable, calendar);
    byId.set(actionId(action), { action, open: isCoarse ? epochMs(week.end - 1) : open, paidAt });
  }
  return [...byId.values()].sort((a, b) => a.open - b.open);
}

/**
 * Start of an ex-date in a run that trades phases. Bars are in post-split shares from the evening before, and a payment
 * on the same day is for pre-split shares.
 */
function exDateBegin({ outside, actions = [] }: BacktestOptions, action: CorporateAction): ExDateBegin {
  const isOfSplit = actions.some(
    ({ symbol, exDate, type }) =>
      symbol === action.symbol && exDate === action.exDate && ACTION_KINDS[type] === 'split',
  );
  return isOfSplit ? 'evening' : (outside?.exDates ?? 'evening');
}

export type PlannedPayment = PlannedAction & Readonly<{ action: Payment; amount: Cash }>;

/** Payments earned before the start and paid during the run or after it. @throws as `actionsOf` does */
export const unpaidAtStart = (
  { unpaid = [] }: BacktestOptions,
  calendar: TradingCalendar,
): PlannedPayment[] =>
  unpaid.flatMap(({ amount, ...announced }) => {
    const action = actionOf(announced);
    if (action.kind !== 'payment') return [];
    const paidAt = openOf(action.payableDate ?? action.exDate, calendar);
    return [{ action, open: openOf(action.exDate, calendar), paidAt, amount: parseCash(amount) }];
  });

function openOf(date: string, calendar: TradingCalendar, begins: ExDateBegin = 'open'): EpochMs {
  if (!/^\d{4}-\d{2}-\d{2}$/.test(date))
    throw new ConfigError(`the date of a corporate action is "${date}": write one such as 2026-06-15`);
  return exDateBegins(calendar, date, { begins });
}

/** Last instant covered by the bars; for a weekly bar, the end of its week. */
function lastOf({ interval, start }: BacktestBars, calendar: TradingCalendar): number {
  const at = start.at(-1) ?? -Infinity;
  return interval === '1w' && at > 0 ? barEnd({ start: epochMs(at), interval }, calendar) : at + 1;
}

type Week = Readonly<{ symbol: string; start: EpochMs; end: EpochMs }>;

/** Weekly bar that begins before a session's open and ends after it; null if there is none. Shorter bars never do. */
function weekAround(open: EpochMs, bars: readonly BacktestBars[], calendar: TradingCalendar): Week | null {
  for (const { symbol, interval, start } of bars) {
    const at = epochMs(start[countBefore(start, open) - 1] ?? Infinity);
    if (interval !== '1w' || at === Infinity) continue;
    const end = barEnd({ start: at, interval }, calendar);
    if (end > open) return { symbol, start: at, end };
  }
  return null;
}

const splitWithinBar = (split: Split, { symbol, start }: Week): ConfigError =>
  new ConfigError(
    `${describeAction(split)}: the bar of ${symbol} 1w at ${toIso(start)} has prices of before and after it. Use daily bars`,
  );

/** Actions as a holder receives them: payments net of withholding, without those that the prices already contain. */
export const actionsOfHolder = (actions: readonly PlannedAction[], rules: DividendRules): PlannedAction[] =>
  actions.flatMap((planned) => {
    const { action } = planned;
    if (action.kind !== 'payment') return planned;
    if (wayOf(rules, action.symbol) === 'price') return [];
    return { ...planned, action: { ...action, perShare: netOf(action, rules) } };
  });

/**
 * Value of what one share has become through these actions, at a price. A payment on the day of a split is for
 * pre-split shares.
 */
export function worthOfOne(price: number, actions: readonly PlannedAction[]): number {
  let [shares, paid, latest, before] = [1, 0, NaN, 1];
  for (const { action, open } of actions) {
    if (open !== latest) [latest, before] = [open, shares];
    if (action.kind === 'payment') paid += before * toNumber(action.perShare);
    else shares *= sharesPer(action);
  }
  return shares * price + paid;
}

export type ActionReplayInput = Readonly<{
  kernel: Kernel;
  tapes: readonly Tape[];
  trades: Trades;
  planned: readonly PlannedAction[];
  unpaid: readonly PlannedPayment[];
}>;

const NEVER = epochMs(Infinity);

/** Reports splits and payments to the kernel the way its feed and venue would, and the kernel books them. */
export class ActionReplay {
  readonly events: BacktestEvent[] = [];
  /** mUSD of payments so far. */
  paid: Cash = cash(0n);
  readonly #input: ActionReplayInput;
  /** Actions not shown yet, by ex-date. */
  readonly #coming: PlannedAction[];
  #unpaid: PlannedAction[];

  constructor(input: ActionReplayInput) {
    this.#input = input;
    this.#coming = [...input.planned];
    this.#unpaid = [...input.unpaid];
  }

  /** Skips actions before the start: their only effect is on the scale of older bars. */
  begin(start: EpochMs): void {
    for (const planned of this.#due(start)) if (isSplit(planned)) this.#rescaleBars(planned);
  }

  /** Time at which the next action takes effect. */
  get next(): EpochMs {
    return this.#coming[0]?.open ?? NEVER;
  }

  isDue(open: EpochMs): boolean {
    return this.next <= open || this.#unpaid.some(({ paidAt }) => paidAt <= open);
  }

  /** Actions that take effect by the open of a session. */
  dueBy(open: EpochMs): PlannedAction[] {
    return this.#coming.filter((planned) => planned.open <= open);
  }

  /** Applies everything due at the open of a session. `hand` passes events to the kernel and carries out effects. */
  play(open: EpochMs, hand: (event: KernelEvent) => void): void {
    const due = this.#due(open);
    if (due.length > 0) this.#book(due, open, hand);
    for (const planned of this.#unpaid.filter(({ paidAt }) => paidAt <= open)) this.#pay(planned, open, hand);
    const { unpaid } = this.#input.kernel.context.accountState.actions;
    this.#unpaid = this.#unpaid.filter(({ action }) => unpaid.has(actionId(action)));
  }

  #due(open: EpochMs): PlannedAction[] {
    const later = this.#coming.findIndex((planned) => planned.open > open);
    return this.#coming.splice(0, later < 0 ? this.#coming.length : later);
  }

  #book(due: readonly PlannedAction[], at: EpochMs, hand: (event: KernelEvent) => void): void {
    const { kernel, trades } = this.#input;
    const { booked, unpaid } = kernel.context.accountState.actions;
    const splits = due.filter(isSplit);
    for (const planned of splits) {
      const { action, open } = planned;
      const split = { symbol: action.symbol, at: open, per: sharesPer(action) };
      this.#rescaleBars(planned);
      trades.split(split, (quantity) => rescale(quantity, action));
    }
    hand({ kind: 'actions', asked: at, actions: due.map(({ action }) => action) });
    if (splits.length > 0) hand({ kind: 'account', asked: at, report: this.#account(splits) });
    for (const { action } of splits) {
      if (!booked.has(actionId(action))) throw new InvariantError(`${describeAction(action)} was not booked`);
      this.events.push({ at, kind: 'split', text: describeAction(action) });
    }
    this.#unpaid.push(...due.filter(({ action }) => unpaid.has(actionId(action))));
  }

  #rescaleBars({ action, open }: PlannedSplit): void {
    for (const tape of this.#input.tapes)
      if (tape.symbol === action.symbol) tape.rescale(open, sharesPer(action));
  }

  /** Books payments one at a time, so that cash grows by exactly each. One in tokens waits if it cannot be booked. */
  #pay(planned: PlannedAction, at: EpochMs, hand: (event: KernelEvent) => void): void {
    const { action } = planned;
    const { kernel, trades } = this.#input;
    const { unpaid } = kernel.context.accountState.actions;
    const due = unpaid.get(actionId(action));
    if (!due) throw new InvariantError(`${describeAction(action)} is not owed`);
    const { context } = kernel;
    const { dividends = CASH_DIVIDENDS } = context.rules;
    const amount = amountOf(due);
    const inTokens = wayOf(dividends, action.symbol) === 'tokens';
    if (inTokens) this.#takeOutOfPrice(planned, at);
    const price = inTokens ? context.market.price(action.symbol) : null;
    const came = price === null ? 0n : sharesFor(amount, price, 'down');
    // After the rounding of a split, less than the smallest fraction of a share may be due: it is never paid. While an
    // order is pending, arriving shares cannot be told apart from its fill: they wait until it has ended.
    if (price !== null && (came === 0n || context.accountState.open.inSymbol(action.symbol).length > 0))
      return;
    const before = new Map(
      due.parts.map(([id]) => [id, context.accountState.positions.of(id, action.symbol)]),
    );
    const report = price === null ? this.#account([], amount) : this.#account([], 0n, [action.symbol, came]);
    hand({ kind: 'account', asked: at, report });
    if (unpaid.has(actionId(action))) throw new InvariantError(`${describeAction(action)} was not booked`);
    for (const [id, { quantity, cost }] of price === null ? [] : before) {
      const after = context.accountState.positions.of(id, action.symbol);
      trades.bring(
        { strategyId: id, symbol: action.symbol, at },
        after.quantity - quantity,
        after.cost - cost,
      );
    }
    this.paid = cash(this.paid + amount);
    const tokens = price === null ? '' : ` as ${formatDecimal(came)} ${action.symbol}`;
    this.events.push({
      at,
      kind: 'dividend',
      text: `${formatDecimal(amount)} mUSD paid${tokens}: ${describeAction(action)}`,
    });
  }

  /** Takes a dividend now paid in tokens out of a last price from before the ex-date, because it values the tokens. */
  #takeOutOfPrice({ action, open }: PlannedAction, at: EpochMs): void {
    if (action.kind !== 'payment') return;
    const last = this.#input.tapes.find(({ symbol, last: of }) => symbol === action.symbol && of)?.last;
    last?.refresh(at);
    if (!last || last.at >= open) return;
    // The payment is per pre-split share of its day.
    const splits = this.#input.planned
      .filter(isSplit)
      .filter((split) => split.action.symbol === action.symbol && split.open >= open && split.open <= at);
    const paid = splits.reduce((per, split) => per / sharesPer(split.action), toNumber(action.perShare));
    if (last.price > paid) last.set(last.price - paid, last.at);
  }

  /** Account as the venue would report it: the expected state after these splits, plus the given cash or stock. */
  #account(
    splits: readonly PlannedSplit[],
    more = 0n,
    [grown, growth]: readonly [Ticker | null, bigint] = [null, 0n],
  ): AccountReport {
    const { accountState } = this.#input.kernel.context;
    const holdings = [...accountState.ledger.assets].flatMap((symbol) => {
      if (symbol === 'mUSD') return [];
      const own = splits.filter(({ action }) => action.symbol === symbol);
      const whole = own.reduce<bigint>(
        (sum, { action }) => rescale(sum, action),
        expectedAtVenue(accountState, symbol).expected,
      );
      const exchange = shares(symbol === grown ? whole + growth : whole);
      return [[symbol, { exchange, wallet: shares(0n) }] as const];
    });
    return { cash: cash(expectedAtVenue(accountState, 'mUSD').expected + more), holdings: new Map(holdings) };
  }
}
