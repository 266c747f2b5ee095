import {
  cash,
  formatDecimal,
  notionalOf,
  price as asPrice,
  roundTo,
  shares,
  sharesFor,
  WAD,
  wadFromNumber,
  type Cash,
  type Price,
  type Shares,
} from '../../core/amount.ts';
import { costBy, feeSchedules, MIN_NOTIONAL } from '../../domain/fees.ts';
import { type Instrument, tickOf } from '../../domain/instrument.ts';
import type { EndCode, EndReason } from '../../domain/orders/endCode.ts';
import { exactShares, isDeferred, type OrderId, type Order } from '../../domain/orders/order.ts';
import { uncommittedShares } from '../../domain/account/deferredSells.ts';
import type { OrderTerms, Side } from '../../domain/venue.ts';
import type { Target, IntentTerms, OrderIntent } from '../../domain/orders/orderIntent.ts';
import { isExitSale, isTakeProfit } from '../../domain/orders/syntheticOrder.ts';
import { above, equityOf, onTheWay } from '../state/exposure.ts';
import { cutToStep } from '../state/market.ts';
import type { EngineContext } from '../state/engineContext.ts';
import { collarNow, inPhase } from '../state/tradingWindow.ts';
import { affordable, isNothing, missingShares, missingValue, notionalFor, type CostOf } from './targets.ts';

/**
 * Result of sizing. `nothing`: the intent is fulfilled. `cancelFirst`: orders of the other side must end first. `dust`:
 * the part of a full sell that the venue does not accept. `later`: only the regular session accepts it.
 */
type SizingResult = Readonly<
  | { kind: 'order'; terms: OrderTerms; dust?: string }
  | ({ kind: 'nothing' } & EndReason)
  | ({ kind: 'impossible' } & EndReason)
  | { kind: 'cancelFirst'; ids: readonly OrderId[] }
  | ({ kind: 'later' } & EndReason)
>;

const NONE: readonly Order[] = [];

const order = (terms: OrderTerms): SizingResult => ({ kind: 'order', terms });
const nothing = (code: EndCode, why: string): SizingResult => ({ kind: 'nothing', code, why });
const impossible = (code: EndCode, why: string): SizingResult => ({ kind: 'impossible', code, why });

/** Turns an intent into the order that executes it now. Pure. */
export function sizeOf(terms: IntentTerms, at: SizingInput): SizingResult {
  switch (terms.kind) {
    case 'buy':
      return buyNotional(terms.notional, at);
    case 'buyShares':
      return buyShares(terms.quantity, at);
    case 'sell':
      if (terms.quantity === 'all') return sellAll(at.sellableShares, at);
      return terms.quantity === 0n ? tooLittle(at) : sell(terms.quantity, at);
    case 'sellDeferred':
      return sellDeferred(terms.quantity, at);
    case 'limit':
      return limit(terms, at);
    case 'target':
      return towards(terms, at);
  }
}

/**
 * Converts a result to outside the regular session, where the venue accepts only limit orders: a market order becomes a
 * limit at the quote plus its collar, in whole shares if the phase takes no fractions.
 */
export function outsideOf(sized: SizingResult, at: SizingInput): SizingResult {
  if (sized.kind !== 'order') return sized;
  const { terms } = sized;
  const { symbol, stock, side } = terms;
  if (isDeferred(terms)) return later('a deferred sell goes out in the regular session alone');
  const price = terms.type === 'limit' ? terms.price : collared(side, at);
  const wanted =
    exactShares(terms) ?? sharesFor('notional' in terms ? terms.notional : cash(0n), price, 'down');
  const quantity = shares(cutToStep(wanted, at.stepped));
  if (notionalOf(quantity, price, 'down') < MIN_NOTIONAL)
    return later(`${formatDecimal(wanted)} ${symbol} are less than this phase takes`);
  const rest = formatDecimal(shares(wanted - quantity));
  const dust = { dust: `${rest} ${symbol} of an order are left out: this phase takes whole shares alone` };
  const isCut = exactShares(terms) !== null && quantity < wanted;
  return { ...sized, terms: { symbol, stock, type: 'limit', side, quantity, price }, ...(isCut && dust) };
}

const later = (why: string): SizingResult => ({ kind: 'later', code: 'SESSION_CLOSED', why });

/** Price of a marketable limit order, on the tick: the quote plus the collar of the current phase. */
function collared(side: Side, at: SizingInput): Price {
  const far = above(at.price, side === 'buy' ? at.collarBps : -at.collarBps);
  return asPrice(roundTo(far, tickOf(far), side === 'buy' ? 'down' : 'up'));
}

