import {
  cash,
  price as asPrice,
  shares,
  type Price,
  type Shares,
  notionalOf,
  toNumber,
  WAD,
  wadFromNumber,
} from '../core/amount.ts';
import { exactShares, type Order, type OrderId } from '../domain/orders/order.ts';
import type { VenueStatus } from '../domain/venue.ts';
import { buyCost, type BuyCost } from '../domain/fees.ts';
import { epochMs, type EpochMs } from '../core/brand.ts';
import type { Ticker } from '../domain/instrument.ts';
import { takenPrice } from '../sim/slippage.ts';
import { slippageIn, type MarketModel } from './options.ts';
import type { OwnOffer } from './ownFill.ts';
import {
  arrivingOrder,
  excessOf,
  fillTermsOf,
  isIn,
  noBetterThanTouch,
  noWorse,
  reportOf,
  restOf,
  settlementOf,
  WITHIN,
  withinBar,
  type FillCandidate,
  type FillTerms,
  type MatchMoment,
  type Moment,
  type OrderEnd,
  RestingOrders,
  type RestingOrder,
  type Touch,
} from './restingOrder.ts';
import type { Tape } from './tape.ts';

type ExchangeInput = Readonly<{
  model: MarketModel;
  /** Cash that a buy of exact shares may use beyond its reserve. */
  spare: (strategyId: string) => bigint;
}>;

/** Accepts orders and fills them from bars. It knows only prices and volumes; the account belongs to the runner. */
export class Exchange {
  readonly #model: MarketModel;
  readonly #spare: ExchangeInput['spare'];
  readonly #resting: RestingOrder[] = [];
  /** Resting orders by stock. */
  readonly #ofSymbol = new Map<Ticker, RestingOrders>();
  /** Reports by due time. */
  readonly ended: OrderEnd[] = [];
  /** Shares filled in the current bar of each tape, if there is a volume cap. */
  readonly #traded = new Map<Tape, { index: number; shares: bigint }>();
  /** True while a phase outside the regular session is played. */
  isOutside = false;

  constructor({ model, spare }: ExchangeInput) {
    this.#model = model;
    this.#spare = spare;
  }

  isIdle(): boolean {
    return this.#resting.length === 0 && this.ended.length === 0;
  }

  get fillsOnCloses(): boolean {
    return this.#model.fill === 'close';
  }

  hasResting(): boolean {
    return this.#resting.length > 0;
  }

  /** Time of the next report. */
  nextDue(): number {
    return this.ended[0]?.due ?? Infinity;
  }

