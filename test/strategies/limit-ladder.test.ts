import { describe, expect, test } from 'vitest';
import ladder from '../../strategies/limit-ladder.ts';
import { Stage } from './harness.ts';

type Change = Partial<Record<'rungs' | 'maxExposure', number>>;

const start = (change: Change = {}) =>
  new Stage(ladder, {
    symbol: 'AAPL',
    rungs: 2,
    stepBps: 100,
    notional: 99,
    takeProfitBps: 200,
    requoteBps: 150,
    maxExposure: 1_000,
    ...change,
  });
type LadderStage = ReturnType<typeof start>;

const rung = (price: number) => {
  const about = expect.closeTo(price, 9) as number;
  return ['limit', 'AAPL', { side: 'buy', shares: 99 / price, price: about, outside: 'refuse' }];
};
const offer = (shares: number, price: number) => {
  const [some, about] = [expect.closeTo(shares, 9) as number, expect.closeTo(price, 9) as number];
  return ['limit', 'AAPL', { side: 'sell', shares: some, price: about, goodTill: 'cancelled' }];
};
const hear = (stage: LadderStage, price: number) => {
  stage.quote('AAPL', price);
  return stage.heard();
};
const placed = (change?: Change) => {
  const stage = start(change);
  hear(stage, 100);
  return stage;
};

describe('placing', () => {
  test('the rungs hang below the first price, one step apart', () => {
    expect(hear(start(), 100)).toEqual([rung(99), rung(98)]);
  });

  test('outside the session nothing is placed', () => {
    const stage = start();
    stage.date = null;
    expect(hear(stage, 100)).toEqual([]);
  });

  test('what is held, at cost, and what rests stay under the exposure', () => {
    const stage = start({ rungs: 20, maxExposure: 400 });
    stage.holdings.set('AAPL', { shares: 2, cost: 110 });
    hear(stage, 90);
    expect(stage.live('buy')).toHaveLength(1);
  });

  test('no more rungs are placed than there is cash for', () => {
    const stage = start({ rungs: 20 });
    stage.cash = 300;
    expect(hear(stage, 100)).toHaveLength(3);
  });

  test('refused rungs are not placed again before the price has moved', () => {
    const stage = placed();
    for (const id of stage.live()) stage.report(id, 'refused');
    expect(hear(stage, 100.5)).toEqual([]);
    expect(hear(stage, 102)).toHaveLength(2);
  });

  test('a ladder that would reach a price of 0 is refused', () => {
    const params = { symbol: 'AAPL', notional: 1, maxExposure: 1, rungs: 10, stepBps: 1_000 };
    expect(() => ladder.params.parse(params)).toThrow('at a price of 0');
  });
});