/** True for a result that increases a position or a debt, or makes room for that. */
export const enlarges = (sized: SizingResult, at: SizingInput): boolean =>
  sized.kind === 'order'
    ? sized.terms.side === 'buy' || isDeferred(sized.terms)
    : sized.kind === 'cancelFirst' && sized.ids.some((id) => at.live.sell.includes(id));

function buyNotional(notional: Cash, at: SizingInput): SizingResult {
  const { symbol, address: stock } = at.instrument;
  if (!at.instrument.fractionable)
    return impossible('WHOLE_SHARES', `${at.instrument.symbol} is sold in whole shares only: buy by shares`);
  if (notional < MIN_NOTIONAL)
    return impossible('TOO_SMALL', `${formatDecimal(notional)} is below the venue's minimum of 1`);
  return order({ symbol, stock, type: 'market', side: 'buy', notional });
}

/** Buys by shares with a marketable limit order, because the venue's market buys are by notional. */
function buyShares(quantity: Shares, at: SizingInput): SizingResult {
  if (at.plainExchange) return marketShares(quantity, at);
  return limit({ side: 'buy', quantity, price: collared('buy', at) }, at, shares(0n));
}

function marketShares(quantity: Shares, at: SizingInput): SizingResult {
  const { symbol, address: stock } = at.instrument;
  if (quantity === 0n) return tooLittle(at);
  const notional = notionalOf(quantity, at.price, 'up');
  if (notional < MIN_NOTIONAL) return nothing('TOO_SMALL', "less than the venue's minimum of 1");
  return order({ symbol, stock, type: 'market', side: 'buy', notional, quantity });
}

/** Part of a holding that the venue accepts: only whole shares of a stock that is not fractionable. */
export const sellableOf = (held: Shares, instrument: Instrument): Shares =>
  instrument.fractionable ? held : shares(cutToStep(held, instrument));

/** Reason why a fraction of a non-fractionable share cannot be sold. */
export const WHOLE_SHARES = 'less than one share, and it is traded in whole shares only';

/** Sells a holding to the last digit that the venue accepts, and names the remainder. */
function sellAll(held: Shares, at: SizingInput): SizingResult {
  const sellable = sellableOf(held, at.instrument);
  if (sellable === held) return sell(held, at);
  const dust = `${formatDecimal(shares(held - sellable))} ${at.instrument.symbol} stays: ${WHOLE_SHARES}`;
  if (sellable === 0n) return nothing('WHOLE_SHARES', dust);
  const sized = sell(sellable, at);
  return sized.kind === 'order' ? { kind: 'order', terms: sized.terms, dust } : sized;
}

function sell(quantity: Shares, at: SizingInput): SizingResult {
  const { symbol, address: stock } = at.instrument;
  if (quantity <= 0n) return nothing('NO_SHARES', `no ${at.instrument.symbol} to sell`);
  if (quantity > at.freeShares) return locked(quantity, at);
  if (notionalOf(quantity, at.price, 'down') < MIN_NOTIONAL)
    return nothing('TOO_SMALL', 'what is left is dust');
  return order({ symbol, stock, type: 'market', side: 'sell', quantity });
}

/** Sells stock from the wallet that nothing else needs. The strategy's shares at the venue stay. */
function sellDeferred(quantity: Shares, at: SizingInput): SizingResult {
  const { symbol, address: stock } = at.instrument;
  if (quantity === 0n || sellableOf(quantity, at.instrument) !== quantity) return tooLittle(at);
  const left = at.uncommittedShares;
  if (left === null) return impossible('NO_SHARES', NO_WALLET);
  if (quantity > left) return impossible('NO_SHARES', notCovered(at.instrument, quantity, left));
  if (notionalOf(quantity, at.price, 'down') < MIN_NOTIONAL)
    return nothing('TOO_SMALL', "less than the venue's minimum of 1");
  const funding = { kind: 'deferred' } as const;
  return order({ symbol, stock, type: 'market', side: 'sell', quantity, funding });
}

const NO_WALLET =
  'a deferred sell needs stock of the wallet, and what is owed: a simulated account has neither, and a run knows them with treasury.repayDebt';

/** Text for a deferred sell of more than the wallet has. */
const notCovered = ({ symbol }: Instrument, quantity: Shares, left: Shares): string =>
  `${formatDecimal(quantity)} ${symbol} to sell deferred, and the wallet has ${formatDecimal(left)} that are not owed already`;

/** Result for shares that are not free: the take-profits of this bot that lock them are cancelled first. */
const locked = (quantity: Shares, at: SizingInput): SizingResult =>
  quantity > at.sellableShares || at.resting.length === 0
    ? impossible('NO_SHARES', tooFew(quantity, at))
    : { kind: 'cancelFirst', ids: at.resting.map(({ id }) => id) };

