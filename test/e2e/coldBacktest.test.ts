import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { drover, freshDir, root } from './cli.ts';

/** The program with a file for each module, so that those it loads can be told apart. */
const MODULES = join(root, 'dist/cli/main.js');

/** Names every module on stderr as it is loaded. */
const hooks = `data:text/javascript,${encodeURIComponent(
  'export const load = (url, context, next) => (process._rawDebug("loads " + url), next(url, context))',
)}`;
const register = `data:text/javascript,${encodeURIComponent(
  `import { register } from 'node:module'; register(${JSON.stringify(hooks)})`,
)}`;

test('a backtest over a file loads no module of network, chain, journal or bar store', async () => {
  const file = join(freshDir(), 'x.csv');
  writeFileSync(
    file,
    'ts,open,high,low,close,volume\n2026-06-15,100,101,99,100,10\n2026-06-16,100,101,99,100,10\n',
  );
  const { code, err } = await drover(
    [
      'backtest',
      '--strategy',
      'bench/strategies/bench-sma.ts',
      '--params',
      '{"symbol":"X","interval":"1d"}',
      '--interval',
      '1d',
      '--bars',
      `X=${file}`,
    ],
    { NODE_OPTIONS: `--import=${register}` },
    MODULES,
  );
  const loaded = err.split('\n').filter((line) => line.startsWith('loads '));
  expect(code).toBe(0);
  expect(loaded.some((line) => line.endsWith('/dist/backtest/runBacktest.js'))).toBe(true);
  expect(
    loaded.filter((line) => /undici|viem|store\/sqlite|barStore|storeBars|keyStore|\/yaml\//.test(line)),
  ).toEqual([]);
});
