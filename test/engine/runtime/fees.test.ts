import { expect, test } from 'vitest';
import { parseCash, parseShares } from '../../../src/core/amount.ts';
import { ticker } from '../../../src/domain/instrument.ts';
import { settleAll, expectSound } from '../invariants.ts';
import { atStart, MINUTE, SECOND, Stage, type StageOptions } from '../stage.ts';

const AAPL = ticker('AAPL');
const buy = atStart((order) => order.limit('AAPL', { side: 'buy', shares: 10, price: 90 }));

/** Fills the last order at 90, for which 900.99 was expected, and charges `more` on top. */
function fillFor(stage: Stage, more: string): void {
  const { venue } = stage;
  venue.fill(venue.last);
  const { settlement } = venue.last;
  if (settlement) venue.last.settlement = { ...settlement, pay: settlement.pay + parseCash(more) };
  venue.cash -= parseCash(more);
}

async function bought(more: string, options: StageOptions = {}): Promise<Stage> {
  const stage = await new Stage({ hooks: { solo: buy }, ...options }).play(10 * SECOND);
  fillFor(stage, more);
  return stage.pass(2 * MINUTE);
}

const ledgerOf = (stage: Stage) => stage.runner.kernel.context.accountState.ledger;
const TOLD = "it took 901.08 mUSD, and at most 900.99 was expected: the venue's fees may have risen";

test('a buy above its reserve is booked as paid, and its stock frozen', async () => {
  const stage = await bought('0.09');
  const { accountState } = stage.runner.kernel.context;
  expect(stage.states).toEqual(['closed']);
  expect(accountState.positions.of('solo', AAPL)).toMatchObject({
    quantity: parseShares('10'),
    cost: parseCash('901.08'),
  });
  expect(ledgerOf(stage).balance('solo', 'free', 'mUSD')).toBe(parseCash('9098.92'));
  expect(stage.alarms.filter((text) => text.includes('frozen'))).toEqual([
    `AAPL is frozen: order solo-1.1: ${TOLD}`,
  ]);
  expect(stage.alarms.join()).toMatch(/the venue's fees have risen: order solo-1\.1 took/);
  expectSound(stage);
});

test('a stock released after a buy above its reserve is bought again', async () => {
  const first = await bought('0.09');
  const again = new Stage({ hooks: { solo: buy }, after: first });
  const released = { kind: 'released', symbol: AAPL, reason: 'the fees have risen' } as const;
  again.options.journal.commit([{ at: again.clock.now(), fact: released }]);
  await again.play(MINUTE);
  expect(again.states).toEqual(['closed', 'working']);
  await settleAll(again, 2 * MINUTE);
  expectSound(again);
});

test('a buy above its reserve is reported as a further cause when its stock is already frozen', async () => {
  const stage = await new Stage({ hooks: { solo: buy } }).play(10 * SECOND);
  stage.runner.kernel.context.freeze(AAPL, 'looked at');
  fillFor(stage, '0.09');
  await stage.pass(2 * MINUTE);
  expect(stage.alarms).toContain(`AAPL is frozen for another reason as well: order solo-1.1: ${TOLD}`);
});

test('a payment beyond the capital of a strategy is owed by the account', async () => {
  const stage = await bought('0.09', { capital: '901' });
  expect(ledgerOf(stage).balance('solo', 'free', 'mUSD')).toBe(0n);
  expect(ledgerOf(stage).balance('', 'owed', 'mUSD')).toBe(-parseCash('0.08'));
  expectSound(stage);
});

test('a payment more than a fiftieth above the reserve is not booked', async () => {
  const stage = await bought('18.02');
  expect(stage.states).toEqual(['working']);
  expect(stage.alarms[0]).toBe('AAPL is frozen: order solo-1.1: an order has taken more than it could');
});
