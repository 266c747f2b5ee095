import { execFileSync } from 'node:child_process';
import { mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { readyDaemon, type DaemonRun } from '../ops/control/daemonRun.ts';
import { plainRecord, tradeOn } from '../report/html/records.ts';
import { shares } from '../runs.ts';
import { expectAccessible, expectToFit, launchBrowser, openPage, type Look } from './browser.ts';

const browser = await launchBrowser();
afterAll(() => browser?.close());

/** The browser; only called by tests that are not skipped without one. */
function theBrowser(): Browser {
  if (browser === null) throw new Error('there is no browser');
  return browser;
}

/** Hostile names and texts that try to act as markup. */
const HOSTILE = `<img src=x onerror="document.title='taken'">\u202Edesrever`;

/** A record of some sessions, each ending with a different equity. */
const rising = (factor: number) => {
  const record = plainRecord(40);
  const marks = record.marks.map((mark, index) => ({ ...mark, equity: 1_000 + index * factor }));
  const end = String(marks.at(-1)?.equity);
  return {
    ...record,
    marks,
    trades: [tradeOn(3)],
    run: {
      ...record.run,
      runId: String(factor),
      settings: { ...record.run.settings, factor: String(factor) },
    },
    totals: { ...record.totals, trades: 1, pnl: '12.5', equity: { start: '1000', end } },
    metrics: { totalReturn: factor / 25, sharpe: factor, maxDrawdown: -0.01 },
  };
};

describe.skipIf(browser === null)('the view Runs', () => {
  let run: DaemonRun;
  let url = '';
  /** Text of the view before the folder of saved runs exists. */
  let firstDay = '';
  async function textOfFirstDay(): Promise<string> {
    const { page, close } = await openPage(theBrowser(), url, {});
    await page.goto(`${url}/#code=${(await run.client.sessionCode()).code}`);
    await page.getByRole('link', { name: 'Runs', exact: true }).click();
    await page.getByText('None is saved yet.').waitFor();
    const text = await page.locator('main').innerText();
    await close();
    return text;
  }
  beforeAll(async () => {
    run = await readyDaemon({ flags: ['--listen', '127.0.0.1:0'] });
    url = /^control: (\S+)$/m.exec(run.err())?.[1] ?? '';
    firstDay = await textOfFirstDay();
    const save = (name: string, text: string) => writeFileSync(join(run.cwd, 'runs', name), text);
    mkdirSync(join(run.cwd, 'runs'));
    save('slow.json', JSON.stringify(rising(1)));
    save('fast.json', JSON.stringify(rising(2)));
    save('cut.json', JSON.stringify(rising(3)).slice(0, 500));
    const strange = rising(4);
    const named = {
      ...strange.run,
      strategy: HOSTILE,
      symbols: [HOSTILE, 'x'.repeat(500)],
      settings: { [HOSTILE]: HOSTILE },
    };
    const totals = { ...strange.totals, pnl: 'much', fees: HOSTILE };
    const events = [{ at: 0, kind: HOSTILE, text: HOSTILE }];
    save(`${HOSTILE.replace('/', '')}.json`, JSON.stringify({ ...strange, run: named, totals, events }));
  });
  afterAll(async () => {
    await run.stop();
  });

  async function shown(look: Look = {}) {
    const opened = await openPage(theBrowser(), url, look);
    await opened.page.goto(`${url}/#code=${(await run.client.sessionCode()).code}`);
    await opened.page.getByText('Connected').waitFor();
    await opened.page.getByRole('link', { name: 'Runs', exact: true }).click();
    await opened.page.getByRole('link', { name: 'whole account' }).waitFor();
    await opened.page.getByRole('link', { name: 'fast.json', exact: true }).waitFor();
    return opened;
  }

  /** Visible lines of a figure. */
  const drawnIn = (page: Page, figure: string) =>
    page
      .locator(`#${figure} .area path.line`)
      .evaluateAll((paths) => paths.filter((path) => path.getBoundingClientRect().width > 3).length);

  /** Row of a table by the text of its cells. */
  const rowOf = (page: Page, text: RegExp) => page.locator('tr', { hasText: text }).first();

  const names = (page: Page) =>
    page.getByRole('region', { name: 'Saved runs' }).locator('td:first-child a').allTextContents();

  for (const { cases, tags } of shares([
    { width: 1440, scheme: 'light' },
    { width: 390, scheme: 'dark' },
  ] as const))
    test.each(cases)('lists, opens and compares runs at $width px in $scheme', { tags }, async (look) => {
      const { page, mistakes, close } = await shown(look);
      await page.getByText('cut.json is not the record of a run: it is not JSON').waitFor();
      await page.getByText(`4 of 4 in ${join(run.cwd, 'runs')}`).waitFor();
      await expectToFit(page);
      await expectAccessible(page);

      await page.getByRole('link', { name: 'fast.json', exact: true }).click();
      await page.getByRole('heading', { name: 'Metrics' }).waitFor();
      expect(await drawnIn(page, 'equity')).toBe(1);
      await page.locator('#drawdown').waitFor();
      await page.getByText('+8.00%').first().waitFor();
      await expectToFit(page);
      await expectAccessible(page);

      await page.getByRole('link', { name: 'Compare with another run' }).click();
      await page.getByRole('link', { name: 'Compare with slow.json' }).click();
      await page.getByRole('heading', { name: 'Main metrics' }).waitFor();
      expect(await drawnIn(page, 'equity')).toBe(2);
      await rowOf(page, /^Total return\s*8\.00 %\s*4\.00 %\s*−4\.00 %$/).waitFor();
      await rowOf(page, /^factor\s*2\s*1$/).waitFor();
      await page.getByText('all 1 are the same').waitFor();
      await expectToFit(page);
      await expectAccessible(page);
      expect(mistakes).toEqual([]);
      await close();
    });

  test('shows no problem on the first day, but a command that saves a run to list', () => {
    expect(firstDay).not.toMatch(/cannot|ENOENT|no such/i);
    const [, command = ''] = /(mkdir -p \S+ && .* --save \S+)/.exec(firstDay) ?? [];
    const bars = [2, 3, 4, 5, 6].map((day) => `2026-03-0${day}T05:00:00Z,100,101,99,100,1000`);
    writeFileSync(join(run.cwd, 'SPY.csv'), ['ts,open,high,low,close,volume', ...bars, ''].join('\n'));
    const args = `--strategy dca --bars SPY=SPY.csv --params '{"symbol":"SPY","notional":500}'`;
    const line = command
      .replace(/&& .*? backtest …/, `&& node ${resolve('dist/bin/main.js')} backtest ${args}`)
      .replace('NAME', 'first-day');
    execFileSync('sh', ['-c', line], { cwd: run.cwd, stdio: 'pipe' });
    expect(readdirSync(join(run.cwd, 'runs'))).toContain('first-day.json');
    rmSync(join(run.cwd, 'runs', 'first-day.json'));
  });

  test('sorts and filters the list, and keeps the chosen run', async () => {
    const { page, mistakes, close } = await shown();
    await page.getByRole('link', { name: 'Compare this run', exact: true }).click();
    await page.getByText('A is this run.').waitFor();
    await page.getByLabel('Order by').selectOption('return');
    await expect
      .poll(() => names(page))
      .toEqual([expect.stringContaining('onerror'), 'fast.json', 'slow.json']);
    await page.getByLabel('Name, strategy or stock contains').fill('SLOW');
    await page.getByLabel('Name, strategy or stock contains').press('Enter');
    await expect.poll(() => names(page)).toEqual(['slow.json']);
    await page.getByRole('link', { name: 'Compare with slow.json' }).click();
    await page.getByRole('heading', { name: 'Settings that differ' }).waitFor();
    await rowOf(page, /^kind\s*emulator\s*backtest$/).waitFor();
    expect(mistakes).toEqual([]);
    await close();
  });

  test('escapes hostile texts, and says that a run does not exist', async () => {
    const isExpected = (text: string) => /404 \(Not Found\)|400 \(Bad Request\)/.test(text);
    const { page, mistakes, close } = await openPage(theBrowser(), url, { width: 390, isExpected });
    await page.goto(`${url}/#code=${(await run.client.sessionCode()).code}`);
    await page.getByText('Connected').waitFor();
    const strange = encodeURIComponent(`${HOSTILE.replace('/', '')}.json`);
    await page.goto(`${url}/#/runs/${strange}`);
    await page.getByRole('heading', { name: 'Metrics' }).waitFor();
    await page.getByText('1 event', { exact: true }).click();
    await expectToFit(page);
    await page.goto(`${url}/#/runs?a=${strange}&b=live`);
    await page.getByRole('heading', { name: 'Main metrics' }).waitFor();
    await expectToFit(page);
    expect(await page.locator('img').count()).toBe(0);
    expect(await page.title()).not.toBe('taken');
    await page.goto(`${url}/#/runs/${encodeURIComponent('../run.json')}`);
    await page.getByText('there is no record "../run.json"').waitFor();
    await page.goto(`${url}/#/runs?a=live&b=${'x'.repeat(500)}`);
    await page.getByRole('alert').waitFor();
    await expectToFit(page);
    expect(mistakes).toEqual([]);
    await close();
  });
});
