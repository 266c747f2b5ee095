import { fstatSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ask, type Asked } from '../../../ops/control/asking.ts';
import { readyDaemon, type DaemonRun } from '../../../ops/control/daemonRun.ts';
import { drover, type Ran } from '../../support/commandLine.ts';

const host = { host: 'localhost' };
const own = { ...host, 'content-type': 'application/json', 'x-drover-page': '1' };

type Served = Readonly<{ port: number; code: string; stop: () => Promise<Ran> }>;

/** `drover dashboard` that serves the page, once it has printed its address. */
async function served(flags: readonly string[]): Promise<Served> {
  const ended = new AbortController();
  let printed: (text: string) => void = () => undefined;
  const line = new Promise<string>((resolve) => (printed = resolve));
  const argv = ['dashboard', '--json', ...flags];
  const ran = drover(argv, { signal: ended.signal, onOut: (text) => printed(text) });
  const text = await Promise.race([line, ran.then(({ err }) => Promise.reject(new Error(err)))]);
  const { url } = JSON.parse(text) as { url: string };
  const [, port = '', code = ''] = /^http:\/\/127\.0\.0\.1:(\d+)\/#code=(.+)$/.exec(url) ?? [];
  const stop = () => {
    ended.abort('a test');
    return ran;
  };
  return { port: Number(port), code, stop };
}

async function cookieOf({ port, code }: Served): Promise<string> {
  const answer = await ask({ port, method: 'POST', path: '/v1/session', headers: own, body: { code } });
  const [set = ''] = answer.headers['set-cookie'] as string[];
  return set.split(';')[0] ?? '';
}

/** Events of a stream up to one of a kind; then the stream ends. */
const eventOf = (asked: Asked, kind: string) =>
  new Promise<string>((resolve, reject) => {
    const { port, path, headers = {} } = asked;
    const outgoing = request({ host: '127.0.0.1', port, path, headers, agent: false }, (incoming) => {
      let text = '';
      incoming.on('error', () => undefined);
      incoming.on('data', (chunk: Buffer) => {
        text += chunk.toString();
        if (!text.includes(`event: ${kind}\n`)) return;
        outgoing.destroy();
        resolve(text);
      });
    });
    outgoing.on('error', reject).end();
  });

let run: DaemonRun;
beforeAll(async () => {
  run = await readyDaemon();
});
afterAll(async () => {
  await run.stop();
});

describe('the dashboard of a run without TCP', () => {
  let page: Served;
  let cookie = '';
  beforeAll(async () => {
    page = await served(['--state', run.stateDir]);
    cookie = await cookieOf(page);
  });
  afterAll(async () => {
    expect((await page.stop()).code).toBe(0);
  });
  const through = (asked: Asked) =>
    ask({ port: page.port, ...asked, headers: { ...own, cookie, ...asked.headers } });

  test('serves the page, and shows the run only to browsers that have signed in', async () => {
    expect((await ask({ port: page.port, path: '/v1/status', headers: host })).status).toBe(401);
    expect((await through({ path: '/v1/fleet' })).json()).toEqual({ daemons: [{ name: 'run', base: '' }] });
    expect((await through({ path: '/v1/status' })).json()).toMatchObject({ running: true, mode: 'emulator' });
    expect((await through({ path: '/v1/orders?count=x' })).status).toBe(400);
  });

  test('forwards commands to the run once, marked as from the page, and refuses orders', async () => {
    const body = { id: 'page-command-1', state: 'reducing', reason: 'by the page' };
    const answer = await through({ method: 'POST', path: '/v1/trade', body });
    expect([answer.status, answer.json()]).toMatchObject([200, { id: 'page-command-1', done: true }]);
    const { by } = await run.client.command('page-command-1');
    expect(by).toMatch(/ \(socket\), page$/);
    expect((await through({ method: 'POST', path: '/v1/orders', body: {} })).status).toBe(403);
    const bare = { 'x-drover-page': '0' };
    expect((await through({ method: 'POST', path: '/v1/trade', body, headers: bare })).status).toBe(403);
  });

  test('forwards events as they happen', async () => {
    const headers = { ...host, cookie };
    const text = await eventOf({ port: page.port, path: '/v1/events?after=0', headers }, 'entry');
    expect(text).toMatch(/^id: 1$/m);
  });
});

test('--read-only lets browsers read only', async () => {
  const page = await served(['--read-only', '--state', run.stateDir]);
  const cookie = await cookieOf(page);
  const at = (asked: Asked) => ask({ port: page.port, ...asked, headers: { ...own, cookie } });
  expect((await at({ path: '/v1/session' })).json()).toMatchObject({ role: 'read' });
  expect((await at({ path: '/v1/status' })).status).toBe(200);
  expect((await at({ method: 'POST', path: '/v1/trade', body: {} })).status).toBe(403);
  await page.stop();
});

