import type * as endpoints from './endpoints/index.ts';
import { cash, parseDecimal, price, shares, wadFromNumber, type Price } from '../core/amount.ts';
import { epochMs, toIso, toMs, epochSeconds, type EpochMs } from '../core/brand.ts';
import { InvalidValueError, NoAnswerError } from '../core/errors.ts';
import { shortWord } from '../core/printable.ts';
import type { Bar, Interval } from '../domain/bar.ts';
import { ticker, type Address, type Ticker } from '../domain/instrument.ts';
import type { PerToken, TokenQuote, TokenRatio } from '../domain/premium.ts';
import type {
  Listing,
  Over24h,
  OrderReport,
  ReportedTerms,
  Settlement,
  UnreadableRow,
  VenueStatus,
} from '../domain/venue.ts';
import { HISTORY_WORDS, LINKED_WORDS, OPEN_WORDS, REVERTED_WORD, wordIn } from './assumptions/venueRules.ts';
import type { ResponseOf } from './endpoint.ts';
import type { Redact } from './failures.ts';
import { lower } from './bodies.ts';
import type { HistoryOrder, OpenOrder, OrderView } from './views.ts';
import { isUnreadable, type Unreadable } from '../core/nesting.ts';

type Rows<R> = R extends readonly (infer Row)[] ? Exclude<Row, Unreadable> : never;
type SymbolRow = Rows<ResponseOf<typeof endpoints.symbols>>;
type BarRow = Rows<ResponseOf<typeof endpoints.history>>;
type PricesAnswer = ResponseOf<typeof endpoints.prices>;

/** @throws {InvalidValueError} for an invalid symbol or price */
export function toListing(row: SymbolRow): Listing {
  const symbol = ticker(row.symbol);
  const { tradable, fractionable, contractAddress, decimals, onChainDecimals } = row;
  const latest = price(wadFromNumber(row.price));
  if (latest <= 0n) throw new InvalidValueError(`${symbol} has no price`);
  return {
    instrument: {
      symbol,
      address: lower(contractAddress),
      tradable,
      fractionable,
      overnightTradable: row.overnightTradable ?? false,
      ...(row.fractionalEhEnabled === true ? { fractionsOutside: true as const } : {}),
      ...(decimals == null ? {} : { decimals }),
      ...(onChainDecimals == null ? {} : { onChainDecimals }),
    },
    quote: { symbol, price: latest, at: toMs(epochSeconds(row.lastUpdateTimestamp)) },
    over24h: over24hOf(row),
  };
}

/** The change, from the price and its difference: the unit of the percentage is not documented. */
function over24hOf({ price: latest, change24H, volume24H: volume24h }: SymbolRow): Over24h {
  const before = latest - (change24H ?? NaN);
  const change24h = latest / before - 1;
  if (!(before > 0)) return volume24h == null ? {} : { volume24h };
  return volume24h == null ? { change24h } : { change24h, volume24h };
}

/**
 * Share and token prices of a stock, from the undocumented fields of `onChain`. An unreadable ratio becomes 0, which is never accepted.
 * @throws {InvalidValueError} for an invalid share price
 */
export function toTokenQuote(symbol: Ticker, { basicInfo, onChain }: PricesAnswer): TokenQuote {
  const value = numberIn(onChain?.['price']);
  const ratio = onChain?.['multiplier'];
  const { price: share, lastUpdateTimestamp: at } = basicInfo;
  return {
    symbol,
    share: price(wadFromNumber(share)),
    price: value !== null && value > 0n ? (value as PerToken) : null,
    ratio: ratio == null ? null : ((numberIn(ratio) ?? 0n) as TokenRatio),
    at: at == null ? epochMs(Infinity) : toMs(epochSeconds(at)),
  };
}

/** A number, or a decimal as text, as a wad; null for anything else. */
function numberIn(shown: unknown): bigint | null {
  const value = typeof shown === 'string' && shown !== '' ? Number(shown) : shown;
  if (typeof value !== 'number' || !Number.isFinite(value)) return null;
  return typeof shown === 'string' && DECIMAL.test(shown)
    ? parseDecimal(shown, { signed: true })
    : wadFromNumber(value);
}

const DECIMAL = /^-?(0|[1-9]\d{0,40})(\.\d{1,18})?$/;

export const toBar = ({ timestamp, ...row }: BarRow, symbol: Ticker, interval: Interval): Bar => ({
  symbol,
  interval,
  start: toMs(epochSeconds(timestamp)),
  ...row,
});

/** Largest time in Unix seconds before the year 2106: a larger one is in ms. */
const SECONDS_MAX = 4_294_967_295;

/** The latest instant that a Date can represent, in ms. */
const LATEST_MS = 8.64e15;

/** Time at which a link was made; 0 if unknown, or outside the range of dates. */
export function madeAt(createTime: number | null | undefined): EpochMs {
  const at = (createTime ?? 0) * ((createTime ?? 0) > SECONDS_MAX ? 1 : 1000);
  return epochMs(at <= LATEST_MS ? Math.max(at, 0) : 0);
}

