/**
 * The rules that the body of an order must keep before the venue builds calldata: fields, amounts, tick, minimum, session.
 */
import { placesOf, valueOf, WAD, wadOf } from './amount.ts';
import { deadlineFaults } from './deadline.ts';
import type { Session } from './hours.ts';
import { broken, NOT_FOUND, silent, TRADING_RULE, VALIDATION, type Fault } from './verdict.ts';

/** An order's body as sent; a field may be missing or hold nonsense. */
export interface OrderBody {
  readonly stockAddress?: string;
  readonly side?: string;
  readonly type?: string;
  readonly quantity?: string | number;
  readonly notional?: string | number;
  readonly price?: string | number;
  readonly timeInForce?: string;
  readonly deadline?: number;
  readonly deferred?: boolean;
  /** Gas limit; the venue estimates it when it is missing, 0 or below. */
  readonly gasLimit?: number;
}

export interface ModelStock {
  readonly symbol: string;
  readonly address: string;
  readonly tradable: boolean;
  readonly fractionable: boolean;
  readonly fractionalExtendedHours: boolean;
  readonly overnight: boolean;
}

export interface OrderTerms {
  readonly stock: ModelStock;
  readonly side: 'Buy' | 'Sell';
  readonly type: 'Market' | 'Limit';
  readonly quantity: bigint;
  readonly notional: bigint;
  readonly price: bigint;
  /** Unix seconds. */
  readonly deadline: number;
  readonly deferred: boolean;
  /** Units of gas; 0 leaves them to the venue. */
  readonly gasLimit: number;
}

export interface OrderMoment {
  /** Milliseconds since the epoch. */
  readonly now: number;
  readonly session: Session;
  readonly stocks: ReadonlyMap<string, ModelStock>;
  /** True when the user may sell deferred: allowed and not restricted. */
  readonly mayDefer: boolean;
  /** The last price of a stock, for the worth of a market sell. */
  readonly quote: (symbol: string) => bigint;
}

const TIMES_IN_FORCE = ['DAY', 'GTC', 'OPG', 'IOC', 'FOK', 'GTX', 'GTD', 'CLS'];
const MINIMUM_NOTIONAL = WAD;
/** Codes of a refused body. The specification gives the texts; which of the two codes applies is assumed. */
const INPUT = [VALIDATION, TRADING_RULE];

const amountOf = (value: string | number | undefined) =>
  value === undefined ? undefined : wadOf(String(value));

const amountFaults = (name: string, value: string | number | undefined): readonly Fault[] => {
  if (value === undefined) return [broken(`${name} missing`, [VALIDATION])];
  const wad = wadOf(String(value));
  if (wad === undefined) return [broken(`${name} is no plain decimal`, [VALIDATION])];
  if (wad === 0n) return [broken(`${name} is zero`, INPUT)];
  if (placesOf(String(value)) > 18) return [broken(`${name} has more than 18 places`, INPUT)];
  return [];
};

const stockFaults = (address: string | undefined, stock: ModelStock | undefined): readonly Fault[] => {
  if (address === undefined) return [broken('stockAddress missing', [VALIDATION])];
  if (!/^0x[0-9a-fA-F]{40}$/.test(address)) return [broken('stockAddress is no address', [VALIDATION])];
  if (stock === undefined) return [broken('no such stock', [VALIDATION, NOT_FOUND, TRADING_RULE])];
  return stock.tradable ? [] : [broken('stock not tradable', [TRADING_RULE])];
};

const tickOf = (price: bigint) => (price < WAD ? WAD / 10_000n : WAD / 100n);

const priceFaults = (body: OrderBody): readonly Fault[] => {
  const faults = amountFaults('price', body.price);
  const price = amountOf(body.price);
  if (faults.length > 0 || price === undefined) return faults;
  return price % tickOf(price) === 0n ? [] : [broken('price off its tick', INPUT)];
};

const timeInForceFaults = (timeInForce: string | undefined): readonly Fault[] => {
  if (timeInForce === undefined) return [broken('timeInForce missing', [VALIDATION])];
  if (timeInForce === 'DAY') return [];
  if (TIMES_IN_FORCE.includes(timeInForce))
    return [broken('timeInForce other than DAY', INPUT, /timeInForce.*only.*DAY/i)];
  return [broken('timeInForce is no word of the list', INPUT)];
};

const minimumFaults = (notional: bigint | undefined): readonly Fault[] =>
  notional !== undefined && notional > 0n && notional < MINIMUM_NOTIONAL
    ? [broken('under the minimum notional', INPUT)]
    : [];

const fractionFaults = (quantity: bigint | undefined, stock: ModelStock | undefined): readonly Fault[] =>
  quantity !== undefined && stock?.fractionable === false && quantity % WAD !== 0n
    ? [broken('fraction of a stock that is not fractionable', INPUT)]
    : [];

