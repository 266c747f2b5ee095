import { describe, expect, test } from 'vitest';
import { parseCash } from '../../../src/core/amount.ts';
import { epochMs, toIso } from '../../../src/core/brand.ts';
import type { Bar } from '../../../src/domain/bar.ts';
import { ticker } from '../../../src/domain/instrument.ts';
import { Kernel } from '../../../src/engine/kernel/kernel.ts';
import { replay } from '../../../src/engine/runtime/replay.ts';
import type { DataNeeds, QuotePhase, StrategyHooks } from '../../../src/strategy/index.ts';
import { memoryJournal } from '../../store/memoryJournal.ts';
import { MINUTE, Stage, type StageOptions } from '../stage.ts';

const at = (time: string) => Date.parse(`2026-06-${time}Z`);
/** 15:59 in New York, a minute before the close. */
const LATE = at('15T19:59');

const needs = (...phases: QuotePhase[]): DataNeeds => ({
  quotes: [],
  bars: [{ symbol: 'AAPL', interval: '15m', phases, warmUp: 3 }],
});

type Shown = string[];
const watcher = (shown: Shown): StrategyHooks => ({
  onBar: ({ bar, view }) =>
    void shown.push(
      `${toIso(bar.start).slice(8, 16)} ${bar.open} ${bar.high} ${bar.low} ${bar.close}, ${view.bars('AAPL', '15m').length}`,
    ),
});

const buyer: StrategyHooks = { onBar: ({ order }) => void order.buy('AAPL', { notional: '100' }) };

/** The price is 100 until it moves, once a quarter of an hour of the post session and overnight. */
async function played(options: StageOptions): Promise<Stage> {
  const stage = await new Stage({ start: LATE, ...options }).play(0);
  const moves = [
    ['15T20:20', '101'],
    ['15T20:24', '103'],
    ['15T20:28', '102'],
    ['16T01:05', '99'],
  ] as const;
  for (const [time, price] of moves) {
    await stage.pass(at(time) - stage.clock.now());
    stage.venue.prices.set('AAPL', parseCash(price));
    await stage.pass(MINUTE);
  }
  return stage.pass(at('16T01:16') - stage.clock.now());
}

const nightBar = (start: string, close: number): Bar => ({
  symbol: ticker('AAPL'),
  interval: '15m',
  start: epochMs(at(start)),
  open: close,
  high: close,
  low: close,
  close,
  volume: 0,
});

describe('bars of phases that a strategy names', () => {
  test('are made from the quotes of these phases only', async () => {
    const shown: Shown = [];
    await played({ data: needs('post'), hooks: { solo: watcher(shown) } });
    expect(shown.slice(0, 2)).toEqual(['15T20:00 100 100 100 100, 1', '15T20:15 100 103 100 102, 2']);
    expect(shown.at(-1)).toBe('15T23:45 102 102 102 102, 16');
    expect(shown).toHaveLength(16);
  });

  test('of the night continue across the end of a phase', async () => {
    const shown: Shown = [];
    await played({ data: needs('post', 'overnight'), hooks: { solo: watcher(shown) } });
    expect(shown.slice(-2)).toEqual(['16T00:45 102 102 102 102, 20', '16T01:00 102 102 99 99, 21']);
  });

  test('are not shown to another strategy that asks for those of the session', async () => {
    const [session, night]: [Shown, Shown] = [[], []];
    const hooks = { session: watcher(session), night: watcher(night) };
    const [first, second] = new Stage({ hooks }).options.strategies;
    if (!first || !second) throw new Error('two strategies');
    const strategies = [
      { ...first, needs: { bars: [{ symbol: 'AAPL', interval: '15m' }] } as const },
      { ...second, needs: needs('post', 'regular') },
    ];
    await played({ hooks, more: { strategies } });
    expect([session.length, night.length]).toEqual([0, 16]);
  });

  test.each([
    ['0', 0],
    ['in ms for one in s', LATE * 1000],
    ['in ns for one in s', LATE * 1e9],
  ])('do not end a run when the venue gives %s for the time of a price', async (_name, stamp) => {
    const stage = new Stage({ start: LATE, data: needs('post'), hooks: { solo: watcher([]) } });
    await stage.play(2 * MINUTE);
    stage.venue.haltedAt.set('AAPL', epochMs(stamp));
    await stage.pass(MINUTE);
    expect(stage.failure).toBeNull();
  });

  test('are the same in a replay of the journal', async () => {
    const options = { data: needs('post', 'overnight'), hooks: { solo: buyer } };
    const { lines } = await played(options);
    const { calendar, rules, strategies } = new Stage(options).options;
    const obstacles = { reason: () => null };
    const { wishes, parting } = replay(
      [...memoryJournal([...lines]).entries()],
      () => new Kernel({ calendar, rules, strategies, obstacles }),
    );
    expect(parting).toBeNull();
    expect(wishes).toBe(21);
  });

  test('begin with those that earlier runs were shown', async () => {
    const shown: Shown = [];
    const recallBars = () => [nightBar('12T22:00', 97), nightBar('12T22:15', 98)];
    const stage = await played({
      data: needs('post'),
      hooks: { solo: watcher(shown) },
      more: { recallBars },
    });
    expect(shown.at(2)).toBe('15T20:00 100 100 100 100, 3');
    expect(stage.notices.map(({ text }) => text).join()).toMatch(/made from the quotes.*2 of earlier runs/);
  });
});