test('--sign-out signs out every browser of a run, also those of another dashboard process', async () => {
  const page = await served(['--state', run.stateDir]);
  const cookie = await cookieOf(page);
  const status = async () =>
    (await ask({ port: page.port, path: '/v1/status', headers: { ...own, cookie } })).status;
  expect(await status()).toBe(200);
  const { code, out } = await drover(['dashboard', '--sign-out', '--json', '--state', run.stateDir]);
  expect([code, JSON.parse(out)]).toEqual([0, { signedOut: true }]);
  expect(await status()).toBe(401);
  await page.stop();
});

test('does not print its address into the journal of systemd', async () => {
  const { dev, ino } = fstatSync(1);
  const env = { JOURNAL_STREAM: `${dev}:${ino}` };
  const ended = new AbortController();
  let out = '';
  const onOut = (text: string) => {
    out += text;
    ended.abort('a test');
  };
  await drover(['dashboard', '--state', run.stateDir], { env, signal: ended.signal, onOut });
  const [, file = ''] = /its address is in (\S+)\. It signs/.exec(out) ?? [];
  expect([out.includes('#code='), readFileSync(file, 'utf8')]).toEqual([
    false,
    expect.stringMatching(/^http:\S+\/#code=\S+\n$/),
  ]);
});

describe('the dashboard of several daemons', () => {
  const fleetFile = (text: string): string => {
    const file = join(mkdtempSync(join(tmpdir(), 'drover-')), 'fleet.yaml');
    writeFileSync(file, text);
    return file;
  };

  test('serves each daemon under its name, and says which one does not run', async () => {
    const gone = mkdtempSync(join(tmpdir(), 'drover-'));
    const file = fleetFile(
      `daemons:\n  - { name: one, state: ${run.stateDir} }\n  - { name: two, state: ${gone} }\n`,
    );
    const page = await served(['--fleet', file]);
    const cookie = await cookieOf(page);
    const at = (path: string) => ask({ port: page.port, path, headers: { ...host, cookie } });
    expect((await at('/v1/fleet')).json()).toEqual({
      daemons: [
        { name: 'one', base: 'd/one/' },
        { name: 'two', base: 'd/two/' },
      ],
    });
    expect((await at('/d/one/v1/status')).json()).toMatchObject({ running: true });
    const { status, text } = await at('/d/two/v1/status');
    expect([status, text]).toEqual([502, expect.stringContaining('two does not run. Nothing was sent')]);
    expect((await at('/v1/status')).status).toBe(404);
    const path = '/d/one/v1/session-codes';
    const minted = await ask({
      port: page.port,
      method: 'POST',
      path,
      headers: { ...own, cookie },
      body: {},
    });
    expect([minted.status, minted.text]).toEqual([403, expect.stringContaining('makes no codes')]);
    expect((await ask({ port: page.port, path: '/d/one/v1/status', headers: host })).status).toBe(401);
    await page.stop();
  });

  test.each([
    ['daemons: []', /daemons/],
    ['daemons: [{ name: "a/b", state: x }]', /letters, digits/],
    ['daemons: [{ name: a, state: x }, { name: a, state: y }]', /must not repeat a name/],
    ['daemons: [{ name: a, url: "http://bots.example", tokenFile: t }]', /https:/],
    ['[', /Nothing was started/],
  ])('refuses a fleet file with %j', async (text, problem) => {
    const { code, err } = await drover(['dashboard', '--fleet', fleetFile(text)]);
    expect([code, err]).toEqual([2, expect.stringMatching(problem)]);
  });
});

test('dashboard prints the address of a run that listens on TCP itself', async () => {
  const listening = await readyDaemon({ flags: ['--listen', '127.0.0.1:0'] });
  const { code, out } = await drover(['dashboard', '--state', listening.stateDir]);
  const [, port = '0', oneTime = ''] = /^http:\/\/127\.0\.0\.1:(\d+)\/#code=([\w-]{22})\n/.exec(out) ?? [];
  expect([code, listening.err()]).toEqual([
    0,
    expect.stringContaining(`control: http://127.0.0.1:${port}\n`),
  ]);
  const body = { code: oneTime };
  const answer = await ask({ port: Number(port), method: 'POST', path: '/v1/session', headers: own, body });
  expect(answer.status).toBe(200);
  await listening.stop();
});

test('dashboard without a run is refused', async () => {
  const { code, err } = await drover(['dashboard', '--state', mkdtempSync(join(tmpdir(), 'drover-'))]);
  expect([code, err]).toEqual([2, expect.stringContaining('drover run')]);
});
