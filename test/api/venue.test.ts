import { describe, expect, test, vi } from 'vitest';
import { createVenue } from '../../src/api/venue.ts';
import { parseCash, parsePrice, parseShares } from '../../src/core/amount.ts';
import { epochMs, epochSeconds } from '../../src/core/brand.ts';
import { NoAnswerError, OutcomeUnknownError, UnreachableError } from '../../src/core/errors.ts';
import { silentLog } from '../../src/core/log.ts';
import { ticker, type Address } from '../../src/domain/instrument.ts';
import type { OrderTerms, SendGate, SendOutcome } from '../../src/domain/venue.ts';
import { clientOver, refuse, reply, type Answering } from './fakeTransport.ts';

const userAddress: Address = `0x${'a'.repeat(40)}`;
const stock: Address = `0x${'1'.repeat(40)}`;
const AAPL = ticker('AAPL');
const txHash = `0x${'ab'.repeat(32)}`;
const orderId = 'cd'.repeat(32);

/** A time in Unix seconds. */
const T = 1_700_000_000;
const warn = vi.fn();
function venueOver(answering: Answering) {
  const { client, sent, clock } = clientOver(answering);
  return { venue: createVenue(client, { userAddress, log: { ...silentLog, warn } }), sent, clock };
}
const venueSaying = (data: unknown) => venueOver(() => reply(data)).venue;

describe('place and cancel at the venue', () => {
  const deadline = epochSeconds(1_700_000_090);
  const gate: SendGate = { open: () => ({ deadline }), commit: () => undefined };
  const one = { symbol: AAPL, stock, quantity: parseShares('1.5') };
  const limit: OrderTerms = { ...one, type: 'limit', side: 'buy', price: parsePrice('190.25') };

  test.each<[string, OrderTerms, object]>([
    [
      'a market buy by notional',
      { symbol: AAPL, stock, type: 'market', side: 'buy', notional: parseCash('10') },
      { side: 'Buy', type: 'Market', notional: '10' },
    ],
    [
      'a market sell by shares',
      { ...one, type: 'market', side: 'sell' },
      { side: 'Sell', type: 'Market', quantity: '1.5' },
    ],
    [
      'a DAY limit order',
      limit,
      { side: 'Buy', type: 'Limit', quantity: '1.5', price: '190.25', timeInForce: 'DAY' },
    ],
  ])('send the terms of %s', async (_name, terms, fields) => {
    const { venue, sent } = venueOver(() => reply({ txHash }));

    expect(await venue.place(terms, gate)).toEqual({ kind: 'accepted', txHash });
    expect(JSON.parse(sent[0]?.body ?? '')).toEqual({ stockAddress: stock, ...fields, deadline });
  });

  test.each<[string, ReturnType<Answering>, SendOutcome['kind']]>([
    ['a hash', reply({ txHash: txHash.toUpperCase().replace('0X', '0x') }), 'accepted'],
    ['no hash', reply({ uuid: 'u' }), 'unknown'],
    ['a truncated hash', reply({ txHash: '0xab' }), 'unknown'],
    ['no data', reply(null), 'unknown'],
    ['a documented refusal', refuse('expired deadline'), 'refused'],
    ['an opaque 401', refuse('unauthorized', 401), 'refused'],
    ['any other refusal', refuse('insufficient something'), 'unknown'],
    ['429', { status: 429, headers: {}, body: '' }, 'unknown'],
    ['503', { status: 503, headers: {}, body: '' }, 'unknown'],
    ['a page', { status: 200, headers: {}, body: '<html>' }, 'unknown'],
    ['nothing sent', new UnreachableError('refused'), 'refused'],
    ['no answer', new OutcomeUnknownError('reset'), 'unknown'],
  ])('return the outcome for %s', async (_name, response, kind) => {
    expect(await venueOver(() => response).venue.place(limit, gate)).toMatchObject({ kind });
    expect(await venueOver(() => response).venue.cancel(orderId, gate)).toMatchObject({ kind });
  });

  test('take the session as a reason to refuse market orders only; it proves nothing about a limit order', async () => {
    const { venue } = venueOver(() =>
      refuse('market order is only supported during the regular trading session, current session: overnight'),
    );
    expect(
      await venue.place(
        { symbol: AAPL, stock, type: 'market', side: 'buy', notional: parseCash('10') },
        gate,
      ),
    ).toMatchObject({ kind: 'refused', session: 'overnight' });
    expect(await venue.place(limit, gate)).toMatchObject({ kind: 'unknown' });
  });

  test('mark a refusal by an opaque 401 as unproven, since another copy of the bytes may be accepted', async () => {
    const answers = [refuse('unauthorized', 401), refuse('expired deadline')];
    const outcomes = await Promise.all(
      answers.map((answer) => venueOver(() => answer).venue.place(limit, gate)),
    );
    expect(outcomes.map((outcome) => 'unproven' in outcome)).toEqual([true, false]);
  });

  test('send nothing when the gate is closed', async () => {
    const { venue, sent } = venueOver(() => reply({ txHash }));
    const stopped = { ...gate, open: () => ({ stop: 'kill file' }) };

    expect(await venue.place(limit, stopped)).toMatchObject({ kind: 'stopped', reason: 'kill file' });
    expect(sent).toEqual([]);
  });

  test('pass on the error of a failed commit', async () => {
    const full = new Error('disk full');
    const broken: SendGate = {
      ...gate,
      commit() {
        throw full;
      },
    };
    await expect(venueOver(() => reply({ txHash })).venue.place(limit, broken)).rejects.toBe(full);
  });
});

