import { expect, test, vi } from 'vitest';
import { parseCash, parseShares, shares } from '../../../src/core/amount.ts';
import { epochMs } from '../../../src/core/brand.ts';
import { UNALLOCATED, WALLET } from '../../../src/domain/account/ledger.ts';
import { ticker, type Address } from '../../../src/domain/instrument.ts';
import type { TradingRules } from '../../../src/domain/limits.ts';
import type { OperatorAnswer, OperatorCommand } from '../../../src/domain/operator/command.ts';
import type { MoveTerms } from '../../../src/domain/transfers/transfer.ts';
import type { TreasuryPolicies } from '../../../src/engine/treasury/policy.ts';
import { cashToken } from '../../../src/emulator/state/constants.ts';
import { EmulatedWorld } from '../emulated.ts';
import { MINUTE } from '../stage.ts';
import { expectSound, indebted, ledgerOf } from '../treasuries.ts';
import type { CommandId } from '../../../src/domain/operator/restriction.ts';

const $ = parseCash;
const USDC = cashToken.address.toLowerCase() as Address;
const AAPL = ticker('AAPL');
const byHand = new Set([
  'cashDeposit',
  'cashWithdrawal',
  'stockDeposit',
  'stockWithdrawal',
  'repay',
] as const);
const all: TreasuryPolicies = { byHand };
const deposit = (amount: string): MoveTerms => ({ kind: 'cashDeposit', token: USDC, amount: $(amount) });
const withdrawal = (amount: string): MoveTerms => ({
  kind: 'cashWithdrawal',
  token: USDC,
  amount: $(amount),
});

type Asked = Readonly<
  { minute: number; id?: string } & ({ terms: MoveTerms } | { command: OperatorCommand })
>;

/** Runs for ten minutes in which these transfers are requested, and returns the answers. */
async function moving(
  world: EmulatedWorld,
  asked: readonly Asked[],
  { rules = {}, ...treasury }: TreasuryPolicies & Readonly<{ rules?: Partial<TradingRules> }> = all,
): Promise<OperatorAnswer[]> {
  const answers: OperatorAnswer[] = [];
  const begun = world.clock.now();
  for (const [index, { minute, id = `transfer-${begun}-${index}`, ...each }] of asked.entries())
    world.clock.at(epochMs(begun + minute * MINUTE), () => {
      const request = { id: id as CommandId, by: 'ada (socket)', reason: 'more to invest' };
      const command = 'command' in each ? each.command : ({ kind: 'transfer', terms: each.terms } as const);
      void world.runner?.command({ ...request, command }).then((answer) => answers.push(answer));
    });
  await world.run(10, { treasury, rules });
  return answers;
}

const refused = (text: RegExp) => ({
  kind: 'refused',
  because: 'safety',
  text: expect.stringMatching(text) as string,
});

const stockOf = (world: EmulatedWorld) => {
  const stock = world.runner?.kernel.context.market.instruments.get(AAPL)?.address;
  if (!stock) throw new Error('no AAPL');
  return stock;
};

/** Address of AAPL at the emulator, which a first run has learned. */
async function known(world: EmulatedWorld): Promise<Address> {
  await world.run(1, { treasury: all });
  return stockOf(world);
}

test('a manual deposit is journaled, sent once, booked, and causes no difference', async () => {
  const world = new EmulatedWorld();
  const answers = await moving(world, [
    { minute: 2, terms: deposit('100'), id: 'deposit-1' },
    { minute: 5, terms: deposit('100'), id: 'deposit-1' },
  ]);
  expect(answers).toMatchObject([{ kind: 'done', result: { transfer: 'op-1' } }, { kind: 'done' }]);
  expect(world.operations).toMatchObject([
    {
      command: 'deposit-1',
      cause: 'by hand, ada (socket): more to invest',
      state: { kind: 'settled', received: $('100') },
    },
  ]);
  expect(ledgerOf(world).at(WALLET, USDC)).toBe($('49900'));
  expect(world.runner?.progress('deposit-1' as CommandId)).toMatchObject({ isDone: true, left: [] });
  expect(world.alarms).toEqual([]);
  expect(world.summary?.equity).toMatchObject({ deposited: '100' });
  expectSound(world);
});

