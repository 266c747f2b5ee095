import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { readyDaemon, type DaemonRun } from '../ops/control/daemonRun.ts';
import { shares } from '../runs.ts';
import { expectAccessible, expectToFit, launchBrowser, openPage, type Look } from './browser.ts';

/** Longest wait for page content on a busy machine. */
const PATIENCE = { timeout: 30_000 };

const browser = await launchBrowser();
afterAll(() => browser?.close());

/** The browser; only called by tests that are not skipped without one. */
function theBrowser(): Browser {
  if (browser === null) throw new Error('there is no browser');
  return browser;
}

const START = Date.parse('2026-06-15T13:30:00Z');
const MANY = 5_000;

/** Candles of five minutes, more than a screen has pixels. */
const many = (last: number) => {
  const places = Array.from({ length: MANY }, (_, at) => at);
  const open = places.map((at) => 500 + (at % 40));
  return {
    symbol: 'SPY',
    intervalMs: 300_000,
    start: places.map((at) => START + at * 300_000),
    open,
    high: open.map((value) => value + 2),
    low: open.map((value) => value - 2),
    close: [...open.slice(1), last],
  };
};

/** Two series that a strategy has plotted: one over the candles, one in a panel. */
const plots = {
  intervalMs: 300_000,
  series: [
    { name: 'average', symbol: 'SPY', panel: null },
    { name: 'score', symbol: null, panel: null },
  ].map((series, index) => ({
    ...series,
    at: Array.from({ length: MANY }, (_, at) => START + at * 300_000),
    values: Array.from({ length: MANY }, (_, at) => 510 + index * (at % 7)),
  })),
};

/** A limit order of `steady` that rests over the last 40 candles. */
const resting = {
  from: START + (MANY - 40) * 300_000,
  until: START + MANY * 300_000,
  strategy: 'steady',
  symbol: 'SPY',
  side: 'buy',
  order: 'steady-9.1',
  shares: 1,
  limit: 505,
  filled: 0,
  how: 'open',
};

const tagged = {
  id: 'd1',
  at: START,
  strategy: 'steady',
  symbol: 'SPY',
  side: 'buy',
  end: 'done',
  terms: 'buy SPY for 50',
  why: '',
  reason: 'below its average',
  tag: 'dip',
};

