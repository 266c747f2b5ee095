/** @module-tag heavy */
import { describe, expect, test, vi } from 'vitest';
import { epochMs } from '../../src/core/brand.ts';
import { EngineContext } from '../../src/engine/state/engineContext.ts';
import { Holds } from '../../src/engine/state/holds.ts';
import { SyntheticInput } from '../../src/engine/synthetic/syntheticInput.ts';
import { SAVE_DEATHS } from './checkpoints.ts';
import { limitsOf } from './exposure.ts';
import { planOf, type Plan } from './plan.ts';
import { simulate, Simulation } from './simulation.ts';
import { add, noneYet } from './sometimes.ts';

/** The last hours of a session, without faults of their own. */
const calm = (more: Partial<Plan> = {}): Plan => ({
  ...planOf(1, { faults: false, short: true }),
  bounded: true,
  ...more,
});

test('a simulation keeps every promise under the faults of one seed', async () => {
  const run = await simulate(1, { short: true });
  expect(run.violations, `npm run simulate -- --seed 1 --short`).toEqual([]);
}, 120_000);

const FIRST = 1;
const SEEDS = 8;

test(
  `a simulation keeps every promise under the faults of ${SEEDS} seeds`,
  { tags: ['long'], timeout: 600_000 },
  async () => {
    const sometimes = noneYet();
    for (let seed = FIRST; seed < FIRST + SEEDS; seed++) {
      const run = await simulate(seed, { short: true });
      expect(run.violations, `npm run simulate -- --seed ${seed} --short`).toEqual([]);
      add(sometimes, run.sometimes);
    }
    const { responseLostAfterAcceptance, crash, restartWithUnknown, partialFill } = sometimes;
    for (const count of [responseLostAfterAcceptance, crash, restartWithUnknown, partialFill])
      expect(count).toBeGreaterThan(0);
  },
);

test(
  'a simulation keeps every promise if two steps at one instant plan orders',
  { tags: ['long'] },
  async () => {
    expect((await simulate(10)).violations).toEqual([]);
  },
);

test('a simulation of one seed is the same each time, to the last line of the journal', async () => {
  const [first, second] = [await simulate(7, { short: true }), await simulate(7, { short: true })];
  expect(second.digest).toBe(first.digest);
  expect((await simulate(8, { short: true })).digest).not.toBe(first.digest);
});

test('a simulation without faults keeps every promise and trades', { tags: ['long'] }, async () => {
  const { violations, orders } = await new Simulation(calm(), {}).run();
  expect(violations).toEqual([]);
  expect(orders).toBeGreaterThan(5);
});

test('a simulation has the same books after each of twenty deaths around a checkpoint', async () => {
  const deaths = new Map(
    Array.from({ length: 20 }, (_, index) => [index + 1, SAVE_DEATHS[index % 3] ?? 'before'] as const),
  );
  const { violations, sometimes } = await new Simulation(
    calm({ checkpoints: { every: 25, deaths } }),
    {},
  ).run();
  expect(violations).toEqual([]);
  expect(sometimes.crashAtCheckpoint).toBe(20);
  expect(sometimes.checkpointResumed).toBeGreaterThan(10);
}, 120_000);

