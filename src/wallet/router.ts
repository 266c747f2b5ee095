import { z } from 'zod';
import { shares, toTokenUnits, WAD_PLACES, type Shares } from '../core/amount.ts';
import type { EpochSeconds } from '../core/brand.ts';
import type { Address } from '../domain/instrument.ts';
import { invariant } from '../core/errors.ts';
import type { MoveTerms } from '../domain/transfers/transfer.ts';
import type { FundedTerms } from '../domain/venue.ts';
import type { Hex, RouterCall } from './routerAbi.ts';

/** Time in force, as the router counts it. */
const DAY = 0;

type Until = Readonly<{ deadline: EpochSeconds }>;
type BuyTerms = FundedTerms & Readonly<{ side: 'buy' }>;
type SellTerms = FundedTerms & Readonly<{ side: 'sell' }>;

const isSell = (terms: FundedTerms): terms is SellTerms => terms.side === 'sell';
const isBuy = (terms: FundedTerms): terms is BuyTerms => terms.side === 'buy';

/**
 * The router's call for an order, by its funding. `decimals`: places of the cash token that a buy deposits.
 * @throws {InvariantError} for a funding that its side does not have
 * @throws {InvalidValueError} when the cash token has fewer places than the amount
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

/** A sell is a negative amount. */
function plainCall(terms: FundedTerms, { deadline }: Until): RouterCall {
  const { stock } = terms;
  const amount = 'quantity' in terms ? terms.quantity : terms.notional;
  const size = terms.side === 'buy' ? amount : -amount;
  return terms.type === 'limit'
    ? { kind: 'placeLimitOrder', stock, quantity: size, price: terms.price, tif: DAY, deadline }
    : { kind: 'placeMarketOrder', stock, amount: size, deadline };
}

/** A sell of stock that is delivered later. */
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

/** Moves stock of the wallet on to the exchange and sells in one step. */
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
 * The router's call for a transfer. `decimals`: places of the cash token that is deposited; mUSD and shares are wads.
 * @throws {InvalidValueError} when the token has fewer places than the amount
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

/**
 * The functions of the router. Amounts of mUSD, of stock, prices and quantities are wads (10⁻¹⁸), amounts of a cash
 * token its raw units, times Unix seconds; a sell is a negative amount, a buy a positive one. `tif` counts DAY, GTC,
 * OPG, IOC, FOK, GTX, GTD, CLS from 0. The first nine are those of deployments; the rest are ours, by symmetry.
 */
export const ROUTER_FUNCTIONS = [
  'function placeMarketOrder(address stock, int96 amount, uint32 deadline) returns (bytes32 orderId)',
  'function placeLimitOrder(address stock, int96 quantity, uint96 price, uint8 tif, uint32 deadline) returns (bytes32 orderId)',
  'function deposit(address token, uint96 amount) returns (bytes32 opId)',
  'function withdraw(address token, uint96 amountWad) returns (bytes32 opId)',
  'function depositStock(address token, uint256 amount)',
  'function withdrawStock(address token, uint256 amount)',
  'function depositAndMarketBuy(address depositToken, uint96 depositAmount, address stock, int96 usdAmount, uint32 deadline) returns (bytes32 orderId)',
  'function depositStockAndMarketSell(address stock, uint256 depositAmount, int96 quantity, uint32 deadline) returns (bytes32 orderId)',
  'function depositStockAndLimitSell(address stock, uint256 depositAmount, int96 quantity, uint96 price, uint8 tif, uint32 deadline) returns (bytes32 orderId)',
  'function depositAndLimitBuy(address depositToken, uint96 depositAmount, address stock, int96 quantity, uint96 price, uint8 tif, uint32 deadline) returns (bytes32 orderId)',
  'function cancelLimitOrder(bytes32 orderId, uint32 deadline)',
  'function placeDeferredMarketSell(address stock, uint96 quantity, uint32 deadline) returns (bytes32 orderId)',
  'function placeDeferredLimitSell(address stock, uint96 quantity, uint96 price, uint8 tif, uint32 deadline) returns (bytes32 orderId)',
  'function repayDeferredStockDebt(address stock, uint256 amount)',
] as const;

