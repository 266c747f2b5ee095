import type { Browser, Page, Route } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { AccountView } from '../../src/ops/model/account.ts';
import type { OrderRow } from '../../src/ops/model/past.ts';
import { readyDaemon, type DaemonRun } from '../ops/control/daemonRun.ts';
import { shares } from '../runs.ts';
import { expectAccessible, expectToFit, launchBrowser, openPage, type Look } from './browser.ts';

const browser = await launchBrowser();
afterAll(() => browser?.close());

/** The browser; only called by tests that are not skipped without one. */
function theBrowser(): Browser {
  if (browser === null) throw new Error('there is no browser');
  return browser;
}

/** As long as a reason may be. */
const HOSTILE = `<script>document.title='taken'</script>\u202Edesrever `.padEnd(500, 'x');
const MANY = 10_000;

const orderOf = (seq: number): OrderRow => ({
  seq,
  id: `steady-${seq}.1`,
  strategy: seq % 2 === 0 ? 'steady' : HOSTILE,
  symbol: 'SPY',
  side: 'buy',
  type: 'market',
  status: seq % 7 === 0 ? 'refused' : 'filled',
  plannedAt: '2026-06-15T13:40:00.000Z',
  endedAt: '2026-06-15T13:40:10.000Z',
  text: 'buy SPY for 50, filled',
  quantity: seq % 2 === 0 ? '45.980349450655824984' : null,
  notional: seq % 2 === 0 ? null : '50',
  limit: seq % 2 === 0 ? '561.9' : null,
  filled: '0.09',
  price: '561.91',
  fees: '0.05',
  reason: HOSTILE,
  tag: HOSTILE,
  why: null,
  txHash: null,
});

/** An account with 30 stocks, of which one differs. */
const manyAssets = (): AccountView => ({
  readAt: '2026-06-15T13:40:00.000Z',
  assets: Array.from({ length: 30 }, (_, at) => ({
    asset: `SYM${at}`,
    name: `SYM${at}`,
    owners: [{ strategy: at === 0 ? HOSTILE : 'steady', free: '1.5', reserved: '0', owed: '0' }],
    venue: '1.5',
    wallet: '0',
    queuedIn: '0',
    queuedOut: '0',
    debt: '0',
    difference: at === 0 ? HOSTILE : null,
  })),
});

/** Responds as a run with a journal of 10,000 orders does. */
async function answerMany(route: Route): Promise<void> {
  const { searchParams } = new URL(route.request().url());
  const first = Number(searchParams.get('before') ?? MANY + 1) - 1;
  const count = Math.min(Number(searchParams.get('count')), first);
  const orders = Array.from({ length: count }, (_, at) => orderOf(first - at));
  await route.fulfill({ json: { orders, next: first - count === 0 ? null : first - count + 1 } });
}

