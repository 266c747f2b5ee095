import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { runBacktest } from '../../src/backtest/runBacktest.ts';
import accumulate from '../../docs/examples/accumulate.ts';
import { barsFrom, plainly } from '../backtest/bars.ts';

test('docs/working-orders.md shows its example as it is in the file', () => {
  const example = readFileSync('docs/examples/accumulate.ts', 'utf8');
  expect(readFileSync('docs/working-orders.md', 'utf8')).toContain(`\`\`\`ts\n${example}\`\`\``);
});

test('the example of docs/working-orders.md spends its amount in equal parts until half an hour before the close', async () => {
  const fives = Array.from({ length: 78 }, () => 100);
  const strategy = { strategy: accumulate, params: { symbol: 'X', daily: 710 } };
  const { fills } = await runBacktest(plainly({ ...strategy, bars: [barsFrom('2026-06-15', fives, '5m')] }));
  // From 9:35 to 15:30 are 355 minutes: 71 parts of five minutes, of 10 mUSD each.
  expect(fills).toHaveLength(71);
  expect(fills.map(({ shares, price }) => shares * price).every((spent) => Math.abs(spent - 10) < 0.01)).toBe(
    true,
  );
});
