import { describe, expect, test } from 'vitest';
import { parseCash, parseShares } from '../../../src/core/amount.ts';
import { ticker, type Address } from '../../../src/domain/instrument.ts';
import { UNALLOCATED, WALLET, type Holding } from '../../../src/domain/account/ledger.ts';
import type { JournalEvent } from '../../../src/domain/journalEvent.ts';
import type { ExternalRules } from '../../../src/domain/limits.ts';
import { cashToken } from '../../../src/emulator/state/constants.ts';
import type { StrategyHooks } from '../../../src/strategy/index.ts';
import { memoryJournal } from '../../store/memoryJournal.ts';
import { EmulatedWorld } from '../emulated.ts';
import { SECOND, Stage } from '../stage.ts';
import { expectSound, ledgerOf } from '../treasuries.ts';

const $ = parseCash;
const USDC = cashToken.address.toLowerCase() as Address;
const SPY = ticker('SPY');
const NONE: ExternalRules = { orders: 'alarm', deposits: null, withdrawals: null, stockMoves: null };
const ALL: ExternalRules = { ...NONE, deposits: '', withdrawals: '', stockMoves: '' };

const deposit = (world: EmulatedWorld, amount: string) =>
  world.client.cashDepositSend({ body: { tokenAddress: USDC, tokenAmount: amount } });

/** Adds cash that no list names. */
const gift = (world: EmulatedWorld, amount = '100') => {
  const { userAddress } = world;
  world.command({ kind: 'move', body: { userAddress, asset: 'mUSD', amount } });
  return Promise.resolve();
};

/** Runs ten minutes, in the first of which the owner acts through another program. */
async function beside(
  world: EmulatedWorld,
  hand: (world: EmulatedWorld) => Promise<unknown>,
  external: ExternalRules,
): Promise<void> {
  let isDone = false;
  const hooks: StrategyHooks = {
    onQuote: () => {
      if (!isDone) void hand(world);
      isDone = true;
    },
  };
  await world.run(10, { rules: { external }, hooks });
}

const accepted = ({ lines }: EmulatedWorld) =>
  [...memoryJournal(lines).entries()].flatMap(({ fact }) => (fact.kind === 'balanceAccepted' ? [fact] : []));
const free = (world: EmulatedWorld, asset: Holding, owner = UNALLOCATED) =>
  ledgerOf(world).balance(owner, 'free', asset);

