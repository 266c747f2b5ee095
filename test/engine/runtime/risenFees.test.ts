import { describe, expect, test } from 'vitest';
import { formatDecimal, parseCash } from '../../../src/core/amount.ts';
import { ticker } from '../../../src/domain/instrument.ts';
import type { Orders } from '../../../src/strategy/index.ts';
import { ChangingVenue, type Happening } from '../changing.ts';

const buy = (symbol: string, notional = '100') => ({
  order: (order: Orders) => void order.buy(symbol, { notional }),
});
const sell = (symbol: string, shares: number) => ({
  order: (order: Orders) => void order.sell(symbol, { shares }),
});
/** Changes the charged fees, while `/config` still states the old rates. */
const taken = (fees: object) => ({
  constants: {
    fees,
    statedFees: { buyMintFeeBps: 10, buyProtocolFeeBps: 1, sellProtocolFeeBps: 1 },
  },
});
const announced = (fees: object) => ({ constants: { fees } });

const reserves = (venue: ChangingVenue) => venue.orders.map(({ reserve }) => formatDecimal(reserve));
const risen = (venue: ChangingVenue) => venue.alarms.filter((text) => text.includes('fees have risen'));
const differences = (venue: ChangingVenue) => venue.world.summary?.reconciliation.differences;

describe('a fee that rises from 10 to 12 bps', () => {
  const rise = { buyMintFeeBps: 12 };

  test('without notice is booked as paid, reported once and added to later reserves, and freezes nothing', async () => {
    const venue = await new ChangingVenue().play(8, [
      { minute: 0, ...taken(rise) },
      { minute: 1, ...buy('AAPL') },
      { minute: 3, ...buy('SPY') },
      { minute: 5, ...buy('AAPL') },
    ]);
    expect([venue.ends, venue.frozen]).toEqual([['filled', 'filled', 'filled'], []]);
    expect(reserves(venue)).toEqual(['100.11', '100.13', '100.13']);
    expect(risen(venue)).toEqual([
      "the venue's fees have risen: order solo-1.1 took 13 bps (0.13 of 100 mUSD), 11 bps (0.11 of 100 mUSD) was the most " +
        'that was known. It is booked as the venue states it, and reserves are made for it',
    ]);
    expect(venue.factsOf('feeTaken')).toEqual([{ kind: 'feeTaken', id: 'solo-1.1', side: 'buy', bps: 13 }]);
    expect([venue.kernel.context.accountState.trading.ofRun, differences(venue)]).toEqual([null, 0]);
    expect(venue.replayed().parting).toBeNull();
  });

  test('stated by `/config` is added to reserves and reported once', async () => {
    const venue = await new ChangingVenue().play(16, [
      { minute: 1, ...announced(rise) },
      { minute: 12, ...buy('AAPL') },
      { minute: 14, ...buy('SPY') },
    ]);
    expect([venue.ends, venue.frozen]).toEqual([['filled', 'filled'], []]);
    expect(reserves(venue)).toEqual(['100.13', '100.13']);
    expect([venue.factsOf('feeTaken'), differences(venue)]).toEqual([[], 0]);
    expect(venue.alarms.filter((text) => text.includes('buyMintFeeBps was 10'))).toHaveLength(1);
    expect(venue.replayed().parting).toBeNull();
  });

  test('between a buy and its settlement is booked as paid', async () => {
    const resting = (order: Orders) => void order.limit('AAPL', { side: 'buy', shares: 1, price: 150 });
    const venue = await new ChangingVenue().play(6, [
      { minute: 1, order: resting },
      { minute: 2, ...taken({ buyMintFeeBps: 20 }) },
      { minute: 3, command: { kind: 'market', body: { symbol: 'AAPL', price: '149.9' } } },
    ]);
    expect([venue.ends, venue.frozen]).toEqual([['filled'], []]);
    expect(venue.factsOf('feeTaken')).toEqual([expect.objectContaining({ side: 'buy', bps: 21 })]);
    expect(differences(venue)).toBe(0);
  });

  test('beyond what the account has left is booked up to that, and restricts trading', async () => {
    const resting = (order: Orders) => void order.limit('AAPL', { side: 'buy', shares: 1, price: 150 });
    const world = new ChangingVenue();
    const { userAddress } = world.world;
    const venue = await world.play(6, [
      { minute: 1, order: resting },
      { minute: 2, ...taken({ buyMintFeeBps: 200 }) },
      { minute: 2, command: { kind: 'move', body: { userAddress, asset: 'mUSD', amount: '-99849' } } },
      { minute: 3, command: { kind: 'market', body: { symbol: 'AAPL', price: '149.99' } } },
    ]);
    expect(venue.ends).toEqual(['filled']);
    expect(Number(venue.world.truth().mUsd)).toBeLessThan(0.01);
    expect(venue.factsOf('restricted')).toHaveLength(1);
  });

  test('is still added to reserves after a restart', async () => {
    const venue = await new ChangingVenue().play(3, [
      { minute: 0, ...taken(rise) },
      { minute: 1, ...buy('AAPL') },
    ]);
    await venue.play(3, [{ minute: 1, ...buy('SPY') }]);
    expect(reserves(venue)).toEqual(['100.11', '100.13']);
    expect(risen(venue)).toHaveLength(1);
  });

  test('that froze its stock in an older journal replays the same', async () => {
    const venue = await new ChangingVenue().play(6, [
      { minute: 0, ...taken(rise) },
      { minute: 1, ...buy('AAPL') },
      { minute: 3, ...buy('SPY') },
    ]);
    const why = 'order solo-1.1: it took 100.13 mUSD, and at most 100.11 was expected';
    const older = venue.entries.flatMap((entry) => {
      const { at, fact } = entry;
      if (fact.kind === 'feeTaken')
        return [{ at, fact: { kind: 'frozen', symbol: ticker('AAPL'), why } as const }];
      if (fact.kind !== 'planned' || fact.order.terms.symbol !== 'SPY') return [entry];
      return [{ at, fact: { ...fact, order: { ...fact.order, reserve: parseCash('100.11') } } }];
    });
    expect(venue.replayed(older).parting).toBeNull();
  });

  test('of a sell is booked and reported', async () => {
    const venue = await new ChangingVenue().play(6, [
      { minute: 1, ...buy('AAPL', '1000') },
      { minute: 2, ...taken({ sellProtocolFeeBps: 5 }) },
      { minute: 3, ...sell('AAPL', 1) },
      { minute: 4, ...sell('AAPL', 1) },
    ]);
    expect([venue.ends, venue.frozen]).toEqual([['filled', 'filled', 'filled'], []]);
    expect(risen(venue)).toEqual([expect.stringContaining('took 5 bps')]);
    expect([venue.kernel.context.accountState.trading.ofRun, differences(venue)]).toEqual([null, 0]);
  });
});

