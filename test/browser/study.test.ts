import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { objectivesOf } from '../../src/lab/search/objective.ts';
import { studyReport } from '../lab/report/studyReport.ts';
import { samplingWith, setupWith } from '../lab/study/stage.ts';
import { shares } from '../runs.ts';
import { expectAccessible, launchBrowser, openPage } from './browser.ts';
import { BACKGROUND, DARK, DRAWN, LIGHT, MISPLACED, OVERFLOW } from './figures.ts';

const browser = await launchBrowser();

/** A study of three parameters, many values of two of them, two objectives and a walk-forward: all figures of the report. */
const study = () =>
  studyReport({
    setup: setupWith({ objectives: objectivesOf('sharpe,maxDrawdown') }),
    sampling: samplingWith({
      method: 'sobol',
      trials: 60,
      space: [
        { name: 'fast', kind: 'steps', min: 1, step: 1, count: 20 },
        { name: 'slow', kind: 'steps', min: 21, step: 1, count: 39 },
        { name: 'throws', kind: 'choice', values: [-1, -2, -3] },
      ],
    }),
  });

describe.skipIf(browser === null)('the report of a study in a browser', () => {
  let [folder, file] = ['', ''];
  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'drover-study-report-'));
    file = join(folder, 'study.html');
    writeFileSync(file, (await study()).page);
  });
  afterAll(async () => {
    await browser?.close();
    rmSync(folder, { recursive: true });
  });

  for (const { cases, tags } of shares([
    ['light', 1440],
    ['dark', 1440],
    ['light', 390],
    ['dark', 390],
  ] as const))
    test.each(cases)(
      'in %s at %i px draws every chart, is accessible and loads nothing',
      { tags },
      async (scheme, width) => {
        if (!browser) return;
        const { page, mistakes, requests, close } = await openPage(browser, 'null', { scheme, width });
        await page.goto(`file://${file}`);
        const drawn = await page.evaluate<{ id: string; isDrawn: boolean }[]>(DRAWN);
        expect(drawn.map(({ id }) => id)).toEqual([
          'growth',
          'parallel',
          'effects',
          'objective',
          'overfitting',
        ]);
        expect(drawn.filter(({ isDrawn }) => !isDrawn)).toEqual([]);
        expect(await page.evaluate(BACKGROUND)).toBe(scheme === 'light' ? LIGHT : DARK);
        expect(await page.evaluate(OVERFLOW)).toBeLessThanOrEqual(0);
        expect(await page.evaluate(MISPLACED)).toEqual([]);
        await expectAccessible(page);
        expect({ mistakes, requests }).toEqual({ mistakes: [], requests: [`GET file://${file}`] });
        await close();
      },
    );

  test('shows the columns out of sample before those in sample, without scrolling on a phone', async () => {
    if (!browser) return;
    const { page, close } = await openPage(browser, 'null', { width: 390 });
    await page.goto(`file://${file}`);
    for (const [table, head] of [
      ['headline', 'Out of sample'],
      ['windows', 'Return'],
    ] as const) {
      const box = await page.locator(`#${table} th`, { hasText: head }).first().boundingBox();
      expect((box?.x ?? NaN) + (box?.width ?? NaN)).toBeLessThanOrEqual(390);
    }
    await close();
  });
});
