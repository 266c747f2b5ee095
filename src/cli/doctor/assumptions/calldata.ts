import * as calls from '../../../wallet/router.ts';
import type { Calldata } from '../../../api/transactions.ts';
import type { VenueClient } from '../../../api/client.ts';
import { cash, parseDecimal, price, shares } from '../../../core/amount.ts';
import type { EpochSeconds } from '../../../core/brand.ts';
import type { Address, Ticker } from '../../../domain/instrument.ts';
import { bodyOf } from '../../../api/bodies.ts';
import { type RouterCall, routerCodec, type RouterCodec } from '../../../wallet/routerAbi.ts';
import { isVenueFault, messageOf, SafetyError } from '../../../core/errors.ts';
import { checkCalldata } from '../../../wallet/checkCalldata.ts';
import { ROUTER_FUNCTION_NAMES, signatureText, type RouterFunctions } from '../../../wallet/router.ts';
import { OBJECTS } from '../../../api/assumptions/names.ts';
import { asAssumed, differs, settingOf, unchecked, type AssumptionResult } from '../finding.ts';

/** Subject of the calls: small amounts of a listed stock and of a cash token. */
export type Subject = Readonly<{
  userAddress: Address;
  symbol: Ticker;
  stock: Address;
  /** Price of the stock, as a wad. */
  quote: bigint;
  token: calls.CashToken | null;
  deadline: EpochSeconds;
  /** An open limit order, where there is one. */
  openOrder: string | null;
}>;

/** A question whose answer is calldata that nobody signs, and the call that it should be. */
type Trial = Readonly<{
  call: RouterCall;
  /** The object whose names its body has, where the documentation leaves them open. */
  object?: 'depositOrder' | 'stockMove' | 'repayment';
  ask: (client: VenueClient) => Promise<Calldata>;
}>;

const SHARES = shares(parseDecimal('1'));
const CASH = cash(parseDecimal('100'));
const TOKENS = parseDecimal('100');

/** Every call of the router that can be asked for without sending anything. */
export function trialsOf(subject: Subject): readonly Trial[] {
  const { openOrder, deadline } = subject;
  const cancel = (orderId: string): Trial => ({
    call: calls.cancelCall(orderId, { deadline }),
    ask: (client) => client.orderCancelCalldata({ path: { orderId }, query: { deadline } }),
  });
  return [
    ...orderTrials(subject),
    ...(subject.token ? cashTrials(subject, subject.token) : []),
    ...stockTrials(subject),
    ...(openOrder === null ? [] : [cancel(openOrder)]),
  ];
}

/** Half of the quote: a limit that nothing fills. */
const far = (quote: bigint) => price((quote / 2n / 10n ** 16n) * 10n ** 16n);

function termsOf({ symbol, stock, quote }: Subject) {
  const limit = { symbol, stock, type: 'limit', quantity: SHARES, price: far(quote) } as const;
  const market = { symbol, stock, type: 'market' } as const;
  return {
    marketBuy: { ...market, side: 'buy', notional: CASH },
    marketSell: { ...market, side: 'sell', quantity: SHARES },
    limitBuy: { ...limit, side: 'buy' },
    limitSell: { ...limit, side: 'sell' },
  } as const;
}

function orderTrials(subject: Subject): readonly Trial[] {
  const { deadline } = subject;
  const { marketBuy, limitBuy, marketSell, limitSell } = termsOf(subject);
  const plain = ([marketBuy, limitBuy] as const).map((terms): Trial => ({
    call: calls.orderCall(terms, { deadline }),
    ask: (client) => client.orderCalldata({ body: { ...bodyOf(terms), deadline } }),
  }));
  const sells = [marketSell, limitSell] as const;
  const deferred = sells.map((terms): Trial => ({
    call: calls.deferredSellCall(terms, { deadline }),
    ask: (client) => client.orderCalldata({ body: { ...bodyOf(terms), deferred: true, deadline } }),
  }));
  const withStock = sells.map((terms): Trial => ({
    call: calls.sellWithDepositCall(terms, { amount: SHARES, deadline }),
    object: 'depositOrder',
    ask: (client) =>
      client.orderWithDepositCalldata({ body: { ...bodyOf(terms), tokenAmount: '1', deadline } }),
  }));
  return [...plain, ...deferred, ...withStock];
}

function cashTrials(subject: Subject, token: calls.CashToken): readonly Trial[] {
  const { userAddress, deadline } = subject;
  const { marketBuy, limitBuy } = termsOf(subject);
  const pay = { tokenAddress: token.address, tokenAmount: '100' };
  const buys = ([marketBuy, limitBuy] as const).map((terms): Trial => ({
    call: calls.buyWithDepositCall(terms, { token, amount: TOKENS, deadline }),
    object: 'depositOrder',
    ask: (client) => client.orderWithDepositCalldata({ body: { ...bodyOf(terms), ...pay, deadline } }),
  }));
  return [
    ...buys,
    {
      call: calls.depositCall(token, TOKENS),
      ask: (client) => client.cashDepositCalldata({ body: { userAddress, ...pay } }),
    },
    {
      call: calls.withdrawCall(token, CASH),
      ask: (client) =>
        client.cashWithdrawalCalldata({
          body: { userAddress, tokenAddress: token.address, creditAmount: '100' },
        }),
    },
  ];
}

