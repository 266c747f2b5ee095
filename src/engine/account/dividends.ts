import {
  cash,
  formatDecimal,
  magnitude,
  notionalOf,
  shares,
  type Price,
  type Shares,
} from '../../core/amount.ts';
import type { EpochMs } from '../../core/brand.ts';
import {
  amountOf,
  entitlementOf,
  payableFirst,
  paymentsMakingUp,
  sharesOf,
  type HeldShares,
} from '../../domain/account/actionBook.ts';
import type { Mismatch } from '../../domain/account/comparison.ts';
import {
  DEBT,
  isToken,
  UNALLOCATED,
  WALLET,
  type Ledger,
  type Side,
  type StrategyId,
} from '../../domain/account/ledger.ts';
import {
  CASH_DIVIDENDS,
  describeAction,
  isWorth,
  netOf,
  paymentFor,
  wayOf,
  type CorporateAction,
  type DividendRules,
  type DividendWay,
  type Entitlement,
  type Payment,
  type TokenPayment,
} from '../../domain/corporateAction.ts';
import type { Ticker } from '../../domain/instrument.ts';
import { isDeferred } from '../../domain/orders/order.ts';
import type { AccountReport } from '../../domain/venue.ts';
import { exDateBegins } from '../../sim/dayEnd.ts';
import { endedSince } from '../state/exposure.ts';
import type { EngineContext } from '../state/engineContext.ts';
import { MultiplierHistory } from './multiplierHistory.ts';
import { growthOf, type Growth } from './shownActions.ts';

/** Time in ms for which a surplus of shares must be unchanged before it is treated as a dividend. */
const SETTLE_MS = 30_000;

/** A payment that is due, or announced for this session and not due yet: only a due one is booked. */
export type Due = Readonly<{ id: string; due: Entitlement; isBooked: boolean }>;

const PLACES: readonly Side[] = ['venue', 'wallet', 'debt'];

type PricedGrowth = Readonly<{ growth: Growth; price: Price }>;

const sumOf = (dues: readonly Due[]): bigint => dues.reduce((sum, { due }) => sum + amountOf(due), 0n);

const wholeOf = ({ venue, wallet }: Growth): bigint => venue + wallet;
const worthOf = ({ growth, price }: PricedGrowth) => notionalOf(shares(wholeOf(growth)), price, 'down');

/** Factor by which the value of shares from a token's multiplier may differ from the amount due, either way. */
const GROWTH_FACTOR = 2n;

const isNearDue = (worth: bigint, due: bigint): boolean =>
  worth <= GROWTH_FACTOR * due && due <= GROWTH_FACTOR * worth;

/** Growth as text, and since when it has been unchanged. */
type Sighting = Readonly<{ text: string; since: EpochMs }>;

/** Dividends that arrive as shares, or differently than configured. Each is booked once or reported; none is guessed. */
export class Dividends {
  readonly #context: EngineContext;
  readonly #dues: () => readonly Due[];
  /** Growth of stocks as last seen, and growth that was reported, by subject. */
  readonly #seen = new Map<Ticker, Sighting>();
  readonly #reported = new Map<string, string>();
  readonly #multipliers: MultiplierHistory;

  constructor(context: EngineContext, dues: () => readonly Due[]) {
    this.#context = context;
    this.#dues = dues;
    this.#multipliers = new MultiplierHistory(context.accountState.ledger);
  }