describe('market data of the venue', () => {
  const row = {
    symbol: 'AAPL',
    contractAddress: `0x${'aB'.repeat(20)}`,
    tradable: true,
    fractionable: true,
    price: 190.1,
    lastUpdateTimestamp: 1_700_000_000,
  };

  test('has listings with addresses in lower case, and leaves out unreadable ones with a warning', async () => {
    warn.mockClear();
    const listings = await venueSaying([
      row,
      { ...row, symbol: 'no ticker' },
      { ...row, price: 0 },
      { symbol: 'X' },
    ]).listings();

    expect(listings).toEqual([
      {
        instrument: {
          symbol: 'AAPL',
          address: `0x${'ab'.repeat(20)}`,
          tradable: true,
          fractionable: true,
          overnightTradable: false,
        },
        quote: { symbol: 'AAPL', price: parsePrice('190.1'), at: epochMs(1_700_000_000_000) },
        over24h: {},
      },
    ]);
    expect(warn).toHaveBeenCalledTimes(3);
  });

  test.each([
    ['9.505', 190.1, 9.505, { change24h: 0.0526315789 }],
    ['-10', 190, -10, { change24h: -0.05 }],
    ['none', 190, undefined, {}],
    ['the whole price', 190, 190, {}],
  ])('has a change over 24 hours of %s', async (...[, price, change24H, change]) => {
    const given = { ...row, price, change24H, change24HPercent: 77, volume24H: 3_000 };
    const [listing] = await venueSaying([given]).listings();
    const { change24h } = listing?.over24h ?? {};
    const rounded = change24h === undefined ? {} : { change24h: Math.round(change24h * 1e10) / 1e10 };
    expect({ ...listing?.over24h, ...rounded }).toEqual({ ...change, volume24h: 3_000 });
  });

  test('leaves out corporate actions on days outside the calendar', async () => {
    warn.mockClear();
    const split = { symbol: 'AAPL', type: 'forward_split', exDate: '2026-06-15', oldRate: '1', newRate: '4' };
    const dividend = { ...split, type: 'cash_dividend', payableDate: '2026-07-01', cashPerShare: '0.2' };
    const wrong = ['9999-12-31', '2026-13-45', '1999-12-31', '0000-00-00', 'soon', '2051-01-01'];
    const actions = await venueSaying([
      split,
      ...wrong.map((exDate) => ({ ...split, exDate })),
      ...wrong.map((payableDate) => ({ ...dividend, payableDate })),
      { ...dividend, payableDate: null },
      dividend,
    ]).corporateActions?.({ from: '2026-06-01', to: '2026-06-30' });
    expect(actions?.map(({ name }) => name)).toEqual(['forward_split', 'cash_dividend', 'cash_dividend']);
    expect(warn).toHaveBeenCalledTimes(12);
  });

  test('leaves out splits whose rates contradict their name', async () => {
    warn.mockClear();
    const split = { symbol: 'AAPL', exDate: '2026-06-15', oldRate: '1', newRate: '4' };
    const actions = await venueSaying([
      { ...split, type: 'reverse_split' },
      { ...split, type: 'forward_split', newRate: '1' },
      { ...split, type: 'forward_split' },
    ]).corporateActions?.({ from: '2026-06-01', to: '2026-06-30' });
    expect(actions).toMatchObject([{ name: 'forward_split' }]);
    expect(warn).toHaveBeenCalledTimes(2);
  });

  test('has bars in ascending order within the requested range', async () => {
    const bar = (timestamp: number) => ({
      open: 1,
      high: 2,
      low: 1,
      close: 2,
      volume: 3,
      timestamp: T + timestamp,
    });
    const { venue, sent } = venueOver(() => reply([bar(180), bar(60), bar(120), bar(240), bar(0)]));

    const bars = await venue.bars({
      symbol: AAPL,
      interval: '1m',
      from: epochMs(T * 1000 + 60_000),
      to: epochMs(T * 1000 + 240_000),
      limit: 9_000,
    });

    expect(bars.map(({ start }) => start)).toEqual([60, 120, 180].map((seconds) => (T + seconds) * 1000));
    expect(bars[0]).toEqual({
      symbol: 'AAPL',
      interval: '1m',
      start: (T + 60) * 1000,
      open: 1,
      high: 2,
      low: 1,
      close: 2,
      volume: 3,
    });
    expect(sent[0]?.uri).toBe(
      `/api/v1/prices/AAPL/history?endTime=${T + 240}&interval=1m&limit=5000&startTime=${T + 60}`,
    );
  });
});