describe('an external deposit', () => {
  test('is a difference when the config does not accept it', async () => {
    const world = new EmulatedWorld();
    await beside(world, () => deposit(world, '100'), { ...ALL, deposits: null });
    expect(accepted(world)).toEqual([]);
    expect(world.alarms.some((text) => text.startsWith('difference in mUSD'))).toBe(true);
  });

  test('is booked once with its hash, at the venue and in the wallet', async () => {
    const world = new EmulatedWorld();
    await world.run(1, { rules: { external: ALL } });
    const [before, wallet] = [free(world, 'mUSD'), ledgerOf(world).at(WALLET, USDC)];
    await beside(world, () => deposit(world, '100'), ALL);
    expect(world.alarms).toEqual([]);
    expectSound(world);
    const facts = accepted(world);
    expect(facts.map(({ side, amount, strategyId }) => [side, amount, strategyId])).toEqual([
      ['venue', $('100'), ''],
      ['wallet', -$('100'), ''],
    ]);
    expect(facts[0]?.reason).toMatch(/^deposit of 100 mUSD by another hand \(0x[0-9a-f]{64}\)$/);
    expect([free(world, 'mUSD') - before, ledgerOf(world).at(WALLET, USDC) - wallet]).toEqual([
      $('100'),
      -$('100'),
    ]);
    await world.run(5, { rules: { external: ALL } });
    expect(accepted(world)).toHaveLength(2);
  });

  test('is allocated to the strategy the config names', async () => {
    const world = new EmulatedWorld();
    await beside(world, () => deposit(world, '100'), { ...ALL, deposits: 'solo' });
    expect([free(world, 'mUSD', 'solo'), world.alarms]).toEqual([$('10100'), []]);
  });

  test('while no run was watching is booked at the start', async () => {
    const world = new EmulatedWorld();
    await world.run(1, { rules: { external: ALL } });
    await world.during(async () => {
      await deposit(world, '100');
      await world.clock.sleep(60_000);
    });
    await world.run(5, { rules: { external: ALL } });
    expect([accepted(world).length, world.alarms]).toEqual([2, []]);
    expectSound(world);
  });

  test('is booked while ledger and venue differ by dust, which stays', async () => {
    const world = new EmulatedWorld();
    await beside(world, (one) => Promise.all([deposit(one, '100'), gift(one, '0.003')]), ALL);
    expect([accepted(world).map(({ amount }) => amount), world.alarms]).toEqual([[$('100'), -$('100')], []]);
  });

  test('must be listed to be booked: cash that no list names is never accepted', async () => {
    const world = new EmulatedWorld();
    await beside(world, () => gift(world), ALL);
    expect(accepted(world)).toEqual([]);
    expect(world.alarms.some((text) => text.startsWith('difference in mUSD'))).toBe(true);
  });

  test('explains no second difference of its amount, not even after a restart', async () => {
    const world = new EmulatedWorld();
    await beside(world, () => deposit(world, '100'), ALL);
    await beside(world, () => gift(world), ALL);
    expect(accepted(world)).toHaveLength(2);
    expect(world.alarms.some((text) => text.startsWith('difference in mUSD'))).toBe(true);
  });

  test('does not explain a difference that an operator has already accepted', async () => {
    const world = new EmulatedWorld();
    await beside(world, () => deposit(world, '100'), NONE);
    const differing = world.runner?.kernel.context.accountState;
    const entry: JournalEvent = {
      kind: 'balanceAccepted',
      side: 'venue',
      asset: 'mUSD',
      strategyId: '',
      amount: $('100'),
      value: $('100'),
      reason: 'by hand',
    };
    memoryJournal(world.lines).commit([{ at: world.clock.now(), fact: entry }]);
    expect(differing?.differences.length).toBeGreaterThan(0);
    await beside(world, () => gift(world), ALL);
    expect(accepted(world).map(({ txHash }) => txHash)).toEqual([undefined]);
  });

  test.each([
    ['processing', '100', 0],
    ['failed', '100', 0],
    ['pending', '100', 0],
    ['success', '99', 0],
    ['success', '100', 1],
  ] as const)(
    'that is %s with an amount of %s explains a difference of 100: %i',
    async (...[status, amount, count]) => {
      const stage = await new Stage({ rules: { external: ALL } }).play(SECOND);
      const now = stage.clock.now();
      const moved = { token: USDC, amount: $(amount), received: null };
      const row = { txHash: '0xAB', status, rawStatus: status, createdAt: now, moved };
      const { kernel } = stage.runner;
      const listed = { kind: 'transfers', transferKind: 'cashDeposit', asked: now, complete: true } as const;
      kernel.handle({ ...listed, rows: [row, row] }, now);
      stage.venue.cash += $('100');
      const account = { kind: 'account', asked: now, report: await stage.venue.account() } as const;
      const { facts } = kernel.handle(account, now);
      expect(facts.filter(({ fact }) => fact.kind === 'balanceAccepted')).toHaveLength(count);
    },
  );
});

test('an external withdrawal is booked from the strategy the config names, if it is known', async () => {
  const withdraw = (world: EmulatedWorld) =>
    world.client.cashWithdrawalSend({ body: { tokenAddress: USDC, creditAmount: '100' } });
  const world = new EmulatedWorld();
  await beside(world, () => withdraw(world), { ...ALL, withdrawals: 'solo' });
  expect(accepted(world).map(({ side, amount }) => [side, amount])).toEqual([
    ['venue', -$('100')],
    ['wallet', expect.any(BigInt)],
  ]);
  expect(free(world, 'mUSD', 'solo')).toBe($('9900'));
  const other = new EmulatedWorld();
  await beside(other, () => withdraw(other), { ...ALL, withdrawals: 'nobody' });
  expect(accepted(other)).toEqual([]);
});

test('an external stock deposit is booked', async () => {
  const world = new EmulatedWorld();
  const hand = async () => {
    const row = (await world.client.symbols()).find((one) => 'symbol' in one && one.symbol === 'SPY');
    if (!row || !('contractAddress' in row)) throw new Error('no SPY');
    return world.client.stockDepositSend({ body: { tokenAddress: row.contractAddress, tokenAmount: '2' } });
  };
  await world.run(1, { rules: { external: ALL } });
  const before = free(world, SPY);
  await beside(world, hand, ALL);
  expect([free(world, SPY) - before, world.alarms]).toEqual([parseShares('2'), []]);
  expectSound(world);
});

/** Places an external order in SPY. */
async function placed(
  { client, clock }: EmulatedWorld,
  terms: Readonly<
    | { side: 'Buy'; type: 'Market'; notional: string }
    | { side: 'Sell'; type: 'Market'; quantity: string }
    | { side: 'Buy'; type: 'Limit'; quantity: string; price: string; timeInForce: 'DAY' }
  >,
): Promise<unknown> {
  const row = (await client.symbols()).find((one) => 'symbol' in one && one.symbol === 'SPY');
  if (!row || !('contractAddress' in row)) throw new Error('no SPY');
  const stockAddress = row.contractAddress.toLowerCase() as Address;
  return client.orderSend({
    body: { stockAddress, ...terms, deadline: Math.floor(clock.now() / 1000) + 60 },
  });
}

