import { writeOrder, writeTransfer } from '../../../api/transactions.ts';
import type { VenueClient } from '../../../api/client.ts';
import { cash, parseDecimal, price, shares } from '../../../core/amount.ts';
import type { EpochSeconds } from '../../../core/brand.ts';
import type { Address, Ticker } from '../../../domain/instrument.ts';
import type { MoveTerms } from '../../../domain/transfers/transfer.ts';
import type { FundedTerms } from '../../../domain/venue.ts';
import {
  type RouterCall,
  routerCodec,
  type RouterCodec,
  cancelCall,
  orderCall,
  transferCall,
} from '../../../wallet/routerAbi.ts';
import { atVenueFault, messageOf, SafetyError, faultIn } from '../../../core/errors.ts';
import { checkCalldata } from '../../../wallet/checkCalldata.ts';
import { ROUTER_FUNCTION_NAMES, signatureText, type RouterFunctions } from '../../../wallet/router.ts';
import { OBJECTS } from '../../../api/assumptions/names.ts';
import { asAssumed, differs, settingOf, unchecked, type AssumptionResult } from '../finding.ts';
import type { Calldata } from '../../../api/views.ts';

type StatedToken = Readonly<{ address: Address; decimals: number }>;

/** Subject of the calls: small amounts of a listed stock and of a cash token. */
export type Subject = Readonly<{
  userAddress: Address;
  symbol: Ticker;
  stock: Address;
  /** Price of the stock, as a wad. */
  quote: bigint;
  token: StatedToken | null;
  deadline: EpochSeconds;
  /** An open limit order, if there is one. */
  openOrder: string | null;
}>;

/** Request bodies with field names that the documentation leaves open. */
const TRIED_OBJECTS = ['depositOrder', 'stockMove', 'repayment'] as const;

/** A calldata request that nobody signs, and the call that it should encode. */
type Trial = Readonly<{
  call: RouterCall;
  /** Kind of object in its body. */
  object?: (typeof TRIED_OBJECTS)[number] | undefined;
  ask: (client: VenueClient) => Promise<Calldata>;
}>;

const SHARES = shares(parseDecimal('1'));
const CASH = cash(parseDecimal('100'));

/** Every router call whose calldata can be requested without sending anything. */
export function trialsOf(subject: Subject): readonly Trial[] {
  const { openOrder: orderId, deadline, token } = subject;
  const cancel = (id: string): Trial => ({
    call: cancelCall(id, { deadline }),
    ask: (client) => client.orderCancelCalldata({ path: { orderId: id }, query: { deadline } }),
  });
  return [
    ...orderTrials(subject),
    ...(token ? cashTransfers(token).map((terms) => transferTrial(terms, subject)) : []),
    ...stockTransfers(subject).map((terms) => transferTrial(terms, subject)),
    ...(orderId === null ? [] : [cancel(orderId)]),
  ];
}

/** Half of the quote: a limit price that never fills. */
const far = (quote: bigint) => price((quote / 2n / 10n ** 16n) * 10n ** 16n);

function orderTrials({ symbol, stock, quote, token, deadline }: Subject): readonly Trial[] {
  const limit = { symbol, stock, type: 'limit', quantity: SHARES, price: far(quote) } as const;
  const market = { symbol, stock, type: 'market' } as const;
  const buys = [
    { ...market, side: 'buy', notional: CASH },
    { ...limit, side: 'buy' },
  ] as const;
  const sells = [
    { ...market, side: 'sell', quantity: SHARES },
    { ...limit, side: 'sell' },
  ] as const;
  const deposits = {
    buy: token && { token: token.address, amount: CASH },
    sell: { token: null, amount: SHARES },
  };
  const terms: FundedTerms[] = [
    ...buys,
    ...sells.map((sell) => ({ ...sell, funding: { kind: 'deferred' } as const })),
    ...[...sells, ...buys].flatMap((order) => {
      const deposit = deposits[order.side];
      return deposit ? [{ ...order, funding: { kind: 'deposit', ...deposit } as const }] : [];
    }),
  ];
  return terms.map((order) => ({
    call: orderCall(order, { deadline, ...(token && { decimals: token.decimals }) }),
    object: order.funding?.kind === 'deposit' ? 'depositOrder' : undefined,
    ask: (client) => writeOrder(client, order, deadline),
  }));
}

const cashTransfers = ({ address: token }: StatedToken): readonly MoveTerms[] => [
  { kind: 'cashDeposit', token, amount: CASH },
  { kind: 'cashWithdrawal', token, amount: CASH },
];

const stockTransfers = ({ symbol, stock: token }: Subject): readonly MoveTerms[] => [
  { kind: 'stockDeposit', symbol, token, amount: SHARES },
  { kind: 'stockWithdrawal', symbol, token, amount: SHARES },
  { kind: 'repay', symbol, token, amount: SHARES },
];

