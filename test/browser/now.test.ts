import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Status } from '../../src/ops/model/status.ts';
import { drover } from '../cli/support/commandLine.ts';
import { BUSY, HOLDING, QUIET, WRONG } from '../cli/commands/daemon/statuses.ts';
import { readyDaemon, type DaemonRun } from '../ops/control/daemonRun.ts';
import { shares } from '../runs.ts';
import {
  expectAccessible,
  expectToFit,
  expectToFitAnywhere,
  launchBrowser,
  openPage,
  type Look,
} from './browser.ts';

const browser = await launchBrowser();
afterAll(() => browser?.close());

/** The browser; only called by tests that are not skipped without one. */
function theBrowser(): Browser {
  if (browser === null) throw new Error('there is no browser');
  return browser;
}

/** An account with very many stocks. */
const [
  ,
  position = { symbol: 'AAPL', shares: '1', averagePrice: '1', price: '1', value: '1', unrealised: '0' },
] = BUSY.strategies[0]?.positions ?? [];
const MANY: Status = {
  ...BUSY,
  strategies: BUSY.strategies.map((strategy) => ({
    ...strategy,
    positions: Array.from({ length: 30 }, (_, at) => ({ ...position, symbol: `SYM${at}` })),
  })),
};
const EMPTY: Status = { ...QUIET, strategies: [], equity: '0', cash: '0', limits: [] };
/** Hostile names and texts that try to act as markup. */
const HOSTILE = `<script>document.title='taken'</script>\u202Edesrever ${'x'.repeat(460)}`;
const STRANGE: Status = {
  ...BUSY,
  account: HOSTILE,
  state: { ...BUSY.state, by: HOSTILE, reason: HOSTILE },
  strategies: BUSY.strategies.map((strategy) => ({ ...strategy, stopped: HOSTILE })),
  orders: BUSY.orders.map((order) => ({ ...order, reason: HOSTILE, tag: HOSTILE, strategy: HOSTILE })),
  todo: [{ text: HOSTILE, command: HOSTILE, action: { verb: 'resolve', body: { subject: HOSTILE } } }],
};