describe('fills of an external order', () => {
  const COUNTED: ExternalRules = { ...NONE, orders: 'count', fills: 'solo' };
  const bought = (world: EmulatedWorld) => placed(world, { side: 'Buy', type: 'Market', notional: '500' });

  test('is a difference when the config does not accept it', async () => {
    const world = new EmulatedWorld();
    await beside(world, bought, { ...COUNTED, fills: null });
    expect(accepted(world)).toEqual([]);
    expect(world.alarms.some((text) => text.startsWith('difference in '))).toBe(true);
  });

  test('are booked once, in cash and shares, at cost, for the strategy that the config names', async () => {
    const world = new EmulatedWorld();
    await beside(world, bought, COUNTED);
    const facts = accepted(world);
    expect(facts.map(({ asset, strategyId }) => [asset, strategyId])).toEqual([
      ['mUSD', 'solo'],
      ['SPY', 'solo'],
    ]);
    expect(facts.reduce((sum, { value }) => sum + value, 0n)).toBe(0n);
    expect(facts[0]?.reason).toMatch(
      /^purchase of [\d.]+ SPY for [\d.]+ mUSD by another hand \(0x[0-9a-f]{64}\)$/,
    );
    expect([free(world, SPY, 'solo'), free(world, 'mUSD', 'solo')]).toEqual([
      facts[1]?.amount,
      $('10000') + (facts[0]?.amount ?? 0n),
    ]);
    expect(world.alarms).toEqual([]);
    expectSound(world);
    await world.run(5, { rules: { external: COUNTED } });
    expect(accepted(world)).toHaveLength(2);
  });

  test('are booked if they sell shares the strategy has, and are a difference if they sell others', async () => {
    const world = new EmulatedWorld();
    await beside(world, bought, COUNTED);
    await beside(world, (one) => placed(one, { side: 'Sell', type: 'Market', quantity: '0.5' }), COUNTED);
    expect([accepted(world).length, world.alarms]).toEqual([4, []]);
    expectSound(world);
    const other = new EmulatedWorld();
    const sale = (one: EmulatedWorld) => placed(one, { side: 'Sell', type: 'Market', quantity: '0.5' });
    await beside(other, sale, COUNTED);
    expect(accepted(other)).toEqual([]);
  });

  test('are booked even if equally many shares are bought and sold between two account reads', async () => {
    const world = new EmulatedWorld();
    await world.run(1, { rules: { external: COUNTED } });
    await world.during(async () => {
      await placed(world, { side: 'Buy', type: 'Limit', quantity: '1', price: '900', timeInForce: 'DAY' });
      await world.clock.sleep(30 * SECOND);
      await placed(world, { side: 'Sell', type: 'Market', quantity: '1' });
      await world.clock.sleep(30 * SECOND);
    });
    await world.run(5, { rules: { external: COUNTED } });
    expect([accepted(world).map(({ asset }) => asset), world.alarms]).toEqual([
      ['mUSD', 'SPY', 'mUSD', 'SPY'],
      [],
    ]);
    expectSound(world);
  });

  test('are not booked when the account has gained further money that no list explains', async () => {
    const world = new EmulatedWorld();
    await beside(world, (one) => Promise.all([bought(one), gift(one)]), COUNTED);
    expect(accepted(world)).toEqual([]);
    expect(world.alarms.some((text) => text.startsWith('difference in '))).toBe(true);
  });
});

test('external orders count without an alarm, and no start waits for them', async () => {
  const place = (one: EmulatedWorld) =>
    placed(one, { side: 'Buy', type: 'Limit', quantity: '1', price: '10', timeInForce: 'DAY' });
  const world = new EmulatedWorld();
  await beside(world, place, { ...NONE, orders: 'count' });
  expect(world.alarms).toEqual([]);
  const { externals } = world.runner?.kernel.context.accountState ?? {};
  expect([externals?.open.size, externals?.unaccepted.size]).toEqual([1, 0]);
  await world.during(() => place(world).then(() => world.clock.sleep(60_000)));
  await world.run(5, { rules: { external: { ...NONE, orders: 'count' } } });
  expect([world.alarms, world.runner?.kernel.context.accountState.externals.unaccepted.size]).toEqual([
    [],
    0,
  ]);
});
