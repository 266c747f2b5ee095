import { expect, test } from 'vitest';
import { amountsIn } from '../../domain/account/amountsIn.ts';
import { parseCash, parseShares } from '../../../src/core/amount.ts';
import { AccountState } from '../../../src/domain/account/accountState.ts';
import { ticker } from '../../../src/domain/instrument.ts';
import { entryOf } from '../../store/memoryJournal.ts';
import { EmulatedWorld } from '../emulated.ts';

const AAPL = ticker('AAPL');

/** Buys once, and receives the fill; the settlement is undone a minute later, and comes again after `againMs`. */
async function reversed(againMs: number | undefined, minutes: number) {
  const world = new EmulatedWorld();
  const fills: number[] = [];
  const rule = {
    kind: 'settle-reversed',
    endpoint: 'POST /api/v1/orders/send',
    ms: 60_000,
    times: 1,
    probability: 1,
  } as const;
  world.command({
    kind: 'faults',
    body: { rules: [againMs === undefined ? rule : { ...rule, againMs }] },
  });
  await world.run(minutes, {
    hooks: {
      onStart: ({ order }) => void order.buy('AAPL', { notional: '1000' }),
      onFill: ({ fill }) => void fills.push(fill.shares),
    },
  });
  const { runner } = world;
  if (!runner) throw new Error('nothing ran');
  const { accountState } = runner.kernel.context;
  const { mUsd, mUsdLocked, stocks } = world.truth();
  const { exchange = '0', locked = '0' } = stocks.find(({ symbol }) => symbol === AAPL) ?? {};
  expect(accountState.ledger.total('mUSD')).toBe(parseCash(mUsd) + parseCash(mUsdLocked));
  expect(accountState.ledger.total(AAPL)).toBe(parseShares(exchange) + parseShares(locked));
  expect([...accountState.frozen.keys()]).toEqual([AAPL]);
  expect(world.alarms.filter((text) => text.includes('what it had settled is taken back'))).toHaveLength(1);
  const again = new AccountState();
  for (const line of world.lines) again.apply(entryOf(line));
  expect(amountsIn(again.ledger)).toEqual(amountsIn(accountState.ledger));
  expect(again.positions).toEqual(accountState.positions);
  return { world, books: accountState, fills };
}

test('a settlement undone by the chain is reversed in the ledger, with the order working again', async () => {
  const { books: accountState, fills, world } = await reversed(undefined, 10);
  expect([...accountState.live.values()]).toMatchObject([{ state: { kind: 'working' } }]);
  expect(accountState.positions.of('solo', AAPL)).toEqual({ quantity: 0n, cost: 0n, realised: 0n });
  expect(accountState.ledger.held('solo', AAPL)).toBe(0n);
  expect(fills).toHaveLength(1);
  expect(world.summary?.reconciliation.open).toEqual([]);
});

test('a settlement undone by the chain that settles again is booked again, and notified once', async () => {
  const { books: accountState, fills } = await reversed(300_000, 12);
  expect(accountState.live.size).toBe(0);
  expect(accountState.positions.of('solo', AAPL).quantity).toBeGreaterThan(0n);
  expect(accountState.positions.of('solo', AAPL).cost).toBe(parseCash('1001.1'));
  expect(fills).toHaveLength(1);
});
