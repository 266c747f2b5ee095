import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { RunSummary } from '../../src/engine/runtime/summary.ts';
import { drover } from '../cli/support/commandLine.ts';
import { freshDir, root, start } from './cli.ts';
import { keysOf, startVenue, type Venue } from './venue.ts';

const LONG_MS = 240_000;
const STARTED = /^state /;

let venue: Venue;

beforeEach(async () => {
  venue = await startVenue('2026-06-15T09:38');
}, LONG_MS);

afterEach(() => venue.stop());

/** The checked-in config, with the ports of this emulator. */
function configFile(): string {
  const { baseUrl, controlUrl } = venue.info;
  const written = readFileSync(join(root, 'config/dry-run.yaml'), 'utf8');
  const file = join(freshDir(), 'dry-run.yaml');
  writeFileSync(
    file,
    written.replace('http://127.0.0.1:8700', baseUrl).replace('http://127.0.0.1:8701', controlUrl),
  );
  return file;
}

test(
  'a dry run on the bundled config continues after kill -9 where it was',
  { timeout: LONG_MS },
  async () => {
    const before = await venue.truth();
    const [file, state] = [configFile(), freshDir()];
    const { env } = keysOf(venue.info, 0);
    const more = ['--state', state, '--json'];

    const first = start(['run', file, ...more], env);
    const killed = venue.end(first, STARTED);
    await first.line(/savings-plan .*bought/);
    first.child.kill('SIGKILL');
    expect((await killed).signal).toBe('SIGKILL');

    const again = start(['run', file, ...more, '--until', '2026-06-15T09:46'], env);
    const { code, out, err } = await venue.end(again, STARTED);
    expect([code, code === 0 ? '' : err]).toEqual([0, '']);
    const summary = JSON.parse(out) as RunSummary;
    expect(summary).toMatchObject({
      mode: 'dry-run',
      equity: { start: '60000' },
      reconciliation: { differences: 0 },
      orders: { unknown: 0, external: 0, neverExisted: 0 },
    });
    expect(summary.orders.filled).toBeGreaterThan(0);
    expect(summary.orders.working).toBeGreaterThan(0);

    const journal = await drover(['journal', 'verify', '--config', file, ...more]);
    expect(JSON.parse(journal.out)).toMatchObject({ epochs: 2 });
    const { orders, accounts, requests } = await venue.truth();
    expect([orders, accounts]).toEqual([[], before.accounts]);
    expect(Object.keys(requests).filter((endpoint) => !endpoint.startsWith('GET '))).toEqual([]);
  },
);
