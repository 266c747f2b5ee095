import { describe, expect, test } from 'vitest';
import { parsePrice, parseShares } from '../../src/core/amount.ts';
import { epochMs } from '../../src/core/brand.ts';
import { ticker } from '../../src/domain/instrument.ts';
import { frozen } from '../ops/notify/notifierStage.ts';
import { NotifiedRuns } from './notified.ts';
import type { Simulation } from './simulation.ts';
import { noneYet } from './sometimes.ts';
import { judgeFlattened, judgeHealed } from './verdict.ts';

const KO = ticker('KO');
const order = (id: string, kind: string) => ({
  id,
  strategyId: 'a',
  state: { kind },
  terms: { symbol: KO, side: 'buy' },
});
const FLATTEN = { kind: 'flatten', scope: {} };
const asked = (id: string, command: object, answer: object | null = null) => ({
  request: { id, command },
  answer,
  isFlattening: command === FLATTEN && answer !== null,
});

type Situation = Readonly<{
  phase?: string;
  isAlive?: boolean;
  hold?: string;
  live?: readonly object[];
  alarms?: readonly string[];
  commands?: readonly ReturnType<typeof asked>[];
  shares?: string;
  left?: readonly string[];
}>;

/** Findings of a judgement in a situation that is sound but for what is given. */
function findings(
  judging: (simulation: Simulation) => void,
  {
    phase = 'running',
    isAlive = true,
    hold,
    live = [],
    alarms = [],
    commands = [],
    shares = '0',
    left = [],
  }: Situation,
): string[] {
  const found: string[] = [];
  const accountState = {
    live: new Map(live.map((each, index) => [index, each])),
    commands: { all: commands },
    allocations: new Map([['a', {}]]),
    ledger: { assets: ['mUSD', KO], held: () => parseShares(shares) },
  };
  const context = {
    accountState,
    holds: { everything: hold ?? null },
    market: { price: () => parsePrice('60') },
  };
  const known = new Map(commands.map(({ request: { id, command } }) => [id, { command, at: epochMs(0) }]));
  judging({
    judge: {
      accuse: (promise: string, detail: string) => found.push(`${promise} ${detail}`),
      restraint: { commands: known },
      moved: new Set(),
      absent: [],
    },
    plan: { healAt: epochMs(1) },
    life: { alive: isAlive },
    runner: { phase, kernel: { context }, progress: () => ({ left }) },
    venue: { foreign: new Set(), lied: new Set() },
    alarms,
    sometimes: noneYet(),
  } as unknown as Simulation);
  return found;
}

describe('the verdict after all faults are over', () => {
  const healed = (simulation: Simulation) => judgeHealed(simulation, ['a-1.1']);
  const unknown = [order('a-1.1', 'unknown')];

  test.each<[string, Situation, string]>([
    ['a run that is dead', { isAlive: false }, 'P7 nothing is wrong any more, and the runner does not run'],
    [
      'a run that never starts',
      { phase: 'starting' },
      'P7 nothing is wrong any more, and the runner does not run',
    ],
    [
      'a run that holds every order back',
      { hold: 'it is stale' },
      'P7 nothing is wrong any more, and yet it is stale',
    ],
    [
      'an order of unknown outcome without an alarm',
      { live: unknown, alarms: ['order a-1.2 is unknown'] },
      'P7 a-1.1 has no answer, long after the last fault, and nobody was told',
    ],
    [
      'a command without a response',
      { commands: [asked('c-1', { kind: 'reload' })] },
      'P9 c-1 (reload) has no answer, long after the last fault',
    ],
    [
      'a flatten with nothing left to sell that does not end',
      { commands: [asked('c-1', FLATTEN, {})] },
      'P9 the flatten c-1 has nothing left, and does not end',
    ],
  ])('reports %s', (_what, situation, finding) => {
    expect(findings(healed, situation)).toEqual([finding]);
  });

  test.each<[string, Situation]>([
    ['a run that continues', { commands: [asked('c-1', { kind: 'reload' }, {})] }],
    ['an order of unknown outcome with an alarm', { live: unknown, alarms: ['order a-1.1 is unknown'] }],
    ['an order of known outcome', { live: [order('a-1.1', 'working')] }],
    ['a flatten that says what is left', { commands: [asked('c-1', FLATTEN, {})], left: ['KO'] }],
  ])('accepts %s', (_what, situation) => {
    expect(findings(healed, situation)).toEqual([]);
  });
});

describe('the verdict at the end of a flatten', () => {
  const flattened = (simulation: Simulation) => judgeFlattened(simulation, 'c-1');
  const commands = [asked('c-1', FLATTEN)];

  test.each<[string, Situation, readonly string[]]>([
    [
      'reports an open order of its scope',
      { live: [order('a-1.1', 'working')] },
      ['P9 the flatten c-1 ends, and its order a-1.1 is open'],
    ],
    ['reports shares still held', { shares: '3' }, ['P9 the flatten c-1 ends, and a has 3 KO']],
    ['accepts shares too few to be sold', { shares: '0.001' }, []],
    ['accepts an empty account', {}, []],
  ])('%s', (_what, situation, found) => {
    expect(findings(flattened, { ...situation, commands })).toEqual(found);
  });
});

test('a journal entry that no notification channel received is reported', () => {
  const seeds = Array.from({ length: 20 }, (_, seed) => seed);
  const faults = seeds.map((seed) => {
    const parts = { seed, sometimes: noneYet(), now: () => 0, start: 0, isFull: () => false };
    const runs = new NotifiedRuns(parts);
    runs.committed([{ at: epochMs(0), fact: frozen('KO') }]);
    return runs.faults();
  });
  expect(faults.filter((found) => found.length > 0).length).toBeGreaterThan(2);
  expect(new Set(faults.flat())).toEqual(new Set(['entry 1 (frozen) was never reported']));
});