function stockTrials({ userAddress, stock }: Subject): readonly Trial[] {
  const body = { userAddress, tokenAddress: stock, tokenAmount: '1' };
  return [
    {
      call: calls.depositStockCall(stock, SHARES),
      object: 'stockMove',
      ask: (client) => client.stockDepositCalldata({ body }),
    },
    {
      call: calls.withdrawStockCall(stock, SHARES),
      object: 'stockMove',
      ask: (client) => client.stockWithdrawalCalldata({ body }),
    },
    {
      call: calls.repayCall(stock, SHARES),
      object: 'repayment',
      ask: (client) => client.repayCalldata({ body: { userAddress, stockAddress: stock, quantity: '1' } }),
    },
  ];
}

/** The result of one trial. `refused`: the venue's words where it gave no calldata. */
type TrialResult = Readonly<{ trial: Trial } & ({ answer: Calldata } | { refused: string })>;

type FunctionCheck = Readonly<{
  client: VenueClient;
  chainId: number;
  /** Null where the config pins none: then the router that the venue names. */
  router: Address | null;
  functions: RouterFunctions;
}>;

/** Asks for the calldata of every trial, and holds it against the call that is meant. Nothing is signed or sent. */
export async function checkFunctions(
  trials: readonly Trial[],
  { client, ...terms }: FunctionCheck,
): Promise<AssumptionResult[]> {
  const ended: TrialResult[] = [];
  for (const trial of trials) ended.push(await tried(trial, client));
  const codec = routerCodec(terms.functions);
  const byName = new Map(ended.map((each) => [each.trial.call.kind, each]));
  const functions = ROUTER_FUNCTION_NAMES.map((name) => {
    const one = byName.get(name);
    return one
      ? judged(one, { ...terms, codec })
      : unchecked(`functions.${name}`, UNTRIED[name] ?? NO_CASH_TOKEN);
  });
  return [
    ...functions,
    ...(['depositOrder', 'stockMove', 'repayment'] as const).map((name) => taken(name, ended)),
  ];
}

const NO_CASH_TOKEN = 'GET /config names no cash token to ask with';
const UNTRIED: Readonly<Record<string, string>> = {
  cancelLimitOrder: 'it needs a limit order that is open',
};

async function tried(trial: Trial, client: VenueClient): Promise<TrialResult> {
  try {
    return { trial, answer: await trial.ask(client) };
  } catch (error) {
    if (!isVenueFault(error)) throw error;
    return { trial, refused: messageOf(error) };
  }
}

type Terms = Omit<FunctionCheck, 'client'> & Readonly<{ codec: RouterCodec }>;

function judged(ended: TrialResult, { chainId, router, codec }: Terms): AssumptionResult {
  const { call } = ended.trial;
  const entry = `functions.${call.kind}`;
  if ('refused' in ended) return unchecked(entry, `no calldata was given: ${ended.refused}`);
  const { answer } = ended;
  try {
    checkCalldata(answer, { chainId, router: router ?? answer.toAddress, call, codec });
    return asAssumed(
      entry,
      `as assumed: ${codec.methodOf(call.kind)}, selector ${answer.callData.slice(0, 10)}`,
    );
  } catch (error) {
    if (!(error instanceof SafetyError)) throw error;
    const found = signatureBehind(ended.trial, { answer, chainId, router });
    const said = messageOf(error).split('\n').slice(1, -1).join(';').trim();
    return differs(
      entry,
      said,
      found === null ? null : settingOf(['functions', call.kind], JSON.stringify(found)),
    );
  }
}

type CalldataReply = Readonly<{ answer: Calldata; chainId: number; router: Address | null }>;

/** The signature of ours under the name that the venue gives, if with it the calldata is the very call; else null. */
function signatureBehind({ call }: Trial, { answer, chainId, router }: CalldataReply): string | null {
  if (!/^[A-Za-z_]\w*$/.test(answer.method)) return null;
  const signature = signatureText(call.kind, answer.method);
  const codec = routerCodec({ [call.kind]: signature });
  try {
    checkCalldata(answer, { chainId, router: router ?? answer.toAddress, call, codec });
    return signature;
  } catch (error) {
    if (!(error instanceof SafetyError)) throw error;
    return null;
  }
}

/** Checks that the venue understood the names of a body: it answered with calldata of the very call. */
function taken(
  name: 'depositOrder' | 'stockMove' | 'repayment',
  ended: readonly TrialResult[],
): AssumptionResult {
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
