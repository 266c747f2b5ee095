import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { drover, freshDir } from './cli.ts';

/** Prints the name of every file on stderr as it is loaded. */
const hooks = `data:text/javascript,${encodeURIComponent(
  'export const load = (url, context, next) => (process._rawDebug("loads " + url), next(url, context))',
)}`;
const register = `data:text/javascript,${encodeURIComponent(
  `import { register } from 'node:module'; register(${JSON.stringify(hooks)})`,
)}`;

/** A loaded file, and our modules bundled into it. */
function modulesIn(url: string): string[] {
  if (!url.includes('/dist/bin/')) return [url];
  const text = readFileSync(fileURLToPath(url), 'utf8');
  return [url, ...[...text.matchAll(/^\/\/ (src\/.*)$/gm)].map(([, module = '']) => module)];
}

const backtestOf = (file: string, interval: string): string[] =>
  [
    ['backtest', '--strategy', 'bench/strategies/bench-sma.ts'],
    ['--params', JSON.stringify({ symbol: 'X', interval })],
    ['--interval', interval, '--bars', `X=${file}`],
  ].flat();

test('a backtest over a file loads no module of network, chain, journal, bar store, config or foreign table', async () => {
  const file = join(freshDir(), 'x.csv');
  writeFileSync(
    file,
    'ts,open,high,low,close,volume\n2026-06-15,100,101,99,100,10\n2026-06-16,100,101,99,100,10\n',
  );
  const { code, err } = await drover(backtestOf(file, '1d'), {
    NODE_OPTIONS: `--import=${register}`,
  });
  const loaded = [...err.matchAll(/^loads (.+)$/gm)].flatMap(([, url = '']) => modulesIn(url));
  expect(code).toBe(0);
  expect(loaded.includes('src/backtest/runBacktest.ts')).toBe(true);
  const others =
    /undici|viem|@noble|papaparse|store\/sqlite|barStore|storeBars|keyStore|\/yaml\/|config\/(schema|sections|fields)|api\/wire|runRecord/;
  expect(loaded.filter((line) => others.test(line))).toEqual([]);
});

test('a backtest reads a file whose times name a place, once the realm of strategies is locked', async () => {
  const file = join(freshDir(), 'berlin.csv');
  const rows = ['15:30', '15:31'].map((time) => `2019-01-02 ${time}:00 Europe/Berlin,100,100.5,99.5,100,10`);
  writeFileSync(file, ['Datetime,Open,High,Low,Close,Volume', ...rows, ''].join('\n'));
  const { code, err } = await drover(backtestOf(file, '1m'));
  // Its times are known; the kind of its prices is not.
  expect([code, err]).toEqual([2, expect.stringMatching(/Add --prices to .* data import`/)]);
});