  get #rules(): DividendRules {
    return this.#context.rules.dividends ?? CASH_DIVIDENDS;
  }

  wayOf = (symbol: Ticker): DividendWay => wayOf(this.#rules, symbol);

  /** Start of an action's ex-date. For a split it is the open, except in a backtest with nights, whose bars are of later shares from the evening on. */
  beginOf = ({ kind, exDate }: CorporateAction): EpochMs => {
    const { calendar, rules } = this.#context;
    const split = rules.answersAtOnce && this.#rules.begins ? 'evening' : 'open';
    return exDateBegins(calendar, exDate, kind === 'split' ? { begins: split } : this.#rules);
  };

  /** Payment on the shares held at the start of the ex-date. */
  entitlementOf(action: Payment, begins: EpochMs): Entitlement | null {
    const held = heldAt(this.#context, action.symbol, begins);
    const due = entitlementOf(held, action, this.#rules);
    return due && held !== this.#context.accountState.ledger ? { ...due, shares: sharesOf(held, due) } : due;
  }

  describeWay({ kind, symbol }: CorporateAction): string {
    const way = this.wayOf(symbol);
    return kind === 'split' || way === 'cash' ? '' : `; it comes ${WORDS[way]}`;
  }

  /** Remedy for a late payment, as the last part of its alarm. */
  lateRemedy({ symbol }: Payment): string {
    const ways = { cash: null, tokens: 'to come in tokens', price: 'to stay within the price' };
    const way = ways[this.wayOf(symbol)];
    const configured = way === null ? '' : `; dividends of it are configured ${way} (venue.dividends)`;
    return `${configured}. \`drover accept ${symbol} --reason TEXT\` ends it without any, once you know that none comes`;
  }

  /** Applies the multiplier of a token as just read. */
  takeMultiplier(symbol: Ticker, multiplier: bigint): void {
    const isDue = this.#dues().some(({ due, isBooked }) => isBooked && due.action.symbol === symbol);
    this.#multipliers.take(symbol, multiplier, isDue);
  }

  /** Books or reports the account's surplus over the ledger. `moreCash`: mUSD that no cash payment explains. */
  account(report: AccountReport, moreCash: () => bigint): void {
    const dues = this.#dues();
    if (dues.length === 0 && this.#seen.size === 0 && this.#reported.size === 0) return;
    for (const symbol of new Set([...dues.map(({ due }) => due.action.symbol), ...this.#seen.keys()]))
      this.#grown(symbol, growthOf(this.#context, report, symbol), dues);
    this.#cash(moreCash, dues);
  }

  /** True for a surplus of a stock that a payment in tokens explains. */
  explains({ side, asset, expected, actual }: Mismatch): boolean {
    if (asset === 'mUSD' || isToken(asset) || actual < expected || this.wayOf(asset) !== 'tokens')
      return false;
    const dues = this.#inTokens(this.#dues(), asset);
    const price = this.#context.market.price(asset);
    if (dues.length === 0 || price === null) return dues.length > 0;
    const worth = notionalOf(shares(actual - expected), price, 'down');
    const due = this.#dueAt(asset, dues)[side];
    const isOfToken = isNearDue(worth, due) && this.#multipliers.explain(asset, side, actual - expected);
    return worth <= due || isOfToken || isWorth(worth, due, this.#rules);
  }

  #grown(symbol: Ticker, growth: Growth | null, dues: readonly Due[]): void {
    const { holds, now, rules, market } = this.#context;
    if (growth === null || holds.has('corporate action', symbol)) return;
    const text = `${growth.venue} ${growth.wallet} ${growth.debt}`;
    const isNone = text === '0 0 0';
    const seen = this.#seen.get(symbol);
    if (isNone) this.#seen.delete(symbol);
    else if (seen?.text !== text) this.#seen.set(symbol, { text, since: now });
    const since = seen?.text === text ? seen.since : now;
    const price = market.price(symbol);
    if (isNone) this.#clear(symbol, `ledger and venue agree on ${symbol} again`);
    if (isNone || price === null || (now - since < SETTLE_MS && rules.answersAtOnce !== true)) return;
    const own = this.#inTokens(dues, symbol);
    const byWorth = this.#match(symbol, own, { growth, price });
    const match = byWorth.length > 0 ? byWorth : this.#matchByToken(symbol, own, { growth, price });
    if (match.length > 0 && this.wayOf(symbol) === 'tokens') {
      if (match.every(({ isBooked }) => isBooked)) this.#book(symbol, match, { growth, price });
    } else if (own.length > 0) this.#report(symbol, own, { growth, price, isWhole: match.length > 0 });
  }

  /** Payments of a stock, as if they came in tokens. */
  #inTokens(dues: readonly Due[], symbol: Ticker): readonly Due[] {
    const { ledger } = this.#context.accountState;
    const own = dues.filter(({ due }) => due.action.symbol === symbol);
    return own.map((one) => asTokens(one, ledger, this.#rules));
  }

  /** Each payment alone: the payable ones first, oldest first. */
  #oneByOne(dues: readonly Due[]): (readonly Due[])[] {
    const { calendar, now } = this.#context;
    return payableFirst(dues, calendar.newYorkDate(now)).map((one) => [one]);
  }

  /** The first payment whose value matches the growth at every place, or all together if closer; none if neither fits. */
  #match(symbol: Ticker, own: readonly Due[], came: PricedGrowth): readonly Due[] {
    const fits = (dues: readonly Due[]) => {
      const due = this.#dueAt(symbol, dues);
      const worthAt = (place: Side) => notionalOf(shares(came.growth[place]), came.price, 'down');
      return dues.length > 0 && PLACES.every((place) => isWorth(worthAt(place), due[place], this.#rules));
    };
    const [first = []] = this.#oneByOne(own).filter(fits);
    return this.#nearest(symbol, [first, own].filter(fits), came);
  }

  /**
   * The payments closest to the growth, if every place has grown as the token's contract says; none if it has not, or
   * if the value is far from the amount due.
   */
  #matchByToken(symbol: Ticker, own: readonly Due[], came: PricedGrowth): readonly Due[] {
    if (!PLACES.every((place) => this.#multipliers.explain(symbol, place, came.growth[place]))) return [];
    const nearest = this.#nearest(symbol, [own, ...this.#oneByOne(own)], came);
    return isNearDue(worthOf(came), wholeOf(this.#dueAt(symbol, nearest))) ? nearest : [];
  }

  /** The set of payments closest to the growth, the first of equals; empty if there are none. */
  #nearest(symbol: Ticker, sets: readonly (readonly Due[])[], came: PricedGrowth): readonly Due[] {
    const off = (dues: readonly Due[]) => magnitude(worthOf(came) - wholeOf(this.#dueAt(symbol, dues)));
    return sets.reduce((best, each) => (off(each) < off(best) ? each : best), sets[0] ?? []);
  }

  /** Payments of a stock in mUSD, by the place of their shares. */
  #dueAt(symbol: Ticker, dues: readonly Due[]): Growth {
    const { ledger } = this.#context.accountState;
    const perShare = cash(dues.reduce((sum, { due }) => sum + netOf(due.action, this.#rules), 0n));
    return {
      venue: sumOf(dues),
      wallet: paymentFor(ledger.at(WALLET, symbol), { perShare }),
      debt: paymentFor(-ledger.at(DEBT, symbol), { perShare }),
    };
  }

  #book(symbol: Ticker, dues: readonly Due[], came: PricedGrowth): void {
    this.#multipliers.advance(symbol, came.growth);
    for (const payment of tokenPayments(dues, came)) {
      this.#context.record({ kind: 'paidInTokens', ...payment });
      const { action } = dues.find(({ id }) => id === payment.id)?.due ?? {};
      const paid = payment.parts.reduce((sum, [, amount]) => sum + amount, 0n);
      if (action)
        this.#context.notify(
          'account',
          `${formatDecimal(paid)} ${symbol} came at ${formatDecimal(came.price)}: ${describeAction(action)}`,
        );
    }
    this.#seen.delete(symbol);
    this.#clear(symbol, `the dividend of ${symbol} is booked`);
  }

  /** Reports that a stock's growth differs from what is due or configured. */
  #report(
    symbol: Ticker,
    own: readonly Due[],
    { growth: { venue, wallet }, price, isWhole }: PricedGrowth & Readonly<{ isWhole: boolean }>,
  ): void {
    const way = this.wayOf(symbol);
    const worth = notionalOf(shares(venue), price, 'down');
    const remedy = isWhole
      ? `dividends of it are configured to come ${WORDS[way]}; if they come in tokens here, set venue.dividends (or stocks.${symbol}.dividends) to tokens`
      : `\`drover accept ${symbol} --reason TEXT\` books it as that dividend`;
    if (way !== 'tokens' && !isWhole) return;
    const beside = wallet > 0n ? ` (and ${formatDecimal(wallet)} in the wallet)` : '';
    this.#tell(
      [symbol, `${venue} ${wallet} ${own.length} ${isWhole}`],
      `the venue shows ${formatDecimal(venue)} ${symbol}${beside} more than the ledger, worth ${formatDecimal(worth)} mUSD; due are ` +
        `${formatDecimal(sumOf(own))} mUSD (${own.map((one) => describeAction(one.due.action)).join('; ')}): not booked; ${remedy}`,
      symbol,
    );
  }

  /** Reports that cash has arrived for a dividend that should have come in another way. */
  #cash(moreCash: () => bigint, dues: readonly Due[]): void {
    const others = dues.filter(({ due }) => this.wayOf(due.action.symbol) !== 'cash');
    const gap = others.length > 0 ? moreCash() : 0n;
    const made = gap > 0n ? paymentsMakingUp(others, gap) : [];
    const [first] = made;
    if (!first) return this.#clear('mUSD', 'the cash of a dividend is explained');
    const { symbol } = first.due.action;
    this.#tell(
      ['mUSD', `${gap}`],
      `${formatDecimal(gap)} mUSD came, which is what was announced of ${made.map(({ due }) => due.action.symbol).join(', ')}; dividends of it are ` +
        `configured to come ${WORDS[this.wayOf(symbol)]}: not booked; if they come in cash here, set venue.dividends (or stocks.${symbol}.dividends) to cash`,
      symbol,
    );
  }

  /** Raises an alarm once for the same growth: only its value moves with the price. */
  #tell([about, what]: readonly [about: string, what: string], text: string, symbol: Ticker): void {
    if (this.#reported.get(about) === what) return;
    this.#reported.set(about, what);
    this.#context.alarm(`dividend ${about}`, text, { code: 'ACTION_UNBOOKED', symbol });
  }

  #clear(about: string, text: string): void {
    if (this.#reported.delete(about)) this.#context.allClear(`dividend ${about}`, text);
  }
}

const WORDS: Readonly<Record<DividendWay, string>> = {
  cash: 'in cash',
  tokens: 'in tokens',
  price: 'within the price',
};

/**
 * Shares of a stock held at a time: without orders that can only have filled since then, and without balances accepted
 * since then. A backtest shows each action once and in order, whatever the length of its bars.
 */
function heldAt({ accountState, calendar, rules }: EngineContext, symbol: Ticker, at: EpochMs): HeldShares {
  const { ledger } = accountState;
  if (rules.answersAtOnce) return ledger;
  const moved = new Map<StrategyId, bigint>();
  let whole = 0n;
  const move = (strategyId: StrategyId, change: bigint) => {
    moved.set(strategyId, (moved.get(strategyId) ?? 0n) + change);
    whole += change;
  };
  const { acceptances, external } = accountState;
  for (const { asset, strategyId, amount, at: acceptedAt, txHash = '' } of acceptances.stock)
    if (asset === symbol && (external.get(txHash)?.report?.createdAt ?? acceptedAt) > at)
      move(strategyId, amount);
  for (const { strategyId, terms, state, plannedAt, until } of endedSince(accountState, at)) {
    const { close } = calendar.sessionAt(plannedAt) ?? calendar.nextSession(plannedAt);
    const settlement = state.kind === 'closed' ? state.settlement : null;
    if (terms.symbol !== symbol || (until ?? close) <= at || !settlement || isDeferred(terms)) continue;
    move(strategyId, terms.side === 'buy' ? settlement.receive : -settlement.pay);
  }
  if (moved.size === 0) return ledger;
  return {
    strategyIds: ledger.strategyIds,
    at: (place, asset) => ledger.at(place, asset),
    total: (asset) => ledger.total(asset) - whole,
    held: (strategyId, asset) => shares(ledger.held(strategyId, asset) - (moved.get(strategyId) ?? 0n)),
  };
}

/** The payment as if in tokens, on the shares at the venue alone, if it was due in cash before tokens were configured. */
export function asTokens(one: Due, ledger: Ledger, rules: DividendRules): Due {
  const due = one.due.inTokens ? null : entitlementOf(ledger, one.due.action, { ...rules, ...ALL_TOKENS });
  return due ? { ...one, due } : one;
}

const ALL_TOKENS = { way: 'tokens', stocks: new Map<Ticker, DividendWay>() } as const;

/** Splits growth into payments in proportion to each amount due; within a payment by owner, with the rest unallocated. */
export function tokenPayments(dues: readonly Due[], { growth, price }: PricedGrowth): TokenPayment[] {
  let [weight, left] = [sumOf(dues), growth];
  return dues.map(({ id, due }, index) => {
    const amount = amountOf(due);
    const isLast = index === dues.length - 1;
    const cut = (of: bigint) => (isLast ? of : weight === 0n ? 0n : (of * amount) / weight);
    const own = { venue: cut(left.venue), wallet: cut(left.wallet), debt: cut(left.debt) };
    left = {
      venue: left.venue - own.venue,
      wallet: left.wallet - own.wallet,
      debt: left.debt - own.debt,
    };
    weight -= amount;
    return {
      id,
      price,
      parts: partsOf(due, own.venue),
      ...(own.wallet > 0n ? { wallet: shares(own.wallet) } : {}),
      ...(own.debt > 0n ? { debt: shares(own.debt) } : {}),
    };
  });
}

function partsOf(due: Entitlement, came: bigint): (readonly [StrategyId, Shares])[] {
  const whole = amountOf(due);
  let rest = came;
  const own = due.parts.flatMap(([strategyId, amount]) => {
    if (strategyId === UNALLOCATED || whole === 0n) return [];
    const part = (came * amount) / whole;
    const most = part < rest ? part : rest;
    rest -= most;
    return most > 0n ? [[strategyId, shares(most)] as const] : [];
  });
  return rest > 0n ? [...own, [UNALLOCATED, shares(rest)]] : own;
}
