import { describe, expect, test } from 'vitest';
import { parseCash, parseShares } from '../../../src/core/amount.ts';
import { DEBT, WALLET } from '../../../src/domain/account/ledger.ts';
import { ticker } from '../../../src/domain/instrument.ts';
import type { JournalEntry } from '../../../src/domain/journalEvent.ts';
import { Kernel } from '../../../src/engine/kernel/kernel.ts';
import { replay } from '../../../src/engine/runtime/replay.ts';
import { transfersOf } from '../../../src/engine/state/exposure.ts';
import type { AllowedOrder } from '../../../src/engine/strategy/trading.ts';
import type { HookContext, StrategyHooks, StrategyState } from '../../../src/strategy/index.ts';
import { memoryJournal } from '../../store/memoryJournal.ts';
import { EmulatedWorld, type Submission } from '../emulated.ts';
import { atStart } from '../stage.ts';
import { expectSound, ledgerOf } from '../treasuries.ts';
import type { CommandId } from '../../../src/domain/operator/restriction.ts';

const $ = parseCash;
const AAPL = ticker('AAPL');
const THREE = parseShares('3');
const allowOrders: ReadonlySet<AllowedOrder> = new Set(['deferredSells', 'depositsBeforeSells']);
const options = {
  treasury: { repayDebt: { maxPerDay: $('100000') } },
  rules: { limits: { debt: $('100000') } },
  allowOrders,
};
const selling = (shares: number): StrategyHooks =>
  atStart((order) => void order.sell('AAPL', { shares, deferred: true }, 'from the wallet'));

/** The account that may sell deferred; its wallet has 20 AAPL. */
const worldOf = (submission: Submission = 'blind') => new EmulatedWorld({ account: 1, submission });

const stateOf = ({ runner }: EmulatedWorld) => {
  if (!runner) throw new Error('nothing has run');
  return runner.kernel.context.accountState;
};
const ordersOf = (world: EmulatedWorld) => [...stateOf(world).orders.values()];
const repaid = (world: EmulatedWorld) => world.operations.filter(({ terms }) => terms.kind === 'repay');
const inTruth = (world: EmulatedWorld) => {
  const found = world.truth().stocks.find(({ symbol }) => symbol === 'AAPL');
  if (!found) throw new Error('no AAPL');
  return found;
};
const placed = ({ client }: EmulatedWorld) => client.requests.byEndpoint['POST /api/v1/orders/send'] ?? 0;
const texts = ({ notices }: EmulatedWorld) => notices.map(({ text }) => text).join('\n');

function proceedsOf(world: EmulatedWorld): bigint {
  let sum = 0n;
  for (const { state } of ordersOf(world))
    if (state.kind === 'closed') sum += state.settlement?.receive ?? 0n;
  return sum;
}

function replayed({ options: ran, lines }: EmulatedWorld) {
  if (!ran) throw new Error('nothing ran');
  const { calendar, rules, strategies } = ran;
  const kernel = () => new Kernel({ calendar, rules, strategies, obstacles: { reason: () => null } });
  return replay([...memoryJournal(lines).entries()], kernel);
}

/** Expects one sale of three, however often it was interrupted: paid, owed, repaid, and no profit. */
function expectSoldOnce(world: EmulatedWorld, where = ''): void {
  expect(inTruth(world), where).toMatchObject({ exchange: '100', wallet: '17', debt: '0' });
  expect(ledgerOf(world).at(DEBT, AAPL), where).toBe(0n);
  const accountState = stateOf(world);
  const proceeds = proceedsOf(world);
  expect(proceeds, where).toBeGreaterThan(0n);
  expect(accountState.ledger.held('solo', 'mUSD'), where).toBe($('10000') + proceeds);
  expect(accountState.positions.all('solo').size, where).toBe(0);
  expect(transfersOf(accountState).deposited, where).toBe(proceeds);
  expectSound(world);
}

describe.each<Submission>(['blind', 'one-click', 'calldata'])('a deferred sell (%s)', (submission) => {
  test('brings its proceeds at once, and is repaid from the wallet', async () => {
    const world = worldOf(submission);
    await world.run(5, { ...options, hooks: selling(3) });
    expect(ordersOf(world)).toMatchObject([
      { state: { kind: 'closed' }, reserve: 0n, terms: { funding: { kind: 'deferred' }, quantity: THREE } },
    ]);
    expect(repaid(world)).toMatchObject([{ terms: { amount: THREE }, state: { kind: 'settled' } }]);
    expectSoldOnce(world);
    expect(world.summary).toMatchObject({
      equity: { deposited: expect.stringMatching(/./) as string },
      strategies: [{ id: 'solo', pnl: '0' }],
    });
    expect(replayed(world).parting).toBeNull();
  });
});