type NameIn<Text> = Text extends `function ${infer Name}(${string}` ? Name : never;
type RouterFunctionName = NameIn<(typeof ROUTER_FUNCTIONS)[number]>;

type Signature = Readonly<{ name: string; args: readonly Readonly<{ type: string; name: string }>[] }>;

const SIGNATURE = /^(?:function )?([A-Za-z_]\w*)\(([^()]*)\)(?: returns \(.*\))?$/;

/** A signature such as `deposit(address token, uint96 amount)`; null for an invalid text. */
function signatureOf(text: string): Signature | null {
  const [, name, list] = SIGNATURE.exec(text) ?? [];
  if (name === undefined || list === undefined) return null;
  const args = list.split(',').map((part) => part.trim().split(/\s+/));
  if (args.some((arg) => arg.length !== 2)) return null;
  return { name, args: args.map(([type = '', arg = '']) => ({ type, name: arg })) };
}

const OURS = ROUTER_FUNCTIONS.flatMap((text) => signatureOf(text) ?? []);
export const ROUTER_FUNCTION_NAMES = OURS.map(({ name }) => name) as readonly RouterFunctionName[];

/** The signature of a function with our arguments, under another name. */
export function signatureText(kind: RouterFunctionName, name: string): string {
  const args = OURS.find((ours) => ours.name === kind)?.args ?? [];
  return `${name}(${argumentsOf(args)})`;
}

const argumentsOf = (args: Signature['args']): string =>
  args.map(({ type, name }) => `${type} ${name}`).join(', ');

const KIND = /^(address|bytes32|u?int)(\d{0,3})$/;
/** Kind of a type without its width; null for one that no argument has. */
function kindOf(type: string): string | null {
  const [, kind, bits = ''] = KIND.exec(type) ?? [];
  if (kind === undefined) return null;
  const isWidth = bits === '' || (kind.endsWith('int') && Number(bits) % 8 === 0 && Number(bits) <= 256);
  return isWidth && bits !== '0' ? kind : null;
}

/** Reason why a text cannot replace a function of ours, or null. Its arguments are ours, in any order and of any width. */
function misfit(ours: Signature, text: string): string | null {
  const theirs = signatureOf(text);
  const wanted = argumentsOf(ours.args);
  if (!theirs) return `must be a signature such as ${ours.name}(${wanted})`;
  const known = new Map(theirs.args.map(({ type, name }) => [name, kindOf(type)]));
  const fits =
    theirs.args.length === ours.args.length &&
    ours.args.every(({ type, name }) => known.get(name) === kindOf(type));
  return fits ? null : `must have the arguments of ${ours.name}(${wanted}), in any order and of any width`;
}

const shortForm = ({ name, args }: Signature) => `${name}(${args.map(({ type }) => type).join(',')})`;

/** Thrown for two functions with one signature: a call would be ambiguous. */
function sharedSignature(given: Readonly<Record<string, string | undefined>>): string | null {
  const forms = OURS.map((ours) => shortForm(signatureOf(given[ours.name] ?? '') ?? ours));
  return forms.find((form, index) => forms.indexOf(form) !== index) ?? null;
}

const signature = (ours: Signature) =>
  z
    .string()
    .superRefine((text, context) => {
      const message = misfit(ours, text);
      if (message !== null) context.addIssue({ code: 'custom', message });
    })
    .optional()
    .describe(`The venue's signature where it is not ${ours.name}(${argumentsOf(ours.args)}).`);

/** Signatures of a router that differ, by the names that the functions have here. */
export const routerFunctions = z
  .strictObject(Object.fromEntries(OURS.map((ours) => [ours.name, signature(ours)])))
  .superRefine((given, context) => {
    const shared = sharedSignature(given);
    if (shared !== null)
      context.addIssue({
        code: 'custom',
        message: `gives ${shared} to two functions at once: name the other one too`,
      });
  });

export type RouterFunctions = Readonly<z.output<typeof routerFunctions>>;