describe('following the price', () => {
  test('it stays where it is until the price has moved further than the distance', () => {
    const stage = placed();
    expect(hear(stage, 101.4)).toEqual([]);
    expect(hear(stage, 98.6)).toEqual([]);
    expect(hear(stage, 101.6)).toEqual([
      ['cancel', 'o1'],
      ['cancel', 'o2'],
    ]);
  });

  test('a new ladder is placed only once all cancels have ended, below the price of then', () => {
    const stage = placed();
    hear(stage, 102);
    expect(hear(stage, 103), 'the cancels are not repeated').toEqual([]);
    stage.report('o1', 'cancelled');
    expect(stage.heard()).toEqual([]);
    stage.report('o2', 'cancelled');
    expect(stage.heard()).toEqual([rung(103 * 0.99), rung(103 * 0.98)]);
  });

  test('a rung still on its way is cancelled once it works', () => {
    const stage = placed();
    stage.report('o1', 'unknown');
    expect(hear(stage, 102)).toEqual([['cancel', 'o2']]);
    stage.report('o1', 'working');
    expect(hear(stage, 102.1)).toEqual([['cancel', 'o1']]);
  });

  test('a cancel that did not take is wished for again with the next price, not at once', () => {
    const stage = placed();
    hear(stage, 102);
    stage.report('o1', 'working');
    expect(stage.heard()).toEqual([]);
    expect(hear(stage, 102.1)).toEqual([['cancel', 'o1']]);
  });

  test('a rung that fills while it is being cancelled is offered, and the new ladder waits for the others', () => {
    const stage = placed();
    hear(stage, 97);
    stage.report('o1', 'filled', { shares: 1, price: 99 });
    expect(stage.heard()).toEqual([offer(1, 99 * 1.02)]);
    stage.report('o2', 'cancelled');
    expect(stage.heard()).toEqual([rung(97 * 0.99), rung(97 * 0.98)]);
  });

  test('offers survive it', () => {
    const stage = placed();
    stage.report('o1', 'filled', { shares: 1, price: 99 });
    stage.heard();
    expect(hear(stage, 97)).toEqual([['cancel', 'o2']]);
    expect(stage.live('sell')).toHaveLength(1);
  });

  test('a restart between the cancels and the new ladder changes nothing', () => {
    const stage = placed();
    hear(stage, 102);
    stage.restart();
    expect(hear(stage, 102)).toEqual([]);
    for (const id of stage.live()) stage.report(id, 'cancelled');
    expect(stage.heard()).toEqual([rung(102 * 0.99), rung(102 * 0.98)]);
  });

  test('a restart with the ladder in place leaves it there', () => {
    const stage = placed();
    stage.restart();
    expect(hear(stage, 100.2)).toEqual([]);
  });
});

describe('taking profit', () => {
  test('a filled rung is offered above its own fill', () => {
    const stage = placed();
    stage.report('o1', 'filled', { shares: 1, price: 98.9 });
    expect(stage.heard()).toEqual([offer(1, 98.9 * 1.02)]);
  });

  test('of a rung filled in part only that part is offered', () => {
    const stage = placed();
    stage.report('o1', 'expired', { shares: 0.25, price: 99 });
    expect(stage.heard()).toEqual([offer(0.25, 99 * 1.02)]);
  });

  test('a sold offer asks for nothing by itself', () => {
    const stage = placed();
    stage.report('o1', 'filled', { shares: 1, price: 99 });
    stage.heard();
    stage.report('o3', 'filled', { shares: 1, price: 101 });
    expect(stage.heard()).toEqual([]);
  });
});

describe('the next session', () => {
  const overnight = (stage: LadderStage) => {
    for (const id of stage.live('buy')) stage.report(id, 'expired');
    stage.heard();
    stage.date = '2026-03-03';
  };

  test('starts a new ladder, also when the price is where it was', () => {
    const stage = placed();
    overnight(stage);
    expect(hear(stage, 100)).toEqual([rung(99), rung(98)]);
  });

  test('finds the offers in place', () => {
    const stage = placed();
    stage.report('o1', 'filled', { shares: 1, price: 99 });
    overnight(stage);
    stage.restart();
    expect(hear(stage, 100)).toEqual([rung(99), rung(98)]);
  });

  test('offers again what was refused, above the average cost', () => {
    const stage = placed();
    stage.report('o1', 'filled', { shares: 1, price: 99 });
    stage.report('o2', 'filled', { shares: 1, price: 98 });
    stage.report('o3', 'refused');
    overnight(stage);
    expect(hear(stage, 100)[0]).toEqual(offer(1, 98.5 * 1.02));
  });

  test('offers shares held from before, unless they are worth less than an order', () => {
    const [much, little] = [start(), start()];
    much.holdings.set('AAPL', { shares: 3, cost: 80 });
    little.holdings.set('AAPL', { shares: 0.001, cost: 80 });
    expect(hear(much, 100)[0]).toEqual(offer(3, 80 * 1.02));
    expect(hear(little, 100)).toEqual([rung(99), rung(98)]);
  });

  test('cancels a rung the venue still lists before it places anew', () => {
    const stage = placed();
    stage.date = '2026-03-03';
    expect(hear(stage, 100)).toEqual([
      ['cancel', 'o1'],
      ['cancel', 'o2'],
    ]);
  });
});