describe('a deferred sell at its bounds', () => {
  test.each<[string, number, Partial<typeof options>, RegExp]>([
    [
      'beyond the stock in the wallet',
      21,
      {},
      /21 AAPL to sell deferred, and the wallet has 20 that are not owed/,
    ],
    ['beyond limits.debt', 3, { rules: { limits: { debt: $('300') } } }, /is over the limit of 300 \(debt\)/],
    ['without limits.debt', 3, { rules: { limits: {} as never } }, /limits\.debt is not set/],
    [
      'without a policy that repays it',
      3,
      { treasury: {} as never },
      /a run knows them with treasury\.repayDebt/,
    ],
    [
      'without the permission deferredSells',
      3,
      { allowOrders: new Set() },
      /deferred is not allowed, nothing was sent: add deferredSells/,
    ],
  ])('is not sent %s', async (...[, shares, changes, why]) => {
    const world = worldOf();
    await world.run(2, { ...options, ...changes, hooks: selling(shares) });
    expect(placed(world)).toBe(0);
    expect(texts(world)).toMatch(why);
    expect(inTruth(world)).toMatchObject({ wallet: '20', debt: '0' });
    expectSound(world);
  });

  test('is not sent as a second order when the first owes the shares already', async () => {
    const world = worldOf();
    const hooks = atStart((order) => {
      order.sell('AAPL', { shares: 12, deferred: true });
      order.sell('AAPL', { shares: 12, deferred: true });
    });
    await world.run(5, { ...options, hooks });
    expect(placed(world)).toBe(1);
    expect(texts(world)).toMatch(/12 AAPL to sell deferred, and the wallet has 8 that are not owed/);
    expect(inTruth(world)).toMatchObject({ wallet: '8', debt: '0' });
    expectSound(world);
  });

  test('is not sent when the wallet by then has too few shares', async () => {
    const world = worldOf();
    await world.run(2, options);
    world.command({
      kind: 'move',
      body: { userAddress: world.userAddress, asset: 'AAPL', bucket: 'wallet', amount: '-18' },
    });
    const hooks: StrategyHooks = {
      onTimer: ({ order }) => void order.sell('AAPL', { shares: 3, deferred: true }),
    };
    await world.run(3, { ...options, hooks: { ...hooks, ...selling(3) } });
    expect(placed(world)).toBe(0);
    expect(inTruth(world)).toMatchObject({ wallet: '2', debt: '0' });
  });
});

test.each<[string, Parameters<HookContext['order']['sell']>[1], RegExp]>([
  ['with `all`', { all: true, deferred: true }, /goes with \{ shares \}/],
  ['with a deposit', { shares: 1, deferred: true, depositFirst: true }, /exclude each other/],
  ['with a value other than true', { shares: 1, deferred: 'yes' as never }, /is "yes"\. Write true/],
])('a deferred sell %s is refused', async (...[, size, why]) => {
  const world = worldOf();
  await world.run(2, { ...options, hooks: atStart((order) => void order.sell('AAPL', size)) });
  expect(placed(world)).toBe(0);
  expect(world.alarms).toMatchObject([expect.stringMatching(why)]);
});

test('a deferred sell the venue refuses ends with its reason, and the stock trades on', async () => {
  const world = new EmulatedWorld({ account: 0 });
  const hooks: StrategyHooks = {
    onStart: ({ order }) => void order.sell('AAPL', { shares: 1, deferred: true }),
    onOrder({ order, update }) {
      if (update.status === 'refused') order.buy('AAPL', { notional: 100 });
    },
  };
  await world.run(5, { ...options, rules: { ...options.rules, failureSpacingMs: 30_000 }, hooks });
  expect(ordersOf(world)).toMatchObject([
    { state: { kind: 'refused', reason: expect.stringContaining('deferred sell is not allowed') as string } },
    { state: { kind: 'closed', how: 'filled' }, terms: { side: 'buy' } },
  ]);
  expect(stateOf(world).frozen.size).toBe(0);
  expectSound(world);
});

test('a deferred sell whose response is lost is found by its terms and not sent again', async () => {
  const world = worldOf();
  const rules = [{ kind: 'lost-response', endpoint: 'POST /api/v1/orders/send', probability: 1 } as const];
  world.command({ kind: 'faults', body: { rules } });
  await world.run(8, { ...options, hooks: selling(3) });
  expect(world.notices.some(({ text }) => /found/.test(text))).toBe(true);
  expect(placed(world)).toBe(1);
  expectSoldOnce(world);
});

test('a deferred sell that no list shows stays unknown while the debt shows it', async () => {
  const world = worldOf();
  const lost = [{ kind: 'lost-response', endpoint: 'POST /api/v1/orders/send', probability: 1 } as const];
  world.command({ kind: 'faults', body: { rules: lost } });
  Object.assign(world.client, { orders: () => Promise.resolve({ total: 0, rows: [] }) });
  const rules = { ...options.rules, assumeGoneAfterMs: 300_000 };
  await world.run(20, { ...options, rules, hooks: selling(3) });
  expect(ordersOf(world)).toMatchObject([{ state: { kind: 'unknown' } }]);
  expect(inTruth(world)).toMatchObject({ wallet: '20', debt: '3' });
  expect(repaid(world)).toEqual([]);
});

