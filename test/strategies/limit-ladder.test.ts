import { describe, expect, test } from 'vitest';
import ladder from '../../strategies/limit-ladder.ts';
import { Stage } from '../../src/testing/index.ts';

type Change = Partial<Record<'rungs' | 'maxExposure' | 'takeProfitBps' | 'cash', number>> &
  Readonly<{ start?: string }>;

/** The price is at 100.5 and has not been received yet. */
const open = ({ cash = 10_000, start = '2026-06-15T10:00', ...change }: Change = {}) =>
  Stage.open(ladder, {
    params: {
      symbol: 'AAPL',
      rungs: 2,
      stepBps: 100,
      notional: 99,
      takeProfitBps: 200,
      requoteBps: 150,
      maxExposure: 1_000,
      ...change,
    },
    prices: { AAPL: 100.5 },
    cash,
    start,
  });
type LadderStage = Awaited<ReturnType<typeof open>>;

const rung = (price: number) => {
  const about = expect.closeTo(price, 9) as number;
  return ['limit', 'AAPL', { side: 'buy', shares: 99 / price, price: about, outside: 'refuse' }];
};
const offer = (shares: number, price: number) => {
  const [some, about] = [expect.closeTo(shares, 9) as number, expect.closeTo(price, 9) as number];
  return ['limit', 'AAPL', { side: 'sell', shares: some, price: about, goodTill: 'cancelled' }];
};
/** Steps that follow from a price, before any order has ended. */
const hear = async (stage: LadderStage, price: number) => {
  await stage.quote({ AAPL: price });
  return stage.intents();
};
/** Steps that follow from the ends of orders. */
const settled = async (stage: LadderStage) => {
  await stage.settle();
  await stage.pass({ seconds: 20 });
  return stage.intents();
};
const placed = async (change?: Change) => {
  const stage = await open(change);
  await hear(stage, 100);
  await settled(stage);
  return stage;
};
const resting = (stage: LadderStage, side: 'buy' | 'sell') =>
  stage.view.orders('AAPL').filter((order) => order.side === side);

describe('limit-ladder, when it places its rungs,', () => {
  test('places them below the first price, one step apart', async () => {
    expect(await hear(await open(), 100)).toEqual([rung(99), rung(98)]);
  });

  test('places nothing outside the session', async () => {
    const stage = await open({ start: '2026-06-15T08:00' });
    await stage.quote({ AAPL: 100 });
    await stage.pass({ minutes: 5 });
    expect(stage.intents()).toEqual([]);
  });

  test('keeps holdings at cost and open orders within the exposure', async () => {
    const stage = await open({ rungs: 20, maxExposure: 400, takeProfitBps: 500 });
    expect(await hear(stage, 100)).toHaveLength(4);
    await hear(stage, 98.9);
    await settled(stage);
    await hear(stage, 102);
    await settled(stage);
    expect(stage.view.position('AAPL')).toBeCloseTo(1, 9);
    expect(resting(stage, 'buy')).toHaveLength(3);
  });

  test('places only as many as there is cash for', async () => {
    expect(await hear(await open({ rungs: 20, cash: 300 }), 100)).toHaveLength(3);
  });

  test('does not repeat refused rungs before the price has moved', async () => {
    const stage = await open();
    for (const reason of ['one', 'two']) stage.refuseNext(reason);
    await hear(stage, 100);
    expect(await settled(stage)).toEqual([]);
    expect(await hear(stage, 100.5)).toEqual([]);
    expect(await hear(stage, 102)).toHaveLength(2);
  });

  test('refuses a ladder that would reach a price of 0', () => {
    const params = { symbol: 'AAPL', notional: 1, maxExposure: 1, rungs: 10, stepBps: 1_000 };
    expect(() => ladder.params.parse(params)).toThrow('at a price of 0');
  });
});

describe('limit-ladder, when the price moves,', () => {
  const cancels = [
    ['cancel', 'limit-ladder-1'],
    ['cancel', 'limit-ladder-2'],
  ];

  test('leaves its rungs until the price has moved beyond the distance', async () => {
    const stage = await placed();
    expect(await hear(stage, 101.4)).toEqual([]);
    expect((await hear(stage, 101.6)).slice(0, 2)).toEqual(cancels);
  });

  test('places a new ladder only once all cancels have ended', async () => {
    const stage = await placed();
    const intents = [...(await hear(stage, 102)), ...(await settled(stage))];
    expect(intents).toEqual([...cancels, rung(102 * 0.99), rung(102 * 0.98)]);
    expect(resting(stage, 'buy')).toHaveLength(2);
  });

  test('survives a restart between the cancels and the new ladder', async () => {
    const stage = await placed();
    await hear(stage, 102);
    await stage.restart();
    await settled(stage);
    expect(resting(stage, 'buy').map(({ price }) => price)).toEqual([100.98, 99.96]);
  });

  test('leaves its ladder in place over a restart', async () => {
    const stage = await placed();
    await stage.restart();
    expect(await hear(stage, 100.2)).toEqual([]);
    expect(resting(stage, 'buy')).toHaveLength(2);
  });
});

describe('limit-ladder, when a rung fills,', () => {
  test('offers it above its own fill, and places nothing for the sold offer itself', async () => {
    const stage = await placed();
    await hear(stage, 98.9);
    await settled(stage);
    expect(resting(stage, 'sell')).toMatchObject([{ shares: 1, price: 100.88 }]);
    await hear(stage, 101);
    expect(await settled(stage)).toEqual([]);
    expect(stage.fills.map(({ side, price }) => [side, price])).toEqual([
      ['buy', 98.9],
      ['sell', 101],
    ]);
  });

  test('offers only the filled part of a rung', async () => {
    const stage = await placed();
    await stage.endInPart('limit-ladder-1', 0.25);
    expect(await settled(stage)).toEqual([offer(0.25, 99 * 1.02)]);
  });
});

describe('limit-ladder, in the next session,', () => {
  const LATE = '2026-06-15T15:58';

  test('starts a new ladder, also at the same price, and leaves the offers in place', async () => {
    const stage = await placed({ start: LATE });
    await hear(stage, 98.9);
    await settled(stage);
    await stage.to('open');
    expect(await hear(stage, 98.8)).toEqual([rung(98.8 * 0.99), rung(98.8 * 0.98)]);
    await settled(stage);
    expect(resting(stage, 'sell')).toHaveLength(1);
  });

  test('places a refused offer again, and only once', async () => {
    const stage = await placed({ start: LATE });
    stage.refuseNext();
    await hear(stage, 98.9);
    await settled(stage);
    await stage.to('open');
    await hear(stage, 98.8);
    await settled(stage);
    expect(resting(stage, 'sell')).toMatchObject([{ shares: 1, price: 100.88 }]);
  });
});
