import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { drover } from '../../support/commandLine.ts';

const config = `state: ./state
strategies: [{ id: steady, use: dca, capital: 1000, params: { symbol: SPY, notional: 50, at: '09:35' } }]
`;

test('a run that starts while its kill file exists says so at once', async () => {
  const cwd = mkdtempSync(join(tmpdir(), 'drover-'));
  writeFileSync(join(cwd, 'run.yaml'), config);
  const end = ['--until', '2026-06-15T09:29', '--speed', 'max', '--json'];
  const free = await drover(['run', 'run.yaml', ...end], { cwd });
  expect([free.code, free.err]).toEqual([0, expect.not.stringContaining('kill file')]);

  const killFile = join(cwd, 'state', 'KILL');
  mkdirSync(join(cwd, 'state'), { recursive: true });
  writeFileSync(killFile, '');
  const { code, out, err } = await drover(['run', 'run.yaml', ...end], { cwd });
  expect([code, err]).toEqual([0, expect.stringContaining(`the kill file ${killFile} exists`)]);
  expect(JSON.parse(out)).toMatchObject({ mode: 'emulator' });
});

test('a run obeys KILL in its state folder as well as the kill file of its config', async () => {
  const cwd = mkdtempSync(join(tmpdir(), 'drover-'));
  writeFileSync(join(cwd, 'run.yaml'), `${config}limits: { killFile: ./STOP }\n`);
  const killFile = join(cwd, 'state', 'KILL');
  mkdirSync(join(cwd, 'state'), { recursive: true });
  writeFileSync(killFile, '');
  const argv = ['run', 'run.yaml', '--until', '2026-06-15T09:40', '--speed', 'max', '--json'];
  const { out, err } = await drover(argv, { cwd });
  expect(err).toContain(`the kill file ${killFile} exists`);
  expect((JSON.parse(out) as { orders: { sent: number } }).orders.sent).toBe(0);
});

test('a run reports at once that a kill file appears and that it is gone, on the screen and in its log', async () => {
  const cwd = mkdtempSync(join(tmpdir(), 'drover-'));
  writeFileSync(join(cwd, 'run.yaml'), config);
  const killFile = join(cwd, 'state', 'KILL');
  const stop = new AbortController();
  const told: string[] = [];
  const act = (line: string) => {
    if (line.includes('Ctrl-C stops in order')) setTimeout(() => writeFileSync(killFile, ''), 300);
    if (!line.includes('kill file')) return;
    told.push(line);
    if (line.includes('is gone')) stop.abort('a test');
    else setTimeout(() => rmSync(killFile), 10);
  };
  const argv = ['run', 'run.yaml', '--start', '2026-06-15T09:40', '--speed', '1'];
  const { code } = await drover(argv, { cwd, signal: stop.signal, onOut: act });
  expect(code).toBe(0);
  expect(told).toEqual([
    expect.stringContaining(`! ${' '.repeat(14)} the kill file ${killFile} exists: no order is placed`),
    expect.stringContaining(`the kill file ${killFile} is gone`),
  ]);
  const log = readFileSync(join(cwd, 'state', 'drover.log'), 'utf8').split('\n');
  expect(log.filter((line) => line.includes('kill file') && line.includes('"alarm"')).length).toBe(1);
});
