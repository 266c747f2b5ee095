import { expect, test } from 'vitest';
import { parseCash } from '../../../src/core/amount.ts';
import type { Health } from '../../../src/ops/health.ts';
import { readinessOf } from '../../ops/metricsOf.ts';
import { MINUTE, SECOND, Stage } from '../stage.ts';

const LATE_MS = 10 * MINUTE;

/** Fills every order at once, and shows it in the list ten minutes later. */
function serve({ venue, clock }: Stage): void {
  for (const row of venue.rows) {
    if (row.status === 'open') venue.fill(row);
    if (clock.now() - row.createdAt >= LATE_MS) row.shown = true;
  }
}

test('two brackets touched while the order list is ten minutes late are each sold once', async () => {
  const stage = new Stage({
    hooks: {
      solo: {
        onStart: ({ order }) => {
          for (const symbol of ['AAPL', 'MSFT'])
            order.bracket(symbol, { entry: { shares: 10 }, stopLoss: { percent: 5 } });
        },
      },
    },
  });
  stage.venue.indexed = false;
  const begun = stage.clock.now();
  await stage.play(SECOND);
  const readiness = readinessOf(stage);
  const looks: [number, Health][] = [];
  const soldAt: number[] = [];
  const play = async (until: number): Promise<void> => {
    while (stage.clock.now() - begun < until) {
      await stage.pass(SECOND);
      const second = (stage.clock.now() - begun) / SECOND;
      for (const _ of stage.venue.rows.filter(
        ({ order, status }) => order.side === 'sell' && status === 'open',
      ))
        soldAt.push(second);
      serve(stage);
      looks.push([second, readiness.look(stage.clock.now())]);
    }
  };
  await play(3 * MINUTE);
  stage.venue.prices.set('AAPL', parseCash('90'));
  stage.venue.prices.set('MSFT', parseCash('45'));
  await play(30 * MINUTE);

  expect(soldAt).toHaveLength(2);
  for (const second of soldAt) expect(second).toBeCloseTo(LATE_MS / SECOND, -1.3);
  const { accountState } = stage.runner.kernel.context;
  const ends = stage.orders.map(({ state, terms }) => `${terms.side} ${terms.symbol}: ${state.kind}`);
  expect(ends.toSorted()).toEqual([
    'buy AAPL: closed',
    'buy MSFT: closed',
    'sell AAPL: closed',
    'sell MSFT: closed',
  ]);
  expect([accountState.differences, [...accountState.frozen], accountState.synthetics.live.size]).toEqual([
    [],
    [],
    0,
  ]);

  const unready = looks.filter(([, { ready }]) => !ready).map(([second]) => second);
  expect(unready[0]).toBeLessThanOrEqual(65);
  expect(unready.at(-1)).toBeLessThan((LATE_MS + 2 * MINUTE) / SECOND);
  const why = 'the venue has not shown the end of its entry';
  expect(looks.find(([second]) => second === 200)?.[1].canProtect).toEqual({
    ok: false,
    why: ['AAPL', 'MSFT'].map((symbol) => ({
      strategy: 'solo',
      symbol,
      why: expect.stringContaining(why) as string,
    })),
  });
});