const limitFaults = (body: OrderBody, stock: ModelStock | undefined, session: Session): readonly Fault[] => {
  const quantity = amountOf(body.quantity);
  const price = amountOf(body.price);
  const value = quantity === undefined || price === undefined ? undefined : valueOf(quantity, price);
  const extended = session !== 'regular' && quantity !== undefined && quantity % WAD !== 0n;
  return [
    ...amountFaults('quantity', body.quantity),
    ...priceFaults(body),
    ...timeInForceFaults(body.timeInForce),
    ...minimumFaults(value),
    ...fractionFaults(quantity, stock),
    ...(extended && stock?.fractionalExtendedHours === false
      ? [silent('fractional limit order outside the regular session')]
      : []),
  ];
};

const MARKET_HOURS = /only supported during the regular trading session.*(pre|after|post|overnight|closed)/is;

/** Checks the worth of a market sell, with 1 % tolerance: the specification does not name the price at which it is taken. */
const worthFaults = (quantity: bigint | undefined, quote: bigint): readonly Fault[] => {
  if (quantity === undefined || quantity === 0n) return [];
  const worth = valueOf(quantity, quote);
  const slack = MINIMUM_NOTIONAL / 100n;
  if (worth < MINIMUM_NOTIONAL - slack) return minimumFaults(worth);
  return worth < MINIMUM_NOTIONAL + slack ? [silent('market sell within 1 % of the minimum')] : [];
};

const marketFaults = (
  body: OrderBody,
  stock: ModelStock | undefined,
  moment: OrderMoment,
): readonly Fault[] => {
  const hours =
    moment.session === 'regular'
      ? []
      : [broken('market order outside the regular session', [TRADING_RULE], MARKET_HOURS)];
  if (body.side === 'Buy')
    return [
      ...hours,
      ...(stock?.fractionable === false
        ? [broken('notional buy of a stock that is not fractionable', INPUT)]
        : []),
      ...amountFaults('notional', body.notional),
      ...minimumFaults(amountOf(body.notional)),
    ];
  const quantity = amountOf(body.quantity);
  return [
    ...hours,
    ...amountFaults('quantity', body.quantity),
    ...fractionFaults(quantity, stock),
    ...(stock === undefined ? [] : worthFaults(quantity, moment.quote(stock.symbol))),
  ];
};

const DEFERRED_WORDS = /deferred sell.*not allowed|address.*restricted/i;

const deferredFaults = (body: OrderBody, mayDefer: boolean): readonly Fault[] => {
  if (body.deferred !== true) return [];
  if (body.side !== 'Sell') return [broken('deferred with a side other than Sell', INPUT)];
  return mayDefer ? [] : [broken('deferred sell off the whitelist', [TRADING_RULE], DEFERRED_WORDS)];
};

/** Lists every rule that an order's body breaks now. */
export const orderFaults = (body: OrderBody, moment: OrderMoment): readonly Fault[] => {
  const stock = moment.stocks.get((body.stockAddress ?? '').toLowerCase());
  const side =
    body.side === 'Buy' || body.side === 'Sell' ? [] : [broken('side is no word of the list', [VALIDATION])];
  const common = [
    ...stockFaults(body.stockAddress, stock),
    ...side,
    ...deadlineFaults(body.deadline, moment.now),
    ...deferredFaults(body, moment.mayDefer),
    ...(Number.isInteger(body.gasLimit ?? 0) ? [] : [silent('gasLimit that is no whole number')]),
  ];
  if (body.type === 'Limit') return [...common, ...limitFaults(body, stock, moment.session)];
  if (body.type === 'Market') return [...common, ...marketFaults(body, stock, moment)];
  return [...common, broken('type is no word of the list', [VALIDATION])];
};

/** Reads the terms of an order that breaks no sure rule. */
export const termsOf = (body: OrderBody, stocks: ReadonlyMap<string, ModelStock>): OrderTerms => {
  const stock = stocks.get((body.stockAddress ?? '').toLowerCase());
  if (stock === undefined)
    throw new Error(`no stock at ${body.stockAddress ?? '(missing)'}: the order was faulty`);
  return {
    stock,
    side: body.side === 'Buy' ? 'Buy' : 'Sell',
    type: body.type === 'Limit' ? 'Limit' : 'Market',
    quantity: amountOf(body.quantity) ?? 0n,
    notional: amountOf(body.notional) ?? 0n,
    price: amountOf(body.price) ?? 0n,
    deadline: body.deadline ?? 0,
    deferred: body.deferred === true,
    gasLimit: Math.max(body.gasLimit ?? 0, 0),
  };
};
