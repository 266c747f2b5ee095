import {
  decodeAbiParameters,
  encodeFunctionData,
  parseAbi,
  parseAbiItem,
  toFunctionSelector,
} from 'viem/utils';
import { ROUTER_FUNCTIONS, type RouterFunctions } from './router.ts';
import { shares, toTokenUnits, WAD_PLACES, type Shares } from '../core/amount.ts';
import type { EpochSeconds } from '../core/brand.ts';
import { invariant, orElse } from '../core/errors.ts';
import type { Address } from '../domain/instrument.ts';
import type { MoveTerms } from '../domain/transfers/transfer.ts';
import type { FundedTerms } from '../domain/venue.ts';

export type Hex = `0x${string}`;

export const routerAbi = parseAbi(ROUTER_FUNCTIONS);

/** Parameter of a function or an event. */
type AbiParameter = Readonly<{ type: string; name?: string }>;
type AbiFunction = Readonly<{
  type: 'function';
  name: string;
  stateMutability: 'pure' | 'view' | 'nonpayable' | 'payable';
  inputs: readonly AbiParameter[];
  outputs: readonly AbiParameter[];
}>;

/** Type of a parameter's value in the codec: a number up to 48 bits, otherwise a bigint. No lists, no tuples. */
export type AbiValue<P extends AbiParameter> = P['type'] extends 'address' | `bytes${number}`
  ? Hex
  : P['type'] extends `${'' | 'u'}int${8 | 16 | 24 | 32 | 40 | 48}`
    ? number
    : P['type'] extends `${'' | 'u'}int${number}`
      ? bigint
      : never;

/** A function with its arguments by name. */
export type CallTo<F extends AbiFunction> = F extends AbiFunction
  ? Readonly<
      { kind: F['name'] } & {
        [Input in F['inputs'][number] as Input['name'] & string]: AbiValue<Input>;
      }
    >
  : never;

/** Call of the router, as decoded from calldata. */
export type RouterCall = CallTo<(typeof routerAbi)[number]>;

export type CallCodec<Call> = Readonly<{
  /** Encodes a call as calldata. @throws when an argument does not fit its type */
  encode(call: Call): Hex;
  /** Decodes calldata. Null unless the call encodes to exactly the same bytes. */
  decode(data: string): Call | null;
}>;

/** ABI fields that viem requires, but on which a function's selector does not depend. */
const CALLABLE = { type: 'function', outputs: [], stateMutability: 'nonpayable' } as const;

/** Converts calls of these functions to calldata and back. `theirs`: another contract's replacements of some, by name. */
export function callCodec<F extends AbiFunction>(
  functions: readonly F[],
  theirs: ReadonlyMap<string, AbiFunction> = new Map(),
): CallCodec<CallTo<F>> {
  type Call = CallTo<F>;
  const targets = functions.map((ours) => ({ ours, target: theirs.get(ours.name) ?? ours }));
  const byName = new Map(targets.map(({ ours, target }): [string, AbiFunction] => [ours.name, target]));
  const bySelector = new Map(
    targets.map((each) => [toFunctionSelector({ ...each.target, ...CALLABLE }), each]),
  );
  const encode = (call: Call): Hex => {
    const values = new Map<string, unknown>(Object.entries(call));
    const kind = String(values.get('kind'));
    const target = byName.get(kind);
    const args = target?.inputs.map(({ name }) => values.get(name ?? '')) ?? [];
    return encodeFunctionData({ abi: target ? [target] : [], functionName: target?.name ?? kind, args });
  };
  const decode = (text: string): Call | null => {
    const data = text.toLowerCase() as Hex;
    const { ours, target } = bySelector.get(data.slice(0, 10) as Hex) ?? {};
    if (!ours || !target) return null;
    const typeOf = (name?: string) => ours.inputs.find((input) => input.name === name)?.type ?? '';
    return orElse(() => {
      const args = decodeAbiParameters(target.inputs, `0x${data.slice(10)}`);
      const named = target.inputs.map(({ name }, index) => [name, asOurs(args[index], typeOf(name))]);
      const call = { kind: ours.name, ...Object.fromEntries(named) } as Call;
      return encode(call) === data ? call : null;
    }, null);
  };
  return { encode, decode };
}

/** Widest integer that is a number rather than a bigint. */
const NUMBER_BITS_MAX = 48;

/** Converts an integer to our type, which may be wider or narrower than theirs. */
function asOurs(value: unknown, type: string): unknown {
  const bits = /^u?int(\d+)$/.exec(type)?.[1];
  if (bits === undefined || (typeof value !== 'bigint' && typeof value !== 'number')) return value;
  return Number(bits) <= NUMBER_BITS_MAX ? Number(value) : BigInt(value);
}

/** Codec of router calls, and the names of its functions. */
export type RouterCodec = CallCodec<RouterCall> &
  Readonly<{
    /** The router's name of one of our functions. */
    methodOf(kind: RouterCall['kind']): string;
  }>;

/** The codec of a router, with its own signatures where they differ. */
export function routerCodec(functions: RouterFunctions = {}): RouterCodec {
  const theirs = new Map(
    Object.entries(functions).flatMap(([name, text]) =>
      text === undefined ? [] : [[name, functionIn(text)]],
    ),
  );
  return { ...callCodec(routerAbi, theirs), methodOf: (kind) => theirs.get(kind)?.name ?? kind };
}

