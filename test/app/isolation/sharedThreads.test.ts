/** @module-tag heavy */
import { setTimeout } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import type { Clock } from '../../../src/core/clock.ts';
import { epochMs } from '../../../src/core/brand.ts';
import type { Bar } from '../../../src/domain/bar.ts';
import { ticker } from '../../../src/domain/instrument.ts';
import type { Venue } from '../../../src/domain/venue.ts';
import { Kernel } from '../../../src/engine/kernel/kernel.ts';
import { replay } from '../../../src/engine/runtime/replay.ts';
import { groupsFor, threadsFor } from '../../../src/app/isolation/threadGroup.ts';
import { threadOptions } from '../../../src/app/isolation/isolatedStrategy.ts';
import type { DataNeeds, StrategyHooks } from '../../../src/strategy/index.ts';
import type { IsolationLimits } from '../../../src/app/config/sections.ts';
import type { FakeVenue } from '../../engine/fakeVenue.ts';
import { factsOf } from '../../engine/invariants.ts';
import { MINUTE, MORNING, SECOND, Stage } from '../../engine/stage.ts';
import { memoryJournal } from '../../store/memoryJournal.ts';
import { groupWith, isolated, LIMITS, sourceOf } from './isolated.ts';

/** Counts in its saved state, in a closure and in its file: a restart keeps only the saved count. */
const COUNTING = sourceOf(
  `(() => {
    let ofClosure = 0;
    return {
      onStart() { state.starts = (state.starts ?? 0) + 1; },
      onQuote({ order, symbol }) {
        state.kept = (state.kept ?? 0) + 1;
        state.seen = [++ofClosure, ++ofFile];
        order.buy(symbol, { notional: 100 + state.kept });
      },
    };
  })()`,
  'let ofFile = 0;',
);

const FAILS = {
  hangs: '{ onQuote() { state.at = (state.at ?? 0) + 1; if (state.at === 2) for (;;); } }',
  'hangs in promises': `{ onQuote() {
    state.at = (state.at ?? 0) + 1;
    if (state.at === 2) void (async () => { for (;;) await null; })();
  } }`,
};

const OPEN = MORNING - 30 * MINUTE;

/** The fake venue with minute bars of AAPL from the open on. */
const withBars = (venue: FakeVenue, clock: Clock): Venue =>
  Object.assign(venue as Venue, {
    bars: ({ from = 0, to, limit }: Readonly<{ from?: number; to: number; limit: number }>) => {
      const bars: Bar[] = [];
      for (let start = OPEN; start < Math.min(to, clock.now()); start += MINUTE)
        if (start >= from) bars.push(barOf(start));
      return Promise.resolve(bars.slice(-limit));
    },
  });

const barOf = (start: number): Bar => ({
  symbol: ticker('AAPL'),
  interval: '1m',
  start: epochMs(start),
  open: 100,
  high: 101,
  low: 99,
  close: 100,
  volume: 1_000,
});

type Played = Readonly<{
  limits?: Partial<IsolationLimits>;
  data?: DataNeeds;
  isApart?: boolean;
  pauseMs?: number;
}>;

const setupsOf = async (
  sources: Readonly<Record<string, string>>,
  { limits = {}, isApart = false }: Played,
) => {
  const group = groupWith(limits);
  const setups = [];
  for (const [id, source] of Object.entries(sources))
    setups.push(await isolated(id, source, isApart ? { limits } : { limits, group }));
  return setups;
};

/** Plays strategies of one thread over six quotes and as many minutes. */
async function playTogether(sources: Readonly<Record<string, string>>, played: Played = {}) {
  const strategies = await setupsOf(sources, played);
  const stage = await new Stage({ as: withBars, more: { strategies } }).play(SECOND);
  for (let price = 101; price <= 106; price++) {
    stage.venue.prices.set('AAPL', BigInt(price) * 10n ** 18n);
    await stage.pass(60 * SECOND);
    // A thread's own reports take real time.
    await setTimeout(played.pauseMs ?? 0);
  }
  const { stopped, states, restarts } = stage.runner.kernel.context.accountState;
  await stage.stop();
  return { stage, stopped, states, restarts, facts: factsOf(stage) };
}

