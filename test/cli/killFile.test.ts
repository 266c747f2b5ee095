import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { drover } from './support/commandLine.ts';

const config = `state: ./state
strategies: [{ id: steady, use: dca, capital: 1000, params: { symbol: SPY, notional: 50, at: '09:35' } }]
`;

test('a run that begins beside its kill file says so at once', { timeout: 60_000 }, async () => {
  const cwd = mkdtempSync(join(tmpdir(), 'drover-'));
  writeFileSync(join(cwd, 'run.yaml'), config);
  const end = ['--until', '2026-06-15T09:29', '--speed', 'max', '--json'];
  const free = await drover(['run', 'run.yaml', ...end], { cwd });
  expect([free.code, free.err]).toEqual([0, expect.not.stringContaining('kill file')]);

  const killFile = join(cwd, 'state', 'KILL');
  mkdirSync(join(cwd, 'state'), { recursive: true });
  writeFileSync(killFile, '');
  const { code, out, err } = await drover(['run', 'run.yaml', ...end], { cwd });
  expect([code, err]).toEqual([0, expect.stringContaining(`the kill file ${killFile} is there`)]);
  expect(JSON.parse(out)).toMatchObject({ mode: 'emulator' });
});