describe('a fee above limits.feeBps', () => {
  const dear = { buyMintFeeBps: 29 };

  test('that is charged without notice halts after the first order, over a restart too', async () => {
    const later: Happening[] = [
      { minute: 1, ...buy('AAPL') },
      { minute: 3, ...buy('SPY') },
    ];
    const venue = await new ChangingVenue().play(5, [{ minute: 0, ...taken(dear) }, ...later]);
    const why = 'buy AAPL for 100 took 30 bps (0.3 of 100 mUSD), over limits.feeBps of 25';
    expect([venue.ends, venue.frozen]).toEqual([['filled'], []]);
    expect(venue.factsOf('restricted')).toEqual([
      {
        kind: 'restricted',
        state: 'halted',
        cause: 'fees',
        scope: {},
        by: 'drover',
        reason: why,
      },
    ]);
    expect(venue.alarms.filter((text) => text.startsWith(`trading is halted: ${why}`))).toHaveLength(1);
    expect(differences(venue)).toBe(0);
    await venue.play(5, later);
    expect(venue.ends).toEqual(['filled']);
    expect(venue.replayed().parting).toBeNull();
  });

  test('that is stated halts before anything is sent', async () => {
    const venue = await new ChangingVenue().play(16, [
      { minute: 1, ...announced(dear) },
      { minute: 12, ...buy('AAPL') },
    ]);
    expect(venue.ends).toEqual([]);
    expect(venue.factsOf('restricted')).toEqual([
      {
        kind: 'restricted',
        state: 'halted',
        cause: 'fees',
        scope: {},
        by: 'drover',
        reason: 'the venue states fees of 30 bps for a buy, over limits.feeBps of 25',
      },
    ]);
    expect(venue.replayed().parting).toBeNull();
  });

  test('of a sell halts', async () => {
    const venue = await new ChangingVenue().play(5, [
      { minute: 1, ...buy('AAPL', '1000') },
      { minute: 2, ...taken({ sellProtocolFeeBps: 26 }) },
      { minute: 3, ...sell('AAPL', 1) },
    ]);
    expect(venue.factsOf('restricted')).toHaveLength(1);
  });

  test('that is too high to be booked freezes its stock and halts', async () => {
    const venue = await new ChangingVenue().play(6, [
      { minute: 0, ...taken({ buyMintFeeBps: 400 }) },
      { minute: 1, ...buy('AAPL') },
      { minute: 3, ...buy('SPY') },
    ]);
    expect([venue.ends, venue.frozen]).toEqual([['working'], ['AAPL']]);
    expect(venue.factsOf('restricted')).toHaveLength(1);
  });

  test('is not reached at exactly the limit', async () => {
    const venue = await new ChangingVenue().play(5, [
      { minute: 0, ...taken({ buyMintFeeBps: 24 }) },
      { minute: 1, ...buy('AAPL', '33.33') },
      { minute: 3, ...buy('SPY', '33.33') },
    ]);
    expect([venue.ends, venue.factsOf('restricted')]).toEqual([['filled', 'filled'], []]);
  });
});

