import { expect, test } from 'vitest';
import type { StrategyHooks } from '../../../src/strategy/index.ts';
import { give } from '../operator/commands.ts';
import { MINUTE, SECOND, Stage } from '../stage.ts';
import { held, holding, partingOf, price, sells } from './play.ts';

const stop: Parameters<typeof held>[0] = (order) => void order.stop('AAPL', { all: true, stop: 95 });

/** A stage whose stop is touched, and whose sale waits for its slot. */
async function queued(forMs: number): Promise<Stage> {
  let waits = 0;
  const stage = await held(stop, undefined, {
    as: (venue, clock) => {
      const place = venue.place.bind(venue);
      venue.place = async (terms, gate) => {
        await clock.sleep(waits);
        waits = 0;
        return place(terms, gate);
      };
      return venue;
    },
  });
  waits = forMs;
  return price(stage, '94', 10 * SECOND);
}

/** Expects that a first sale was not sent, and that the second leaves within 15 s. */
async function expectSoldSoon(stage: Stage): Promise<void> {
  expect(sells(stage)).toEqual(['market 10 abandoned']);
  await stage.pass(15 * SECOND);
  expect(sells(stage)).toEqual(['market 10 abandoned', 'market 10 working']);
}

test('an exit whose sale was stopped by a halt is sent once the halt is lifted', async () => {
  const stage = await queued(20 * SECOND);
  await give(stage, { kind: 'trade', state: 'halted', scope: {} });
  await stage.pass(18 * SECOND);
  void give(stage, { kind: 'trade', state: 'active', scope: {} });
  await expectSoldSoon(stage);
});

test('an exit whose sale was stopped because One Click was off is sent once it is on again', async () => {
  const stage = await queued(45 * SECOND);
  stage.venue.delegationOn = false;
  await stage.pass(42 * SECOND);
  stage.venue.delegationOn = true;
  await expectSoldSoon(stage);
});

test('an exit whose sale has waited too long for its slot is sold at once, by another order', async () => {
  const stage = await queued(130 * SECOND);
  await stage.pass(130 * SECOND);
  expect(sells(stage)).toEqual(['market 10 abandoned', 'market 10 working']);
  expect(partingOf(stage, { hooks: { solo: holding(stop) } })).toBeNull();
});

test('an exit behind an unanswered sale is sent once the outcome is known, however long that takes', async () => {
  const other: StrategyHooks = {
    onStart: ({ order }) => void order.buy('AAPL', { shares: 4 }),
    onQuote: ({ order, price: now }) => void (now === 98 && order.sell('AAPL', { shares: 1 })),
  };
  const stage = await new Stage({ hooks: { other, solo: holding(stop) } }).play(MINUTE);
  for (let round = 0; round < 2; round++) {
    for (const row of stage.venue.rows) if (row.status === 'open') stage.venue.fill(row);
    await stage.pass(MINUTE);
  }
  stage.venue.indexed = false;
  stage.venue.fates.push('lostAfter');
  await price(stage, '98', 10 * SECOND);
  await price(stage, '94', 30 * MINUTE);
  expect(sells(stage)).toEqual(['market 1 unknown']);
  expect(stage.alarms.join()).not.toMatch(/its sale has failed/);
  Object.assign(stage.venue.last, { shown: true });
  stage.venue.fill(stage.venue.last);
  stage.venue.indexed = true;
  await stage.pass(15 * SECOND);
  expect(sells(stage)).toEqual(['market 1 filled', 'market 10 working']);
});
