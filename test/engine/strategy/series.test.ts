import { describe, expect, test } from 'vitest';
import { Kernel } from '../../../src/engine/kernel/kernel.ts';
import { replay } from '../../../src/engine/runtime/replay.ts';
import { changedSeries } from '../../../src/engine/strategy/seriesNews.ts';
import { readSeries } from '../../../src/market/seriesCsv.ts';
import type { DataNeeds, StrategyHooks } from '../../../src/strategy/index.ts';
import { isolated, sourceOf } from '../../app/isolation/isolated.ts';
import { entriesOf, eventsOf, partingOf } from '../operator/commands.ts';
import { MINUTE, SECOND, Stage, type StageOptions } from '../stage.ts';

const need = { name: 'mood', numbers: ['level'] };
const data: DataNeeds = { quotes: ['AAPL'], series: [need] };
/** The stage begins at 14:00 UTC. */
const BEGIN = 'known,level\n2026-06-15T13:00:00Z,1\n2026-06-15T14:00:30Z,2\n';
/** The last row is late: its time has passed when the file gets it. */
const LONGER = `${BEGIN}2026-06-15T14:01:40Z,3\n`;

/** Writes a log line at each quote, and orders by the latest row. */
const byMood: StrategyHooks = {
  onQuote({ view, order, log }) {
    const mood = view.series('mood');
    log(`${mood.length} rows`);
    order.limit('AAPL', { side: 'buy', shares: mood.at(0)?.number('level') ?? 9, price: 50 });
  },
};

const optionsOf = (text: string): StageOptions => ({ hooks: { solo: byMood }, data, series: { mood: text } });

async function quote(stage: Stage): Promise<void> {
  const { prices } = stage.venue;
  prices.set('AAPL', (prices.get('AAPL') ?? 0n) + 10n ** 18n);
  await stage.pass(MINUTE);
}

const change = (stage: Stage, read: Parameters<Stage['runner']['heed']>[0] & { kind: 'series' }) =>
  stage.runner.heed(read);
const rows = (text: string) => ({ rows: readSeries({ file: 'mood.csv', text }, need) });
const changed = (read: ReturnType<typeof rows> | { problem: string }, strategyId = 'solo') =>
  ({ kind: 'series', strategyId, name: 'mood', read }) as const;

const linesOf = (stage: Stage) => eventsOf(stage, 'logged').map(({ text }) => text);
const sizesOf = (stage: Stage) =>
  eventsOf(stage, 'intentCreated').map(
    ({ intent: { terms } }) => 'quantity' in terms && Number(terms.quantity) / 1e18,
  );

/** A stage on which the file has grown between two quotes. */
async function grown(): Promise<Stage> {
  const stage = await new Stage(optionsOf(BEGIN)).play(SECOND);
  await quote(stage);
  await quote(stage);
  change(stage, changed(rows(LONGER)));
  await quote(stage);
  return stage;
}

describe('a dated series in a run', () => {
  test('shows rows as they become known, and those of a changed file from then on', async () => {
    const stage = await grown();
    expect(linesOf(stage)).toEqual(['1 rows', '2 rows', '3 rows']);
    expect(sizesOf(stage)).toEqual([1, 2, 3]);
    expect(stage.said(/its series mood has 3 rows now, 1 of them new/)).toBe(true);
    expect(eventsOf(stage, 'series').map((fact) => fact.rows)).toEqual([2, 3]);
  });

  test('replays with the rows the run had, from the file that has grown since', async () => {
    const stage = await grown();
    const options = optionsOf(`${LONGER}2026-06-15T14:01:50Z,4\n`);
    expect(partingOf(stage, options)).toBeNull();
    expect(changedSeries(entriesOf(stage), new Stage(options).options.strategies)).toEqual([]);
  });

  test("with changed rows is named by a replay, which decides by today's rows", async () => {
    const stage = await grown();
    const { calendar, rules, strategies } = new Stage(optionsOf(LONGER.replace(',1\n', ',5\n'))).options;
    const { parting } = replay(
      entriesOf(stage),
      () => new Kernel({ calendar, rules, strategies, obstacles: { reason: () => null } }),
    );
    expect(parting?.now).toMatchObject({
      kind: 'intentCreated',
      intent: { terms: { quantity: 5n * 10n ** 18n } },
    });
    expect(changedSeries(entriesOf(stage), strategies)).toEqual(['solo mood']);
  });

  test('keeps its rows with an alarm while its file cannot be read, and clears it when it can', async () => {
    const stage = await new Stage(optionsOf(BEGIN)).play(SECOND);
    change(stage, changed({ problem: 'mood.csv:3: level is "x"' }));
    await quote(stage);
    expect(linesOf(stage)).toEqual(['1 rows']);
    expect(stage.alarms).toContainEqual(
      expect.stringContaining('because its file cannot be read: mood.csv:3: level is "x"'),
    );
    change(stage, changed(rows(BEGIN)));
    expect(stage.said(/the file of the series mood can be read again/)).toBe(true);
    expect(stage.runner.alarms.all).toEqual([]);
    expect(eventsOf(stage, 'series')).toHaveLength(1);
  });

  test('is reported when earlier rows have changed', async () => {
    const stage = await new Stage(optionsOf(BEGIN)).play(SECOND);
    change(stage, changed(rows(LONGER.replace(',1\n', ',7\n'))));
    expect(stage.said(/has 3 rows now, and rows that it had before \(2\) have changed/)).toBe(true);
  });

  test('that no strategy asks for is ignored', async () => {
    const stage = await new Stage(optionsOf(BEGIN)).play(SECOND);
    change(stage, changed(rows(LONGER), 'gone'));
    await quote(stage);
    expect([stage.failure, linesOf(stage)]).toEqual([null, ['1 rows']]);
  });

  test('is the same in a thread, when it grows, changes and is read again after a restart', async () => {
    const source = sourceOf(
      `{
        onQuote({ view, order, log }) {
          const mood = view.series('mood');
          log(mood.length + ' rows');
          order.limit('AAPL', { side: 'buy', shares: mood.at(0)?.number('level') ?? 9, price: 50 });
        },
      }`,
      '',
      data,
    );
    const solo = await isolated('solo', source, { series: { mood: BEGIN } });
    const stage = await new Stage({ more: { strategies: [solo] } }).play(SECOND);
    await quote(stage);
    await quote(stage);
    change(stage, changed(rows(LONGER)));
    await quote(stage);
    change(stage, changed(rows(LONGER.replace(',3\n', ',8\n'))));
    await quote(stage);
    expect(linesOf(stage)).toEqual(['1 rows', '2 rows', '3 rows', '3 rows']);
    expect(sizesOf(stage)).toEqual([1, 2, 3, 8]);
  });
});
