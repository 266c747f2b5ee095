import { once } from 'node:events';
import { mkdtempSync, writeFileSync } from 'node:fs';
import { createServer, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { drover } from '../cli/support/commandLine.ts';
import { readyDaemon, type DaemonRun } from '../ops/control/daemonRun.ts';
import { shares } from '../runs.ts';
import { expectAccessible, expectToFit, expectToFitAnywhere, launchBrowser, openPage } from './browser.ts';

const browser = await launchBrowser();
afterAll(() => browser?.close());

/** The browser; only called by tests that are not skipped without one. */
function theBrowser(): Browser {
  if (browser === null) throw new Error('there is no browser');
  return browser;
}

const LISTEN = ['--listen', '127.0.0.1:0'];
const urlOf = ({ err }: DaemonRun): string => /^control: (\S+)$/m.exec(err())?.[1] ?? '';
const inviteOf = async ({ client }: DaemonRun, url: string): Promise<string> =>
  `${url}/#code=${(await client.sessionCode()).code}`;

/** A refusal that a test provokes: browsers log each failed response to their console. */
const isRefusal = (text: string): boolean => text.includes('401 (Unauthorized)');
/** Attempts to reach a run that has ended, or has not started yet. */
const isAbsence = (text: string): boolean =>
  /ERR_CONNECTION_REFUSED|ERR_INCOMPLETE_CHUNKED|503 \(Service Unavailable\)/.test(text);

describe.skipIf(browser === null)('the page of a run', () => {
  let run: DaemonRun;
  let url = '';
  beforeAll(async () => {
    run = await readyDaemon({ flags: LISTEN });
    url = urlOf(run);
  });
  afterAll(async () => {
    await run.stop();
  });

  for (const { cases, tags } of shares([
    { width: 1440, scheme: 'light' },
    { width: 1440, scheme: 'dark' },
    { width: 390, scheme: 'light' },
    { width: 390, scheme: 'dark' },
  ] as const))
    test.each(cases)(
      'lets a browser in by a code and fits, at $width px in $scheme',
      { tags },
      async (look) => {
        const { page, mistakes, requests, close } = await openPage(theBrowser(), url, look);
        await page.goto(await inviteOf(run, url));
        await page.getByText('Connected').waitFor();
        await page.getByRole('cell', { name: 'steady', exact: true }).waitFor();
        expect(page.url()).toBe(`${url}/#/now`);
        await expectToFit(page);
        await expectAccessible(page);
        const [cookie] = await page.context().cookies();
        expect(cookie).toMatchObject({ httpOnly: true, sameSite: 'Strict', path: '/' });
        expect(await page.evaluate(() => JSON.stringify(localStorage))).not.toContain(cookie?.value);
        const background = await page.evaluate(() => getComputedStyle(document.body).backgroundColor);
        expect(background).toBe(look.scheme === 'dark' ? 'rgb(20, 23, 26)' : 'rgb(255, 255, 255)');
        expect(requests.join('\n')).not.toContain('code=');
        expect(mistakes).toEqual([]);
        await close();
      },
    );

  test('keeps the chosen theme, colour of gains and session over a reload', async () => {
    const { page, mistakes, close } = await openPage(theBrowser(), url);
    await page.goto(await inviteOf(run, url));
    await page.getByRole('button', { name: 'Theme: auto' }).click();
    await page.getByRole('button', { name: 'Theme: light' }).click();
    await page.getByRole('button', { name: 'Gains: blue' }).click();
    await page.reload();
    await page.getByText('Connected').waitFor();
    await page.getByRole('button', { name: 'Theme: dark' }).waitFor();
    const background = await page.evaluate(() => getComputedStyle(document.body).backgroundColor);
    expect([background, mistakes]).toEqual(['rgb(20, 23, 26)', []]);
    await page.getByRole('button', { name: 'Gains: green' }).waitFor();
    const gain = () => getComputedStyle(document.documentElement).getPropertyValue('--gain');
    expect(await page.evaluate(gain)).toBe('#3fb950');
    await close();
  });

  test('shows events as they happen, with hostile text escaped', async () => {
    const { page, mistakes, close } = await openPage(theBrowser(), url);
    await page.goto(await inviteOf(run, url));
    await page.getByText('Connected').waitFor();
    const reason = '<img src=x onerror="document.title=1"> \u202Ereversed';
    await run.client.steer('trade', { state: 'reducing', reason });
    await page.getByText('reducing', { exact: true }).first().waitFor();
    await page.getByText('<img src=x onerror=').first().waitFor();
    await page.getByText('\\u202ereversed').first().waitFor();
    expect(await page.locator('img').count()).toBe(0);
    await run.client.steer('trade', { state: 'active', reason: 'again' });
    expect(mistakes).toEqual([]);
    await close();
  });

  test('lets an unknown browser sign in with a token', async () => {
    const look = { isExpected: isRefusal };
    const { page, mistakes, close } = await openPage(theBrowser(), url, look);
    await page.goto(`${url}/#code=wrong`);
    await page.getByText('this code is wrong').waitFor();
    await expectToFitAnywhere(page);
    await expectAccessible(page);
    await page.getByLabel('Token').fill('x'.repeat(32));
    await page.getByLabel('Token').press('Enter');
    await page.getByText('neither the read token nor the operate token').waitFor();
    await page.goto(await inviteOf(run, url));
    await page.reload();
    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.getByRole('heading', { name: 'Sign in' }).waitFor();
    expect([await page.context().cookies(), mistakes]).toEqual([[], []]);
    await close();
  });
});

/** A proxy that strips a folder from addresses, on a port of its own. */
async function proxyBefore(
  url: string,
  folder: string,
): Promise<Readonly<{ url: string; close: () => void }>> {
  const target = new URL(url);
  const server = createServer((incoming, answer) => {
    const path = (incoming.url ?? '').slice(folder.length);
    const { method, headers } = incoming;
    const outgoing = request({
      host: target.hostname,
      port: target.port,
      method,
      path,
      headers,
      agent: false,
    });
    outgoing.on('response', (got) => {
      answer.writeHead(got.statusCode ?? 502, got.headers);
      got.on('error', () => answer.destroy()).pipe(answer);
    });
    outgoing.on('error', () => answer.destroy());
    answer.on('close', () => outgoing.destroy());
    incoming.pipe(outgoing);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const close = () => {
    server.close();
    server.closeAllConnections();
  };
  return { url: `http://127.0.0.1:${port}`, close };
}

describe.skipIf(browser === null)('a page behind a proxy or a fleet', () => {
  let run: DaemonRun;
  beforeAll(async () => {
    run = await readyDaemon({ flags: LISTEN });
  });
  afterAll(async () => {
    await run.stop();
  });

  test('works in a subfolder of a proxy', async () => {
    const proxy = await proxyBefore(urlOf(run), '/bots/one');
    const { page, mistakes, close } = await openPage(theBrowser(), proxy.url);
    await page.goto(await inviteOf(run, `${proxy.url}/bots/one`));
    await page.getByText('Connected').waitFor();
    const cookies = await page.context().cookies(`${proxy.url}/bots/one/`);
    expect([cookies.map(({ path }) => path), mistakes]).toEqual([['/bots/one/'], []]);
    await run.client.steer('trade', { state: 'reducing', reason: 'through a proxy' });
    await page.getByText('through a proxy').first().waitFor();
    await run.client.steer('trade', { state: 'active', reason: 'again' });
    await close();
    proxy.close();
  });

  test('shows the daemons of a fleet, and which one does not run', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'drover-'));
    const file = join(folder, 'fleet.yaml');
    writeFileSync(file, `daemons: [{ name: one, state: ${run.stateDir} }, { name: two, state: ${folder} }]`);
    const ended = new AbortController();
    let printed: (text: string) => void = () => undefined;
    const line = new Promise<string>((resolve) => (printed = resolve));
    const argv = ['dashboard', '--json', '--fleet', file];
    const gateway = drover(argv, { signal: ended.signal, onOut: (text) => printed(text) });
    const { url } = JSON.parse(await line) as { url: string };
    const look = { isExpected: (text: string) => text.includes('502 (Bad Gateway)') };
    const { page, mistakes, close } = await openPage(theBrowser(), new URL(url).origin, look);
    await page.goto(url);
    await page.getByText('Connected').waitFor();
    await page.getByRole('link', { name: 'two' }).click();
    await page.getByText('two does not run').waitFor();
    await expectToFitAnywhere(page);
    await page.getByRole('link', { name: 'one' }).click();
    await page.getByRole('cell', { name: 'steady', exact: true }).waitFor();
    expect(mistakes).toEqual([]);
    await close();
    ended.abort('a test');
    expect((await gateway).code).toBe(0);
  });
});

test.skipIf(browser === null)('an open page reconnects when its run is started again', async () => {
  const first = await readyDaemon({ flags: LISTEN });
  const url = urlOf(first);
  const { page, mistakes, close } = await openPage(theBrowser(), url, { isExpected: isAbsence });
  await page.goto(await inviteOf(first, url));
  await page.getByText('Connected').waitFor();
  await first.stop();
  await page.getByText('Reconnecting since').waitFor();
  const second = await readyDaemon({ flags: LISTEN, cwd: first.cwd });
  expect(urlOf(second)).toBe(url);
  await page.getByText('Connected').waitFor();
  expect(mistakes).toEqual([]);
  await close();
  await second.stop();
});
