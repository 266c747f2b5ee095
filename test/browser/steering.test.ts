import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { readyDaemon, type DaemonRun } from '../ops/control/daemonRun.ts';
import { shares } from '../runs.ts';
import { expectAccessible, expectToFit, launchBrowser, openPage } from './browser.ts';

const browser = await launchBrowser();
afterAll(() => browser?.close());

/** The browser; only called by tests that are not skipped without one. */
function theBrowser(): Browser {
  if (browser === null) throw new Error('there is no browser');
  return browser;
}

describe.skipIf(browser === null)('steering from the page', () => {
  let run: DaemonRun;
  let url = '';
  beforeAll(async () => {
    run = await readyDaemon({ flags: ['--listen', '127.0.0.1:0'] });
    url = /^control: (\S+)$/m.exec(run.err())?.[1] ?? '';
  });
  afterAll(async () => {
    await run.stop();
  });

  const enter = async (page: Page, role: 'read' | 'operate' = 'operate') => {
    await page.goto(`${url}/#code=${(await run.client.sessionCode(role)).code}`);
    await page.getByText('Connected').waitFor();
  };
  const dialogOf = (page: Page) => page.getByRole('dialog');

  for (const { cases, tags } of shares([
    { width: 1440, scheme: 'light' },
    { width: 390, scheme: 'dark' },
  ] as const))
    test.each(cases)(
      'pauses and resumes, confirmed by the journal, at $width px in $scheme',
      { tags },
      async (look) => {
        const { page, mistakes, close } = await openPage(theBrowser(), url, look);
        await enter(page);
        await page.getByRole('button', { name: 'Pause everything', exact: true }).click();
        const dialog = dialogOf(page);
        await dialog.getByText('No order is sent until').waitFor();
        await expectToFit(page);
        await expectAccessible(page);
        await dialog.getByLabel('Reason').fill('<b>look</b> \u202Ecloser');
        await dialog.getByRole('button', { name: 'Pause' }).click();
        await dialog.getByText('Done, according to the journal').waitFor();
        expect((await run.client.status()).state).toMatchObject({ trading: 'halted' });
        await dialog.getByRole('button', { name: 'Close' }).click();
        await page.getByText('<b>look</b> \\u202ecloser').first().waitFor();
        await page.getByRole('button', { name: 'Resume everything' }).first().click();
        expect(await dialog.getByRole('button', { name: 'Resume' }).isDisabled()).toBe(true);
        await dialog.getByLabel('Reason').fill('well again');
        await dialog.getByLabel('Reason').press('Enter');
        await dialog.getByText('Done, according to the journal').waitFor();
        expect((await run.client.status()).state).toMatchObject({ trading: 'active' });
        await page.keyboard.press('Escape');
        await dialog.waitFor({ state: 'detached' });
        expect(mistakes).toEqual([]);
        await close();
      },
    );

  test('flattens only after the word was typed', async () => {
    const { page, mistakes, close } = await openPage(theBrowser(), url);
    await enter(page);
    await page.getByRole('button', { name: 'Flatten strategy steady' }).click();
    const dialog = dialogOf(page);
    await dialog.getByText(/^Sells .* SPY of steady, worth about|There is nothing to sell/).waitFor();
    const flatten = dialog.getByRole('button', { name: 'Flatten' });
    await dialog.getByLabel('Reason').fill('enough');
    expect(await flatten.isDisabled()).toBe(true);
    await dialog.getByLabel('Type flatten').fill('flatten');
    await flatten.click();
    await dialog.getByText(/At work|Done, according to the journal/).waitFor();
    await run.client.steer('trade', { state: 'active', strategy: 'steady', reason: 'again' });
    expect(mistakes).toEqual([]);
    await close();
  });

  test('sends a command without a response once, and finds it in the journal', async () => {
    const isExpected = (text: string) => text.includes('ERR_FAILED');
    const { page, mistakes, close } = await openPage(theBrowser(), url, { isExpected });
    await enter(page);
    const sent: string[] = [];
    await page.route('**/v1/trade', async (route) => {
      sent.push((route.request().postDataJSON() as { id: string }).id);
      await route.fetch();
      await route.abort();
    });
    await page.getByRole('button', { name: 'Reduce everything' }).click();
    await dialogOf(page).getByRole('button', { name: 'Reduce' }).click();
    await dialogOf(page).getByText('Done, according to the journal').waitFor();
    expect(sent).toHaveLength(1);
    await run.client.steer('trade', { state: 'active', reason: 'again' });
    expect(mistakes).toEqual([]);
    await close();
  });

  test('refuses a command that was meant for another account', async () => {
    const isExpected = (text: string) => text.includes('409 (Conflict)');
    const { page, mistakes, close } = await openPage(theBrowser(), url, { isExpected });
    await page.route('**/v1/status', async (route) => {
      const response = await route.fetch();
      await route.fulfill({ json: { ...((await response.json()) as object), account: 'other' } });
    });
    await enter(page);
    await page.getByRole('button', { name: 'Pause everything', exact: true }).click();
    await dialogOf(page).getByRole('button', { name: 'Pause' }).click();
    await dialogOf(page).getByText('the command is for the account other').waitFor();
    expect((await run.client.status()).state.trading).toBe('active');
    expect(mistakes).toEqual([]);
    await close();
  });

  test('has no buttons for a read-only session', async () => {
    const { page, mistakes, close } = await openPage(theBrowser(), url);
    await enter(page, 'read');
    await page.getByRole('cell', { name: 'steady', exact: true }).first().waitFor();
    expect(await page.locator('button.steer').count()).toBe(0);
    expect(mistakes).toEqual([]);
    await close();
  });
});