describe('a simulation reports', { timeout: 60_000 }, () => {
  test('a journal that loses what it has confirmed', async () => {
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

  test('a send that leaves before it is journaled', { tags: ['long'] }, async () => {
    const simulation = new Simulation(calm(), {});
    simulation.judge.committed = () => undefined;
    const { violations } = await simulation.run();
    expect(violations.map(({ promise }) => promise)).toContain('P1');
  });

  test('an order that is closed as never placed while the venue has it', { tags: ['long'] }, async () => {
    const simulation = new Simulation(calm({ indexerLagMs: 120_000 }), {});
    for (let at = simulation.plan.start; at < simulation.plan.healAt; at = epochMs(at + 60_000))
      simulation.time.at(at, () => {
        const { context } = simulation.runner?.kernel ?? {};
        const accepted = [...(context?.accountState.live.values() ?? [])].find(
          ({ state }) => 'txHash' in state,
        );
        if (accepted) context?.move(accepted.id, { kind: 'absent', assumed: false });
      });
    const { violations } = await simulation.run();
    expect(violations.map(({ promise }) => promise)).toContain('P3');
  });

  test('a stock that is traded although it should be frozen', { tags: ['long'] }, async () => {
    vi.spyOn(EngineContext.prototype, 'freeze').mockReturnValue();
    vi.spyOn(Holds.prototype, 'against').mockReturnValue(null);
    const simulation = new Simulation(calm(planOf(2, { faults: false, short: true })), {});
    for (const asset of ['AAPL', 'GOOGL', 'KO', 'NVDA']) simulation.judge.moved.add(asset);
    const { userAddress } = simulation.venue.key;
    for (const asset of ['AAPL', 'GOOGL', 'KO', 'NVDA'])
      simulation.time.at(epochMs(simulation.plan.start + 60_000), () =>
        simulation.venue.machine.command(
          { kind: 'move', body: { userAddress, asset, amount: '3' } },
          simulation.time.now(),
        ),
      );
    const { violations } = await simulation.run();
    vi.restoreAllMocks();
    expect(violations.map(({ detail }) => detail)).toContainEqual(
      expect.stringMatching(/of which ledger and venue have differed for long/),
    );
  });

  test('an exit that does not sell', { tags: ['long'] }, async () => {
    vi.spyOn(SyntheticInput.prototype, 'price', 'get').mockReturnValue(null);
    const simulation = new Simulation(calm(), {});
    const { time, plan, venue } = simulation;
    time.at(epochMs(plan.start + 30 * 60_000), () => {
      const body = { symbol: 'KO', price: '63' };
      venue.machine.command({ kind: 'market', body }, time.now());
    });
    const { violations } = await simulation.run();
    vi.restoreAllMocks();
    expect(violations).toContainEqual({
      promise: 'P10',
      detail: expect.stringMatching(/should have sold, nothing was sent, and nobody was told/) as string,
    });
  });

  test('limits that are not enforced', { tags: ['long'] }, async () => {
    const simulation = new Simulation(calm({ tight: true }), {});
    simulation.rules = {
      ...simulation.rules,
      limits: limitsOf({ tight: false }),
    };
    const { violations } = await simulation.run();
    expect(violations.map(({ promise }) => promise)).toContain('P5');
  });

  test('limits of the night that are not enforced', { tags: ['long'] }, async () => {
    const simulation = new Simulation({ ...planOf(1, { faults: false, nights: true }), bounded: true }, {});
    simulation.rules = { ...simulation.rules, limits: limitsOf({ tight: false }) };
    const { violations } = await simulation.run();
    expect(violations).toContainEqual({
      promise: 'P5',
      detail: expect.stringMatching(/makes an (order|position)/) as string,
    });
  });

  test('orders on old prices', { tags: ['long'] }, async () => {
    const plan = calm();
    const episodes = [{ kind: 'frozenPrices', at: plan.start, ms: 3_600_000 }] as const;
    const simulation = new Simulation({ ...plan, episodes }, {});
    simulation.rules = { ...simulation.rules, limits: {} };
    const { violations } = await simulation.run();
    expect(violations.map(({ promise }) => promise)).toContain('P6');
  });

  test('decisions that do not follow from the journal', { tags: ['long'] }, async () => {
    const simulation = new Simulation(calm(), {});
    simulation.time.at(simulation.plan.endAt, () => {
      const fees = {
        buyMintFeeBps: 10_000,
        buyProtocolFeeBps: 0,
        sellProtocolFeeBps: 0,
      };
      simulation.rules = { ...simulation.rules, fees };
    });
    const { violations } = await simulation.run();
    expect(violations.map(({ promise }) => promise)).toEqual(['P8']);
  });

  test('a runner that never restarts', { tags: ['long'] }, async () => {
    const plan = calm();
    const at = epochMs(plan.healAt - 60_000);
    const simulation = new Simulation({ ...plan, episodes: [{ kind: 'crash', at, ms: 1 }] }, {});
    const start = simulation.start.bind(simulation);
    simulation.start = () => (simulation.life ? undefined : start());
    const { violations } = await simulation.run();
    expect(violations.map(({ promise }) => promise)).toContain('P7');
  });

  test('a runner that keeps waiting although the order list is complete', { tags: ['long'] }, async () => {
    const simulation = new Simulation(calm(), {});
    simulation.time.at(simulation.plan.healAt, () =>
      simulation.runner?.kernel.context.holds.put('order list', 'the list counts as not read'),
    );
    const { violations } = await simulation.run();
    expect(violations).toContainEqual({
      promise: 'P7',
      detail: 'nothing is wrong any more, and yet the list counts as not read',
    });
  });

  test('money that moved outside the ledger', async () => {
    const simulation = new Simulation(calm(planOf(2, { faults: false, short: true })), {});
    const { userAddress } = simulation.venue.key;
    const body = { userAddress, asset: 'mUSD', amount: '-1' };
    simulation.time.at(simulation.plan.healAt, () =>
      simulation.venue.machine.command({ kind: 'move', body }, simulation.time.now()),
    );
    const { violations } = await simulation.run();
    expect(violations.map(({ promise }) => promise)).toContain('P4');
  });
});