const TRANSFER_OBJECTS: Readonly<Partial<Record<MoveTerms['kind'], Trial['object']>>> = {
  stockDeposit: 'stockMove',
  stockWithdrawal: 'stockMove',
  repay: 'repayment',
};

function transferTrial(terms: MoveTerms, { userAddress, token }: Subject): Trial {
  const { kind } = terms;
  return {
    call: transferCall(terms, token?.decimals),
    object: TRANSFER_OBJECTS[kind],
    ask: (client) => writeTransfer(client, terms, userAddress),
  };
}

/** Result of one trial. `refused`: the venue's words if it returned no calldata. */
type TrialResult = Readonly<{ trial: Trial } & ({ answer: Calldata } | { refused: string })>;

type FunctionCheck = Readonly<{
  client: VenueClient;
  chainId: number;
  /** Null if the config pins none; then the router that the venue names is used. */
  router: Address | null;
  functions: RouterFunctions;
}>;

/** Requests the calldata of every trial, and compares it with the intended call. Nothing is signed or sent. */
export async function checkFunctions(
  trials: readonly Trial[],
  { client, chainId, router, functions: stated }: FunctionCheck,
): Promise<AssumptionResult[]> {
  const ended: TrialResult[] = [];
  for (const trial of trials) ended.push(await tried(trial, client));
  const codec = routerCodec(stated);
  const byName = new Map(ended.map((each) => [each.trial.call.kind, each]));
  const functions = ROUTER_FUNCTION_NAMES.map((name) => {
    const one = byName.get(name);
    return one
      ? judged(one, { chainId, router, codec })
      : unchecked(`functions.${name}`, UNTRIED[name] ?? NO_CASH_TOKEN);
  });
  return [...functions, ...TRIED_OBJECTS.map((name) => taken(name, ended))];
}

const NO_CASH_TOKEN = 'GET /config names no cash token to test with';
const UNTRIED: Readonly<Record<string, string>> = {
  cancelLimitOrder: 'it needs a limit order that is open',
};

const tried = (trial: Trial, client: VenueClient): Promise<TrialResult> =>
  trial.ask(client).then(
    (answer) => ({ trial, answer }),
    atVenueFault((error) => ({ trial, refused: messageOf(error) })),
  );

type Terms = Omit<FunctionCheck, 'client' | 'functions'> & Readonly<{ codec: RouterCodec }>;

function judged(ended: TrialResult, { chainId, router, codec }: Terms): AssumptionResult {
  const { call } = ended.trial;
  const entry = `functions.${call.kind}`;
  if ('refused' in ended) return unchecked(entry, `no calldata was given: ${ended.refused}`);
  const { answer } = ended;
  const fault = faultOf(answer, { chainId, router, call, codec });
  if (fault === null)
    return asAssumed(
      entry,
      `as assumed: ${codec.methodOf(call.kind)}, selector ${answer.callData.slice(0, 10)}`,
    );
  const found = signatureBehind(ended.trial, { answer, chainId, router });
  const detail = fault.split('\n').slice(1, -1).join(';').trim();
  const edit = found === null ? null : settingOf(['functions', call.kind], JSON.stringify(found));
  return differs(entry, detail, edit);
}

/** Describes what is wrong with calldata; null if it is exactly the expected call. */
function faultOf(
  answer: Calldata,
  { router, ...terms }: Terms & Readonly<{ call: RouterCall }>,
): string | null {
  const own = { ...terms, router: router ?? answer.toAddress };
  return faultIn(SafetyError, () => checkCalldata(answer, own));
}

type CalldataReply = Readonly<{ answer: Calldata; chainId: number; router: Address | null }>;

/** Our signature with the venue's function name, if the calldata is then exactly the expected call; otherwise null. */
function signatureBehind({ call }: Trial, { answer, chainId, router }: CalldataReply): string | null {
  if (!/^[A-Za-z_]\w*$/.test(answer.method)) return null;
  const signature = signatureText(call.kind, answer.method);
  const codec = routerCodec({ [call.kind]: signature });
  return faultOf(answer, { chainId, router, call, codec }) === null ? signature : null;
}

/** Checks that the venue understood the field names of a body: it responded with the calldata of the expected call. */
function taken(name: (typeof TRIED_OBJECTS)[number], ended: readonly TrialResult[]): AssumptionResult {
  const entry = `fields.${name}`;
  const own = ended.filter(({ trial }) => trial.object === name);
  const names = Object.keys(OBJECTS[name].names);
  const list = names.join(', ');
  if (own.some((each) => 'answer' in each))
    return asAssumed(entry, `as assumed: calldata came back for ${list}`);
  const [first] = own;
  const words = first && 'refused' in first ? first.refused : NO_CASH_TOKEN;
  const named = names.find((each) => words.includes(each));
  if (named === undefined) return unchecked(entry, `no calldata was given: ${words}`);
  const edit = settingOf(['fields', name], `{ ${named}: NAME_OF_THE_VENUE }`);
  return differs(entry, `a body with ${list} is refused: ${words}`, edit);
}