/** Shares missing for a sell of a given quantity; 0 for any other intent. */
export function lackOf(terms: IntentTerms, { sellableShares, filled }: SizingInput): Shares {
  const isSell = terms.kind === 'sell' || (terms.kind === 'limit' && terms.side === 'sell');
  if (!isSell || terms.quantity === 'all') return shares(0n);
  const lack = terms.quantity - (terms.kind === 'limit' ? filled : 0n) - sellableShares;
  return shares(lack > 0n ? lack : 0n);
}

/** Result for a quantity that became 0 when cut to the step. */
const tooLittle = ({ instrument }: SizingInput): SizingResult =>
  impossible('TOO_SMALL', `less than the smallest part of a share of ${instrument.symbol}`);

const tooFew = (quantity: Shares, at: SizingInput): string =>
  `${formatDecimal(quantity)} ${at.instrument.symbol} to sell, ${formatDecimal(at.freeShares)} free`;

type LimitWant = Readonly<{ side: 'buy' | 'sell'; quantity: Shares; price: Price }>;

function limit({ side, quantity, price }: LimitWant, at: SizingInput, filled = at.filled): SizingResult {
  const { symbol, address: stock } = at.instrument;
  if (quantity === 0n) return tooLittle(at);
  const rest = shares(quantity - filled);
  if (rest <= 0n) return nothing('FILLED', 'filled');
  if (cutToStep(rest, at.instrument) !== rest && !at.instrument.fractionable)
    return impossible(
      'WHOLE_SHARES',
      `${at.instrument.symbol} trades in whole shares only, not ${formatDecimal(rest)}`,
    );
  if (side === 'sell' && rest > at.freeShares) return locked(rest, at);
  if (notionalOf(rest, price, 'down') < MIN_NOTIONAL)
    return nothing('TOO_SMALL', "less than the venue's minimum of 1");
  return order({ symbol, stock, type: 'limit', side, quantity: rest, price });
}

function towards({ to, band }: Extract<IntentTerms, { kind: 'target' }>, at: SizingInput): SizingResult {
  const value = missingValue(to, at);
  const size = value < 0n ? -value : value;
  if (size < MIN_NOTIONAL || size < bandOf(band, at)) return nothing('ON_TARGET', 'on target');
  const opposite = value > 0n ? at.live.sell : at.live.buy;
  // A triggered exit is not called off: the target waits for the end of its sell.
  if (opposite.length > 0) return { kind: 'cancelFirst', ids: opposite.filter((id) => !at.isExitSale(id)) };
  return value > 0n ? buyTowards(to, value, at) : sellTowards(to, value, at);
}

const bandOf = (band: number, { equity }: SizingInput): bigint => (equity * wadFromNumber(band)) / WAD;

/** Buys as far as the cash allows: by notional if the venue can, because that needs no collar. */
function buyTowards(to: Target, missing: Cash, at: SizingInput): SizingResult {
  if (!('quantity' in to) && at.instrument.fractionable) {
    const notional = notionalFor(missing, at.freeCash, at.costOf);
    return notional < MIN_NOTIONAL ? nothing('NO_MONEY', 'no cash left for more') : buyNotional(notional, at);
  }
  const dearest = at.plainExchange ? at.price : above(at.price, at.collarBps);
  const most = sharesFor(affordable(at.freeCash, at.costOf), dearest, 'down');
  const lacking = missingShares(to, missing, at);
  const wanted = lacking < most || 'quantity' in to ? lacking : most;
  const quantity = shares(cutToStep(wanted, at.instrument));
  return quantity === 0n ? nothing('TOO_SMALL', 'less than one share is missing') : buyShares(quantity, at);
}

function sellTowards(to: Target, missing: Cash, at: SizingInput): SizingResult {
  const excess = shares(-missingShares(to, missing, at));
  const most = excess < at.sellableShares ? excess : at.sellableShares;
  return isNothing(to) ? sellAll(most, at) : sell(shares(cutToStep(most, at.instrument)), at);
}

/** Input of sizing for an intent: amounts of its strategy, computed from the context on demand. */
export class SizingInput {
  readonly instrument: Instrument;
  readonly #context: EngineContext;
  readonly #intent: OrderIntent;
  #own: readonly Order[] | null = null;
  #equity: Cash | null = null;
  #costOf: CostOf | null = null;

  constructor(context: EngineContext, intent: OrderIntent, instrument: Instrument) {
    this.instrument = instrument;
    this.#context = context;
    this.#intent = intent;
  }

