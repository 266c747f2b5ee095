import { expect, test } from 'vitest';
import { expectSound, settleAll } from '../invariants.ts';
import { MINUTE, SECOND, Stage, type StageOptions } from '../stage.ts';
import { armed, bracketing, buys, heldShares, part, partingOf, price, sells } from './play.ts';

type How = NonNullable<StageOptions['dies']>['how'];

const hooks = {
  solo: bracketing({ entry: { shares: 10, limit: 99 }, takeProfit: 110, stopLoss: 95 }),
};
const rules = { assumeGoneAfterMs: 3 * MINUTE };

/** Fate of a bracket, at its minute: a part of the entry, its end, a part of the take-profit, the touch of the stop. */
const LIFE: readonly ((stage: Stage) => void)[] = [
  (stage) => endLast(stage, 'buy', '6'),
  (stage) => void stage.venue.prices.set('AAPL', 100n * 10n ** 18n),
  (stage) => endLast(stage, 'sell', '2'),
  (stage) => void stage.venue.prices.set('AAPL', 94n * 10n ** 18n),
];

/** Ends the resting order of a side, with a part filled: the venue says how much only then. */
function endLast({ venue }: Stage, side: 'buy' | 'sell', filled: string): void {
  const row = venue.rows.findLast(({ order, status }) => order.side === side && status === 'open');
  if (row) venue.fill(row, 'cancelled', part(filled));
}

/** Lets the life of the bracket pass while the runner lives, and fills its market orders; returns the next step of that life. */
async function live(stage: Stage, from: number): Promise<number> {
  let step = from;
  for (let round = 0; round < 60 && stage.alive; round++) {
    await stage.pass(10 * SECOND);
    for (const row of stage.venue.rows)
      if (row.status === 'open' && row.order.type === 'market') stage.venue.fill(row);
    if (round % 6 === 5) LIFE[step++]?.(stage);
  }
  return step;
}

async function life(dies?: StageOptions['dies']): Promise<Stage> {
  const first = await new Stage({ hooks, rules, ...(dies ? { dies } : {}) }).play(0);
  const step = await live(first, 0);
  if (first.alive) return first;
  const next = await new Stage({ hooks, rules, after: first }).play(0);
  await live(next, step);
  return next;
}

/** Equality of what sells and buys have moved: nothing is left, and nothing was sold twice. */
function expectClosed(stage: Stage, where: string): void {
  expect(stage.failure, where).toBeNull();
  expect([heldShares(stage), armed(stage)], where).toEqual(['0', 0]);
  const open = stage.venue.holdings.get('AAPL') ?? 0n;
  expect(open, where).toBe(0n);
}

test('the life of a bracket ends with everything sold, once', async () => {
  const stage = await life();
  expect([buys(stage), sells(stage)]).toEqual([
    ['limit 10 cancelled'],
    ['limit 6 cancelled', 'limit 4 cancelled', 'market 4 filled'],
  ]);
  await settleAll(stage, 10 * MINUTE);
  expectSound(stage);
  expectClosed(stage, 'without a kill');
  expect(partingOf(stage, { hooks, rules })).toBeNull();
});

test.each<How>(['before', 'after', 'answer'])(
  'killed %s any commit of the life of a bracket: one exit for all that was bought, never two, never none',
  async (how) => {
    const { commits } = await life();
    for (let at = 1; at <= commits; at++) {
      const where = `${how} commit ${at} of ${commits}`;
      const stage = await life({ at, how });
      await settle(stage);
      expectClosed(stage, where);
      expectSound(stage);
      expect(partingOf(stage, { hooks, rules }), where).toBeNull();
    }
  },
);

/** Touches the stop, and fills what is open until nothing moves any more. */
async function settle(stage: Stage): Promise<void> {
  await price(stage, '94', MINUTE);
  for (let round = 0; round < 30; round++) {
    await stage.pass(MINUTE);
    for (const row of stage.venue.rows)
      if (row.status === 'open' && row.order.type === 'market') stage.venue.fill(row);
  }
}
