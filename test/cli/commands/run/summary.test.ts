import { expect, test } from 'vitest';
import { WAD } from '../../../../src/core/amount.ts';
import { summaryText } from '../../../../src/cli/commands/run/summary.ts';
import type { RunSummary } from '../../../../src/engine/runtime/summary.ts';
import type { StrategyHooks } from '../../../../src/strategy/index.ts';
import { atStart, MINUTE, SECOND, Stage } from '../../../engine/stage.ts';

const GREEN = '\u001b[32m';
const YELLOW = '\u001b[33m';
const RED = '\u001b[31m';

/** The coloured line of the account state for a run with an external change, which continues for `ms` after it. */
async function booksLine(ms: number, change: bigint): Promise<string> {
  const stage = await new Stage().play(10 * SECOND);
  stage.venue.cash += change;
  await stage.pass(ms);
  stage.runner.stop('the test is over');
  await stage.pass(MINUTE);
  if (!stage.summary) throw new Error('the run does not end');
  const text = summaryText(stage.summary, { out: () => undefined, err: () => undefined, colour: true });
  return /^books {4}(.*)$/m.exec(text)?.[1] ?? '';
}

test('the summary shows an unsettled difference in yellow', async () => {
  const line = await booksLine(25 * SECOND, WAD);
  expect(line).toContain('not settled yet: mUSD');
  expect(line.startsWith(`${YELLOW}0 differences in `)).toBe(true);
});

test('the summary shows a counted difference in red, and “none” in green', async () => {
  const counted = await booksLine(5 * MINUTE, WAD);
  expect(counted).toContain('; still open: mUSD');
  expect(counted.startsWith(`${RED}1 differences in `)).toBe(true);
  const none = await booksLine(5 * MINUTE, 0n);
  expect(none.startsWith(`${GREEN}0 differences in `)).toBe(true);
  expect(none).not.toContain(';');
});

type Equity = RunSummary['equity'];

/** The equity line of a run without trades. */
function equityLine(equity: Equity): string | undefined {
  const summary = {
    from: '2026-06-15',
    to: '2026-06-16',
    sessions: 1,
    orders: {},
    equity,
    strategies: [],
    reconciliation: { runs: 1, differences: 0, open: [], unsettled: [] },
    problems: [],
    unallocated: { pnl: '0' },
  };
  const text = summaryText(summary as unknown as RunSummary, { colour: false } as never);
  return text.split('\n').find((line) => line.startsWith('equity'));
}

test.each<[came: string, more: Partial<Equity>, told: string]>([
  ['no external cash flow', {}, ''],
  ['a deposit', { deposited: '5000' }, '; of it deposited 5,000.00'],
  ['an accepted amount', { adopted: '-70.5' }, '; of it accepted -70.50'],
  ['a withdrawal', { withdrawn: '5' }, '; of it withdrawn 5.00'],
  ['both', { deposited: '5000', adopted: '1' }, '; of it deposited 5,000.00, accepted 1.00'],
])('the summary says which part of the equity is not profit: %s', (_came, more, told) => {
  expect(equityLine({ start: '10000', end: '15000', ...more })).toBe(
    `equity   10,000.00 → 15,000.00 mUSD${told}`,
  );
});

test('the summary ends with what still blocks sends, and since when', async () => {
  const stage = new Stage();
  stage.venue.orders = () => Promise.resolve({ total: 1_000, rows: [] });
  await stage.play(MINUTE);
  stage.runner.stop('enough');
  await stage.pass(5 * MINUTE);
  if (!stage.summary) throw new Error('no summary');
  const last = summaryText(stage.summary, { colour: false } as never)
    .split('\n')
    .at(-1);
  expect(last).toMatch(/^since 2026-06-15T14:00:00Z: the venue's order list does not come to an end/);
});

test('the summary counts dropped order intents with their reason', async () => {
  const timers = [
    { name: 'a', at: '10:01' as const },
    { name: 'b', at: '10:02' as const },
  ];
  const hooks: StrategyHooks = { onTimer: ({ order }) => void order.sell('AAPL', { shares: 5 }) };
  const stage = await new Stage({ hooks: { solo: hooks }, data: { quotes: ['AAPL'], timers } }).play(
    5 * MINUTE,
  );
  stage.runner.stop('enough');
  await stage.pass(5 * MINUTE);
  if (!stage.summary) throw new Error('no summary');
  const lines = summaryText(stage.summary, { colour: false } as never)
    .split('\n')
    .slice(-2);
  expect(lines[0]).toBe('dropped  2 of solo');
  expect(lines[1]).toMatch(/^ +2 of AAPL since 2026-06-15T14:01:00Z: /);
});

test('the summary has a line per strategy and one for unallocated, which add up to the change of equity', async () => {
  const stage = new Stage({
    hooks: {
      one: atStart((order) => void order.buy('AAPL', { notional: 1_000 })),
      two: atStart((order) => void order.buy('MSFT', { shares: 10 })),
    },
  });
  stage.venue.holdings.set('AAPL', 20n * 10n ** 18n);
  await stage.play(10 * SECOND);
  for (const row of stage.venue.rows) stage.venue.fill(row);
  await stage.pass(MINUTE);
  stage.venue.prices.set('AAPL', 103n * 10n ** 18n);
  await stage.pass(2 * MINUTE);
  const lines = summaryText(await stage.stop(), { colour: false } as never).split('\n');
  const cellsOf = (name: string) => lines.find((line) => line.startsWith(`${name} `))?.split(/ {2,}/);
  expect(cellsOf('strategy')).toEqual([
    'strategy',
    'state',
    'orders',
    'filled',
    'dropped',
    'fees',
    'realised',
    'unrealised',
    'earned',
  ]);
  expect(cellsOf('one')).toEqual(['one', 'running', '1', '1', '0', '0.00', '0.00', '28.90', '28.90']);
  expect(cellsOf('two')?.slice(0, 5)).toEqual(['two', 'running', '1', '1', '0']);
  expect(cellsOf('unallocated')).toEqual(['unallocated', '60.00']);
  const [, together = ''] = cellsOf('together') ?? [];
  const [, start = '', end = ''] = /^equity {3}([\d,.]+) → ([\d,.]+) mUSD$/m.exec(lines.join('\n')) ?? [];
  const number = (text: string) => Number(text.replaceAll(',', ''));
  expect(number(together)).toBeCloseTo(number(end) - number(start), 2);
});
