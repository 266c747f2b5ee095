import { WAD, price as asPrice, formatDecimal } from '../../core/amount.ts';
import type { AccountState } from '../../domain/account/accountState.ts';
import { compareAccount, type Mismatch } from '../../domain/account/comparison.ts';
import {
  rescale,
  type Split,
  actionId,
  amountOf,
  describeAction,
  entitlementOf,
  makingUp,
  rescalePrice,
  rescaleWish,
  type CorporateAction,
  type Entitlement,
} from '../../domain/corporateAction.ts';
import type { Ticker } from '../../domain/instrument.ts';
import { DEBT, WALLET, isToken } from '../../domain/account/ledger.ts';
import type { AccountReport } from '../../domain/venue.ts';
import type { Session } from '../../calendar/index.ts';
import { epochMs, type EpochMs } from '../../core/brand.ts';
import type { Order } from '../../domain/orders/order.ts';
import { tickOf } from '../../sim/matching.ts';
import type { EngineContext } from '../state/engineContext.ts';
import type { ActionEvent } from '../state/kernelEvent.ts';
import { cutToStep } from '../state/market.ts';

type Place = Readonly<{ before: bigint; actual: bigint }>;

/** Where stock lies by the books, and what the account has there. What it does not tell is left out. */
function placesOf(
  { ledger, operations }: AccountState,
  { holdings, debts }: AccountReport,
  symbol: Ticker,
): Place[] {
  const { exchange = 0n, wallet = 0n } = holdings.get(symbol) ?? {};
  return [
    { before: ledger.total(symbol), actual: exchange },
    ...(operations.opened.wallet ? [{ before: ledger.at(WALLET, symbol), actual: wallet }] : []),
    ...(operations.opened.debts && debts
      ? [{ before: ledger.at(DEBT, symbol), actual: -(debts.get(symbol) ?? 0n) }]
      : []),
  ];
}

/** Whether a split of the stock would move anything. */
const isHeld = ({ ledger }: AccountState, symbol: Ticker): boolean =>
  ledger.total(symbol) !== 0n || ledger.at(WALLET, symbol) !== 0n || ledger.at(DEBT, symbol) !== 0n;

/**
 * Whether the account is where these splits take it, everywhere. What the venue pays out for a fraction of a share may be
 * missing: it is for the comparison to find.
 */
const showsSplits = (accountState: AccountState, report: AccountReport, splits: readonly Split[]): boolean =>
  placesOf(accountState, report, (splits[0] as Split).symbol).every(({ before, actual }) => {
    const after = splits.reduce(rescale, before);
    if (after === before) return true;
    const off = distance(actual, after);
    return off === 0n || (off < WAD && off < distance(actual, before));
  });

const distance = (a: bigint, b: bigint): bigint => (a > b ? a - b : b - a);

/** mUSD that the account has beyond what the ledger says it shows now. */
function cashGap(accountState: AccountState, report: AccountReport): bigint {
  const found = compareAccount(accountState, report).find(
    ({ side, asset }) => side === 'venue' && asset === 'mUSD',
  );
  return found ? found.actual - found.expected : 0n;
}

/** How long after the open of its ex-date a split is waited for. */
const SPLIT_GRACE_MS = 1_800_000;
/** How long a difference waits for the list of actions that may explain it. */
const LIST_GRACE_MS = 600_000;
/** Actions of so long before the latest session may still explain what the account shows. */
const LOOK_BACK_MS = 7 * 86_400_000;
const LOOK_AHEAD_MS = 14 * 86_400_000;

type Listed = Pick<Extract<ActionEvent, { kind: 'actions' }>, 'asked' | 'actions'>;

/** `open`: of its ex-date. `awaited`: no order of the stock is sent, and its price stays, until the account shows it. */
type Known = { readonly action: CorporateAction; readonly open: EpochMs; awaited: boolean };

type AccountLook = Readonly<{ report: AccountReport; asked: EpochMs }>;

/**
 * Splits and dividends. The list of the venue says what is to come; the books move when the account shows it, and not
 * before. What the two do not agree on within their time stays a difference.
 */