/** Lower case, for comparing hashes and ids as text. */
export const sameCase = (hex: string): string => hex.toLowerCase();

/** `txHash` replaces a missing link. @throws {InvalidValueError} when the order contradicts itself or lacks a required field */
export function toReport(view: OrderView, txHash?: string): OrderReport {
  const { mapping, openOrder } = view;
  const ended = endedIn(view);
  const order = ended ?? openOrder ?? view.historyOrder;
  const hash = sameCase(mapping?.txHash ?? txHash ?? '');
  if (!hash) throw new InvalidValueError('an order without its transaction');
  if (txHash !== undefined && hash !== sameCase(txHash))
    throw new InvalidValueError(`asked for ${txHash}, got ${hash}`);
  const orderId = order?.orderId ?? mapping?.orderId ?? '';
  const { status, rawStatus } = statusOf(view);
  return {
    txHash: hash,
    orderId: orderId === '' ? null : sameCase(orderId),
    status,
    rawStatus: shortWord(rawStatus),
    createdAt: madeAt(mapping?.createTime),
    terms: order ? termsOf(order) : null,
    locked: openOrder && !ended ? lockedBy(openOrder) : null,
    settlement: ended ? settlementOf(ended) : null,
  };
}

/** Settled order of a view. A history row may show a partial settlement: only a status that no open order has proves an end. */
const endedIn = ({ historyOrder }: OrderView): HistoryOrder | undefined =>
  historyOrder && Object.hasOwn(OPEN_WORDS, historyOrder.status) ? undefined : (historyOrder ?? undefined);

const SHOWN_WORDS: Readonly<Record<string, VenueStatus>> = { ...OPEN_WORDS, ...HISTORY_WORDS };

/** Status of an order; an unknown word gives `unrecognised`, and is kept for display. */
function statusOf(view: OrderView): { status: VenueStatus; rawStatus: string } {
  const { mappingStatus, orderStatus, mapping } = view;
  const ended = endedIn(view);
  const openOrder = view.openOrder ?? view.historyOrder;
  const linked = orderStatus ?? mappingStatus ?? mapping?.status ?? '';
  if (ended)
    return { status: wordIn(HISTORY_WORDS, ended.status) ?? 'unrecognised', rawStatus: ended.status };
  if (openOrder) {
    const status = wordIn(OPEN_WORDS, openOrder.status);
    if (status === undefined) return { status: 'unrecognised', rawStatus: openOrder.status };
    return { status, rawStatus: linked || openOrder.status };
  }
  const words = [orderStatus, mappingStatus, mapping?.status];
  if (words.includes(REVERTED_WORD)) return { status: 'reverted', rawStatus: REVERTED_WORD };
  // A link that states the end of an order does not prove it: the details are then requested.
  const isKnown = linked === '' || LINKED_WORDS.has(linked) || wordIn(SHOWN_WORDS, linked) !== undefined;
  return { status: isKnown ? 'pending' : 'unrecognised', rawStatus: linked };
}

const wadOr = <T>(text: string | null | undefined, brand: (wad: bigint) => T): T | null =>
  text === null || text === undefined ? null : brand(parseDecimal(text));

const termsOf = (order: OpenOrder): ReportedTerms => ({
  symbol: ticker(order.symbol),
  side: order.side === 'Buy' ? 'buy' : 'sell',
  type: order.type === 'Market' ? 'market' : 'limit',
  quantity: wadOr(order.placeQuantity, shares),
  notional: wadOr(order.placeNotional, cash),
  price: wadOr(order.placePrice, price),
  ...(order.deferred ? { deferred: true } : {}),
});

/** Amount locked by an open order. A deferred sell takes its shares at settlement, and locks nothing. */
function lockedBy({ pay, deferred }: OpenOrder): bigint | null {
  if (deferred) return 0n;
  return pay ? parseDecimal(pay) : null;
}

/** Settlement of an ended order; null if it moved nothing. */
function settlementOf(order: HistoryOrder): Settlement | null {
  const pay = wadOr(order.settlePay, BigInt);
  const receive = wadOr(order.settleReceive, BigInt);
  if (!pay && !receive) return null;
  const at: Price | null = wadOr(order.settlePrice, price);
  if (pay === null || receive === null || at === null)
    throw new InvalidValueError('a settlement needs what was paid, what was received and its price');
  return {
    price: at,
    pay,
    receive,
    mintFee: wadOr(order.mintFee, cash) ?? cash(0n),
    protocolFee: wadOr(order.protocolFee, cash) ?? cash(0n),
    txHash: order.settleTxHash ? sameCase(order.settleTxHash) : null,
  };
}

/**
 * An order in the venue's own words and digits, as printed by commands; fields are null where the venue shows nothing (yet). A row
 * may be only the link from transaction to key.
 */
