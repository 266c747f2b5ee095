import { expect, test } from 'vitest';
import { parsePrice, parseShares } from '../../../src/core/amount.ts';
import { hashHex } from '../../../src/core/random.ts';
import { ticker } from '../../../src/domain/instrument.ts';
import type { OrderReport, OrderTerms, UnreadableRow } from '../../../src/domain/venue.ts';
import type { StrategyHooks } from '../../../src/strategy/index.ts';
import { MINUTE, MORNING, SECOND, Stage, type StageOptions } from '../stage.ts';

const common = { symbol: ticker('MSFT'), stock: `0x${'1'.repeat(40)}`, side: 'buy' } as const;
const limit: OrderTerms = { ...common, type: 'limit', quantity: parseShares('1'), price: parsePrice('40') };
const buyLater: StrategyHooks = {
  onTimer: ({ order }) => void order.buy('AAPL', { notional: 100 }),
};
const data = { quotes: ['AAPL', 'MSFT'], timers: [{ name: 't', at: '10:02' as const }] };

type Row = OrderReport | UnreadableRow;

/** An order list that never ends: every page is full of new rows. */
function endless(rowOf: (name: string, at: number) => Row, options: StageOptions = {}): Stage {
  const stage = new Stage({ hooks: { solo: buyLater }, data, ...options });
  let made = 0;
  stage.venue.orders = ({ limit: count }) => {
    const rows = Array.from({ length: count }, () => rowOf(hashHex(`endless ${made++}`), stage.clock.now()));
    return Promise.resolve({ total: 1_000_000_000, rows: rows as never });
  };
  return stage;
}

const openRow = (txHash: string, createdAt: number): Row =>
  ({
    txHash,
    orderId: txHash,
    status: 'open',
    rawStatus: 'placing',
    createdAt,
    terms: { ...limit, notional: null },
    locked: 1n,
    settlement: null,
  }) as unknown as OrderReport;

test('an endless order list is read and recorded up to a bound, raises one alarm, and stops sends', async () => {
  const stage = await endless(openRow).play(10 * MINUTE);
  const { external } = stage.runner.kernel.context.accountState;
  expect(external.size).toBeGreaterThan(0);
  expect(external.size).toBeLessThanOrEqual(1_000 + 10);
  expect(stage.lines.length).toBeLessThan(1_500);
  const alarms = stage.alarms.filter((text) => /external order|order list/.test(text));
  expect(alarms).toEqual([
    expect.stringMatching(
      /^2500 external orders are new on this key, and 2400 of them were left out \(0x\w{64}, 0x\w{64}, 0x\w{64} and 2397 more\), because at most 100 of one order list are recorded: the order list counts as not read, and nothing is sent until/,
    ),
  ]);
  expect(stage.venue.sends).toBe(0);

  stage.runner.stop('the test has seen enough');
  await stage.pass(5 * MINUTE);
  expect(stage.summary?.problems).toEqual([
    { since: '2026-06-15T14:00:00Z', text: expect.stringMatching(/order list/) as string },
  ]);
});

test('unreadable rows of an endless list are reported by their number', async () => {
  const unreadable = (txHash: string): Row => ({ unreadable: `no row: ${txHash}`, reason: txHash, txHash });
  const stage = await endless(unreadable).play(10 * MINUTE);
  expect(stage.alarms.length).toBeLessThanOrEqual(6);
  expect(stage.alarms.join()).toMatch(/unreadable.* and \d+ more/);
});

test('250 external orders are all recorded over several reads, with one alarm, and sends continue', async () => {
  const stage = await new Stage({ hooks: { solo: buyLater }, data }).play(SECOND);
  for (let count = 0; count < 250; count++) stage.venue.foreign(limit);
  await stage.pass(10 * MINUTE);
  expect(stage.runner.kernel.context.accountState.external.size).toBe(250);
  expect(stage.alarms.filter((text) => text.includes('external order'))).toHaveLength(1);
  expect(stage.venue.sends).toBe(1);
  expect(stage.runner.kernel.context.problems.all).toEqual([]);
});