  get price(): Price {
    return this.#context.market.price(this.#intent.symbol) ?? asPrice(0n);
  }

  get freeCash(): Cash {
    return cash(this.#context.accountState.ledger.balance(this.#intent.strategyId, 'free', 'mUSD'));
  }

  get freeShares(): Shares {
    return shares(
      this.#context.accountState.ledger.balance(this.#intent.strategyId, 'free', this.#intent.symbol),
    );
  }

  /** Shares not reserved by any order, plus those locked only by take-profits of synthetic orders. */
  get sellableShares(): Shares {
    return this.resting.reduce((sum, { reserve }) => shares(sum + reserve), this.freeShares);
  }

  get heldShares(): Shares {
    return shares(this.#context.accountState.ledger.held(this.#intent.strategyId, this.#intent.symbol));
  }

  get equity(): Cash {
    return (this.#equity ??= equityOf(this.#context, this.#intent.strategyId));
  }

  /** Shares held, plus those that live orders will buy, less those they will sell. */
  get current(): Shares {
    return shares(this.heldShares + onTheWay(this.#context, this.#orders));
  }

  get live(): Readonly<{ buy: readonly OrderId[]; sell: readonly OrderId[] }> {
    const idsOf = (side: Side) => this.#orders.filter(({ terms }) => terms.side === side).map(({ id }) => id);
    return { buy: idsOf('buy'), sell: idsOf('sell') };
  }

  /** Shares already traded by the intent, in earlier sessions too, and by the intent it replaced. */
  get filled(): Shares {
    return this.#context.accountState.filledByIntent.get(this.#intent.id);
  }

  get collarBps(): number {
    const { rules } = this.#context;
    return rules.trade ? collarNow(this.#context, this.#intent.strategyId) : rules.collarBps;
  }

  /** The instrument with the step of the current phase. */
  get stepped(): Instrument {
    return inPhase(this.#context, this.instrument);
  }

  get plainExchange(): boolean {
    return this.#context.rules.plainExchange ?? false;
  }

  /** Shares in the wallet that are neither owed nor needed by a deferred sell under way; null if neither is known. */
  get uncommittedShares(): Shares | null {
    return uncommittedShares(this.#context.accountState, this.#intent.symbol);
  }

  /** Cost of a notional in mUSD, including fees. */
  get costOf(): CostOf {
    return (this.#costOf ??= costBy(feeSchedules(this.#context)));
  }

  /** Resting take-profits of the strategy's synthetic orders, which give way to any other sell; none if this is their child. */
  get resting(): readonly Order[] {
    if (this.#intent.parent || this.#context.accountState.synthetics.live.size === 0) return NONE;
    return this.#all.filter((order) => this.#isTakeProfit(order));
  }

  /** Live orders of the strategy on the symbol, except resting take-profits, which may never fill. */
  get #orders(): readonly Order[] {
    if (this.#context.accountState.synthetics.live.size === 0) return this.#all;
    return this.#all.filter((order) => !this.#isTakeProfit(order));
  }

  /** True for the sell of an exit, which no target cancels. */
  isExitSale(id: OrderId): boolean {
    return isExitSale(this.#context.accountState.order(id));
  }

  #isTakeProfit({ intentId }: Order): boolean {
    const parent = this.#context.accountState.intents.get(intentId)?.parent;
    return parent !== undefined && isTakeProfit(parent.leg);
  }

  /** Live orders of the strategy on the symbol, read once. */
  get #all(): readonly Order[] {
    const { strategyId, symbol } = this.#intent;
    return (this.#own ??= this.#context.accountState.open
      .inSymbol(symbol)
      .filter((order) => order.strategyId === strategyId));
  }
}

/** Side of an intent; for a target, the side that it would take now. */
export function sideOf(context: EngineContext, intent: OrderIntent): Side {
  const { terms } = intent;
  if (terms.kind !== 'target') return namedSide(terms);
  const order = context.accountState.open.of(intent.id);
  const instrument = context.market.instruments.get(intent.symbol);
  if (order) return order.terms.side;
  if (isNothing(terms.to)) return 'sell';
  if (!instrument || context.market.price(intent.symbol) === null) return 'buy';
  return missingValue(terms.to, new SizingInput(context, intent, instrument)) < 0n ? 'sell' : 'buy';
}

/** Side given by an intent itself; a target has none. */
export function namedSide(terms: Exclude<IntentTerms, { kind: 'target' }>): Side {
  switch (terms.kind) {
    case 'limit':
      return terms.side;
    case 'sell':
    case 'sellDeferred':
      return 'sell';
    case 'buy':
    case 'buyShares':
      return 'buy';
  }
}