export function toOrderText({ mapping, openOrder, historyOrder, ...view }: OrderView) {
  const order = historyOrder ?? openOrder;
  const [quantity, notional] = [unlessZero(order?.placeQuantity), unlessZero(order?.placeNotional)];
  return {
    /** Time at which the venue linked the transaction. */
    at: timeText(mapping?.createTime),
    symbol: wordOf(order?.symbol),
    side: order?.side ?? null,
    type: order?.type ?? null,
    deferred: order?.deferred ?? false,
    /** Shares. */
    quantity,
    /** mUSD. */
    notional,
    /** Quantity, or the notional with its unit. */
    size: quantity ?? (notional && `${notional} mUSD`),
    price: unlessZero(order?.placePrice),
    status: wordOf(order?.status ?? view.orderStatus ?? view.mappingStatus ?? mapping?.status),
    settlePrice: historyOrder?.settlePrice ?? null,
    settlePay: historyOrder?.settlePay ?? null,
    settleReceive: historyOrder?.settleReceive ?? null,
    txHash: mapping?.txHash ?? null,
    orderId: wordOf(order?.orderId ?? mapping?.orderId),
  };
}

export type OrderRow = Readonly<ReturnType<typeof toOrderText>>;

/** A venue's word as shown in rows; null if there is none. */
export const wordOf = (text: string | null | undefined): string | null =>
  text === null || text === undefined ? null : shortWord(text);

/** Time of a link as ISO 8601; null if it is unknown. */
export function timeText(createTime: number | null | undefined): string | null {
  const at = madeAt(createTime);
  return at > 0 ? toIso(at) : null;
}

/** Amount of a row; null for 0, which the venue writes when an order of its kind has none. */
const unlessZero = (text: string | null | undefined): string | null =>
  text === null || text === undefined || /^0(\.0*)?$/.test(text) ? null : text;

const RAW_MAX = 500;

/** Context for reading list rows; `wallet` is their owner. */
export type Reading = Readonly<{ quote: Quote; wallet: Address }>;

/** @throws {InvalidValueError} for a row of another wallet: it is neither ours nor a match for one of ours */
export function requireOwn(owner: string | null | undefined, wallet: Address): void {
  if (owner != null && sameCase(owner) !== sameCase(wallet))
    throw new InvalidValueError(`it belongs to wallet ${shortWord(owner)}, not to ${wallet}`);
}

/** Report of an order of a wallet. @throws what `toReport` and `requireOwn` throw */
export function toOwnReport(view: OrderView, wallet: Address, txHash?: string): OrderReport {
  requireOwn((view.openOrder ?? view.historyOrder)?.userAddress, wallet);
  return toReport(view, txHash);
}

/** A row of the order list. An unreadable one is kept raw, with its transaction if that is readable. */
export function toOrderRow(
  row: OrderView | Unreadable,
  { quote, wallet }: Reading,
): OrderReport | UnreadableRow {
  if (isUnreadable(row)) return setAside(row, { quote, txHash: hashIn(row.raw) });
  try {
    return toOwnReport(row, wallet);
  } catch (error) {
    if (!(error instanceof InvalidValueError)) throw error;
    const txHash = row.mapping ? sameCase(row.mapping.txHash) : null;
    return setAside({ unreadable: error.message, raw: row }, { quote, txHash });
  }
}

/** An unreadable row of a list, with its transaction if that is readable. */
export const setAside = (
  { unreadable: reason, raw }: Unreadable,
  { quote, txHash }: Readonly<{ quote: Quote; txHash: string | null }>,
): UnreadableRow => ({ unreadable: quote(reason, raw), reason, txHash });

/** Formats an unreadable value with the reason, for logs, errors and the journal, so secrets are masked. */
export type Quote = (reason: string, raw: unknown) => string;

export const quoting =
  (redact: Redact): Quote =>
  (reason, raw) =>
    `${reason}: ${redact(JSON.stringify(raw)).slice(0, RAW_MAX)}`;

/**
 * Parses a value completely or not at all. An error of the venue does not end a run: the request is retried.
 * @throws {NoAnswerError} when a value cannot be parsed
 */
export function parseAll<From, To>(
  what: string,
  from: From,
  { read, quote }: Readonly<{ read: (from: From) => To; quote: Quote }>,
): To {
  try {
    return read(from);
  } catch (error) {
    if (!(error instanceof InvalidValueError)) throw error;
    throw new NoAnswerError(`${what} cannot be read: ${quote(error.message, from)}`, {}, { cause: error });
  }
}

/** Finds a transaction hash in a row or in its link. */
function hashIn(raw: unknown): string | null {
  if (typeof raw !== 'object' || raw === null) return null;
  if ('mapping' in raw && raw.mapping) return hashIn(raw.mapping);
  const hash = 'txHash' in raw ? raw.txHash : null;
  return typeof hash === 'string' && /^0x[0-9a-f]{64}$/i.test(hash) ? sameCase(hash) : null;
}