test('a manual withdrawal takes only unallocated cash, and names the owner of the rest', async () => {
  const world = new EmulatedWorld();
  const before = $('90000');
  const answers = await moving(world, [
    { minute: 2, terms: withdrawal('90001') },
    // A token may be named in any case; the books have it in lower case.
    { minute: 4, terms: { kind: 'cashWithdrawal', token: cashToken.address, amount: $('500') } },
  ]);
  expect(answers).toMatchObject([
    refused(/90001 mUSD to withdraw, 90000 unallocated. Of the rest, 10000 belongs to strategy solo/),
    { kind: 'done' },
  ]);
  expect(ledgerOf(world).balance(UNALLOCATED, 'free', 'mUSD')).toBe(before - $('500'));
  expect(world.alarms).toEqual([]);
  expectSound(world);
});

test('a manual withdrawal with more digits than the venue lists is done, and stops no other transfer', async () => {
  const world = new EmulatedWorld();
  const answers = await moving(world, [{ minute: 2, terms: withdrawal('1234.567890123456789012') }]);
  expect(answers).toMatchObject([{ kind: 'done' }]);
  expect(world.alarms).toEqual([]);
  expect(world.operations.map(({ state }) => state.kind)).toEqual(['settled']);
  expect(ledgerOf(world).balance(UNALLOCATED, 'free', 'mUSD')).toBe(
    $('90000') - $('1234.567890123456789012'),
  );
  expectSound(world);
});

test('a manual withdrawal that was lost is never assumed gone, and is ended by an operator', async () => {
  const world = new EmulatedWorld();
  const endpoint = 'POST /api/v1/cash/withdrawals/send';
  const rules = [{ kind: 'lost-request', endpoint, times: 1, probability: 1 }] as const;
  world.command({ kind: 'faults', body: { rules: [...rules] } });
  const grace = { ...all, rules: { assumeGoneAfterMs: MINUTE } };
  await moving(world, [{ minute: 2, terms: withdrawal('700') }], grace);
  expect(world.operations.map(({ state }) => state.kind)).toEqual(['unknown']);
  const resolve = { minute: 2, command: { kind: 'resolve', id: 'op-1' } } as const;
  const answers = await moving(world, [resolve, { minute: 5, terms: withdrawal('701') }], grace);
  expect(answers).toMatchObject([{ kind: 'done', result: { resolved: true } }, { kind: 'done' }]);
  expect(world.operations.map(({ state }) => state.kind)).toEqual(['neverExisted', 'settled']);
  expectSound(world);
});

test('a second transfer of the same amount is found when its response is lost, too', async () => {
  const world = new EmulatedWorld();
  const losing = (kind: 'lost-request' | 'lost-response') => {
    const rule = { kind, endpoint: 'POST /api/v1/cash/deposits/send', times: 1, probability: 1 } as const;
    world.command({ kind: 'faults', body: { rules: [rule] } });
  };
  losing('lost-request');
  await moving(world, [{ minute: 2, terms: deposit('100') }]);
  await moving(world, [{ minute: 2, command: { kind: 'resolve', id: 'op-1' } }]);
  losing('lost-response');
  await moving(world, [{ minute: 2, terms: deposit('100') }]);
  expect(world.operations.map(({ state }) => state.kind)).toEqual(['neverExisted', 'settled']);
  expectSound(world);
});

test('a manual stock transfer moves shares to the exchange and back', async () => {
  const world = new EmulatedWorld({ account: 1 });
  const token = await known(world);
  const wallet = ledgerOf(world).at(WALLET, AAPL);
  const amount = parseShares('1');
  const [first, second] = await moving(world, [
    { minute: 2, terms: { kind: 'stockDeposit', symbol: AAPL, token, amount }, id: 'shares-in' },
    { minute: 6, terms: { kind: 'stockWithdrawal', symbol: AAPL, token, amount }, id: 'shares-out' },
  ]);
  expect([first, second]).toMatchObject([{ kind: 'done' }, { kind: 'done' }]);
  expect(world.operations.map(({ state }) => state.kind)).toEqual(['settled', 'settled']);
  expect(ledgerOf(world).at(WALLET, AAPL)).toBe(wallet);
  expectSound(world);
});

