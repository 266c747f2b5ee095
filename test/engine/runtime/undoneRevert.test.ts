import { describe, expect, test } from 'vitest';
import { parseCash, parseShares } from '../../../src/core/amount.ts';
import { ticker } from '../../../src/domain/instrument.ts';
import { atStart, MINUTE, SECOND, Stage } from '../stage.ts';

const AAPL = ticker('AAPL');
const fills: bigint[] = [];
const buysOnce = () => {
  fills.length = 0;
  return new Stage({
    hooks: {
      solo: {
        ...atStart((order) => void order.buy('AAPL', { notional: '1000' })),
        onFill: ({ fill }) => void fills.push(BigInt(fill.shares)),
      },
    },
  });
};

/** The venue reports its order as reverted. */
async function claimed(): Promise<Stage> {
  const stage = buysOnce();
  stage.venue.indexed = false;
  await stage.play(10 * SECOND);
  const { orderId } = stage.venue.last;
  stage.venue.neverMined(stage.venue.last);
  Object.assign(stage.venue.last, { orderId, status: 'reverted', rawStatus: 'Failed', shown: true });
  await stage.pass(20 * SECOND);
  expect(stage.orders[0]).toMatchObject({ claim: { end: { report: { status: 'reverted' } } } });
  return stage;
}

/** The account agrees: it has ended. */
async function reverted(): Promise<Stage> {
  const stage = await claimed();
  await stage.pass(4 * MINUTE);
  expect(stage.states).toEqual(['reverted']);
  return stage;
}

const booksOf = (stage: Stage) => stage.runner.kernel.context.accountState;

function expectBooked(stage: Stage): void {
  const accountState = booksOf(stage);
  expect(stage.orders).toMatchObject([{ state: { kind: 'closed', how: 'filled' } }]);
  expect(accountState.positions.of('solo', AAPL).quantity).toBe(parseShares('10'));
  expect(accountState.ledger.total('mUSD')).toBe(stage.venue.cash);
  expect(accountState.ledger.balance('solo', 'reserved', 'mUSD')).toBe(0n);
  expect(stage.runner.kernel.reconciliation.clean).toBe(true);
  expect([...accountState.frozen.keys()]).toEqual([]);
  expect(fills).toHaveLength(1);
  const told = stage.alarms.filter((text) =>
    text.includes('a reorganisation of the chain has undone its revert'),
  );
  expect(told).toHaveLength(1);
}

describe('a revert undone by a reorganisation', () => {
  test('does not end the order: its fill is booked and reported', async () => {
    const stage = await reverted();
    stage.venue.fill(stage.venue.last);
    await stage.pass(2 * MINUTE);
    expectBooked(stage);
    expect(booksOf(stage).differences).toEqual([]);
  });

  test('holds its stock until the account has been read afterwards', async () => {
    const stage = await reverted();
    const account = stage.venue.account.bind(stage.venue);
    let answer: () => void = () => undefined;
    const waits = new Promise<void>((resolve) => (answer = resolve));
    stage.venue.account = () => waits.then(account);
    stage.venue.fill(stage.venue.last);
    await stage.pass(MINUTE);
    expect(stage.states).toEqual(['closed']);
    expect(stage.runner.kernel.context.holds.has('end', AAPL)).toBe(true);
    answer();
    await stage.pass(MINUTE);
    expect(stage.runner.kernel.context.holds.has('end', AAPL)).toBe(false);
    expectBooked(stage);
  });

  test('freezes nothing when it comes before the account has confirmed the revert', async () => {
    const stage = await claimed();
    stage.venue.fill(stage.venue.last);
    await stage.pass(2 * MINUTE);
    expectBooked(stage);
  });

  test('leaves the order working again when it is open afterwards', async () => {
    const stage = await reverted();
    const row = stage.venue.last;
    Object.assign(row, { status: 'open', rawStatus: 'placing', locked: parseCash('1001.1') });
    stage.venue.cash -= parseCash('1001.1');
    await stage.pass(3 * MINUTE);
    expect(stage.states).toEqual(['working']);
    expect([...booksOf(stage).frozen.keys()]).toEqual([]);
    stage.venue.fill(row);
    await stage.pass(2 * MINUTE);
    expectBooked(stage);
  });
});