/** Replays what a stage was shown to strategies, each in its own thread. */
async function replayed(
  { options, lines }: Stage,
  sources: Readonly<Record<string, string>>,
  played: Played,
) {
  const strategies = await setupsOf(sources, { ...played, isApart: true });
  const { calendar, rules } = options;
  return replay(
    [...memoryJournal(lines).entries()],
    () => new Kernel({ calendar, rules, strategies, obstacles: { reason: () => null } }),
  );
}

const wishesOf = (stage: Stage, id: string) =>
  factsOf(stage).filter((fact) => fact.kind === 'intentCreated' && fact.intent.strategyId === id);

const kindsOf = (facts: readonly Readonly<{ kind: string }>[], kinds: readonly string[]) =>
  facts.filter(({ kind }) => kinds.includes(kind)).map(({ kind }) => kind);

describe('strategies that share a thread', () => {
  test('decide the same, byte for byte, as each in a thread of its own', async () => {
    const sources = { one: COUNTING, two: COUNTING, three: COUNTING };
    const together = await playTogether(sources);
    const apart = await playTogether(sources, { isApart: true });
    expect(together.facts.filter(({ kind }) => kind === 'intentCreated').length).toBeGreaterThan(12);
    expect(together.stage.lines).toEqual(apart.stage.lines);
  });

  test.each(Object.entries(FAILS))(
    'start again on their saved state when one %s, and only that one is stopped',
    async (_, hooks) => {
      const limits = { hookMs: 500 };
      const sources = { before: COUNTING, tried: sourceOf(hooks), after: COUNTING };
      const { stopped, states, restarts, facts, stage } = await playTogether(sources, { limits });
      expect([...stopped.keys()]).toEqual(['tried']);
      expect(stopped.get('tried')).toContain('did not end within 0.5 s (isolation.hookSeconds)');
      expect([...restarts.latest.keys()].toSorted()).toEqual(['after', 'before']);
      expect([...restarts.alone]).toEqual(['tried']);
      expect(kindsOf(facts, ['strategyRestarted'])).toHaveLength(2);
      expect(stage.notices.map(({ text }) => text).join('\n')).toContain(
        'restarts on its stored state: its thread ended with tried: ',
      );
      for (const id of ['before', 'after']) {
        const { kept, starts, seen } = states.get(id) as { kept: number; starts: number; seen: number[] };
        expect(starts).toBe(2);
        expect(kept).toBe(6);
        expect(seen[0]).toBeLessThan(6);
        expect(seen[1]).toBe(seen[0]);
      }
    },
  );

  test('are not stopped because of memory still held by a thread that is ending', async () => {
    const tried = sourceOf("{ onQuote({ order }) { order.buy('x'.repeat(5e8), { shares: 1 }); } }");
    const { stopped, states } = await playTogether({ tried, calm: COUNTING }, { limits: { hookMs: 1_000 } });
    expect([...stopped.keys()]).toEqual(['tried']);
    expect(states.get('calm')).toMatchObject({ kept: 6 });
  });

  test('trade on without a restart when one leaves a rejection unhandled', async () => {
    const rejects = "{ onQuote() { void Promise.reject(new Error('nobody')); } }";
    const { stopped, restarts, states } = await playTogether({
      tried: sourceOf(rejects),
      calm: COUNTING,
    });
    expect([...stopped.entries()]).toEqual([
      ['tried', expect.stringContaining('outside its hooks: nobody') as string],
    ]);
    expect(restarts.latest.size).toBe(0);
    expect(states.get('calm')).toMatchObject({ starts: 1, kept: 6 });
  });

  test('decide as in separate threads when the last of them leaves a rejection unhandled', async () => {
    const rejects = "{ onQuote() { void Promise.reject(new Error('nobody')); } }";
    const sources = { calm: COUNTING, second: COUNTING, tried: sourceOf(rejects) };
    const { stage, stopped, restarts, states } = await playTogether(sources, { pauseMs: 100 });
    expect([...stopped.keys()]).toEqual(['tried']);
    expect(restarts.latest.size).toBe(0);
    for (const id of ['calm', 'second']) expect(states.get(id)).toMatchObject({ starts: 1, kept: 6 });
    const apart = await playTogether(sources, { pauseMs: 100, isApart: true });
    expect(wishesOf(stage, 'tried')).toEqual([]);
    for (const id of ['calm', 'second']) {
      expect(wishesOf(stage, id)).toHaveLength(6);
      expect(wishesOf(stage, id)).toEqual(wishesOf(apart.stage, id));
    }
  });

  test('are loaded although the file of one leaves a rejected promise unhandled', async () => {
    const group = groupWith();
    const rejects = "void Promise.reject(new Error('nobody'));";
    await isolated('tried', sourceOf('{}', rejects), { group });
    await setTimeout(200);
    await expect(isolated('calm', COUNTING, { group })).resolves.toMatchObject({ id: 'calm' });
  });

  test('start again in a thread each, and none is stopped, when they outgrow the memory together', async () => {
    const keeps = sourceOf(
      '{ onQuote() { for (let at = 0; at < 10; at++) kept.push(new Uint8Array(1e6).fill(1)); } }',
      'const kept = [];',
    );
    const played = { limits: { memoryMb: 96 }, pauseMs: 600 };
    const { stopped, restarts, stage } = await playTogether(
      { one: keeps, two: keeps, calm: COUNTING },
      played,
    );
    expect([...stopped]).toEqual([]);
    expect([...restarts.alone].toSorted()).toEqual(['calm', 'one', 'two']);
    expect(stage.said(/needed more than 96 MB of memory \(isolation.memoryMb\), shared with two, calm/)).toBe(
      true,
    );
  });

  test('see no bar twice, and replay identically, when one hangs while a bar is shown', async () => {
    const data: DataNeeds = { bars: [{ symbol: 'AAPL', interval: '1m', warmUp: 3 }], quotes: ['AAPL'] };
    const hangs = '{ onBar() { if (++ofFile === 5) for (;;); } }';
    const sums = `(() => {
      const seen = [];
      return {
        onStart({ order }) { order.buy('AAPL', { notional: 100 }); },
        onBar({ bar, order }) { seen.push(bar.start); state.seen = [...seen]; order.buy('AAPL', { notional: 100 + ++ofFile }); },
      };
    })()`;
    const file = 'let ofFile = 0;';
    const sources = {
      before: sourceOf(sums, file, data),
      tried: sourceOf(hangs, file, data),
      after: sourceOf(sums, file, data),
    };
    const played = { limits: { hookMs: 500 } };
    const { stage, states, stopped, restarts } = await playTogether(sources, played);
    expect([...stopped.keys()]).toEqual(['tried']);
    expect(restarts.latest.size).toBe(2);
    for (const id of ['before', 'after']) {
      const { seen } = states.get(id) as { seen: number[] };
      expect(seen.length).toBeGreaterThan(4);
      expect(seen.every((start, at) => at === 0 || start - (seen[at - 1] ?? 0) === MINUTE)).toBe(true);
    }
    const { wishes, parting } = await replayed(stage, sources, played);
    expect(parting).toBeNull();
    expect(wishes).toBeGreaterThan(8);
  });
});

