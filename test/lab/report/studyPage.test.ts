import { describe, expect, test } from 'vitest';
import { written } from '../../../src/figures/format.ts';
import { objectivesOf } from '../../../src/lab/search/objective.ts';
import { samplingWith, setupWith } from '../study/stage.ts';
import { studyReport } from './studyReport.ts';

/** Two parameters with more values than a heat map has cells. */
const WIDE = [
  { name: 'fast', kind: 'steps', min: 1, step: 1, count: 20 },
  { name: 'slow', kind: 'steps', min: 21, step: 1, count: 39 },
] as const;

describe('the report of a study', () => {
  test('begins with the verdict, before any figure', async () => {
    const { page, belief } = await studyReport();
    const answer = belief.verdict.reasons[0]?.text ?? '';
    expect(page.indexOf('<p class="answer">')).toBeGreaterThan(0);
    expect(page.indexOf(answer.slice(0, 20))).toBeLessThan(page.indexOf('<main>'));
    for (const id of ['growth', 'headline', 'windows', 'heat', 'trials', 'overfitting', 'stress'])
      expect(page).toContain(`id="${id}"`);
  });

  test('shows no in-sample figure without the out-of-sample one, or says that there is none', async () => {
    const { page: walked } = await studyReport();
    const { page } = await studyReport({ walkForward: null });
    expect(walked).not.toContain('not measured');
    expect(page.match(/<td>not measured<\/td>/g)).toHaveLength(12);
    expect(page).toContain('Nothing was checked out of sample');
  });

  test('marks the best cell of the heat map, and groups many values', async () => {
    const wide = samplingWith({
      method: 'sobol',
      trials: 60,
      space: WIDE,
    });
    const { page } = await studyReport({ sampling: wide, walkForward: null });
    expect(page.match(/ chosen"/g)).toHaveLength(1);
    const heat = /id="heat"[^]*?<\/section>/.exec(page)?.[0] ?? '';
    expect(heat.match(/<th scope="row">/g)?.length).toBeLessThanOrEqual(15);
  });

  test('ranks a metric for which less is better from its lowest value up', async () => {
    const wide = samplingWith({
      method: 'sobol',
      trials: 24,
      space: WIDE,
    });
    const setup = setupWith({ objectives: objectivesOf('volatility') });
    const { page, optimised } = await studyReport({ sampling: wide, setup, walkForward: null });
    const values = optimised.whole.trials.flatMap(({ outcome }) =>
      outcome.state === 'done' ? (outcome.objectives[0] ?? []) : [],
    );
    const [least, greatest] = [Math.min(...values), Math.max(...values)].map((one) =>
      written(one, 'percent1'),
    );
    expect(page).toContain(`the best ${least}, the worst ${greatest}.`);
    expect(/id="trials"[^]*?<tbody>\s*<tr>([^]*?)<\/tr>/.exec(page)?.[1]).toContain(`>${least}<`);
    expect(/ chosen">([^<]*)</.exec(page)?.[1]).toBe(least);
  });

  test('lists the Pareto front of several objectives', async () => {
    const { page, optimised } = await studyReport({
      setup: setupWith({ objectives: objectivesOf('sharpe,maxDrawdown') }),
      walkForward: null,
    });
    expect(page).toContain('Trials that no other trial beats in every objective');
    const rows = /id="trials"[^]*?<tbody>([^]*?)<\/tbody>/.exec(page)?.[1]?.match(/<tr>/g);
    expect(rows).toHaveLength(optimised.whole.front.length);
  });

  test('says what cannot be drawn when only one parameter is searched', async () => {
    const one = samplingWith({ space: [{ name: 'fast', kind: 'choice', values: [2, 5, 10] }] });
    const fixed = setupWith({ strategy: { ...setupWith().strategy, params: { slow: 30 } } });
    const { page } = await studyReport({ sampling: one, setup: fixed, walkForward: null });
    expect(page).toContain('one parameter was searched');
  });
});