describe.skipIf(browser === null)('the view of a strategy', () => {
  let run: DaemonRun;
  let url = '';
  beforeAll(async () => {
    run = await readyDaemon({ flags: ['--listen', '127.0.0.1:0', '--speed', '120'] });
    url = /^control: (\S+)$/m.exec(run.err())?.[1] ?? '';
  });
  afterAll(async () => {
    await run.stop();
  });

  async function shown(look: Look = {}, prepare: (page: Page) => Promise<unknown> = () => Promise.resolve()) {
    const opened = await openPage(theBrowser(), url, look);
    await prepare(opened.page);
    await opened.page.goto(`${url}/#code=${(await run.client.sessionCode()).code}`);
    await opened.page.getByText('Connected').waitFor();
    await opened.page.getByRole('link', { name: 'Strategies' }).click();
    await opened.page.getByRole('heading', { name: 'steady' }).waitFor();
    return opened;
  }

  /** Visible paths of a plot. */
  const drawnIn = (page: Page, figure: string) =>
    page.locator(`#${figure} .area path`).evaluateAll(
      (paths) =>
        paths.filter((path) => {
          const { width, height } = path.getBoundingClientRect();
          const { stroke, fill } = getComputedStyle(path);
          return width + height > 3 && (stroke !== 'none' || fill !== 'none');
        }).length,
    );

  for (const { cases, tags } of shares([
    { width: 1440, scheme: 'dark' },
    { width: 390, scheme: 'light' },
  ] as const))
    test.each(cases)(
      'draws its equity, fits and is accessible at $width px in $scheme',
      { tags },
      async (look) => {
        const { page, mistakes, close } = await shown(look);
        await page.locator('#day').waitFor();
        await expect.poll(() => drawnIn(page, 'day'), PATIENCE).toBeGreaterThan(0);
        await page.getByRole('heading', { name: 'Parameters' }).waitFor();
        await expectToFit(page);
        await expectAccessible(page);
        expect(mistakes).toEqual([]);
        await close();
      },
    );

  test('enlarges 5,000 candles, and keeps the shown range when prices come', async () => {
    let last = 500;
    const { page, mistakes, close } = await shown({}, async (own) => {
      await own.route('**/v1/candles?*', (route) => route.fulfill({ json: many(last++) }));
      await own.route('**/v1/record?*', async (route) => {
        const record = (await (await route.fetch()).json()) as { run: { symbols: string[] } };
        await route.fulfill({ json: { ...record, run: { ...record.run, symbols: ['SPY'] } } });
      });
    });
    await page.locator('#candles-SPY').waitFor();
    const box = () => page.locator('#candles-SPY .area').first().getAttribute('viewBox');
    expect(await box()).toBe('0 0 5000 1000');
    await page.getByRole('button', { name: 'Session', exact: true }).click();
    await expect.poll(box, PATIENCE).toBe('4922 0 78 1000');
    await page.locator('#candles-SPY .plot').first().hover();
    await page.locator('.tip', { hasText: 'Close' }).waitFor();
    const before = last;
    await expect.poll(() => last, PATIENCE).toBeGreaterThan(before);
    await expect.poll(box, PATIENCE).toBe('4922 0 78 1000');
    expect(await drawnIn(page, 'candles-SPY')).toBeGreaterThan(1);
    expect(mistakes).toEqual([]);
    await close();
  });

  test('shows plotted series and limit orders over candles of the chosen interval', async () => {
    let last = 500;
    const { page, requests, mistakes, close } = await shown({}, async (own) => {
      await own.route('**/v1/candles?*', (route) => route.fulfill({ json: many(last++) }));
      await own.route('**/v1/plots?*', (route) => route.fulfill({ json: plots }));
      await own.route('**/v1/record?*', async (route) => {
        const record = (await (await route.fetch()).json()) as { run: object };
        const run = { ...record.run, symbols: ['SPY'] };
        await route.fulfill({ json: { ...record, run, decisions: [tagged], limitOrders: [resting] } });
      });
    });
    const candles = page.locator('#candles-SPY');
    const panel = page.locator('#panel-SPY-1');
    await candles.locator('path.line.s5').waitFor({ state: 'attached' });
    await panel.locator('path.line.s5').waitFor({ state: 'attached' });
    expect(await panel.locator('h3').textContent()).toBe('score');
    await candles.getByRole('button', { name: '1 h' }).click();
    await expect.poll(() => candles.locator('path.limit.s3.dashed').count(), PATIENCE).toBe(1);
    await panel.scrollIntoViewIfNeeded();
    await expect.poll(() => panel.locator('.area').getAttribute('viewBox'), PATIENCE).toBe('4988 0 12 1000');
    await candles.locator('.plot').first().hover();
    await page.locator('.tip', { hasText: 'average' }).waitFor();
    await panel.getByText('Numbers').click();
    const before = last;
    await panel.getByRole('cell', { name: '511', exact: true }).first().waitFor();
    await expect.poll(() => last, PATIENCE).toBeGreaterThan(before);
    await panel.getByRole('cell', { name: '511', exact: true }).first().waitFor();
    await page.getByRole('combobox', { name: 'Candles' }).selectOption('1m');
    await expect
      .poll(() => requests.some((request) => /candles\?symbol=SPY&interval=1m&/.test(request)), PATIENCE)
      .toBe(true);
    expect(page.url()).toContain('candles=1m');
    await candles.waitFor();
    await page.getByLabel('Terms, reason, tag or result contains').fill('dip');
    await page.getByLabel('Terms, reason, tag or result contains').press('Enter');
    await page.getByRole('region', { name: 'Decisions' }).getByText('dip').first().waitFor();
    await expectToFit(page);
    await expectAccessible(page);
    expect(mistakes).toEqual([]);
    await close();
  });

  test('reads the candles of the chosen stock of 30, and escapes hostile text', async () => {
    const hostile = `<script>document.title='taken'</script>\u202Edesrever ${'x'.repeat(460)}`;
    const symbols = Array.from({ length: 30 }, (_, at) => `SYM${String(at).padStart(2, '0')}`);
    const { page, requests, mistakes, close } = await shown({ width: 390 }, async (own) => {
      await own.route('**/v1/candles?*', (route) => {
        const { searchParams } = new URL(route.request().url());
        return route.fulfill({ json: { ...many(500), symbol: searchParams.get('symbol') } });
      });
      await own.route('**/v1/record?*', async (route) => {
        const record = (await (await route.fetch()).json()) as { run: object };
        const decisions = ['of others', hostile].map((reason, id) => ({
          id: `d${id}`,
          at: START,
          strategy: 'steady',
          symbol: 'SYM00',
          side: 'buy',
          end: 'done',
          terms: 'buy SYM00 for 50',
          why: '',
          reason,
        }));
        const marks = [100, 90, 95].map((equity, at) => ({
          date: `2026-06-1${at}`,
          at: START,
          equity,
          cash: equity,
          positions: {},
        }));
        await route.fulfill({ json: { ...record, decisions, marks, run: { ...record.run, symbols } } });
      });
    });
    await page.locator('#candles-SYM00').waitFor();
    await page.locator('#drawdown').waitFor();
    for (const figure of ['equity', 'drawdown']) expect(await drawnIn(page, figure)).toBeGreaterThan(0);
    expect(await page.locator('figure[id^=candles-]').count()).toBe(1);
    await page.getByLabel('Symbol').selectOption('SYM29');
    await page.locator('#candles-SYM29').waitFor();
    const asked = requests.flatMap((request) => /candles\?symbol=(\w+)/.exec(request)?.[1] ?? []);
    expect([...new Set(asked)]).toEqual(['SYM00', 'SYM29']);
    await page.getByText('2 of 2 decisions').waitFor();
    await page.getByLabel('Terms, reason, tag or result contains').fill('desrever');
    await page.getByLabel('Terms, reason, tag or result contains').press('Enter');
    await page.getByText('1 of 2 decisions').waitFor();
    expect(page.url()).toContain('symbol=SYM29');
    expect(await page.title()).not.toBe('taken');
    await expectToFit(page);
    await expectAccessible(page);
    expect(mistakes).toEqual([]);
    await close();
  });
});