const functionIn = (text: string): AbiFunction =>
  parseAbiItem(`function ${text.replace(/^function /, '')}`) as unknown as AbiFunction;

export const standardCodec: RouterCodec = routerCodec();
export const { encode: encodeRouterCall, decode: decodeRouterCall } = standardCodec;

/** Time in force DAY, as encoded by the router. */
const DAY = 0;

type Until = Readonly<{ deadline: EpochSeconds }>;
type BuyTerms = FundedTerms & Readonly<{ side: 'buy' }>;
type SellTerms = FundedTerms & Readonly<{ side: 'sell' }>;

const isSell = (terms: FundedTerms): terms is SellTerms => terms.side === 'sell';
const isBuy = (terms: FundedTerms): terms is BuyTerms => terms.side === 'buy';

/**
 * The router's call for an order, depending on its funding. `decimals`: decimals of the cash token that a buy deposits.
 * @throws {InvariantError} for a funding that its side does not support
 * @throws {InvalidValueError} when the cash token has fewer decimals than the amount
 */
export function orderCall(terms: FundedTerms, until: Until & Readonly<{ decimals?: number }>): RouterCall {
  const { funding } = terms;
  if (funding === undefined) return plainCall(terms, until);
  if (funding.kind === 'deferred') {
    invariant(isSell(terms), 'only a sell is deferred');
    return deferredSellCall(terms, until);
  }
  const { token, amount } = funding;
  if (isSell(terms)) return sellWithDepositCall(terms, shares(amount), until);
  const { decimals } = until;
  invariant(isBuy(terms) && token !== null && decimals !== undefined, 'a buy deposits a cash token');
  const deposit = { depositToken: token, depositAmount: toTokenUnits(amount, decimals) };
  return buyWithDepositCall(terms, deposit, until);
}

/** Call without a deposit. A sell is a negative amount. */
function plainCall(terms: FundedTerms, { deadline }: Until): RouterCall {
  const { stock } = terms;
  const amount = 'quantity' in terms ? terms.quantity : terms.notional;
  const size = terms.side === 'buy' ? amount : -amount;
  return terms.type === 'limit'
    ? { kind: 'placeLimitOrder', stock, quantity: size, price: terms.price, tif: DAY, deadline }
    : { kind: 'placeMarketOrder', stock, amount: size, deadline };
}

/** A sell of stock to be delivered later. */
function deferredSellCall(terms: SellTerms, { deadline }: Until): RouterCall {
  const { stock, quantity } = terms;
  return terms.type === 'limit'
    ? { kind: 'placeDeferredLimitSell', stock, quantity, price: terms.price, tif: DAY, deadline }
    : { kind: 'placeDeferredMarketSell', stock, quantity, deadline };
}

/** Deposits cash and buys with it in one step. `depositAmount`: raw units of the token. */
function buyWithDepositCall(
  terms: BuyTerms,
  deposit: Readonly<{ depositToken: Address; depositAmount: bigint }>,
  { deadline }: Until,
): RouterCall {
  const { stock } = terms;
  if (terms.type === 'market')
    return { kind: 'depositAndMarketBuy', ...deposit, stock, usdAmount: terms.notional, deadline };
  const { quantity, price } = terms;
  return { kind: 'depositAndLimitBuy', ...deposit, stock, quantity, price, tif: DAY, deadline };
}

/** Moves stock from the wallet to the exchange and sells it in one step. */
function sellWithDepositCall(terms: SellTerms, amount: Shares, { deadline }: Until): RouterCall {
  const deposit = { stock: terms.stock, depositAmount: amount, quantity: -terms.quantity };
  return terms.type === 'limit'
    ? { kind: 'depositStockAndLimitSell', ...deposit, price: terms.price, tif: DAY, deadline }
    : { kind: 'depositStockAndMarketSell', ...deposit, deadline };
}

/** `orderId` with or without `0x` before its 64 digits. */
export const cancelCall = (orderId: string, { deadline }: Until): RouterCall => ({
  kind: 'cancelLimitOrder',
  orderId: (/^0x/i.test(orderId) ? orderId : `0x${orderId}`) as Hex,
  deadline,
});

/**
 * The router's call for a transfer. `decimals`: decimals of the cash token that is deposited; mUSD and shares are wads.
 * @throws {InvalidValueError} when the token has fewer decimals than the amount
 */
export function transferCall(
  { kind, token, amount }: Pick<MoveTerms, 'kind' | 'token' | 'amount'>,
  decimals = WAD_PLACES,
): RouterCall {
  switch (kind) {
    case 'cashDeposit':
      return { kind: 'deposit', token, amount: toTokenUnits(amount, decimals) };
    case 'cashWithdrawal':
      return { kind: 'withdraw', token, amountWad: amount };
    case 'stockDeposit':
      return { kind: 'depositStock', token, amount };
    case 'stockWithdrawal':
      return { kind: 'withdrawStock', token, amount };
    case 'repay':
      return { kind: 'repayDeferredStockDebt', stock: token, amount };
  }
}
