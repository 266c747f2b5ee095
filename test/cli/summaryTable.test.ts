import { expect, test } from 'vitest';
import { summaryText } from '../../src/cli/run/summaryTable.ts';
import type { RunSummary } from '../../src/engine/summary.ts';

type Equity = RunSummary['equity'];

/** The line on the equity of a run that has traded nothing. */
function equityLine(equity: Equity): string | undefined {
  const summary = {
    ...{ from: '2026-06-15', to: '2026-06-16', sessions: 1, orders: {}, equity, strategies: [] },
    reconciliation: { runs: 1, differences: 0, open: [], unsettled: [] },
  };
  const text = summaryText(summary as unknown as RunSummary, { colour: false } as never);
  return text.split('\n').find((line) => line.startsWith('equity'));
}

test.each<[came: string, more: Partial<Equity>, told: string]>([
  ['nothing came from outside', {}, ''],
  ['a deposit came', { deposited: '5000' }, '; of it deposited 5,000.00'],
  ['something was taken over', { adopted: '-70.5' }, '; of it adopted -70.50'],
  ['both', { deposited: '5000', adopted: '1' }, '; of it deposited 5,000.00, adopted 1.00'],
])('the equity at the end says what of it is no profit: %s', (_came, more, told) => {
  expect(equityLine({ start: '10000', end: '15000', ...more })).toBe(
    `equity   10,000.00 → 15,000.00 mUSD${told}`,
  );
});