describe('a strategy that throws while it starts again', () => {
  const data: DataNeeds = { bars: [{ symbol: 'AAPL', interval: '1m', warmUp: 3 }], quotes: ['AAPL'] };
  const hangs = '{ onQuote() { state.at = (state.at ?? 0) + 1; if (state.at === 3) for (;;); } }';
  const ORDERS = "onQuote({ order }) { order.buy('AAPL', { notional: 100 }); }";

  test.each([
    [
      'onStart',
      `{ onStart() { if ((state.starts = (state.starts ?? 0) + 1) === 2) throw new Error('no'); }, ${ORDERS} }`,
    ],
    [
      'a bar of its warm-up',
      `{ onStart() { state.starts = 1; }, onBar({ bar, view }) { if (state.starts === 1 && view.now - bar.start > 150_000) throw new Error('no'); }, ${ORDERS} }`,
    ],
  ])('in %s gets no more hooks, and orders nothing', async (_, hooks) => {
    const sources = { tried: sourceOf(hangs, '', data), failing: sourceOf(hooks, '', data) };
    const { stopped, facts } = await playTogether(sources, { limits: { hookMs: 500 } });
    expect([...stopped.keys()].toSorted()).toEqual(['failing', 'tried']);
    const kinds = facts.flatMap((fact) =>
      'strategyId' in fact && fact.strategyId === 'failing'
        ? [fact.kind]
        : fact.kind === 'intentCreated'
          ? [fact.kind]
          : [],
    );
    const end = kinds.lastIndexOf('strategyStopped');
    expect(kinds.slice(0, end)).toContain('intentCreated');
    expect(kinds.slice(end + 1)).not.toContain('intentCreated');
    expect(kinds.filter((kind) => kind === 'strategyStopped')).toHaveLength(1);
  });
});

