import { toNumber } from '../../core/amount.ts';
import { InvalidValueError } from '../../core/errors.ts';
import type { BarSet, Interval } from '../../domain/bar.ts';
import { MIN_NOTIONAL } from '../../domain/fees.ts';
import { type Ticker, FINE_PRICE_STEP, PRICE_STEP, tickOf } from '../../domain/instrument.ts';
import type { StoredReason } from '../../domain/orders/endCode.ts';
import { exactShares, filledOf, type Order, endReasonOf, reductionOf } from '../../domain/orders/order.ts';
import type { Ledger } from '../../domain/account/ledger.ts';
import { averageCost } from '../../domain/account/positions.ts';
import { latestOrder, type IntentRefusal, type OrderIntent } from '../../domain/orders/orderIntent.ts';
import { seriesNamed, type DatedSeries } from '../../market/datedSeries.ts';
import { BarSeries } from '../../market/series.ts';
import type { DataNeeds, OrderStatus, OrderView, View } from '../../strategy/contract.ts';
import type { FetchedView, InstrumentView, QuoteView } from '../../strategy/shown.ts';
import type { EngineContext } from '../state/engineContext.ts';
import { premiumShown } from '../state/tokenPrices.ts';
import { windowFor, type TradingWindow } from '../state/tradingWindow.ts';
import { earningsOf, equityOf, unrealisedOf, worth } from '../state/exposure.ts';
import { shareStep } from '../state/market.ts';
import { heldView } from './heldView.ts';
import { feesOf, limitsOf } from './viewLimits.ts';
import { sideOf } from '../intents/sizing.ts';

const NONE: readonly OrderView[] = Object.freeze([]);

/** Position at a ledger version. Cached because strategies read it on every bar, while only orders change it. */
type CachedPosition = { readonly symbol: string; version: number; quantity: bigint; shares: number };

const knownOf = (symbol: string): CachedPosition => ({ symbol, version: -1, quantity: 0n, shares: 0 });

/** A strategy, and the symbols, bars, dated series and addresses that it requests. It sees no others. */
export type ViewScope = Readonly<{
  strategyId: string;
  known: ReadonlySet<string>;
  bars: BarSets;
  series: ReadonlyMap<string, DatedSeries>;
  fetches: readonly string[];
  /** Time up to which rows and texts are shown: the end of an old bar while that is shown. */
  until: () => number;
}>;

/** Bars that a strategy requests, by symbol and interval. */
export type BarSets = ReadonlyMap<string, ReadonlyMap<Interval, BarSet>>;

export function barsOf({ bars = [] }: DataNeeds): BarSets {
  const bySymbol = new Map<string, Map<Interval, BarSet>>();
  for (const { symbol, interval, phases } of bars) {
    const own = bySymbol.get(symbol) ?? new Map<Interval, BarSet>();
    bySymbol.set(symbol, own.set(interval, { symbol: symbol as Ticker, interval, phases }));
  }
  return bySymbol;
}

/** Reads positions, each once per ledger version. */
function positionReader(ledger: Ledger, heldOf: (symbol: string) => bigint): View['position'] {
  const known = new Map<string, CachedPosition>();
  let held = knownOf('');
  return (symbol) => {
    if (symbol !== held.symbol) held = known.get(symbol) ?? knownOf(symbol);
    if (held.version === ledger.version) return held.shares;
    if (held.version < 0) known.set(symbol, held);
    held.version = ledger.version;
    const quantity = heldOf(symbol);
    if (quantity === held.quantity) return held.shares;
    held.quantity = quantity;
    return (held.shares = toNumber(quantity));
  };
}