test('an order list that contradicts itself three times is a problem with its start, until it is consistent', async () => {
  const stage = new Stage({ hooks: { solo: buyLater }, data });
  const orders = stage.venue.orders.bind(stage.venue);
  let total = 0;
  stage.venue.orders = async (asked) => {
    const page = await orders(asked);
    return stage.clock.now() < MORNING + 5 * MINUTE ? { ...page, total: ++total } : page;
  };
  await stage.play(3 * MINUTE);
  expect(stage.runner.kernel.context.problems.all).toEqual([
    { since: MORNING, text: expect.stringMatching(/order list/) as string },
  ]);
  expect(stage.venue.sends).toBe(0);
  await stage.pass(4 * MINUTE + 10 * SECOND);
  expect(stage.runner.kernel.context.problems.all).toEqual([]);
  expect(stage.alarms.filter((text) => text.includes('order list'))).toHaveLength(1);
});

/** A resting order, so that the list is read every ten seconds. */
const rest: StrategyHooks = {
  onStart: ({ order }) => void order.limit('AAPL', { side: 'buy', shares: 1, price: 90 }),
};

/** A run whose order list gets unknown rows from the tenth second to the third minute, and none after. */
async function afterFlood(): Promise<Stage> {
  const stage = new Stage({ hooks: { solo: rest } });
  const orders = stage.venue.orders.bind(stage.venue);
  let made = 0;
  stage.venue.orders = (asked) => {
    const now = stage.clock.now();
    if (now < MORNING + 10 * SECOND || now >= MORNING + 3 * MINUTE) return orders(asked);
    const rows = Array.from({ length: asked.limit }, () => openRow(hashHex(`flood ${made++}`), now));
    return Promise.resolve({ total: 1_000_000_000, rows: rows as never });
  };
  await stage.play(3 * MINUTE + 10 * SECOND);
  expect(stage.runner.kernel.context.problems.all).toEqual([]);
  return stage;
}

const alarmsOf = (stage: Stage) => stage.alarms.filter((text) => /external order|order list/.test(text));

test('a new external order after a flood of rows stops sends for a minute and a half, not for a day', async () => {
  const stage = await afterFlood();
  const { accountState, problems } = stage.runner.kernel.context;
  const [first, second] = [stage.venue.foreign(limit), stage.venue.foreign(limit)];
  await stage.pass(10 * SECOND);
  const leftOut = [first, second].filter(({ txHash }) => !accountState.external.has(txHash));
  expect(leftOut).toHaveLength(1);
  expect(problems.all).toHaveLength(1);
  await stage.pass(2 * MINUTE);
  expect([first, second].every(({ txHash }) => accountState.external.has(txHash))).toBe(true);
  expect(problems.all).toEqual([]);
  expect(
    stage.said(/was read to its end again: sending continues\. Recorded meanwhile: 2 external orders/),
  ).toBe(true);
});

test('one external order beyond the recording bound is named in an alarm that says what to do', async () => {
  const stage = await afterFlood();
  stage.venue.foreign(limit);
  await stage.pass(10 * SECOND);
  const { txHash } = stage.venue.foreign(limit);
  await stage.pass(10 * SECOND);
  expect(alarmsOf(stage).at(-1)).toBe(
    `1 external order is new on this key, and it was left out (${txHash}), because at most 1000 are recorded at once and one ` +
      'every 86 s after that: the order list counts as not read, and nothing is sent until all of its rows have been ' +
      "recorded. Look at the venue's own page: orders that it also shows are of another program, and this runner needs a " +
      'key of its own; if it does not show them, the lists are wrong, and sending continues by itself once they are right',
  );
});

test('an external order is reported even while the order list contradicts itself', async () => {
  const stage = await new Stage({ hooks: { solo: rest } }).play(SECOND);
  const orders = stage.venue.orders.bind(stage.venue);
  let total = 100;
  stage.venue.orders = async (asked) => ({ ...(await orders(asked)), total: ++total });
  await stage.pass(MINUTE);
  expect(stage.runner.kernel.context.problems.all).toHaveLength(1);
  const { txHash } = stage.venue.foreign(limit);
  await stage.pass(MINUTE);
  expect(alarmsOf(stage)).toContain(`external order on this key: ${txHash}`);
});