export class CorporateActions {
  readonly #context: EngineContext;
  readonly #known = new Map<string, Known>();
  /** Payments that are late, so that each is told once. */
  readonly #late = new Set<string>();
  /** Stocks whose bars are being read anew. */
  readonly #rewarming = new Set<Ticker>();
  /** When the question left whose answer is the latest list, and when the latest question was wanted. */
  #readAt = -Infinity;
  #wantedAt = -Infinity;
  /** Strategies are shown bars, and have to be shown them anew. */
  isShowing = false;

  constructor(context: EngineContext) {
    this.#context = context;
  }

  /** The days that matter to what the books hold. */
  get query(): Readonly<{ from: string; to: string }> {
    const { calendar, now } = this.#context;
    const to = epochMs(now + LOOK_AHEAD_MS);
    return { from: calendar.newYorkDate(this.#since), to: calendar.newYorkDate(to) };
  }

  /** What is older than this is past, however the account looks. */
  get #since(): EpochMs {
    const { accountState, calendar, now } = this.#context;
    const seen =
      accountState.sessionDate === null ? undefined : calendar.sessionOn(accountState.sessionDate)?.open;
    return epochMs((seen ?? accountState.opened?.at ?? now) - LOOK_BACK_MS);
  }

  listed({ actions, asked }: Listed): void {
    this.#readAt = asked;
    const { accountState, now } = this.#context;
    const listed = new Map(actions.map((action) => [actionId(action), action]));
    for (const [id, { open }] of this.#known) if (!listed.has(id) && open > now) this.#forget(id);
    for (const [id, action] of listed) {
      const open = this.#context.calendar.sessionFrom(action.exDate).open;
      const isOld = accountState.opened === null || open <= accountState.opened.at || open < this.#since;
      if (isOld || accountState.actions.booked.has(id) || this.#known.has(id)) continue;
      this.#known.set(id, { action, open, awaited: false });
      if (this.#concerns(action.symbol)) this.#context.notify('info', `announced: ${describeAction(action)}`);
    }
    this.check();
  }

  /** Looks at what time it is for each of them. */
  check(): void {
    const { accountState, now } = this.#context;
    for (const [id, known] of this.#known) {
      const { action, open } = known;
      if (action.kind === 'split') this.#await(action, known);
      else if (now >= open) {
        this.#known.delete(id);
        const due = entitlementOf(accountState.ledger, action);
        if (due) this.#context.record({ kind: 'entitled', ...due });
        if (due)
          this.#context.notify(
            'account',
            `${formatDecimal(amountOf(due))} mUSD due: ${describeAction(action)}`,
          );
      }
    }
    for (const [id, due] of accountState.actions.unpaid) this.#tellLate(id, due);
  }

  /** Books what the account shows; `asked`: when the question left. */
  account({ report, asked }: AccountLook): void {
    this.check();
    const symbols = new Set([...this.#known.values()].map(({ action }) => action.symbol));
    for (const symbol of symbols) this.#splits(symbol, { report, asked });
    this.#payments(report);
  }

  /** Whether prices and bars of a stock are held back for now. */
  holdsBack(symbol: Ticker): boolean {
    return this.#rewarming.has(symbol) || this.#awaited(symbol);
  }

  rewarmed(symbol: Ticker): void {
    this.#rewarming.delete(symbol);
  }

  /** Whether a difference may yet be explained. It has the list read once more. */
  mayExplain({ asset, explainable }: Mismatch, since: EpochMs): boolean {
    if (isToken(asset)) return false;
    if (asset !== 'mUSD' && this.#awaited(asset)) return true;
    if (!this.#context.rules.readsActions || explainable || this.#readAt >= since) return false;
    if (this.#wantedAt < since) this.#context.ask({ kind: 'readActions' });
    this.#wantedAt = Math.max(this.#wantedAt, since);
    return this.#context.now - since < LIST_GRACE_MS;
  }

  #awaited(symbol: Ticker): boolean {
    for (const { action, awaited } of this.#known.values())
      if (awaited && action.symbol === symbol) return true;
    return false;
  }

  /** The open of the session that is on, or of the next one. */
  get #present(): Session {
    const { calendar, now } = this.#context;
    return calendar.sessionAt(now) ?? calendar.nextSession(now);
  }

  /** From the close before its ex-date on nothing is sent for the stock, until it is done or its time is over. */
  #await(split: Split, known: Known): void {
    const { now, holds, market } = this.#context;
    const { symbol } = split;
    const isDue = known.open <= this.#present.open && now < known.open + SPLIT_GRACE_MS;
    if (isDue === known.awaited) return;
    known.awaited = isDue;
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

  /** All of a stock that are due, or the first of them, as far as the account shows them. */
  #splits(symbol: Ticker, { report, asked }: AccountLook): void {
    const { accountState, now } = this.#context;
    const isMoving = [...accountState.operations.live.values()].some(
      ({ terms }) => 'symbol' in terms && terms.symbol === symbol,
    );
    const ending = this.#context.liveOf({ symbol });
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
      for (const { action, open } of first) this.#book(action, open);
      return;
    }
  }

  /** True when the venue reports that an order has ended and the account's money agrees, although its stock was split since. */
  #mayEnd({ claim, terms }: Order, { report, asked }: AccountLook): boolean {
    if (!claim || asked < claim.at) return false;
    return terms.side === 'sell' || cashGap(this.#context.accountState, report) === 0n;
  }

  #book(split: Split, open: EpochMs): void {
    const { accountState } = this.#context;
    const { symbol } = split;
    this.#context.record({ kind: 'split', action: split, wishes: this.#wishesAfter(split, open) });
    this.#known.delete(actionId(split));
    this.#context.market.movePrice(symbol, open, (price) => asPrice(rescalePrice(price, split)));
    this.#release(symbol);
    this.#context.unshown.delete(symbol);
    if (this.#concerns(symbol))
      this.#context.notify(
        'account',
        `${describeAction(split)}: ${formatDecimal(accountState.ledger.total(symbol))} ${symbol} from now on`,
      );
    if (!this.isShowing) return;
    this.#rewarming.add(symbol);
    this.#context.ask({ kind: 'rewarm', symbol });
  }

  /** Intents from before, on the terms that now mean the same. */
  #wishesAfter(split: Split, open: EpochMs) {
    const { accountState, market } = this.#context;
    const instrument = market.instruments.get(split.symbol);
    const cut = (quantity: bigint) => (instrument ? cutToStep(quantity, instrument) : quantity);
    return [...accountState.intents.values()]
      .filter(({ symbol, at }) => symbol === split.symbol && at < open)
      .map((intent) =>
        rescaleWish(intent, split, {
          cut,
          tickOf: (price) => tickOf(asPrice(price)),
          filled: accountState.filledByWish.get(intent.id) ?? 0n,
        }),
      );
  }

  /** Payments are booked when the account has just so much more than the ledger as some of them make up. */
  #payments(report: AccountReport): void {
    const { unpaid } = this.#context.accountState.actions;
    if (unpaid.size === 0) return;
    const owed = [...unpaid].map(([id, due]) => ({ id, due }));
    for (const { id, due } of makingUp(owed, cashGap(this.#context.accountState, report))) {
      this.#context.record({ kind: 'paid', id });
      this.#context.notify(
        'account',
        `${formatDecimal(amountOf(due))} mUSD paid: ${describeAction(due.action)}`,
      );
    }
  }

  #tellLate(id: string, due: Entitlement): void {
    const { calendar, now } = this.#context;
    const { action } = due;
    const { close } = calendar.sessionFrom(action.payableDate ?? action.exDate);
    if (now <= close || this.#late.has(id)) return;
    this.#late.add(id);
    const text = `${formatDecimal(amountOf(due))} mUSD have not come: ${describeAction(action)}`;
    this.#context.notify('alarm', text);
  }

  #concerns(symbol: Ticker): boolean {
    const { accountState } = this.#context;
    if (isHeld(accountState, symbol)) return true;
    return [...accountState.intents.values()].some((intent) => intent.symbol === symbol);
  }
}
