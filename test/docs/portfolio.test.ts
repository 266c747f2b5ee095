import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { runBacktest } from '../../src/backtest/runBacktest.ts';
import { openRealm } from '../app/strategies/openRealm.ts';
import { loadStrategy } from '../../src/app/strategies/loadStrategy.ts';
import * as strategy from '../../src/strategy/index.ts';
import { walk } from '../lab/study/stage.ts';

const guide = readFileSync('docs/portfolio.md', 'utf8');

test('the example of the portfolio guide holds both stocks, and trades once a month', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'drover-portfolio-'));
  writeFileSync(join(folder, 'calm.ts'), /```ts\n([^]*?)```/.exec(guide)?.[1] ?? '');
  const { definition } = await loadStrategy('./calm.ts', folder, openRealm);
  const result = await runBacktest({
    strategy: definition,
    params: { symbols: ['A', 'B'] },
    bars: [
      { ...walk(400, 1), symbol: 'A' },
      { ...walk(400, 2), symbol: 'B' },
    ],
    fill: 'next-open',
  });
  expect(result.open.map(({ symbol }) => symbol)).toEqual(['A', 'B']);
  expect(new Set(result.fills.map(({ at }) => new Date(at).toISOString().slice(0, 7))).size).toBeGreaterThan(
    5,
  );
  expect(result.metrics.volatility).toBeLessThan(0.13);
});

test('the portfolio guide names every function, and no other', () => {
  const named = [...guide.matchAll(/^- `(\w+)\(/gm)].map(([, name = '']) => name);
  expect(named).toHaveLength(9);
  for (const name of named) expect(strategy).toHaveProperty(name);
});
