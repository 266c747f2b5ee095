import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { drover } from '../../support/commandLine.ts';

const config = `state: ./state
strategies: [{ id: steady, use: dca, capital: 1000, params: { symbol: SPY, notional: 50, at: '09:35' } }]
`;

test('a run that cannot make its control socket says why, and trades on', async () => {
  const cwd = mkdtempSync(join(tmpdir(), 'drover-'));
  writeFileSync(join(cwd, 'run.yaml'), config);
  const socket = join(cwd, 'state', 'control.sock');
  mkdirSync(socket, { recursive: true });
  const argv = ['run', 'run.yaml', '--until', '2026-06-15T09:40', '--speed', 'max', '--json'];
  const { code, out, err } = await drover(argv, { cwd });
  expect([code, err]).toEqual([
    0,
    expect.stringContaining(
      `no command reaches this run: its control socket could not be made: ${socket} is not a socket of drover: remove it, and start again`,
    ),
  ]);
  expect((JSON.parse(out) as { orders: { sent: number } }).orders.sent).toBe(1);
});
