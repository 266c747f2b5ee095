import { describe, expect, test } from 'vitest';
import { studyText } from '../../../../src/cli/commands/lab/studyText.ts';
import type { Terminal } from '../../../../src/process/terminal.ts';
import type { OptimiseOptions } from '../../../../src/lab/optimise.ts';
import { studyResultOf } from '../../../../src/lab/studyResult.ts';
import { metricText } from '../../../../src/report/numberText.ts';
import { studyPage } from '../../../../src/lab/report/studyPage.ts';
import { reportScript } from '../../../../src/cli/commands/backtest/reportScript.ts';
import { judgedStudy, studyReport } from '../../../lab/report/studyReport.ts';
import { setupWith } from '../../../lab/study/stage.ts';

const TERMINAL = { colour: false } as Terminal;

async function told(given: Partial<OptimiseOptions> = {}) {
  const { page, ...judged } = await studyReport(given);
  const engine = { name: 'kernel', why: [] } as const;
  const outcome = { ...judged, engine, file: 'a.study', elapsedMs: 1_500 };
  const text = studyText(outcome, TERMINAL);
  /** Cells of a table row by its label. */
  const row = (label: string) =>
    text
      .split('\n')
      .find((line) => line.startsWith(`${label}  `))
      ?.split(/ {2,}/)
      .slice(1);
  return { text, row, page, json: studyResultOf(outcome) };
}

const cellsOf = (page: string, label: string): string[] =>
  [
    ...(new RegExp(`<tr><td>${label}</td>(.*?)</tr>`, 's').exec(page)?.[1] ?? '').matchAll(
      /<td>(.*?)<\/td>/g,
    ),
  ].map(([, cell]) => (cell ?? '').replace('−', '-'));

describe('the result of a study', () => {
  test('has the same numbers in text, JSON and page, out of sample first', async () => {
    const { row, page, json } = await told();
    const { comparison, best } = json;
    const { inSample, outOfSample } = comparison;
    const sharpes = [
      best?.outOfSample?.sharpe,
      outOfSample?.held?.sharpe,
      'sharpe' in (best?.inSample ?? {}) ? (best?.inSample as { sharpe: number }).sharpe : null,
    ].map((value) => metricText('sharpe', value));
    const inText = row('Sharpe') ?? [];
    expect(inText.slice(0, 3)).toEqual(sharpes);
    expect(inText.at(-1)).toBe(metricText('sharpe', inSample.held?.sharpe));
    expect(cellsOf(page, 'Sharpe').slice(0, 3)).toEqual(sharpes);
    const over = [outOfSample?.sharpeOver, inSample.sharpeOver].map((value) => metricText('sharpe', value));
    expect(row('Sharpe over holding')).toEqual(over);
    expect(cellsOf(page, 'Sharpe over holding').filter((cell) => cell !== '')).toEqual(over);
    expect(json.believe.why.join(' ')).toContain(`was ${over[0]}, after ${over[1]} in sample`);
  });

  test('says how many trials were made, also in the windows, and what each reason supports', async () => {
    const { text, json } = await told();
    expect(text).toContain('9 trials, and 45 trials in 5 windows, in 1.5 s, kept in a.study');
    expect(json).toMatchObject({ trials: 9, windowTrials: 45 });
    expect(json.believe.speaks).toHaveLength(json.believe.why.length);
    expect(text).toMatch(/^believe it\? {2}(No|Unclear|Yes): /);
    expect(text).toMatch(/^(against|in doubt|for) +\S/m);
    expect(text).toMatch(/^best of 9 sets by sharpe -?\d+\.\d\d {3}fast \d+, slow \d+$/m);
  });

  test('without a walk-forward is never "yes", and says that nothing was measured out of sample', async () => {
    const { text, row, json } = await told({ walkForward: null });
    expect(json.believe.verdict).not.toBe('yes');
    expect(json.believe.why.join(' ')).toMatch(/nothing was checked out of sample: use --walk-forward/i);
    expect(row('Sharpe')?.[0]).toBe('not measured');
    expect(row('Sharpe over holding')?.[0]).toBe('not measured');
    expect(text).toContain('9 trials in 1.5 s');
  });

  test('has the dates and the objective of both parts of a window', async () => {
    const { json } = await told();
    const [first] = json.windows ?? [];
    expect(first?.inSample.from).toBe('2020-01-02');
    expect(first && first.inSample.to < first.outOfSample.from).toBe(true);
    const objectives = json.windows?.map(({ outOfSample }) => outOfSample.objective) ?? [];
    expect(objectives.filter((value) => value !== null).length).toBeGreaterThan(2);
    const { held = NaN, to = '' } = json.windows?.at(-1)?.outOfSample ?? {};
    expect(held).toEqual(expect.any(Number));
    expect(to).toBe(json.comparison.outOfSample?.to);
    const growth = (json.windows ?? []).reduce(
      (all, { outOfSample }) => all * (1 + (outOfSample.held ?? NaN)),
      1,
    );
    expect(growth - 1).toBeCloseTo(json.comparison.outOfSample?.held?.totalReturn ?? NaN, 10);
  });

  test('names stock that was not sold at the end of parts', async () => {
    const judged = await judgedStudy();
    const { walkForward } = judged.optimised;
    if (!walkForward) throw new Error('there is a walk-forward');
    const { outOfSample } = walkForward;
    const parts = outOfSample.parts.map((part, index) => ({ ...part, unsold: index < 2 ? 35.25 : 0 }));
    const told = { ...walkForward, outOfSample: { ...outOfSample, parts } };
    const outcome = { ...judged, optimised: { ...judged.optimised, walkForward: told } };
    const engine = { name: 'kernel', why: [] } as const;
    const texts = (given: typeof judged) => [
      studyText({ ...given, engine, file: 'a.study', elapsedMs: 0 }, TERMINAL),
      studyPage(given, reportScript()),
    ];
    for (const text of texts(outcome))
      expect(text).toContain('70.50 mUSD of stock was not sold at the end of 2 parts out of sample');
    for (const text of texts(judged)) expect(text).not.toContain('was not sold');
  });

  test('names parameter sets that failed', async () => {
    const { strategy } = setupWith();
    const setup = setupWith({ strategy: { ...strategy, params: { throws: 5 } } });
    const { text } = await told({ setup, walkForward: null });
    expect(text).toContain('9 trials (3 failed) in 1.5 s');
    expect(text).toContain('splits of the 6 sets that ran to the end');
    expect(text).toMatch(/^failed {3}fast 5, slow 20: .*it was told to/m);
  });
});