test('a manual repayment pays no more than is owed', async () => {
  const world = await indebted();
  const token = await known(world);
  const repay = (amount: string): MoveTerms => ({
    kind: 'repay',
    symbol: AAPL,
    token,
    amount: parseShares(amount),
  });
  const answers = await moving(world, [
    { minute: 2, terms: repay('3') },
    { minute: 4, terms: repay('1.5') },
  ]);
  expect(answers).toMatchObject([refused(/2 AAPL is owed/), { kind: 'done' }]);
  expect(world.truth().stocks.find(({ symbol }) => symbol === 'AAPL')?.debt).toBe('0.5');
  expectSound(world);
});

test('a repayment answered after the account has shown it stops no other transfer', async () => {
  const world = await indebted();
  const token = await known(world);
  const endpoint = 'POST /api/v1/deferred-sell/repay/send';
  const rule = { kind: 'delay', ms: 45_000, endpoint, times: 1, probability: 1 } as const;
  world.command({ kind: 'faults', body: { rules: [rule] } });
  await moving(world, [
    { minute: 2, terms: { kind: 'repay', symbol: AAPL, token, amount: parseShares('1.5') } },
  ]);
  expect(world.alarms).toEqual([expect.stringContaining('no usable response')]);
  expectSound(world);
});

test('a manual transfer that cannot be made is refused, and nothing is sent', async () => {
  const world = new EmulatedWorld();
  const other: Address = `0x${'9'.repeat(40)}`;
  const answers = await moving(
    world,
    [
      { minute: 1, terms: withdrawal('10') },
      { minute: 2, terms: deposit('50001') },
      { minute: 3, terms: deposit('0.0000001') },
      { minute: 4, terms: { kind: 'cashDeposit', token: other, amount: $('1') } },
      { minute: 5, terms: { kind: 'stockDeposit', symbol: AAPL, token: other, amount: shares($('1')) } },
    ],
    { byHand: new Set(['cashDeposit', 'stockDeposit']) },
  );
  expect(answers).toMatchObject([
    refused(/'withdrawals' is switched off.*signing.allow.*Nothing was sent/),
    refused(/wallet has 50000, and 50001 is needed/),
    refused(/USDC has 6 decimals/),
    refused(/none of the cash tokens that are pinned/),
    refused(/not the contract of AAPL/),
  ]);
  expect(world.operations).toEqual([]);
  // Even before the wallet is read: a run with a simulated account never reads it.
  expect(await moving(new EmulatedWorld(), [{ minute: 0, terms: deposit('1') }], {})).toMatchObject([
    refused(/moves nothing between wallet and venue/),
  ]);
});

test('a manual transfer is outside the caps of the transfer policies and uses none of them', async () => {
  const world = new EmulatedWorld();
  const cashBuffer = { below: $('120000'), upTo: $('130000'), atLeast: $('100'), maxPerDay: $('1000') };
  await moving(world, [{ minute: 4, terms: deposit('5000') }], { byHand, cashBuffer });
  await world.run(1, { treasury: { byHand, cashBuffer: { ...cashBuffer, maxPerDay: $('1500') } } });
  expect(world.operations.map(({ terms }) => terms.amount)).toEqual([$('1000'), $('5000'), $('500')]);
  expectSound(world);
});

test.each([24, -1_000_000_000_000])('%s decimals of a token do not end a run', async (decimals) => {
  const world = new EmulatedWorld();
  const stated = await world.during(() => world.client.config());
  const [token] = stated.cashierTokenConfig ?? [];
  vi.spyOn(world.client, 'config').mockImplementation(() =>
    Promise.resolve({ ...stated, cashierTokenConfig: [{ ...token, decimals }] } as typeof stated),
  );
  const answers = await moving(world, [{ minute: 2, terms: deposit('5000') }]);
  expect(answers).toMatchObject([{ kind: 'done' }]);
});