describe.skipIf(browser === null)('the view Now', () => {
  let run: DaemonRun;
  let url = '';
  beforeAll(async () => {
    run = await readyDaemon({ flags: ['--listen', '127.0.0.1:0'] });
    url = /^control: (\S+)$/m.exec(run.err())?.[1] ?? '';
  });
  afterAll(async () => {
    await run.stop();
  });

  const enter = async (page: Page) => {
    await page.goto(`${url}/#code=${(await run.client.sessionCode()).code}`);
    await page.getByText('Connected').waitFor();
  };

  /** Opens the page on a status given by the test. */
  async function shown(status: Status, look: Look = {}) {
    const opened = await openPage(theBrowser(), url, look);
    const { version } = await run.client.status();
    await opened.page.route('**/v1/status', (route) =>
      route.fulfill({ json: { ...status, version: status.version === 'other' ? 'other' : version } }),
    );
    await enter(opened.page);
    return opened;
  }

  for (const { cases, tags } of shares(
    [
      { name: 'a busy run', status: BUSY, width: 1440, scheme: 'dark' },
      { name: 'texts of strangers', status: STRANGE, width: 390, scheme: 'dark' },
      { name: 'a run in trouble', status: WRONG, width: 390, scheme: 'light' },
      { name: 'held orders', status: HOLDING, width: 390, scheme: 'dark' },
      { name: '30 stocks', status: MANY, width: 1440, scheme: 'light' },
      { name: 'an empty account without a strategy', status: EMPTY, width: 390, scheme: 'light' },
    ] as const,
    3,
  ))
    test.each(cases)('fits and is accessible: $name', { tags }, async ({ status, ...look }) => {
      const { page, mistakes, close } = await shown(status, look);
      await expectToFit(page);
      await expectAccessible(page);
      expect(await page.title()).not.toBe('taken');
      expect(mistakes).toEqual([]);
      await close();
    });

  test('shows a long text in full when it is focused', async () => {
    const { page, close } = await shown(STRANGE);
    const long = page.locator('td .long').first();
    const low = (await long.boundingBox())?.height ?? 0;
    await long.focus();
    expect((await long.boundingBox())?.height).toBeGreaterThan(2 * low);
    await page.getByText('\\u202edesrever').first().waitFor();
    await close();
  });

  test('draws the profit of today, extends it with each status, and reads it again after a break', async () => {
    const isExpected = (text: string) => text.includes('ERR_INTERNET_DISCONNECTED');
    const { page, mistakes, requests, close } = await openPage(theBrowser(), url, { isExpected });
    const { version } = await run.client.status();
    const open = Date.parse(QUIET.session.open ?? '');
    let looks = 0;
    await page.route('**/v1/status', (route) => {
      looks++;
      const now = new Date(open + 60_000 + looks * 30_000).toISOString();
      const strategies = QUIET.strategies.map((each) => ({
        ...each,
        pnl: { ...each.pnl, today: String(looks) },
      }));
      return route.fulfill({ json: { ...QUIET, version, now, strategies } });
    });
    const money = { equity: [10, 12], capital: [10, 10] };
    const strategies = QUIET.strategies.map(({ id }) => ({ id, ...money }));
    await page.route('**/v1/day?each=true', (route) =>
      route.fulfill({ json: { date: '2026-03-10', at: [open, open + 30_000], ...money, strategies } }),
    );
    await page.clock.install();
    await enter(page);
    const line = page.getByRole('img', { name: 'Profit of dca since the open' });
    await line.waitFor();
    expect(await page.locator('svg.day-line').count()).toBe(QUIET.strategies.length + 1);
    for (const scheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme: scheme });
      await page.setViewportSize({ width: 390, height: 844 });
      await expectToFit(page);
      await page.setViewportSize({ width: 1440, height: 900 });
      await expectToFit(page);
    }
    const points = async () => (await line.locator('path').getAttribute('d'))?.split('L').length ?? 0;
    const before = await points();
    expect(before).toBeGreaterThan(2);
    await page.clock.runFor(12_000);
    await expect.poll(points).toBeGreaterThan(before);
    await expect
      .poll(async () => line.getAttribute('aria-label'))
      .toBe(`Profit of dca since the open: +${looks}.00 mUSD, between 0.00 and +${looks}.00`);
    const reads = () => requests.filter((request) => request.includes('/v1/day?each=true')).length;
    const earlier = reads();
    await page.context().setOffline(true);
    await page.clock.fastForward(60_000);
    await page.getByText('Reconnecting since').waitFor();
    await page.context().setOffline(false);
    await page.clock.fastForward(15_000);
    await page.getByText('Connected').waitFor();
    await expect.poll(reads).toBe(earlier + 1);
    expect(mistakes).toEqual([]);
    await close();
  });

  test("has rows of money that add up to the account's", async () => {
    const { page, close } = await shown(QUIET);
    const cells = async (name: string) =>
      page
        .getByRole('region', { name: 'Strategies' })
        .getByRole('row', { name: new RegExp(`^${name}`) })
        .getByRole('cell')
        .allTextContents();
    const [mix, dca, rest, sum] = await Promise.all(
      ['steady-mix', 'dca', 'unallocated', 'together'].map(cells),
    );
    const equity = (row: readonly string[] | undefined) => Number((row?.[2] ?? '').replace(',', ''));
    expect(rest?.slice(0, 4)).toEqual(['unallocated', '', '500.00', '–']);
    expect(sum?.[2]).toBe('6,512.30');
    expect(equity(mix) + equity(dca) + equity(rest)).toBeCloseTo(equity(sum), 2);
    await close();
  });

  test('uses the clock of the daemon, not of the browser', async () => {
    const { page, close } = await openPage(theBrowser(), url);
    await page.clock.install({ time: new Date('2031-01-01T00:00:00Z') });
    await enter(page);
    const time = await page
      .locator('dl.figures dd', { hasText: /^\d\d:\d\d:\d\d$/ })
      .first()
      .textContent();
    expect(time).toMatch(/^09:4/);
    await close();
  });

  test('is correct again after a sleep without a network', async () => {
    const isExpected = (text: string) => text.includes('ERR_INTERNET_DISCONNECTED');
    const { page, mistakes, requests, close } = await openPage(theBrowser(), url, { isExpected });
    await page.clock.install();
    await enter(page);
    await page.context().setOffline(true);
    await run.client.steer('trade', { state: 'reducing', reason: 'while it slept' });
    await page.clock.fastForward(60_000);
    await page.getByText('Reconnecting since').waitFor();
    await page.context().setOffline(false);
    await page.clock.fastForward(15_000);
    await page.getByText('Connected').waitFor();
    await page.getByText('while it slept').first().waitFor();
    expect(requests.some((request) => /v1\/events\?after=\d+$/.test(request))).toBe(true);
    await run.client.steer('trade', { state: 'active', reason: 'again' });
    expect(mistakes).toEqual([]);
    await close();
  });

  test('asks for a sign-in once its session is over', async () => {
    const isExpected = (text: string) => text.includes('401 (Unauthorized)');
    const { page, mistakes, close } = await openPage(theBrowser(), url, { isExpected });
    await page.clock.install();
    await enter(page);
    await page.getByRole('button', { name: 'Pause everything', exact: true }).click();
    await page.context().clearCookies();
    await page.clock.fastForward(6_000);
    await page.getByRole('heading', { name: 'Sign in' }).waitFor();
    await expectToFitAnywhere(page);
    expect(await page.getByRole('dialog').count()).toBe(0);
    expect(mistakes).toEqual([]);
    await close();
  });

  test('says that a daemon has another version, and only this view fails if its status does not parse', async () => {
    const { heldOrders: _, ...older } = { ...BUSY, version: 'other' };
    const { page, close } = await shown(older as Status);
    await page.getByText('This daemon is of version other').waitFor();
    await page.getByText('This view failed and shows nothing').waitFor();
    await page.getByRole('link', { name: 'Now' }).waitFor();
    await close();
  });

  test('asks for a reload once the server has another version', async () => {
    const { page, mistakes, close } = await openPage(theBrowser(), url);
    await page.route('**/v1/session', async (route) => {
      const response = await route.fetch();
      await route.fulfill({ response, json: { ...((await response.json()) as object), version: 'other' } });
    });
    await page.goto(`${url}/#code=${(await run.client.sessionCode()).code}`);
    await page.getByText('Version other is now running: the page shows old values.').waitFor();
    await page.unroute('**/v1/session');
    await page.getByRole('button', { name: 'Reload' }).click();
    await page.getByText('Connected').waitFor();
    expect(mistakes).toEqual([]);
    await close();
  });

  test('lists a fleet with the worst daemon first, and leads to each', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'drover-'));
    const file = join(folder, 'fleet.yaml');
    writeFileSync(
      file,
      `daemons: [{ name: well, state: ${run.stateDir} }, { name: gone, state: ${folder} }]`,
    );
    const ended = new AbortController();
    let printed: (text: string) => void = () => undefined;
    const line = new Promise<string>((resolve) => (printed = resolve));
    const argv = ['dashboard', '--json', '--fleet', file];
    const gateway = drover(argv, { signal: ended.signal, onOut: (text) => printed(text) });
    const invitation = (JSON.parse(await line) as { url: string }).url;
    const isExpected = (text: string) => text.includes('502 (Bad Gateway)');
    const { page, mistakes, close } = await openPage(theBrowser(), new URL(invitation).origin, {
      isExpected,
    });
    await page.goto(invitation);
    await page.getByRole('link', { name: 'Fleet' }).click();
    await page.getByRole('row', { name: /gone no answer/ }).waitFor();
    await page.getByRole('row', { name: /well active/ }).waitFor();
    const names = await page.getByRole('region', { name: 'Fleet' }).getByRole('link').allTextContents();
    expect(names).toEqual(['gone', 'well']);
    await expectToFitAnywhere(page);
    await expectAccessible(page);
    await page.getByRole('region', { name: 'Fleet' }).getByRole('link', { name: 'well' }).click();
    await page.getByRole('heading', { name: 'well' }).waitFor();
    await page.getByRole('cell', { name: 'steady', exact: true }).waitFor();
    expect(mistakes).toEqual([]);
    await close();
    ended.abort('a test');
    expect((await gateway).code).toBe(0);
  });
});