test('a deferred sell is not sent while trading is reducing', async () => {
  const world = worldOf();
  let isReduced = false;
  world.onNotice = () => {
    if (isReduced) return;
    isReduced = true;
    const command = { kind: 'trade', state: 'reducing', scope: {} } as const;
    void world.runner?.command({ id: 'c1' as CommandId, by: 'ann', reason: 'a test', command });
  };
  await world.run(1, options);
  await world.run(2, { ...options, hooks: selling(1) });
  expect(placed(world)).toBe(0);
  expect(texts(world)).toMatch(
    /sell 1 AAPL deferred \(from the wallet\): dropped, trading is reducing: a test/,
  );
});

test('owed stock is not deposited for another sell', async () => {
  const world = worldOf();
  const treasury = {
    repayDebt: { maxPerDay: $('0') },
    stockForSells: { maxPerOrder: $('100000'), maxPerDay: $('100000') },
  };
  const hooks: StrategyHooks = {
    onStart: ({ order }) => void order.sell('AAPL', { shares: 15, deferred: true }),
    onFill: ({ order }) => void order.sell('AAPL', { shares: 6, depositFirst: true }),
  };
  await world.run(5, { ...options, treasury, hooks });
  expect(inTruth(world)).toMatchObject({ wallet: '20', debt: '15' });
  expect(world.operations).toEqual([]);
  expect(ledgerOf(world).at(WALLET, AAPL)).toBe($('20'));
  expectSound(world);
});

test('a deferred sell waits for the repayment of another, and is sent after it', async () => {
  const world = worldOf();
  let isRepaying = false;
  world.onNotice = ({ text }) => void (isRepaying ||= /^repay 2 AAPL: deferred/.test(text));
  const hooks = (state: StrategyState): StrategyHooks => ({
    onStart: ({ order }) => void order.sell('AAPL', { shares: 2, deferred: true }),
    onQuote({ order }) {
      if (!isRepaying || state['again'] !== undefined) return;
      state['again'] = true;
      order.sell('AAPL', { shares: 2, deferred: true });
    },
  });
  await world.run(6, { ...options, hooks });
  const [first, second] = repaid(world);
  const [, later] = ordersOf(world);
  expect([first?.state.kind, second?.state.kind]).toEqual(['settled', 'settled']);
  expect(later?.plannedAt).toBeGreaterThanOrEqual(
    stateOf(world).transfers.endedAt.get(first?.id as never) ?? Infinity,
  );
  expect(inTruth(world)).toMatchObject({ wallet: '16', debt: '0' });
  expectSound(world);
});

/** Sells once in its life. */
const once = (state: StrategyState): StrategyHooks => ({
  onQuote({ order, symbol }) {
    if (symbol !== 'AAPL' || state['sold'] !== undefined) return;
    state['sold'] = true;
    order.sell('AAPL', { shares: 3, deferred: true });
  },
});

/** True for a commit that concerns the sale or its repayment. */
const concerns = (batch: readonly JournalEntry[]): boolean =>
  batch.some(({ fact: { kind } }) =>
    ['intentCreated', 'planned', 'order', 'transferPlanned', 'transfer'].includes(kind),
  );

describe.each(['before', 'after'] as const)('a deferred sell with its runner killed %s any commit', (how) => {
  test('is sold and repaid once', { tags: how === 'before' ? [] : ['long'] }, async () => {
    const rules = { ...options.rules, assumeGoneAfterMs: 300_000 };
    let [deaths, sold] = [0, 0];
    for (let at = 1; ; at++) {
      const world = worldOf();
      let [seen, died] = [0, false];
      const writing: NonNullable<Parameters<EmulatedWorld['run']>[1]['writing']> = (journal) => ({
        ...journal,
        commit(batch) {
          if (died) throw new Error('this runner was killed');
          const isIt = concerns(batch) && ++seen === at;
          died = isIt;
          if (!isIt || how === 'after') journal.commit(batch);
          if (isIt) throw new Error('this runner was killed');
        },
      });
      await world.run(4, { ...options, rules, hooks: once, writing }).catch(() => undefined);
      if (!died) break;
      await world.run(22, { ...options, rules, hooks: once });
      const where = `${how} commit ${at}`;
      deaths++;
      expect(placed(world), where).toBeLessThanOrEqual(1);
      if (placed(world) === 1) expectSoldOnce(world, where);
      else expect(inTruth(world), where).toMatchObject({ wallet: '20', debt: '0' });
      expect([...stateOf(world).live.values(), ...stateOf(world).transfers.live.values()], where).toEqual([]);
      if (placed(world) === 1) sold++;
    }
    expect([deaths, sold]).toEqual(how === 'before' ? [9, 8] : [9, 7]);
  });
});
