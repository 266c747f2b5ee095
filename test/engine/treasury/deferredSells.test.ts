import { describe, expect, test } from 'vitest';
import { parseCash, parseShares } from '../../../src/core/amount.ts';
import { DEBT, WALLET } from '../../../src/domain/account/ledger.ts';
import { ticker } from '../../../src/domain/instrument.ts';
import type { AllowedOrder } from '../../../src/engine/strategy/trading.ts';
import type { HookContext } from '../../../src/strategy/index.ts';
import { EmulatedWorld, type Submission } from '../emulated.ts';
import { atStart } from '../stage.ts';
import { cut, expectSound, ledgerOf } from '../treasuries.ts';

const $ = parseCash;
const AAPL = ticker('AAPL');
const SHARES = parseShares('3');
const treasury = { repayDebt: { maxPerDay: $('100000') } };
const rules = { limits: { debt: $('5000') } };
const allowOrders: ReadonlySet<AllowedOrder> = new Set(['deferredSells']);
const selling = atStart((order) => void order.sell('AAPL', { shares: 3, deferred: true }, 'from the wallet'));
const options = { treasury, rules, allowOrders };

/** The account whose wallet may sell deferred; it has 20 AAPL there. */
const worldOf = (submission: Submission = 'blind', lines: readonly string[] = []) =>
  new EmulatedWorld({ account: 1, submission, lines });

const ordersOf = ({ runner }: EmulatedWorld) => [
  ...(runner?.kernel.context.accountState.orders.values() ?? []),
];
const inTruth = (world: EmulatedWorld) => world.truth().stocks.find(({ symbol }) => symbol === 'AAPL');

describe.each<Submission>(['blind', 'one-click', 'calldata'])('a deferred sell of a strategy (%s)', (submission) => {
  test('brings its proceeds at once, and is repaid from the wallet', async () => {
    const world = worldOf(submission);
    const before = inTruth(world);
    const { kernel } = await world.run(10, { ...options, hooks: selling });
    expect(ordersOf(world)).toMatchObject([
      { state: { kind: 'closed', how: 'filled' }, terms: { funding: { kind: 'deferred' }, quantity: SHARES } },
    ]);
    expect(world.operations.filter(({ terms }) => terms.kind !== 'approve')).toMatchObject([
      { terms: { kind: 'repay', symbol: AAPL, amount: SHARES }, state: { kind: 'settled' } },
    ]);
    expect(ledgerOf(world).at(DEBT, AAPL)).toBe(0n);
    expect(inTruth(world)).toMatchObject({ exchange: before?.exchange, debt: '0' });
    expect($(inTruth(world)?.wallet ?? '0')).toBe($(before?.wallet ?? '0') - SHARES);
    expectSound(world);
    const [order] = ordersOf(world);
    const proceeds = order?.state.kind === 'closed' ? (order.state.settlement?.receive ?? 0n) : 0n;
    const { accountState } = kernel.context;
    expect(accountState.ledger.held('solo', 'mUSD')).toBe($('10000') + proceeds);
    expect(accountState.positions.of('solo', AAPL)).toEqual({ quantity: 0n, cost: 0n, realised: 0n });
  });
});
