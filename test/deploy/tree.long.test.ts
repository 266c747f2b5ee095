import { execFileSync, spawn } from 'node:child_process';
import { copyFileSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { afterAll, describe, expect, test } from 'vitest';
import { configFolder, imageTree, obstacle, runIn, volume, type Process } from './container.ts';
import { isInstalled } from './programs.ts';

const MAIN = '/opt/drover/dist/bin/main.js';
const why = obstacle();
if (why !== null) console.warn(`skipped: the tree of the image in a chroot (${why})`);

const [PORT, CONTROL, METRICS, PROMETHEUS] = ['18700', '18701', '18464', '18090'];
const TOKEN = 'a-token-of-the-tests-for-reading-only';
const config = readFileSync('deploy/compose/rehearsal.yaml', 'utf8')
  .replace('8700', PORT)
  .replace('8701', CONTROL);
const secrets = {
  DROVER_API_KEY: '972a83bed21d04812433aea83c7035ac',
  DROVER_API_SECRET: 'ec722115b424bce9bfccc53714d0b30884317eb72878cf97f06179700baf4f7e',
  DROVER_CONTROL_READ_TOKEN: TOKEN,
  DROVER__CONTROL__LISTEN: `127.0.0.1:${METRICS}`,
};

const begun: Process[] = [];
afterAll(() => {
  for (const each of begun) each.kill('SIGKILL');
});

/** Waits up to two minutes until `look` returns true. */
async function until(what: string, look: () => Promise<boolean> | boolean): Promise<void> {
  for (let tries = 0; tries < 480; tries++) {
    if (await Promise.resolve(look()).catch(() => false)) return;
    await wait(250);
  }
  throw new Error(`not within two minutes: ${what}`);
}

describe.skipIf(why !== null)('the tree of the image', () => {
  const tree = why === null ? imageTree() : '';
  const configs = configFolder({ 'rehearsal.yaml': config });
  const locks = volume();
  const volumesOf = (state: string) => ({
    'var/lib/drover': state,
    'run/drover': locks,
    'etc/drover': configs,
  });
  const start = (
    state: string,
    args: readonly string[],
    env: Readonly<Record<string, string>> = {},
  ): Process => {
    const process = runIn({ tree, volumes: volumesOf(state), env }, args);
    begun.push(process);
    return process;
  };
  const [venueState, runState] = [volume(), volume()];
  const run = () => start(runState, [MAIN, 'run', '/etc/drover/rehearsal.yaml', '--live', '--json'], secrets);
  const health = () => start(runState, ['/opt/drover/deploy/health.js']).ended;
  const command = (...args: string[]) =>
    start(runState, [MAIN, ...args, '--config', '/etc/drover/rehearsal.yaml', '--json'], secrets).ended;
  const scrape = async () => {
    const response = await fetch(`http://127.0.0.1:${METRICS}/metrics`, {
      headers: { authorization: `Bearer ${TOKEN}` },
    });
    return response.text();
  };

  test('can be written only in its volumes, by a user without an entry in the user list', async () => {
    const script = `const fs = require('fs'), os = require('os');
      for (const path of ['/opt/drover/x', '/x', '/etc/drover/x', '/usr/x', '/var/lib/drover/x'])
        try { fs.writeFileSync(path, ''); console.log(path); } catch {}
      try { os.userInfo(); console.log('known'); } catch { console.log(process.getuid(), process.stdout.isTTY ?? 'no terminal'); }`;
    const { out } = await start(volume(), ['-e', script]).ended;
    expect(out).toBe('/var/lib/drover/x\n54321 no terminal\n');
  });

  test('trades on the emulator, survives a kill, keeps a second run out, and shuts down cleanly', async () => {
    const venue = start(venueState, [
      ...`${MAIN} emulator --port ${PORT} --control-port ${CONTROL} --start 2026-06-15T10:00`.split(' '),
      ...'--speed 5 --state /var/lib/drover/venue --json'.split(' '),
    ]);
    await venue.line(/"baseUrl"/);
    expect((await health()).code).toBe(1);
    const first = run();
    await until('the run protects what it bought', async () =>
      /drover_held_orders\{[^}]*\} 1/.test(await scrape()),
    );
    expect(await health()).toMatchObject({ code: 0, err: '' });
    const other = await start(volume(), [MAIN, 'run', '/etc/drover/rehearsal.yaml', '--live'], {
      ...secrets,
      DROVER__CONTROL__LISTEN: '127.0.0.1:0',
    }).ended;
    expect(other.code, other.err).toBe(4);

    execFileSync('kill', ['-KILL', String(first.pid())]);
    await first.ended;
    const second = run();
    await until('the run goes on', async () => /drover_can_protect\{[^}]*\} 1/.test(await scrape()));
    const { out } = await command('status');
    expect(JSON.parse(out)).toMatchObject({ running: true, unknown: 0, differences: [] });

    if (isInstalled('prometheus')) await firesWithoutOneClick();
    else console.warn('skipped: Prometheus is not installed');

    execFileSync('kill', ['-TERM', String(second.pid())]);
    const { code, out: result } = await second.ended;
    expect(code).toBe(0);
    expect(JSON.parse(result)).toMatchObject({ mode: 'live', reconciliation: { differences: 0 } });
  });

  /** With One Click off no stop could be sold: Prometheus reports it by the shipped rules. */
  async function firesWithoutOneClick(): Promise<void> {
    const folder = mkdtempSync(join(tmpdir(), 'drover-prometheus-'));
    copyFileSync('deploy/monitoring/alerts.yaml', join(folder, 'alerts.yaml'));
    writeFileSync(join(folder, 'token'), TOKEN);
    writeFileSync(
      join(folder, 'prometheus.yml'),
      readFileSync('deploy/monitoring/prometheus.yml', 'utf8')
        .replaceAll('15s', '1s')
        .replace('/run/secrets/read-token', join(folder, 'token'))
        .replace('9464', METRICS),
    );
    const listen = `--web.listen-address=127.0.0.1:${PROMETHEUS}`;
    const watcher = spawn('prometheus', ['--config.file=prometheus.yml', listen], {
      cwd: folder,
      stdio: 'ignore',
    });
    try {
      const firing = async () => {
        const response = await fetch(`http://127.0.0.1:${PROMETHEUS}/api/v1/alerts`);
        const { data } = (await response.json()) as {
          data: { alerts: { state: string; labels: { alertname: string } }[] };
        };
        return data.alerts.filter(({ state }) => state === 'firing').map(({ labels }) => labels.alertname);
      };
      const isUp = async () => {
        const query = `http://127.0.0.1:${PROMETHEUS}/api/v1/query?query=drover_can_protect`;
        const { data } = (await (await fetch(query)).json()) as { data: { result: unknown[] } };
        return data.result.length === 1;
      };
      await until('Prometheus has scraped the run', isUp);
      expect(await firing()).not.toContain('DroverCannotProtect');
      const off = await fetch(`http://127.0.0.1:${CONTROL}/delegation`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({
          userAddress: '0x3d467aB1CD9994491461b101dF8Ab942669F5113',
          status: 'disabled',
        }),
      });
      expect(off.ok).toBe(true);
      await until('DroverCannotProtect fires', async () => (await firing()).includes('DroverCannotProtect'));
    } finally {
      watcher.kill('SIGKILL');
    }
  }
});