test.each<[string, object]>([
  ['a price below 0', { low: -1 }],
  ['a price of 0', { low: 0 }],
  ['a volume below 0', { volume: -1 }],
  ['a high below its low', { high: 0.5 }],
  ['a close beyond its high', { close: 3 }],
  ['an open beyond its low', { open: 0.5 }],
  ['a time before every calendar', { timestamp: 0 }],
])('a bar with %s is left out with a warning', async (_name, broken) => {
  warn.mockClear();
  const bar = { open: 1, high: 2, low: 1, close: 2, volume: 3, timestamp: T + 60 };
  const rows = [bar, { ...bar, timestamp: T + 120, ...broken }];
  const query = { symbol: AAPL, interval: '1m', to: epochMs(T * 1000 + 240_000), limit: 10 } as const;
  expect(await venueSaying(rows).bars(query)).toHaveLength(1);
  expect(warn).toHaveBeenCalledTimes(1);
});

test('a bar with a number beyond the float range is left out', async () => {
  const bar = '{"open":1,"high":1e999,"low":1,"close":1,"volume":1,"timestamp":60}';
  const { venue } = venueOver(() => ({ status: 200, headers: {}, body: `{"code":200,"data":[${bar}]}` }));
  expect(
    await venue.bars({ symbol: AAPL, interval: '1m', to: epochMs(T * 1000 + 240_000), limit: 10 }),
  ).toEqual([]);
});

test.each([
  [{ address: `0x${'b'.repeat(40)}` }, /belongs to wallet/],
  [{ chainId: 1 }, /belongs to chain/],
  [{ productType: 'ProductB' }, /another product/],
])('a balance with %j belongs to another scope and is refused', async (scope, why) => {
  const whole = {
    chainId: 143,
    productType: 'ProductA',
    address: userAddress.toUpperCase().replace('X', 'x'),
  };
  const answer = (own: object): Answering => {
    return ({ uri }) =>
      reply(uri.includes('/balance') ? { ...own, mUsdBalance: '5', tokenBalances: [] } : []);
  };
  expect((await venueOver(answer(whole)).venue.account()).cash).toBe(parseCash('5'));
  expect((await venueOver(answer({})).venue.account()).cash).toBe(parseCash('5'));
  const asked = venueOver(answer({ ...whole, ...scope })).venue.account();
  await expect(asked).rejects.toThrow(NoAnswerError);
  await expect(asked).rejects.toThrow(why);
});

