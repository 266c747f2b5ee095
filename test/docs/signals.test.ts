import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import strongest from '../../docs/examples/strongest.ts';
import { runBacktest } from '../../src/backtest/runBacktest.ts';
import type { StrategyDefinition } from '../../src/strategy/index.ts';
import { barsFrom, plainly } from '../backtest/bars.ts';

test('docs/signals.md shows the example as it is in the file', () => {
  const example = readFileSync('docs/examples/strongest.ts', 'utf8');
  expect(readFileSync('docs/signals.md', 'utf8')).toContain(`\`\`\`ts\n${example}\`\`\``);
});

test('the example of docs/signals.md holds the stock that rose most, and no stock while all fall', async () => {
  const named = (symbol: string, closes: readonly number[]) => ({
    ...barsFrom('2026-06-15', closes),
    symbol,
  });
  const bars = [named('X', [10, 11, 12, 11, 10, 10, 10, 10]), named('Y', [20, 20, 21, 23, 22, 21, 20, 20])];
  const strategy = strongest as unknown as StrategyDefinition;
  const params = { symbols: ['X', 'Y'], length: 2, interval: '1m' };
  const { fills } = await runBacktest(plainly({ strategy, params, bars }));
  expect(fills.map(({ side, symbol }) => `${side} ${symbol}`)).toEqual([
    'buy X',
    'sell X',
    'buy Y',
    'sell Y',
  ]);
});