/** View of one strategy. It reads from the context, so it always shows the current event. */
export function viewOf(context: EngineContext, scope: ViewScope): View {
  const { strategyId, known: asked, bars, series } = scope;
  const { ledger } = context.accountState;
  const heldOf = (symbol: string) => ledger.held(strategyId, symbol as Ticker);
  const position = positionReader(ledger, heldOf);
  const equity = () => toNumber(equityOf(context, strategyId));
  return {
    get now() {
      return context.now;
    },
    get session() {
      return context.session ?? null;
    },
    get phase() {
      return context.session ? 'regular' : context.calendar.phaseAt(context.now).phase;
    },
    get cash() {
      return toNumber(context.accountState.ledger.balance(strategyId, 'free', 'mUSD'));
    },
    get equity() {
      return equity();
    },
    position,
    averagePrice(symbol) {
      const average = averageCost(context.accountState.positions.of(strategyId, symbol as Ticker));
      return average === null ? null : toNumber(average);
    },
    price(symbol) {
      const price = asked.has(symbol) ? context.market.price(symbol as Ticker) : null;
      return price === null ? null : toNumber(price);
    },
    quote: (symbol) => (asked.has(symbol) ? quoteOf(context, symbol as Ticker) : null),
    instrument: (symbol) =>
      asked.has(symbol) ? instrumentOf(context, { strategyId, symbol: symbol as Ticker }) : null,
    unrealised: unrealisedIn(context, strategyId),
    get fees() {
      return feesOf(context);
    },
    get limits() {
      return limitsOf(context, { strategyId, known: asked });
    },
    weight(symbol) {
      const total = equity();
      return total > 0 ? toNumber(worth(context, symbol as Ticker, heldOf(symbol))) / total : 0;
    },
    bars(symbol, interval) {
      const set = bars.get(symbol)?.get(interval);
      return set ? context.market.series(set) : new BarSeries({ symbol: symbol as Ticker, interval });
    },
    series: (name) => seriesNamed(series, name).history,
    fetched: (name) => fetchedBy(context, scope, name),
    orders: (symbol) => ordersOf(context, strategyId, symbol),
  };
}

/** Open orders of a strategy, synthetic ones last. */
function ordersOf(context: EngineContext, strategyId: string, symbol?: string): readonly OrderView[] {
  const { intents, synthetics } = context.accountState;
  const { live } = synthetics;
  if (intents.size === 0 && live.size === 0) return NONE;
  const isMeant = (one: Readonly<{ strategyId: string; symbol: string }>) =>
    one.strategyId === strategyId && (symbol === undefined || one.symbol === symbol);
  const views: OrderView[] = [];
  for (const intent of intents.values())
    if (!intent.parent && isMeant(intent)) views.push(intentView(context, intent));
  for (const state of live.values()) if (isMeant(state.order)) views.push(heldView(context, state));
  return views;
}

/** Error for an address that `data` does not request. */
export const unasked = (name: string, names: readonly string[]): InvalidValueError =>
  new InvalidValueError(`there is no address "${name}": data asks for ${names.join(', ') || 'none'}`);

function fetchedBy({ fetched }: EngineContext, scope: ViewScope, name: string): FetchedView | null {
  const { strategyId, fetches, until } = scope;
  if (!fetches.includes(name)) throw unasked(name, fetches);
  const latest = fetched.of(strategyId, name);
  return latest !== null && latest.at <= until() ? latest : null;
}

/** Latest price of a stock with its time, and its token's premium if token prices are read. */
function quoteOf(context: EngineContext, symbol: Ticker): QuoteView | null {
  const { market } = context;
  const quote = market.quote(symbol);
  if (!quote) return null;
  const shown = { price: toNumber(quote.price), at: market.knownSince.get(symbol) ?? quote.at };
  if (!market.tokens.has(symbol)) return shown;
  const premium = premiumShown(context, symbol);
  return { ...shown, premiumBps: premium.kind === 'known' ? premium.bps : null };
}

const FINE_TICK = toNumber(FINE_PRICE_STEP);
const TICK = toNumber(PRICE_STEP);
const MINIMUM = toNumber(MIN_NOTIONAL);

function instrumentOf(
  context: EngineContext,
  trader: Readonly<{ strategyId: string; symbol: Ticker }>,
): InstrumentView | null {
  const { market } = context;
  const { symbol } = trader;
  const window: TradingWindow | undefined = context.session ?? windowFor(context, trader);
  const instrument = market.instruments.get(symbol);
  if (!instrument) return null;
  const price = market.price(symbol);
  const { fractionable, tradable } = instrument;
  return {
    step: toNumber(shareStep(instrument)),
    tick: price !== null && tickOf(price) === FINE_PRICE_STEP ? FINE_TICK : TICK,
    minimum: MINIMUM,
    fractionable,
    tradable,
    window: window ? { phase: window.phase ?? 'regular', from: window.open, until: window.close } : null,
  };
}

function unrealisedIn(context: EngineContext, strategyId: string): View['unrealised'] {
  function unrealised(symbol: string): number | null;
  function unrealised(): number;
  function unrealised(symbol?: string): number | null {
    if (symbol === undefined) return toNumber(earningsOf(context, strategyId).unrealised);
    const position = context.accountState.positions.of(strategyId, symbol as Ticker);
    if (position.quantity <= 0n) return 0;
    const profit = unrealisedOf(position, context.market.price(symbol as Ticker));
    return profit === null ? null : toNumber(profit);
  }
  return unrealised;
}

