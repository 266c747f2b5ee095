import { describe, expect, test } from 'vitest';
import { checkLookahead } from '../../src/backtest/checks/lookahead.ts';
import { runBacktest } from '../../src/backtest/runBacktest.ts';
import type { BacktestOptions } from '../../src/backtest/options.ts';
import type { JournalEntry } from '../../src/domain/journalEvent.ts';
import type { DataNeeds, StrategyHooks } from '../../src/strategy/index.ts';
import { barsFrom, plainly, strategyOf } from './bars.ts';

const DAYS = barsFrom('2026-06-15', [100, 101, 102, 103, 104], '1d');
const NEEDS: DataNeeds = {
  bars: [{ symbol: 'X', interval: '1d', warmUp: 2 }],
  series: [{ name: 'mood', numbers: ['level'], texts: ['source'] }],
};
/** Monday's row is known at its end, Wednesday's during the session, the last one after the run. */
const TEXT = `known,level,source
2026-06-15,1,a
2026-06-17T15:00:00Z,2,b
2027-01-01,3,c
`;

const optionsOf = (hooks: StrategyHooks, text = TEXT): BacktestOptions =>
  plainly({
    strategy: strategyOf(hooks, NEEDS),
    series: { mood: { file: 'mood.csv', text } },
    bars: [DAYS],
    benchmark: 'none',
  });

const looker = () => {
  const seen: (readonly [day: string, count: number, level: number | undefined])[] = [];
  const hooks: StrategyHooks = {
    onBar({ bar, view }) {
      const mood = view.series('mood');
      seen.push([new Date(bar.start).toISOString().slice(8, 10), mood.length, mood.at(0)?.number('level')]);
    },
  };
  return { hooks, seen };
};

describe('a dated series in a backtest', () => {
  test('shows a row from the moment it was known, a date from its end', async () => {
    const { hooks, seen } = looker();
    await runBacktest(optionsOf(hooks));
    expect(seen).toEqual([
      ['15', 0, undefined],
      ['16', 1, 1],
      ['17', 2, 2],
      ['18', 2, 2],
      ['22', 2, 2],
    ]);
  });

  test('shows, with a warm-up bar, what was known at its end', async () => {
    const { hooks, seen } = looker();
    await runBacktest({ ...optionsOf(hooks), from: Date.parse('2026-06-17T13:30:00Z') });
    expect(seen.slice(0, 3)).toEqual([
      ['15', 0, undefined],
      ['16', 1, 1],
      ['17', 2, 2],
    ]);
  });

  test('is part of the run id with every row that the strategy can see', async () => {
    const idOf = async (text: string) => (await runBacktest(optionsOf({}, text))).runId;
    const id = await idOf(TEXT);
    expect(await idOf(TEXT.replace('source', 'source,other').replaceAll(/,([abc])\n/g, ',$1,x\n'))).toBe(id);
    expect(await idOf(TEXT.replace(',3,', ',3.5,'))).not.toBe(id);
    expect(await idOf(TEXT.replace('2027-01-01', '2027-01-02'))).not.toBe(id);
  });

  test('does not change the run id when there is none', async () => {
    const plain = plainly({ strategy: strategyOf({}), bars: [barsFrom('2026-06-15', [1, 2])] });
    expect((await runBacktest(plain)).runId).toBe((await runBacktest({ ...plain, series: {} })).runId);
  });

  test('is journaled by its number of rows and their hash', async () => {
    const entries: JournalEntry[] = [];
    await runBacktest({ ...optionsOf({}), onFact: (entry) => entries.push(entry) });
    const facts = entries.flatMap(({ fact }) => (fact.kind === 'series' ? [fact] : []));
    expect(facts).toEqual([
      {
        kind: 'series',
        strategyId: 'test',
        name: 'mood',
        rows: 3,
        hash: expect.stringMatching(/^[0-9a-f]{64}$/) as string,
      },
    ]);
  });

  test('is refused by name with an invalid row, without a file, or when nothing asks for it', async () => {
    const { series: _, ...without } = optionsOf({});
    await expect(runBacktest(optionsOf({}, TEXT.replace(',2,', ',two,')))).rejects.toThrow(
      'mood.csv:3: level is "two", which is not a number',
    );
    await expect(runBacktest(without)).rejects.toThrow('test asks for the series mood, and is given no file');
    await expect(
      runBacktest(
        plainly({
          ...without,
          strategy: strategyOf({}, { bars: [] }),
          series: { mood: { file: 'm', text: '' } },
        }),
      ),
    ).rejects.toThrow('test is given the series mood, but asks for none');
  });

  test('that a strategy did not ask for stops the strategy with the name of the series', async () => {
    const reach: StrategyHooks = {
      onBar({ view }) {
        view.series('vix');
      },
    };
    await expect(runBacktest(optionsOf(reach))).rejects.toThrow('no series "vix": data asks for mood');
  });
});

test('a strategy that decides by a series passes the look-ahead check', async () => {
  const hooks: StrategyHooks = {
    onBar({ view, order }) {
      if ((view.series('mood').latest()?.number('level') ?? 0) > 1) order.target('X', { shares: 5 });
    },
  };
  expect(await checkLookahead(optionsOf(hooks), 10)).toMatchObject({ decisions: 2, found: null });
});