describe('the account report of the venue', () => {
  const token = {
    address: stock,
    symbol: 'AAPLx',
    stockSymbol: 'AAPL',
    isStock: true,
    walletBalance: '0.5',
    exchangeBalance: 12.25,
  };
  const account = (balance: object, positions: unknown[]) =>
    venueOver(({ uri }) => reply(uri.endsWith('/balance') ? balance : positions)).venue.account();

  test.each(['mUsdBalance', 'musdBalance'])('reads cash from %s', async (name) => {
    expect(await account({ [name]: '1000.5', tokenBalances: [] }, [token])).toEqual({
      cash: parseCash('1000.5'),
      holdings: new Map([
        ['AAPL', { exchange: parseShares('12.25'), wallet: parseShares('0.5'), contract: token.address }],
      ]),
      tokens: new Map(),
    });
  });

  test('lists cash tokens by address in lower case, or none when one is unreadable', async () => {
    const address: Address = `0x${'Ab'.repeat(20)}`;
    const usdc = {
      ...token,
      address,
      symbol: 'USDC',
      stockSymbol: null,
      isStock: false,
      walletBalance: '7.5',
    };
    const { tokens } = await account({ mUsdBalance: '1', tokenBalances: [usdc, token] }, [token]);
    expect(tokens).toEqual(new Map([[address.toLowerCase(), parseCash('7.5')]]));
    const broken = { ...usdc, walletBalance: '1e-7' };
    expect(await account({ mUsdBalance: '1', tokenBalances: [usdc, broken] }, [token])).not.toHaveProperty(
      'tokens',
    );
  });

  test('is refused when a position is unreadable, instead of taking it for none', async () => {
    const broken = { ...token, exchangeBalance: '1e-7' };
    await expect(account({ mUsdBalance: '1', tokenBalances: [] }, [token, broken])).rejects.toMatchObject({
      effect: 'none',
    });
  });

  test.each<[string, balance: object, position: object]>([
    ['cash with too many decimals', { mUsdBalance: '1.1234567890123456789' }, {}],
    ['a holding with too many decimals', {}, { exchangeBalance: '0.1234567890123456789' }],
    ['a position with an invalid symbol', {}, { stockSymbol: 'aapl!' }],
  ])('is refused with %s, as a response that cannot be read', async (_name, balance, position) => {
    const asked = account({ mUsdBalance: '1', tokenBalances: [], ...balance }, [{ ...token, ...position }]);
    await expect(asked).rejects.toThrow(NoAnswerError);
  });

  test('keeps two positions of one stock apart, each with its contract', async () => {
    const other = `0x${'ab'.repeat(20)}`;
    const more = { ...token, address: other, exchangeBalance: '7' };
    const { holdings, apart } = await account({ mUsdBalance: '1', tokenBalances: [] }, [token, more]);
    expect([...holdings.values()].map(({ contract }) => contract)).toEqual([token.address]);
    expect(apart).toMatchObject([[[...holdings.keys()][0], { contract: other, exchange: parseShares('7') }]]);
  });

  test('leaves out the cash tokens when one has more decimals than an amount', async () => {
    const near = { ...token, isStock: false, walletBalance: '1.000000000000000000000001' };
    const report = await account({ mUsdBalance: '1', tokenBalances: [near] }, [token]);
    expect(report).not.toHaveProperty('tokens');
    expect(report.cash).toBe(parseCash('1'));
  });

  test.each([0, 6, 18])('reads an unlimited allowance of a token with %i decimals', async (places) => {
    const units = (2n ** 256n - 1n).toString();
    const text = places === 0 ? units : `${units.slice(0, -places)}.${units.slice(-places)}`;
    const { client } = clientOver(({ uri }) =>
      reply(
        uri.includes('/balance')
          ? { mUsdBalance: '1', tokenBalances: [{ ...token, walletAllowance: text }] }
          : [token],
      ),
    );
    const { allowances } = await createVenue(client, { userAddress, spender: stock }).account();
    expect(allowances?.of.get(stock)).toBe((2n ** 256n - 1n) * 10n ** BigInt(18 - places));
  });
});

describe('an order looked up by its transaction', () => {
  test.each<[string, Answering]>([
    ['no connection', () => new UnreachableError('refused')],
    ['no answer', () => new OutcomeUnknownError('reset')],
    ['a gateway', () => ({ status: 502, headers: {}, body: '' })],
    ['a page', () => ({ status: 200, headers: {}, body: '<html>' })],
    ['another refusal', () => refuse('the request is not allowed')],
  ])('is not considered absent after %s', async (_name, answering) => {
    const { venue, clock } = venueOver(answering);
    const asked = expect(venue.orderByTx(txHash)).rejects.toMatchObject({ effect: 'none' });
    await clock.advanceBy(600_000);
    await asked;
  });

  test('is absent when the venue says so', async () => {
    expect(await venueOver(() => refuse('order not found', 10_001)).venue.orderByTx(txHash)).toBeNull();
  });
});

test.each([
  ['enable', true],
  ['disabled', false],
  ['pending', false],
])('the delegation status %s is read', async (status, enabled) => {
  expect(await venueSaying({ status, delegatee: stock }).delegation()).toEqual({
    enabled,
    status,
    delegatee: stock,
  });
});

test('a fractional cashier fee is rounded up to whole bps, and a divisor of 0 sets no limit', async () => {
  const fees = { depositFeeBps: 2.5, withdrawFeeBps: 0.5 };
  const row = { tokenAddress: stock, ...fees, withdrawalBuffer: '400', withdrawalBufferCapacity: '1000' };
  const venue = venueSaying({
    cashierBuffer: { creditBuffer: '1000', instantThresholdDivisor: 0 },
    cashierTokenConfig: [row],
  });
  const { cashTokens } = (await venue.terms?.()) ?? {};
  expect(cashTokens).toMatchObject([
    { deposit: { feeBps: 3, mostAtOnce: null }, withdrawal: { feeBps: 1, mostAtOnce: parseCash('400') } },
  ]);
});