  /** Accepts an order. `touch`: the price within a bar that triggered it, if any. */
  take(order: Order, at: EpochMs, touch: Touch | null = null): RestingOrder {
    const { terms } = order;
    const resting = arrivingOrder(order, { at, arrival: at + this.#model.latencyMs, touch });
    this.#resting.push(resting);
    this.#restingOf(terms.symbol).add(resting);
    // It has reserved cash that an earlier fill, not reported yet, needs for its payment.
    if (terms.side === 'buy' && this.#excess(order.strategyId).most > this.#spare(order.strategyId))
      this.#turnAway(resting, 'rejected', at);
    return resting;
  }

  /** Fills orders that arrived by a bar's open at that price; only limit orders where orders fill on closes. */
  atOpen({ tape, index, at }: Moment): void {
    const { begins, columns } = tape;
    this.#atPrice({ tape, index, at, place: index }, columns.open[index] ?? NaN, begins[index] ?? NaN);
  }

  #of(id: OrderId): RestingOrder | undefined {
    return this.#resting.find(({ order }) => order.id === id);
  }

  #restingOf(symbol: Ticker): RestingOrders {
    let own = this.#ofSymbol.get(symbol);
    if (!own) this.#ofSymbol.set(symbol, (own = new RestingOrders()));
    return own;
  }

  /** True when no report is due and nothing fills in a tape's next bar, which is not the last of its session. */
  sleepsThrough(tape: Tape): boolean {
    if (this.ended.length > 0 || tape.endOfNext() >= tape.sessionClose) return false;
    return this.#ofSymbol.get(tape.symbol)?.areOutOfReach(tape.columns, tape.index) ?? true;
  }

  /** Fills orders within the rest of a bar. */
  within({ tape, index, at }: Moment): void {
    const resting = this.#restingOf(tape.symbol);
    if (resting.areOutOfReach(tape.columns, index)) return;
    // An order that arrives at the end of a bar does not fill within it.
    for (const each of [...resting.all]) this.#fillWithin(each, { tape, index, at }, at - 1);
    // The last bar of a session has no next open that day.
    if (this.#model.fill === 'close' || at >= tape.sessionClose)
      this.#atPrice({ tape, index, at, place: index + 1 }, tape.columns.close[index] ?? NaN, at);
  }

  /** Fills a limit order if the bar reaches its price and it arrived in time: in the best case, by `by`. */
  #fillWithin(resting: RestingOrder, { tape, index, at }: Moment, by: number): void {
    const { terms } = resting.order;
    const begin = tape.begins[index] ?? NaN;
    const counts = this.#model.ambiguous === 'worst' ? begin : by;
    if (terms.type !== 'limit' || !isIn(resting, this.isOutside, at)) return;
    const { open, low, high } = tape.columns;
    const furthest = (terms.side === 'buy' ? low[index] : high[index]) ?? NaN;
    if (resting.arrival > counts) {
      const isPast = resting.arrival <= by && !this.#reaches(resting, open[index] ?? NaN);
      if (isPast && this.#reaches(resting, furthest)) resting.isPassed = true;
      return;
    }
    // Built field by field, because this runs for every bar of a resting order and a spread is ten times as slow.
    const meeting = { tape, index, at, place: index + WITHIN };
    // In the best case the open counts too for an order that arrived after it.
    if (resting.arrival > begin) this.#meet(resting, meeting, open[index] ?? NaN);
    if (!this.#resting.includes(resting)) return;
    resting.rested = true;
    if (!this.#reaches(resting, furthest)) return;
    const found = { price: resting.limit, shares: this.#sizeAt(resting, resting.limit) };
    const offer = this.#model.own
      ? this.#ownOffer(fillTermsOf(resting), found, meeting)
      : { price: withinBar(terms.price, terms.side, { low: low[index], high: high[index] }), shares: null };
    if (offer) this.#fill(resting, offer, meeting);
  }

  /** True when the next bar of a tape reaches a resting buy limit: the shares it buys may have a stop. */
  awaitsLow({ symbol, columns, index }: Tape): boolean {
    const low = columns.low[index] ?? NaN;
    return this.#restingOf(symbol).all.some((resting) => {
      const { type, side } = resting.order.terms;
      return type === 'limit' && side === 'buy' && this.#reaches(resting, low);
    });
  }

  /**
   * Fills the limit orders of a side that a bar reaches on its way to a price: the market passes their limits first.
   * True when one has filled.
   */
  passTo(moment: Moment, side: 'buy' | 'sell', price: number): boolean {
    let hasFilled = false;
    for (const resting of [...this.#restingOf(moment.tape.symbol).all]) {
      const { filled, limit, order } = resting;
      if (order.terms.side !== side || (side === 'buy' ? limit < price : limit > price)) continue;
      this.#fillWithin(resting, moment, moment.at);
      if (resting.filled !== filled) hasFilled = true;
    }
    return hasFilled;
  }

  /** Fills orders triggered by a touch that have arrived, at the touched price; not where orders fill on closes. */
  atTouch({ tape, index, at }: Moment, price: number): void {
    if (this.#model.fill === 'close') return;
    for (const resting of [...this.#restingOf(tape.symbol).all])
      if (resting.touch !== null && resting.arrival <= at && isIn(resting, this.isOutside, at))
        this.#meet(resting, { tape, index, at, place: index + WITHIN }, price);
  }

  /** Fills an order that has arrived at the close of a bar that has just ended. */
  atClose(id: OrderId, moment: Moment): void {
    const [resting, { tape, index, at }] = [this.#of(id), moment];
    if (resting && resting.arrival <= at)
      this.#meet(resting, { tape, index, at, place: index + 1 }, tape.columns.close[index] ?? NaN);
  }

  /** Fills orders that have arrived by `by` at a price. */
  #atPrice(meeting: MatchMoment, price: number, by: number): void {
    const isForLimits = this.#model.fill === 'close' && meeting.place === meeting.index;
    for (const resting of [...this.#restingOf(meeting.tape.symbol).all]) {
      if (resting.arrival > by || !isIn(resting, this.isOutside, meeting.at)) continue;
      if (resting.order.terms.type === 'limit' || !isForLimits) this.#meet(resting, meeting, price);
    }
  }

  #meet(resting: RestingOrder, meeting: MatchMoment, found: number): void {
    const { terms } = resting.order;
    const isWorst = resting.touch?.index === meeting.index && this.#model.ambiguous === 'worst';
    const met = isWorst ? noBetterThanTouch(resting, found) : found;
    if (terms.type === 'limit' && !this.#reaches(resting, met)) {
      resting.rested = true;
      return;
    }
    const price = resting.isPassed ? resting.limit : met;
    const { filled } = resting;
    const offer = this.#offer(fillTermsOf(resting), { price, shares: this.#sizeAt(resting, price) }, meeting);
    if (offer === null) return void (resting.rested = true);
    this.#fill(resting, offer, meeting);
    if (resting.filled === filled) return;
    const worse = (offer.price - wadFromNumber(price)) * (terms.side === 'buy' ? 1n : -1n);
    if (worse === 0n) return;
    resting.slipped = cash(
      resting.slipped + notionalOf(shares(resting.filled - filled), asPrice(worse), 'down'),
    );
  }

  /**
   * Price at which an order meets the market: moved by the slippage, at the venue rounded to its tick, and no worse
   * than the limit; with a fill model of the user, its answer. Null for no fill.
   */
  #offer(terms: FillTerms, found: FillCandidate, meeting: MatchMoment): OwnOffer | null {
    if (this.#model.own) return this.#ownOffer(terms, found, meeting);
    const market = { fill: this.#model.fill, slippage: slippageIn(this.#model, this.isOutside) };
    const volume = meeting.tape.columns.volume[meeting.index] ?? NaN;
    const size = market.slippage.kind === 'volume' ? toNumber(this.#bounded(found.shares, meeting)) : 0;
    const price = takenPrice(market, { side: terms.side, price: found.price, shares: size, volume });
    return { price: noWorse(price, terms), shares: null };
  }

  /** Offer of the user's fill model, which is not called if the volume cap leaves nothing of the bar. */
  #ownOffer(terms: FillTerms, { price, shares: rest }: FillCandidate, meeting: MatchMoment): OwnOffer | null {
    const { own, volumeCap } = this.#model;
    const { tape, index, place, at } = meeting;
    const left = this.#leftOf(meeting);
    if (!own || rest <= 0n || (volumeCap !== null && left <= 0n)) return null;
    const moment = place === index ? 'open' : place === index + 1 ? 'close' : 'within';
    return own.offer({
      order: { symbol: tape.symbol, ...terms, type: terms.limit === null ? 'market' : 'limit', shares: rest },
      bar: tape.bar(index),
      moment,
      quote: { price, at },
      volume: toNumber(left),
      isCapped: volumeCap !== null,
    });
  }

  /** Sale of shares at the close of a tape's last bar, without an order. `sold`: the number that the bar can fill. */
  saleAtClose(tape: Tape, held: Shares): Readonly<{ price: Price; sold: Shares }> {
    const index = tape.index - 1;
    const meeting = { tape, index, at: tape.now, place: index + 1 };
    const close = tape.columns.close[index] ?? NaN;
    const offer = this.#offer({ side: 'sell', limit: null }, { price: close, shares: held }, meeting);
    if (offer === null) return { price: asPrice(wadFromNumber(close)), sold: shares(0n) };
    return { price: offer.price, sold: this.#bounded(offer.shares ?? held, meeting) };
  }

  /** Remaining shares of an order at a price; 0 if no model needs them. */
  #sizeAt(resting: RestingOrder, price: number): Shares {
    const isAsked =
      this.#model.own !== undefined || slippageIn(this.#model, this.isOutside).kind === 'volume';
    return isAsked ? restOf(resting, asPrice(wadFromNumber(price))) : shares(0n);
  }

  #reaches({ limit, order }: RestingOrder, price: number): boolean {
    const beyond = order.terms.side === 'buy' ? limit - price : price - limit;
    return beyond > 0 || (beyond === 0 && this.#model.limitFill === 'touch');
  }

  /** Fills as much of an order as an offer and the volume cap allow. */
  #fill(resting: RestingOrder, { price, shares: most }: OwnOffer, meeting: MatchMoment): void {
    const { order } = resting;
    const rest = restOf(resting, price);
    const quantity = this.#bounded(most !== null && most < rest ? most : rest, meeting);
    const isLast = quantity === rest;
    if (!isLast) resting.rested = true;
    if (quantity <= 0n) return;
    const { terms } = order;
    const byNotional = exactShares(terms) === null && terms.type === 'market' && terms.side === 'buy';
    const all =
      byNotional && isLast
        ? terms.notional
        : cash(resting.notional + notionalOf(quantity, price, terms.side === 'buy' ? 'up' : 'down'));
    const cost = terms.side === 'buy' ? buyCost(all, this.#model.fees) : null;
    if (cost && !this.#isPaid(resting, cost)) return this.#end(resting, 'rejected', meeting.at);
    this.#trade(quantity, meeting);
    resting.filled = shares(resting.filled + quantity);
    resting.notional = all;
    resting.cost = cost;
    if (resting.firstPlace < 0) [resting.firstPlace, resting.firstAt] = [meeting.place, meeting.at];
    resting.lastPlace = meeting.place;
    resting.filledAt = meeting.at;
    if (isLast) this.#end(resting, 'filled', meeting.at);
  }

  /** True unless a market buy of exact shares costs more than its reserve and the spare cash. */
  #isPaid(resting: RestingOrder, cost: BuyCost): boolean {
    const { terms, strategyId } = resting.order;
    if (terms.type === 'limit' || exactShares(terms) === null) return true;
    const excess = excessOf(resting, cost);
    return excess <= 0n || excess <= this.#spare(strategyId) - this.#excess(strategyId, resting).sum;
  }

  /** Cash that fills used beyond their reserves and the account has not booked. `most`: peak of the running sum. */
  #excess(strategyId: string, except?: RestingOrder): Readonly<{ sum: bigint; most: bigint }> {
    let sum = 0n;
    let most = 0n;
    const add = (resting: RestingOrder, isOver: boolean): void => {
      if (resting === except || resting.order.strategyId !== strategyId) return;
      const excess = excessOf(resting, resting.cost);
      if (isOver || excess > 0n) sum += excess;
      if (sum > most) most = sum;
    };
    for (const { resting } of this.ended) add(resting, true);
    for (const resting of this.#resting) add(resting, false);
    return { sum, most };
  }

  /** Limits a fill to its share of the bar's volume, which all orders of the symbol share in order of arrival. */
  #bounded(rest: Shares, meeting: Moment): Shares {
    if (this.#model.volumeCap === null) return rest;
    const left = this.#leftOf(meeting);
    if (rest <= left) return rest;
    return this.isOutside && rest % WAD === 0n ? shares(left - (left % WAD)) : left;
  }

  /** Shares of a bar that the volume cap leaves; without a cap, the bar's volume. */
  #leftOf({ tape, index }: Moment): Shares {
    const cap = this.#model.volumeCap ?? 1;
    return shares(wadFromNumber(cap * (tape.columns.volume[index] ?? 0)) - this.#tradedIn(tape, index));
  }

  #trade(quantity: Shares, { tape, index }: Moment): void {
    if (this.#model.volumeCap === null) return;
    this.#traded.set(tape, { index, shares: this.#tradedIn(tape, index) + quantity });
  }

  #tradedIn(tape: Tape, index: number): bigint {
    const known = this.#traded.get(tape);
    return known?.index === index ? known.shares : 0n;
  }

  /** Returns false when the order ended before the cancel arrived. */
  cancel(id: OrderId, at: number): boolean {
    const resting = this.#of(id);
    if (resting) this.#end(resting, 'cancelled', at + this.#model.latencyMs);
    return resting !== undefined;
  }

  /** Expires all orders at the end of the session or phase that they were for. */
  expire(at: number): void {
    for (const resting of [...this.#resting]) if (resting.arrival <= at) this.#end(resting, 'expired', at);
  }

  /** Ends the orders of a stock before its split, which have not reached the market. */
  drop(symbol: Ticker, at: EpochMs): void {
    for (const resting of [...this.#restingOf(symbol).all]) this.#turnAway(resting, 'expired', at);
  }

  #end(resting: RestingOrder, status: VenueStatus, at: number): void {
    this.#remove(resting);
    const settlement = resting.filled > 0n ? settlementOf(resting, this.#model.fees) : null;
    const due = epochMs(at + this.#model.settlementMs);
    const ended = { at, due, resting, report: reportOf(resting, status, { at, settlement }) };
    // A cancel takes time to arrive: reports of earlier ends are due first.
    let place = this.ended.length;
    while (place > 0 && (this.ended[place - 1]?.due ?? 0) > due) place--;
    this.ended.splice(place, 0, ended);
  }

  #remove(resting: RestingOrder): void {
    this.#resting.splice(this.#resting.indexOf(resting), 1);
    this.#ofSymbol.get(resting.order.terms.symbol)?.delete(resting);
  }

  /** Reports an order that never reached the market, ahead of all other reports and without a settlement. */
  #turnAway(resting: RestingOrder, status: VenueStatus, at: EpochMs): void {
    this.#remove(resting);
    const report = reportOf(resting, status, { at, settlement: null });
    this.ended.unshift({ at, due: at, resting, report });
  }

  nextEnded(now: number): OrderEnd | undefined {
    return this.nextDue() <= now ? this.ended.shift() : undefined;
  }
}
