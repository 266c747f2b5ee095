import { epochMs } from '../../../src/core/brand.ts';
import type { Clock } from '../../../src/core/clock.ts';
import { ticker } from '../../../src/domain/instrument.ts';
import type { Venue } from '../../../src/domain/venue.ts';
import { describe, expect, test } from 'vitest';
import type { FetchedEvent } from '../../../src/engine/state/kernelEvent.ts';
import type { DataNeeds, StrategyHooks } from '../../../src/strategy/index.ts';
import { isolated, sourceOf } from '../../app/isolation/isolated.ts';
import { eventsOf, partingOf } from '../operator/commands.ts';
import { MINUTE, MORNING, SECOND, Stage, type StageOptions } from '../stage.ts';

const data: DataNeeds = { quotes: ['AAPL'], fetch: ['mood'] };

/** Writes a log line at each quote, and orders by the text. */
const byMood: StrategyHooks = {
  onQuote({ view, order, log }) {
    const mood = view.fetched('mood');
    log(mood ? `${mood.text} of ${mood.at}` : 'nothing');
    order.limit('AAPL', { side: 'buy', shares: Number(mood?.text ?? 9), price: 50 });
  },
};
const options: StageOptions = { hooks: { solo: byMood }, data };

async function quote(stage: Stage): Promise<void> {
  const { prices } = stage.venue;
  prices.set('AAPL', (prices.get('AAPL') ?? 0n) + 10n ** 18n);
  await stage.pass(MINUTE);
}

const answer = (stage: Stage, given: FetchedEvent['answer']): void =>
  stage.runner.heed({ kind: 'fetched', strategyId: 'solo', name: 'mood', answer: given });

const linesOf = (stage: Stage) => eventsOf(stage, 'logged').map(({ text }) => text);
const sizesOf = (stage: Stage) =>
  eventsOf(stage, 'intentCreated').map(
    ({ intent: { terms } }) => 'quantity' in terms && Number(terms.quantity) / 1e18,
  );

/** Fetches nothing, then two texts, the second of them twice. */
async function fed(stage: Stage): Promise<readonly number[]> {
  await stage.play(SECOND);
  await quote(stage);
  const times: number[] = [];
  for (const text of ['1', '2', '2']) {
    times.push(stage.clock.now());
    answer(stage, { text });
    await quote(stage);
  }
  return times;
}

const SOURCE = `{
  onQuote({ view, order, log }) {
    const mood = view.fetched('mood');
    log(mood ? mood.text + ' of ' + mood.at : 'nothing');
    order.limit('AAPL', { side: 'buy', shares: Number(mood?.text ?? 9), price: 50 });
  },
}`;

describe('fetched text in a run', () => {
  test('is shown with its time from its arrival on, and journaled only when it changes', async () => {
    const stage = new Stage(options);
    const [first, second, third] = await fed(stage);
    expect(linesOf(stage)).toEqual(['nothing', `1 of ${first}`, `2 of ${second}`, `2 of ${third}`]);
    expect(sizesOf(stage)).toEqual([9, 1, 2, 2]);
    expect(eventsOf(stage, 'fetched').map(({ text }) => text)).toEqual(['1', '2', undefined]);
    expect(partingOf(stage, options)).toBeNull();
  });

  test('is the same in a thread, which cannot overwrite it', async () => {
    const solo = await isolated('solo', sourceOf(SOURCE, '', data));
    const stage = new Stage({ more: { strategies: [solo] } });
    const [first, second, third] = await fed(stage);
    expect(linesOf(stage)).toEqual(['nothing', `1 of ${first}`, `2 of ${second}`, `2 of ${third}`]);
    expect(sizesOf(stage)).toEqual([9, 1, 2, 2]);
  });

  test('is shown after a restart as journaled, and a replay of both runs is the same', async () => {
    const before = new Stage(options);
    const [, , third] = await fed(before);
    const after = await new Stage({ ...options, after: before }).play(SECOND);
    await quote(after);
    expect(linesOf(after).at(-1)).toBe(`2 of ${third}`);
    answer(after, { text: '4' });
    await quote(after);
    expect(sizesOf(after).slice(-2)).toEqual([2, 4]);
    expect(partingOf(after, options)).toBeNull();
  });

  test('stays while fetching fails, which is one alarm and a counted problem', async () => {
    const stage = await new Stage(options).play(SECOND);
    const at = stage.clock.now();
    answer(stage, { text: '1' });
    for (const problem of ['no answer in time', 'it answers HTTP 500', 'no answer in time'])
      answer(stage, { problem });
    await quote(stage);
    expect(linesOf(stage)).toEqual([`1 of ${at}`]);
    expect(stage.alarms.filter((text) => text.includes('to fetch mood'))).toEqual([
      '1 try to fetch mood failed: no answer in time. The previous text stays, with its time',
    ]);
    const { all } = stage.runner.kernel.context.problems;
    expect(all.map(({ text }) => text)).toEqual([
      expect.stringMatching(/^solo: 3 tries to fetch mood failed/),
    ]);
    answer(stage, { text: '2' });
    expect(stage.said(/3 tries to fetch mood failed, and it can be fetched again/)).toBe(true);
    expect([stage.runner.alarms.all, stage.runner.kernel.context.problems.all]).toEqual([[], []]);
  });

  test('is not shown with the older bars of a warm-up', async () => {
    const seen: unknown[] = [];
    const hooks: StrategyHooks = { onBar: ({ view }) => void seen.push(view.fetched('mood')?.text ?? null) };
    const bars: DataNeeds = { bars: [{ symbol: 'AAPL', interval: '1m', warmUp: 2 }], fetch: ['mood'] };
    const prices = { open: 100, high: 100, low: 100, close: 100, volume: 1 };
    const starts = [-3, -2, 0].map((minutes) => epochMs(MORNING + minutes * MINUTE));
    const minutes = starts.map(
      (start) => ({ symbol: ticker('AAPL'), interval: '1m', start, ...prices }) as const,
    );
    const as = (venue: Venue, clock: Clock): Venue =>
      Object.assign(venue, {
        bars: ({ from = epochMs(0) }: Parameters<Venue['bars']>[0]) =>
          Promise.resolve(minutes.filter(({ start }) => start >= from && start + MINUTE <= clock.now())),
      });
    const stage = new Stage({ hooks: { solo: hooks }, data: bars, as });
    answer(stage, { text: '1' });
    await stage.play(2 * MINUTE);
    expect(seen).toEqual([null, null, '1']);
  });

  test('that data() does not name raises an error', async () => {
    const hooks: StrategyHooks = { onQuote: ({ view }) => void view.fetched('other') };
    const stage = await new Stage({ hooks: { solo: hooks }, data }).play(SECOND);
    await quote(stage);
    expect(stage.alarms.join()).toContain('there is no address "other": data asks for mood');
  });
});
