/** @module-tag heavy */
import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { drover, type Ran } from '../../support/commandLine.ts';

const config = (overrides: string) => `state: ./state
emulator: { start: '2026-06-15T15:57', nights: skip, seed: 1 }
calendar: { overrides: [${overrides}] }
strategies: [{ id: steady, use: dca, capital: 1000, params: { symbol: SPY, notional: 50, at: '09:35' } }]
`;

test('a day that one run closed by a reload and a later run trades replays identically', async () => {
  const cwd = mkdtempSync(join(tmpdir(), 'drover-'));
  const write = (overrides: string) => writeFileSync(join(cwd, 'run.yaml'), config(overrides));
  const run = (until: string, speed: string, onErr: (text: string) => void = () => undefined) =>
    drover(['run', 'run.yaml', '--until', until, '--speed', speed, '--json'], { cwd, onErr });
  write('');
  let reloaded: Promise<Ran> | undefined;
  const first = run('2026-06-15T15:59', '60', (text) => {
    if (!text.includes('session of 2026-06-15 opened')) return;
    write("{ date: '2026-06-16', closed: true }");
    reloaded = drover(['config', 'reload', '--config', 'run.yaml'], { cwd });
  });
  expect((await first).code).toBe(0);
  expect(await reloaded).toMatchObject({ code: 0 });
  write('');
  const { out } = await run('2026-06-16T09:40', 'max');
  expect((JSON.parse(out) as { orders: { sent: number } }).orders.sent).toBe(1);
  expect(await drover(['journal', 'replay', '--config', 'run.yaml'], { cwd })).toMatchObject({ code: 0 });
});
