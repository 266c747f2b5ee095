import { expect, test } from 'vitest';
import * as calls from '../../src/wallet/routerAbi.ts';
import { parseCash, parsePrice, parseShares } from '../../src/core/amount.ts';
import { epochSeconds } from '../../src/core/brand.ts';
import { SafetyError } from '../../src/core/errors.ts';
import { ticker, type Address } from '../../src/domain/instrument.ts';
import { checkCalldata, type CalldataAnswer } from '../../src/wallet/checkCalldata.ts';
import { decodeRouterCall, encodeRouterCall, type RouterCall } from '../../src/wallet/routerAbi.ts';

const router: Address = `0x${'AB'.repeat(20)}`;
const stranger: Address = `0x${'44'.repeat(20)}`;
const stock: Address = `0x${'11'.repeat(20)}`;
const token = { address: `0x${'22'.repeat(20)}`, decimals: 6 } as const;
const orderId = `0x${'33'.repeat(32)}`;
const deadline = epochSeconds(1_781_530_300);
const symbol = ticker('AAPL');

const quantity = parseShares('1.5');
const price = parsePrice('199.99');
const limitBuy = { symbol, stock, type: 'limit', side: 'buy', quantity, price } as const;
const limitSell = { ...limitBuy, side: 'sell' } as const;
const marketBuy = { symbol, stock, type: 'market', side: 'buy', notional: parseCash('250') } as const;
const marketSell = { symbol, stock, type: 'market', side: 'sell', quantity } as const;

const WAD = 10n ** 18n;
const depositOf = (from: Address | null, amount: bigint) =>
  ({ kind: 'deposit', token: from, amount }) as const;
const deposit = (amount: bigint) =>
  calls.transferCall({ kind: 'cashDeposit', token: token.address, amount }, token.decimals);
const every: readonly RouterCall[] = [
  calls.orderCall(limitBuy, { deadline }),
  calls.orderCall(limitSell, { deadline }),
  calls.orderCall(marketBuy, { deadline }),
  calls.orderCall(marketSell, { deadline }),
  ...[limitSell, marketSell].map((sell) =>
    calls.orderCall({ ...sell, funding: { kind: 'deferred' } }, { deadline }),
  ),
  ...[limitBuy, marketBuy].map((buy) =>
    calls.orderCall({ ...buy, funding: depositOf(token.address, 300n * WAD) }, { deadline, decimals: 6 }),
  ),
  ...[limitSell, marketSell].map((sell) =>
    calls.orderCall({ ...sell, funding: depositOf(null, quantity) }, { deadline }),
  ),
  calls.cancelCall(orderId, { deadline }),
  deposit(25n * WAD),
  calls.transferCall({ kind: 'cashWithdrawal', token: token.address, amount: 25n * WAD }),
  ...(['stockDeposit', 'stockWithdrawal', 'repay'] as const).map((kind) =>
    calls.transferCall({ kind, token: stock, amount: quantity }),
  ),
];

const answerTo = (call: RouterCall): CalldataAnswer => ({
  chainId: 143,
  toAddress: router.toLowerCase(),
  value: '0',
  callData: encodeRouterCall(call),
  method: call.kind,
});
const check = (answer: CalldataAnswer, call: RouterCall) =>
  checkCalldata(answer, { chainId: 143, router, call });

test.each(every)('$kind: the exact calldata passes, and the call is built from our own terms', (call) => {
  const { to, data, kind, chainId } = check(answerTo(call), call);
  expect({ to, kind, chainId }).toEqual({ to: router, kind: call.kind, chainId: 143 });
  expect(decodeRouterCall(data)).toEqual(call);
});

test("an amount that exceeds its argument's type is refused, not truncated", () => {
  const call = { ...limit, quantity: 2n ** 95n } as RouterCall;
  expect(() => check(good, call)).toThrow(/cannot be encoded/);
});

test('an order id encodes alike with and without 0x', () => {
  expect(calls.cancelCall(orderId.slice(2), { deadline })).toEqual(calls.cancelCall(orderId, { deadline }));
});

test('router calls count a sell as negative, a buy as positive and a cash token in its own units', () => {
  expect(calls.orderCall(marketSell, { deadline })).toMatchObject({ amount: -quantity });
  expect(calls.orderCall(limitBuy, { deadline })).toMatchObject({ quantity });
  expect(deposit(25n * WAD)).toMatchObject({ amount: 25_000_000n });
  expect(() => deposit(1n)).toThrow('more than the 6 places');
});

const flipped = (hex: string) => `${hex.slice(0, -1)}${hex.endsWith('7') ? '8' : '7'}`;
const otherThan = (value: string | number | bigint) => {
  if (typeof value === 'string') return flipped(value);
  return typeof value === 'bigint' ? value + 1n : value + 1;
};

/** Every argument of every call, replaced by another value of its type. */
const tampered = every.flatMap((call) =>
  Object.entries<string | number | bigint>(call)
    .filter(([name]) => name !== 'kind')
    .map(([name, ours]) => {
      const other = otherThan(ours);
      return { call, name, theirs: { ...call, [name]: other }, ours, other };
    }),
);

test.each(tampered)('calldata of $call.kind with another $name is refused, naming both values', (change) => {
  const { call, name, theirs, ours, other } = change;
  const told = new RegExp(`callData ${name} is "?${other}"?, not "?${ours}"?`, 'i');
  const act = () => check(answerTo(theirs), call);
  expect(act).toThrow(SafetyError);
  expect(act).toThrow(told);
});

const [limit] = every as [RouterCall];
const good = answerTo(limit);
test.each<[string, Partial<CalldataAnswer>, string]>([
  ['another chain', { chainId: 1 }, 'chainId is 1, not 143'],
  ['another contract', { toAddress: stranger }, `toAddress is "${stranger}", not "${router}"`],
  ['native token attached', { value: '1' }, 'value is "1", not "0"'],
  ['another method name', { method: 'deposit' }, 'method is "deposit", not "placeLimitOrder"'],
  [
    'another function',
    { callData: encodeRouterCall(calls.orderCall(marketBuy, { deadline })) },
    'callData is "placeMarketOrder", not "placeLimitOrder"',
  ],
  ['an unknown function', { callData: '0xdeadbeef' }, 'callData is "0xdeadbeef", not "0x20c1b4d6'],
  ['an extra byte', { callData: `${good.callData}00` }, 'callData is'],
  ['a missing byte', { callData: good.callData.slice(0, -2) }, 'callData is'],
  [
    'nonzero bits above the address',
    { callData: good.callData.replace('0x20c1b4d600', '0x20c1b4d601') },
    'callData is',
  ],
])('an answer with %s is refused', (_, change, told) => {
  expect(() => check({ ...good, ...change }, limit)).toThrow(told);
});

test('a refused answer names every difference at once', () => {
  const act = () => check({ ...good, chainId: 1, value: '5', callData: '0x' }, limit);
  expect(act).toThrow(/chainId is 1[^]*value is "5"[^]*callData is "0x"/);
});
