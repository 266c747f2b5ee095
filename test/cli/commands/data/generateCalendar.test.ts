import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { drover } from '../../support/commandLine.ts';

/** A closure and an early close that no calendar has. */
const CONFIG = `mode: emulator
emulator: { start: "2026-06-19T12:00:00" }
calendar:
  overrides: [{ date: 2026-06-16, close: "13:00" }, { date: 2026-06-17, closed: true, reason: mourning }]
strategies: [{ id: one, use: dca, capital: 1000, params: { symbol: SPY, notional: 5 } }]
`;
const SPAN = ['--from', '2026-06-15', '--to', '2026-06-19'];

let cwd = '';
beforeAll(async () => {
  cwd = mkdtempSync(join(tmpdir(), 'drover-calendar-'));
  writeFileSync(join(cwd, 'own.yaml'), CONFIG);
  await data('generate', 'GEN', '--interval', '1m', ...SPAN, '--config', 'own.yaml');
});
afterAll(() => rmSync(cwd, { recursive: true }));

const data = (...argv: readonly string[]) => drover(['data', ...argv, '--data', 'store'], { cwd });
const kinds = ({ out }: { out: string }) =>
  (JSON.parse(out) as { findings: { kind: string }[] }).findings.map(({ kind }) => kind);

test('data generate --config makes bars for the sessions of that config', async () => {
  const { out } = await data('list', '--json');
  expect(JSON.parse(out)).toMatchObject([{ symbol: 'GEN', bars: 390 + 210 + 390 }]);
});

test('data verify finds those bars complete with the config, and incomplete without it', async () => {
  expect(kinds(await data('verify', 'GEN', '--json', '--config', 'own.yaml'))).toEqual([]);
  expect(kinds(await data('verify', 'GEN', '--json'))).toEqual(['gap', 'session']);
});

test('a day made from minute bars is complete by the early close of the config', async () => {
  const minutes = ['--interval', '1m', '--from', '2026-06-15', '--to', '2026-06-17'];
  await data('generate', 'EARLY', ...minutes, '--config', 'own.yaml');
  const days = async (...more: readonly string[]) =>
    (await data('export', 'EARLY', ...more)).out.trim().split('\n').slice(1).length;
  expect(await days('--config', 'own.yaml')).toBe(2);
  expect(await days()).toBe(1);
});

test('data import refuses a file with bars on a day that the config closes', async () => {
  const rows = ['ts,open,high,low,close,volume', '2026-06-17,100,101,99,100,10', ''];
  writeFileSync(join(cwd, 'closed.csv'), rows.join('\n'));
  const { code, err } = await data('import', 'closed.csv', '--symbol', 'CSV', '--config', 'own.yaml');
  expect({ code, err }).toMatchObject({ code: 2, err: expect.stringContaining('closed.csv:2') as string });
  expect(await data('import', 'closed.csv', '--symbol', 'CSV')).toMatchObject({ code: 0, err: '' });
});

test('data pull leaves out bars of the venue on a day that the config closes', async () => {
  const pulled = await data('pull', 'AAPL', ...SPAN, '--config', 'own.yaml');
  expect(pulled).toMatchObject({
    code: 0,
    err: 'AAPL 1d: 1 bars outside the regular sessions are left out\n',
    out: expect.stringContaining('3 new bars') as string,
  });
});

test('a backtest plays the sessions of the config', async () => {
  const strategy = ['--strategy', 'sma-cross', '--params', '{"symbol":"GEN","interval":"1m"}'];
  const run = async (...more: readonly string[]) => {
    const { out } = await drover(['backtest', ...strategy, '--data', 'store', '--json', ...more], { cwd });
    return JSON.parse(out) as { sessions: number; to: string };
  };
  expect(await run('--to', '2026-06-17', '--config', 'own.yaml')).toMatchObject({
    sessions: 2,
    to: '2026-06-16T17:00:00Z',
  });
  expect(await run('--to', '2026-06-17')).toMatchObject({ sessions: 2, to: '2026-06-16T20:00:00Z' });
});