describe.skipIf(browser === null)('a list view of the page', () => {
  let run: DaemonRun;
  let url = '';
  beforeAll(async () => {
    run = await readyDaemon({ flags: ['--listen', '127.0.0.1:0'] });
    url = /^control: (\S+)$/m.exec(run.err())?.[1] ?? '';
    await buy();
  });
  /** Makes the run place an order at once. */
  const buy = () =>
    run.client.steer('orders', { symbol: 'SPY', side: 'buy', notional: '50', reason: HOSTILE });
  afterAll(async () => {
    await run.stop();
  });

  /** Opens a view of the page. */
  async function shown(
    view: string,
    look: Look = {},
    prepare: (page: Page) => Promise<unknown> = () => Promise.resolve(),
  ) {
    const opened = await openPage(theBrowser(), url, look);
    await prepare(opened.page);
    await opened.page.goto(`${url}/#code=${(await run.client.sessionCode()).code}`);
    await opened.page.getByText('Connected').waitFor();
    await opened.page.getByRole('link', { name: view, exact: true }).click();
    await opened.page.getByRole('heading', { name: view, exact: true }).waitFor();
    return opened;
  }

  for (const { cases, tags } of shares(
    [
      { view: 'Orders', width: 1440, scheme: 'dark' },
      { view: 'Journal', width: 390, scheme: 'dark' },
      { view: 'Account', width: 390, scheme: 'light' },
      { view: 'Orders', width: 390, scheme: 'light' },
      { view: 'Journal', width: 1440, scheme: 'light' },
      { view: 'Account', width: 1440, scheme: 'dark' },
    ] as const,
    3,
  ))
    test.each(cases)(
      'fits and is accessible: $view, $width px, $scheme',
      { tags },
      async ({ view, ...look }) => {
        const { page, mistakes, close } = await shown(view, look);
        await page.getByRole('row').nth(1).waitFor();
        const hidden = await page
          .locator('.list')
          .evaluateAll((lists) => lists.map(({ scrollWidth, clientWidth }) => scrollWidth - clientWidth));
        if (look.width === 390) expect(hidden.filter((px) => px > 0)).toEqual([]);
        await expectToFit(page);
        await expectAccessible(page);
        expect(await page.title()).not.toBe('taken');
        expect(mistakes).toEqual([]);
        await close();
      },
    );

  test('scrolls through 10,000 orders and draws only the visible ones', async () => {
    const { page, mistakes, close } = await shown('Orders', {}, (own) =>
      own.route('**/v1/orders/search?*', answerMany),
    );
    await page.getByRole('link', { name: `steady-${MANY}.1` }).waitFor();
    const list = page.getByRole('region', { name: 'Orders' });
    await list.focus();
    while (!(await page.getByText('10,000 orders', { exact: true }).isVisible())) {
      await page.keyboard.press('End');
      await page.waitForTimeout(0);
    }
    await page.keyboard.press('End');
    await page.getByRole('link', { name: 'steady-1.1', exact: true }).waitFor();
    expect(await page.getByRole('row').count()).toBeLessThan(80);
    const last = page.getByRole('row', { name: /^steady-2\.1 / });
    for (const shown of ['45.980349', '561.90'])
      expect(await last.getByRole('cell', { name: shown, exact: true }).count()).toBe(1);
    expect(await page.getByRole('cell', { name: '50.00 mUSD' }).count()).toBeGreaterThan(0);
    expect(await page.getByRole('table').getAttribute('aria-rowcount')).toBe(String(MANY + 1));
    expect(await page.title()).not.toBe('taken');
    await expectToFit(page);
    await expectAccessible(page);
    expect(mistakes).toEqual([]);
    await close();
  });

  test('names each value of a row on a phone, and draws few rows', async () => {
    const { page, mistakes, close } = await shown('Orders', { width: 390, height: 844 }, (own) =>
      own.route('**/v1/orders/search?*', answerMany),
    );
    const row = page.getByRole('row').filter({ hasText: `steady-${MANY}.1` });
    await row.waitFor();
    const titles = await row.getByRole('cell').evaluateAll((cells) =>
      cells.flatMap((cell) => {
        const title = getComputedStyle(cell, '::before').content;
        return getComputedStyle(cell).display === 'none' ? [] : [title.replaceAll('"', '')];
      }),
    );
    expect(titles).toEqual(
      expect.arrayContaining(['Order', 'State', 'Size', 'Limit, mUSD', 'Filled, shares', 'Price, mUSD']),
    );
    const boxes = await page
      .locator('.list tr:not(.gap)')
      .evaluateAll((rows) => rows.slice(1, 9).map((each) => each.getBoundingClientRect().height));
    expect(new Set(boxes)).toEqual(new Set([160]));
    await expectToFit(page);
    expect(mistakes).toEqual([]);
    await close();
  });

  test('shows a new order at once, and its whole life down to the bytes', async () => {
    const { page, mistakes, close } = await shown('Orders');
    await page.getByRole('link', { name: /\.1$/ }).first().waitFor();
    const before = await page.getByRole('link', { name: /\.1$/ }).count();
    await buy();
    await page.getByRole('link', { name: /\.1$/ }).nth(before).waitFor();
    await page.getByRole('link', { name: /\.1$/ }).first().click();
    await page.getByRole('heading', { name: 'What happened' }).waitFor();
    await page.getByText('sent to the venue').click();
    await page.getByRole('heading', { name: 'Sent, byte for byte' }).waitFor();
    await page.getByText('/api/v1/orders/send').first().waitFor();
    await page.getByText(`\\u202edesrever`).first().waitFor();
    await expectToFit(page);
    await page.setViewportSize({ width: 390, height: 844 });
    await expectToFit(page);
    await expectAccessible(page);
    expect(await page.title()).not.toBe('taken');
    expect(mistakes).toEqual([]);
    await close();
  });

  test('shows 30 stocks of an account with their differences, in blocks on a phone', async () => {
    const { page, mistakes, close } = await shown('Account', { width: 390 }, (own) =>
      own.route('**/v1/account', (route) => route.fulfill({ json: manyAssets() })),
    );
    await page.getByRole('cell', { name: 'SYM29' }).first().waitFor();
    expect(await page.getByRole('region', { name: 'Places' }).getByRole('row').count()).toBe(31);
    expect(await page.getByRole('region', { name: 'Worth' }).getByRole('row').count()).toBe(32);
    await page.getByRole('region', { name: 'Differences' }).getByText('desrever').waitFor();
    await expectToFit(page);
    await expectAccessible(page);
    expect(await page.title()).not.toBe('taken');
    expect(mistakes).toEqual([]);
    await close();
  });

  test('says that an empty account is empty', async () => {
    const { page, mistakes, close } = await shown('Account', {}, async (own) => {
      await own.route('**/v1/account', (route) => route.fulfill({ json: { readAt: null, assets: [] } }));
      await own.route('**/v1/orders/search?*', (route) =>
        route.fulfill({ json: { orders: [], next: null } }),
      );
      await own.route('**/v1/journal/search?*', (route) =>
        route.fulfill({ json: { entries: [], next: null } }),
      );
    });
    await page.getByText('The account is empty.').waitFor();
    await page.getByRole('link', { name: 'Orders', exact: true }).click();
    await page.getByText('There is no order yet.').waitFor();
    await page.getByRole('link', { name: 'Journal', exact: true }).click();
    await page.getByText('No entry matches.').waitFor();
    await expectAccessible(page);
    expect(mistakes).toEqual([]);
    await close();
  });

  test('keeps a filter in the address, and says when no row matches', async () => {
    const { page, mistakes, close } = await shown('Orders');
    await page.getByLabel('Symbol').fill('NONE');
    await page.getByLabel('Symbol').press('Enter');
    await page.getByText('No order matches.').waitFor();
    expect(page.url()).toContain('symbol=NONE');
    await page.getByRole('link', { name: 'Clear' }).click();
    await page.getByRole('row').nth(1).waitFor();
    expect(mistakes).toEqual([]);
    await close();
  });

  test('opens a journal entry, and shows new entries on demand while it is scrolled', async () => {
    const { page, mistakes, close } = await shown('Journal', { height: 500 });
    const list = page.getByRole('region', { name: 'Journal' });
    await page.getByRole('row').nth(1).waitFor();
    await list.evaluate((element) => element.scrollTo({ top: 400 }));
    await run.client.steer('trade', { state: 'reducing', reason: 'newer than all' });
    await page.getByRole('button', { name: 'Show newer' }).click();
    await page.getByText('newer than all').first().waitFor();
    await list.getByRole('link').first().click();
    await page.getByRole('button', { name: 'Copy entry' }).waitFor();
    await expectAccessible(page);
    await page.getByRole('link', { name: 'Close' }).click();
    expect(mistakes).toEqual([]);
    await close();
  });
});