describe('the warm-up bars of a restarted or re-warmed strategy', () => {
  const data: DataNeeds = { bars: [{ symbol: 'AAPL', interval: '1m', warmUp: 3 }], quotes: ['AAPL'] };
  /** Records, at each start, the latest bar of the view at each bar that was shown before. */
  const looks = `(() => {
    const seen = [];
    return {
      onStart() { (state.looks ??= []).push([...seen]); },
      onBar({ bar, view }) {
        seen.push(view.bars('AAPL', '1m').at(0).start - bar.start);
      },
    };
  })()`;

  test('are shown without any later bar in the view after a restart of the thread', async () => {
    const hangs = '{ onBar() { if (++ofFile === 5) for (;;); } }';
    const file = 'let ofFile = 0;';
    const sources = {
      before: sourceOf(looks, '', data),
      tried: sourceOf(hangs, file, data),
      after: sourceOf(looks, '', data),
    };
    const { states, restarts } = await playTogether(sources, { limits: { hookMs: 500 } });
    expect(restarts.latest.size).toBe(2);
    for (const id of ['before', 'after'])
      expect(states.get(id)).toEqual({
        looks: [
          [0, 0, 0],
          [0, 0, 0],
        ],
      });
  });

  test('are shown without any later bar in the view after a split', async () => {
    const state: { looks: number[][] } = { looks: [] };
    const seen: number[] = [];
    const histories = new Set<unknown>();
    const solo: StrategyHooks = {
      onStart: () => void state.looks.push(seen.splice(0)),
      onBar({ bar, view }) {
        const bars = view.bars('AAPL', '1m');
        histories.add(bars);
        seen.push((bars.at(0)?.start ?? 0) - bar.start);
      },
    };
    const stage = await new Stage({ as: withBars, hooks: { solo }, data }).play(3 * MINUTE);
    const { strategies, context } = stage.runner.kernel;
    histories.clear();
    seen.length = 0;
    const bars = Array.from({ length: 5 }, (_, at) => barOf(MORNING + (at - 3) * MINUTE));
    strategies.rewarm(ticker('AAPL'), bars);
    expect(state.looks).toEqual([
      [0, 0, 0],
      [0, 0, 0],
    ]);
    const series = context.market.series({ symbol: ticker('AAPL'), interval: '1m' });
    expect([series.length, [...histories]]).toEqual([5, [series]]);
    await stage.stop();
  });
});

test('up to four strategies have a thread each; 10 have 4, 50 have 12', () => {
  expect([1, 2, 4, 5, 10, 16, 17, 50, 500].map(threadsFor)).toEqual([1, 2, 4, 4, 4, 4, 5, 12, 12]);
});

test('strategies share threads in turn, and one that ended a thread before has its own', () => {
  const ids = Array.from({ length: 7 }, (_, at) => `s${at}`);
  const groups = groupsFor(ids, new Set(['s1']), threadOptions(LIMITS));
  const numbers = groups.map((group) => groups.indexOf(group));
  expect(numbers).toEqual([0, 1, 2, 3, 4, 0, 2]);
});