/** Status being reported, and its reason if that is not the latest order's. */
type Change = Readonly<{ status: OrderStatus; reason?: StoredReason | undefined }>;

/** An intent as its strategy sees it, with the status being reported. */
export function viewAs(context: EngineContext, intent: OrderIntent, { status, reason }: Change): OrderView {
  const order = latestOrder(context.accountState, intent.id);
  const stated = reason ?? (order && status !== 'filled' ? (endReasonOf(order) ?? reductionOf(order)) : null);
  return {
    ...intentView(context, intent, status),
    code: codeOf(context, intent, stated) ?? null,
    why: causeOf(order) ?? stated?.why ?? null,
  };
}

/** A refused call as its strategy sees it: without sizes and prices, which may be the invalid part. */
export const refusalView = (refusal: IntentRefusal): OrderView => ({
  id: refusal.id,
  leg: null,
  symbol: refusal.symbol,
  side: refusal.side,
  type: refusal.call === 'limit' || refusal.call === 'replace' ? 'limit' : 'market',
  shares: null,
  notional: null,
  price: null,
  stop: null,
  status: 'dropped',
  filled: 0,
  reason: refusal.reason,
  tag: refusal.tag ?? null,
  code: refusal.code,
  why: refusal.why,
});

/** Code of a reason: the intent's own if the order was cancelled because the intent expired or is being replaced. */
function codeOf(
  { now, accountState }: EngineContext,
  { id, expires }: OrderIntent,
  stated: StoredReason | null | undefined,
) {
  if (stated?.code !== 'CANCELLED') return stated?.code;
  if (expires !== undefined && now >= expires) return 'EXPIRED';
  return accountState.filledByIntent.isReplaced(id) ? 'REPLACED' : 'CANCELLED';
}

/** Reason of a revert, if the node has stated it. */
const causeOf = (order: Order | undefined): string | undefined =>
  order?.state.kind === 'reverted' ? order.state.cause : undefined;

/** An intent as its strategy sees it: by its latest order, or by its own terms (converted by splits) between two orders. */
function intentView(
  context: EngineContext,
  intent: OrderIntent,
  status = presentStatus(context, intent),
): OrderView {
  const order = latestOrder(context.accountState, intent.id);
  const { terms } = intent;
  const sent = order?.terms;
  const asked = 'quantity' in terms ? terms.quantity : null;
  const isToCome = status === 'waiting' && typeof asked === 'bigint';
  const quantity = sent && !isToCome ? (exactShares(sent) ?? asked) : asked;
  const whole = isToCome ? context.accountState.filledByIntent.get(intent.id) : null;
  const own = terms.kind === 'limit' ? terms.price : null;
  const limit = sent?.type === 'limit' && !(isToCome && own) ? sent.price : own;
  const notional = sent && 'notional' in sent ? sent.notional : 'notional' in terms ? terms.notional : null;
  return {
    id: intent.parent?.id ?? intent.id,
    leg: intent.parent?.leg ?? null,
    symbol: intent.symbol,
    side: sent?.side ?? sideOf(context, intent),
    type: sent?.type ?? (terms.kind === 'limit' ? 'limit' : 'market'),
    shares: quantity === null || quantity === 'all' ? null : toNumber(quantity),
    notional: notional === null ? null : toNumber(notional),
    price: limit === null ? null : toNumber(limit),
    stop: null,
    filled: toNumber(whole ?? (order ? filledOf(order) : 0n)),
    reason: intent.reason,
    tag: intent.tag ?? null,
    status,
    code: null,
    why: null,
  };
}

function presentStatus(context: EngineContext, { id }: OrderIntent): OrderStatus {
  const order = latestOrder(context.accountState, id);
  return order && context.accountState.live.has(order.id) ? statusOf(order) : 'waiting';
}

export function statusOf({ state, cancel }: Order): OrderStatus {
  const cancelling = cancel.kind !== 'none' && cancel.kind !== 'refused';
  switch (state.kind) {
    case 'planned':
    case 'sent':
      return cancelling ? 'cancelling' : 'sending';
    case 'unknown':
      return 'unknown';
    case 'acknowledged':
      return cancelling ? 'cancelling' : 'accepted';
    case 'working':
      return cancelling ? 'cancelling' : 'working';
    case 'closed':
      return state.how;
    case 'refused':
    case 'reverted':
      return state.kind;
    case 'neverExisted':
    case 'abandoned':
      return 'dropped';
  }
}
