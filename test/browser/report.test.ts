import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { pageOf } from '../report/html/pageOf.ts';
import { fiveMinutes } from '../report/html/fiveMinutes.ts';
import { twoSymbols } from '../report/html/twoSymbols.ts';
import { shares } from '../runs.ts';
import { expectAccessible, expectToFitAnywhere, launchBrowser } from './browser.ts';
import { BACKGROUND, DARK, DRAWN, LIGHT, MISPLACED, OVERFLOW } from './figures.ts';

/** Longest wait for page content on a busy machine. */
const PATIENCE = { timeout: 30_000 };

const browser = await launchBrowser();
const theBrowser = () => {
  if (!browser) throw new Error('no browser');
  return browser;
};

/** Run in the page: the lines of limit orders, as they look. */
const LIMITS = `[...document.querySelectorAll('#candles-1 .limit')].map((path) => {
  const [box, plot] = [path.getBoundingClientRect(), path.closest('.plot').getBoundingClientRect()];
  const { stroke, strokeWidth, strokeDasharray } = getComputedStyle(path);
  const inSight = box.right > plot.left && box.left < plot.right && box.bottom > plot.top && box.top < plot.bottom;
  return { width: parseFloat(strokeWidth), stroke, dashed: strokeDasharray !== 'none', inSight };
})`;
const topOf = (page: Page, selector: string) =>
  page.locator(selector).evaluate((element) => element.getBoundingClientRect().top);