describe('charged fees', () => {
  test('rounded to six decimals are not reported, and rounded to cents are booked and reported', async () => {
    const venue = await new ChangingVenue().play(8, [
      { minute: 0, constants: { feePlaces: 6 } },
      { minute: 1, ...buy('AAPL', '33.3333') },
      { minute: 3, constants: { feePlaces: 2 } },
      { minute: 4, ...buy('SPY', '33.3333') },
    ]);
    expect([venue.ends, venue.frozen]).toEqual([['filled', 'filled'], []]);
    expect(risen(venue)).toEqual([
      expect.stringContaining('order solo-2.1 took 15.01 bps (0.05 of 33.3333 mUSD)'),
    ]);
    expect(differences(venue)).toBe(0);
  });

  test('that fall are booked and reported, and reserves stay unchanged', async () => {
    const venue = await new ChangingVenue().play(6, [
      { minute: 0, ...taken({ buyMintFeeBps: 5 }) },
      { minute: 1, ...buy('AAPL') },
      { minute: 3, ...buy('SPY') },
    ]);
    expect([venue.ends, venue.frozen, venue.alarms]).toEqual([['filled', 'filled'], [], []]);
    expect(reserves(venue)).toEqual(['100.11', '100.11']);
    expect(venue.world.notices.filter(({ text }) => text.includes('fees have fallen'))).toHaveLength(1);
    expect(differences(venue)).toBe(0);
  });
});

describe('a changed `/config`', () => {
  const edit = (path: string, value?: unknown) => ({
    rules: [
      {
        kind: 'edit',
        endpoint: 'GET /api/v1/config',
        path,
        ...(value === undefined ? { remove: true } : { value }),
      },
    ],
  });

  test.each<[string, object]>([
    ['states no fees', edit('data.exchangeFeeConfig')],
    ['states no rates', edit('data.exchangeFeeConfig', {})],
    ['states negative rates', edit('data.exchangeFeeConfig.buyMintFeeBps', -50)],
    ['states rates in words', edit('data.exchangeFeeConfig.buyMintFeeBps', 'ten')],
    ['is no JSON', { rules: [{ kind: 'body', text: '{"code"', endpoint: 'GET /api/v1/config' }] }],
    ['is missing', { rules: [{ kind: 'status', status: 404, endpoint: 'GET /api/v1/config' }] }],
  ])('that %s leaves the documented fees in use, and orders continue', async (_what, faults) => {
    const venue = await new ChangingVenue().play(5, [
      { minute: 0, faults },
      { minute: 1, ...buy('AAPL') },
    ]);
    expect([venue.ends, venue.frozen, reserves(venue)]).toEqual([['filled'], [], ['100.11']]);
    expect([venue.kernel.context.accountState.trading.ofRun, differences(venue)]).toEqual([null, 0]);
  });

  test('that states an absurd rate halts before an order is sent', async () => {
    const venue = await new ChangingVenue().play(14, [
      { minute: 1, faults: edit('data.exchangeFeeConfig.buyMintFeeBps', 1e9) },
      { minute: 12, ...buy('AAPL') },
    ]);
    expect([venue.ends, venue.factsOf('restricted').length]).toEqual([[], 1]);
  });
});
