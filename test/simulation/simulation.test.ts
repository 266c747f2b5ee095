import { describe, expect, test } from 'vitest';
import { planOf, type Plan } from './plan.ts';
import { simulate, Simulation } from './simulation.ts';
import { add, noneYet } from './sometimes.ts';

/** The last hours of a session, in which nothing goes wrong by itself. */
const calm = (more: Partial<Plan> = {}): Plan => ({
  ...planOf(1, { faults: false, short: true }),
  bounded: true,
  ...more,
});

const FIRST = 1;
const SEEDS = 30;

test(`keeps every promise under the faults of ${SEEDS} seeds`, async () => {
  const sometimes = noneYet();
  for (let seed = FIRST; seed < FIRST + SEEDS; seed++) {
    const run = await simulate(seed, { short: true });
    expect(run.violations, `npm run simulate -- --seed ${seed} --short`).toEqual([]);
    add(sometimes, run.sometimes);
  }
  const { responseLostAfterAcceptance, crash, restartWithUnknown, partialFill } = sometimes;
  for (const count of [responseLostAfterAcceptance, crash, restartWithUnknown, partialFill])
    expect(count).toBeGreaterThan(0);
}, 240_000);

test('goes the same way each time, to the last line of the journal', async () => {
  const [first, second] = [await simulate(7, { short: true }), await simulate(7, { short: true })];
  expect(second.digest).toBe(first.digest);
  expect((await simulate(8, { short: true })).digest).not.toBe(first.digest);
});

test('trades, and ends with every order known, when nothing goes wrong', async () => {
  const { violations, orders } = await new Simulation(calm(), {}).run();
  expect(violations).toEqual([]);
  expect(orders).toBeGreaterThan(5);
});

describe('finds out', () => {
  test('a journal that forgets what it has confirmed', async () => {
    const crashes = [{ point: 'afterAcceptance', of: 'send', nth: 2 }] as const;
    const simulation = new Simulation(calm({ crashes }), {});
    const { lines } = simulation.disk;
    const start = simulation.start.bind(simulation);
    simulation.start = () => {
      const sent = lines.findLastIndex((line) => line.includes('"kind":"sent"'));
      if (sent >= 0) lines.splice(sent);
      start();
    };
    const { violations } = await simulation.run();
    expect(violations.map(({ promise }) => promise)).toContain('P2');
  });

  test('a send that leaves before it is journaled', async () => {
    const simulation = new Simulation(calm(), {});
    simulation.judge.committed = () => undefined;
    const { violations } = await simulation.run();
    expect(violations.map(({ promise }) => promise)).toContain('P1');
  });

  test('money that moved without the ledger', async () => {
    const simulation = new Simulation(calm(), {});
    const { userAddress } = simulation.venue.key;
    const body = { userAddress, asset: 'mUSD', amount: '-1' };
    simulation.time.at(simulation.plan.healAt, () =>
      simulation.venue.machine.command({ kind: 'move', body }, simulation.time.now()),
    );
    const { violations } = await simulation.run();
    expect(violations.map(({ promise }) => promise)).toContain('P4');
  });
});