describe.skipIf(browser === null)('the report in a browser', () => {
  let [folder, file] = ['', ''];
  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'drover-report-'));
    file = join(folder, 'report.html');
    writeFileSync(file, pageOf(await twoSymbols()));
  });
  afterAll(async () => {
    await browser?.close();
    rmSync(folder, { recursive: true });
  });

  /** The page, with everything it logs or requests. */
  async function opened(colorScheme: 'light' | 'dark', width: number, path = file) {
    const page = await theBrowser().newPage({ colorScheme, viewport: { width, height: 900 } });
    const [said, asked]: [string[], string[]] = [[], []];
    page.on('console', (message) => said.push(message.text()));
    page.on('pageerror', (error) => said.push(String(error)));
    page.on('request', (request) => asked.push(request.url()));
    await page.goto(`file://${path}`);
    return { page, said, asked };
  }

  for (const { cases, tags } of shares([
    ['light', 1280],
    ['dark', 1280],
    ['light', 390],
  ] as const))
    test.each(cases)(
      'in %s at %i px draws every chart, logs nothing and loads nothing',
      { tags },
      async (scheme, width) => {
        const { page, said, asked } = await opened(scheme, width);
        const drawn = await page.evaluate<{ id: string; isDrawn: boolean }[]>(DRAWN);
        expect(drawn.length).toBe(20);
        expect(drawn.filter(({ isDrawn }) => !isDrawn)).toEqual([]);
        expect({ said, asked }).toEqual({ said: [], asked: [`file://${file}`] });
        expect(await page.evaluate(BACKGROUND)).toBe(scheme === 'light' ? LIGHT : DARK);
        expect(await page.evaluate(OVERFLOW)).toBeLessThanOrEqual(0);
        await page.close();
      },
    );

  for (const { cases, tags } of shares([1400, 390]))
    test.each(cases)('has no overlapping labels and no overflow at %i px', { tags }, async (width) => {
      const { page } = await opened('light', width);
      expect(await page.evaluate(MISPLACED)).toEqual([]);
      await expectToFitAnywhere(page);
      await page.close();
    });

  for (const { cases, tags } of shares(['light', 'dark'] as const))
    test.each(cases)('in %s is accessible', { tags }, async (scheme) => {
      const { page } = await opened(scheme, 1280);
      await expectAccessible(page);
      await page.close();
    });

  test('shows all columns of trades if there is room, and otherwise a hint that there are more', async () => {
    for (const [width, sides] of [
      [1400, ''],
      [390, 'right'],
    ] as const) {
      const { page } = await opened('light', width);
      const list = page.locator('.scroll:has([data-list=trades])');
      await expect.poll(() => list.getAttribute('data-more'), PATIENCE).toBe(sides);
      if (width === 1400)
        expect(await page.locator('[data-list=trades] th').last().innerText()).toBe('Left for');
      else {
        await list.evaluate((box) => box.scrollTo({ left: 100 }));
        await expect.poll(() => list.getAttribute('data-more'), PATIENCE).toBe('left right');
      }
      await page.close();
    }
  });

  test('draws points at the edge of a scatter without clipping', async () => {
    const { page } = await opened('light', 390);
    const clipped = await page
      .locator('.points .area')
      .evaluateAll((areas) => areas.map((area) => getComputedStyle(area).overflow));
    expect(clipped).toEqual(['visible', 'visible']);
    await page.close();
  });

  test('shows the numbers under the pointer, by keys, and as a table', async () => {
    const { page, said } = await opened('light', 1280);
    const tip = page.locator('.tip');
    await page.hover('[data-chart=equity]', { position: { x: 300, y: 100 } });
    expect(await tip.innerText()).toMatch(/^201\d-\d\d-\d\d\s+Equity\s+[\d,.]+\s+Holding AAA\s+[\d,.]+$/);
    // The pointer leaves the chart above before keys reach the next: otherwise a scrolling page would hide its numbers in between.
    await page.mouse.move(0, 0);
    await page.focus('[data-chart=yearly]');
    await page.keyboard.press('End');
    expect(await tip.innerText()).toMatch(/^2018\s/);
    await page.keyboard.press('Escape');
    expect(await tip.isVisible()).toBe(false);
    await page.click('[data-table=pnl-weekday] summary');
    await expect
      .poll(() => page.locator('[data-table=pnl-weekday] td').allInnerTexts(), PATIENCE)
      .toEqual(expect.arrayContaining(['Mon', 'Tue']));
    expect(said).toEqual([]);
    await page.close();
  });

  test('draws limit orders thin and visible, also when enlarged', async () => {
    const { page, said } = await opened('light', 1280);
    const lines = () =>
      page.evaluate<{ width: number; stroke: string; dashed: boolean; inSight: boolean }[]>(LIMITS);
    for (const sessions of [0, 63]) {
      await page.click(`#candles-1 [data-length="${sessions}"]`);
      const count = sessions === 0 ? 4 : 2;
      await expect.poll(async () => (await lines()).length, PATIENCE).toBe(count);
      const drawn = await lines();
      expect(drawn.every(({ width }) => width === 1)).toBe(true);
      expect(drawn.every(({ inSight }) => inSight)).toBe(true);
      if (sessions > 0) continue;
      expect(drawn.filter(({ dashed }) => dashed)).toHaveLength(2);
      expect(new Set(drawn.map(({ stroke }) => stroke)).size).toBe(2);
    }
    expect(await page.locator('#candles-1 .legend').innerText()).toMatch(/limit to buy.*not filled/s);
    expect(said).toEqual([]);
    await page.close();
  });

  test('switches equity to a logarithmic scale and back', async () => {
    const { page, said } = await opened('light', 1280);
    const levels = () => page.locator('#equity .grid text').allInnerTexts();
    const line = () => page.locator('#equity .line.s1').getAttribute('d');
    const [straight, drawn] = [await levels(), await line()];
    await page.click('#equity [data-log]');
    expect(await page.locator('#equity [data-log]').getAttribute('aria-pressed')).toBe('true');
    expect(await line()).not.toBe(drawn);
    await page.click('#equity [data-log]');
    expect([await levels(), await line()]).toEqual([straight, drawn]);
    expect(said).toEqual([]);
    await page.close();
  });

  test('enlarges candles with their fills in place', async () => {
    const { page } = await opened('light', 1280);
    const box = () => page.locator('[data-chart=candles-1] .area').getAttribute('viewBox');
    const inSight = () => page.locator('#candles-1 .pins use:visible').count();
    const [all, pins] = [await box(), await inSight()];
    await page.click('#candles-1 [data-length="63"]');
    await expect.poll(box, PATIENCE).toMatch(/^693 0 63 /);
    expect(await inSight()).toBeLessThan(pins);
    await page.locator('#candles-1 .pins use:visible').first().hover({ force: true });
    expect(await page.locator('.tip').innerText()).toMatch(
      /(buy|sell) [\d.,]+ @ [\d.,]+, fees .*order .*average/s,
    );
    await page.click('#candles-1 [data-length="0"]');
    await expect.poll(async () => [await box(), await inSight()], PATIENCE).toEqual([all, pins]);
    await page.close();
  });

  test('leads from a trade to its intraday candles, also without scripts', async () => {
    const path = join(folder, 'fiveMinutes.html');
    writeFileSync(path, pageOf(await fiveMinutes()));
    const { page, said } = await opened('light', 1280, path);
    const rows = page.locator('[data-list=trades] tbody tr');
    const box = () => page.locator('[data-chart=candles-1] .area').getAttribute('viewBox');
    const chosen = page.locator('#candles-1 .line.chosen');
    expect(await chosen.count()).toBe(0);
    await rows.nth(4).locator('td').nth(3).click();
    await expect.poll(box, PATIENCE).toMatch(/^54\.769\d* 0 1\.28/);
    expect(await chosen.count()).toBe(1);
    expect(await page.locator('#candles-1 .pins use').count()).toBe(2);
    await expect.poll(() => topOf(page, '#candles-1'), PATIENCE).toBeLessThan(100);
    expect(await page.evaluate('document.activeElement.dataset.chart')).toBe('candles-1');
    await page.locator('#candles-1 .pins use').first().hover({ force: true });
    expect(await page.locator('.tip').innerText()).toMatch(/^2026-05-19 10:05\s.*buy 10 @ .*: morning/s);
    expect((await page.locator('#candles-1 .ticks').textContent()) ?? '').toMatch(/\d\d:\d\d/);
    // By keys: the link of a row.
    await rows.nth(8).locator('a').focus();
    await page.keyboard.press('Enter');
    await expect.poll(box, PATIENCE).toMatch(/^50\.769\d* 0 1\.28/);
    expect(await chosen.count()).toBe(1);
    expect(await page.evaluate(MISPLACED)).toEqual([]);
    expect(said).toEqual([]);
    await page.close();

    const context = await theBrowser().newContext({ javaScriptEnabled: false });
    const plain = await context.newPage();
    await plain.goto(`file://${path}`);
    await plain.locator('[data-list=trades] tbody tr').nth(4).locator('a').click();
    const line = plain.locator('#candles-1 .line:target');
    expect(await line.count()).toBe(1);
    expect(await line.evaluate((path) => getComputedStyle(path).stroke)).not.toBe('none');
    expect((await line.boundingBox())?.y).toBeGreaterThan(200);
    await context.close();
  });

  test('sorts and searches the trades, and switches to dark', async () => {
    const { page, said } = await opened('light', 390);
    const column = (place: number) =>
      page.locator(`[data-list=trades] td:nth-child(${place})`).allInnerTexts();
    await page.click('[data-list=trades] th:has-text("Profit") button');
    const profits = (await column(4)).map((text) => Number(text.replace('−', '-').replaceAll(',', '')));
    expect(profits).toEqual(profits.toSorted((one, other) => other - one));
    await page.fill('[data-find]', 'bbb');
    expect(new Set(await column(1))).toEqual(new Set(['BBB']));
    await page.click('#theme');
    await page.click('#theme');
    expect(await page.evaluate(BACKGROUND)).toBe(DARK);
    expect(said).toEqual([]);
    await page.close();
  });
});
