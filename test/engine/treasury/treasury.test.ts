import { describe, expect, test } from 'vitest';
import { parseCash, parseShares, shares } from '../../../src/core/amount.ts';
import { DEBT, UNALLOCATED, WALLET } from '../../../src/domain/account/ledger.ts';
import { ticker, type Address } from '../../../src/domain/instrument.ts';
import { cashToken } from '../../../src/emulator/state/constants.ts';
import { EmulatedWorld } from '../emulated.ts';
import { atStart } from '../stage.ts';
import type { AllowedOrder } from '../../../src/engine/strategy/trading.ts';
import type { HookContext } from '../../../src/strategy/index.ts';
import { cut, expectAgreement, expectSound, indebted, ledgerOf, sellDeferred } from '../treasuries.ts';

const $ = parseCash;
const USDC = cashToken.address.toLowerCase() as Address;
const SPY = ticker('SPY');
const AAPL = ticker('AAPL');
const buffer = { below: $('120000'), upTo: $('130000'), atLeast: $('100'), maxPerDay: $('45000') };

const sends = ({ client }: EmulatedWorld, path: string) =>
  client.requests.byEndpoint[`POST /api/v1/${path}/send`] ?? 0;

describe('the cash buffer', () => {
  test('is filled from the wallet, and left unchanged when it is full', async () => {
    const world = new EmulatedWorld();
    await world.run(10, { treasury: { cashBuffer: buffer } });
    expect(world.operations).toMatchObject([
      { terms: { kind: 'cashDeposit', token: USDC, amount: $('30000') }, state: { kind: 'settled' } },
    ]);
    expect(ledgerOf(world).at(WALLET, USDC)).toBe($('20000'));
    expect(ledgerOf(world).balance(UNALLOCATED, 'free', 'mUSD')).toBe($('120000'));
    expect(world.summary?.operations).toEqual({
      planned: 1,
      settled: 1,
      failed: 0,
      open: 0,
      deposited: '30000',
    });
    expect(world.summary?.equity).toMatchObject({ deposited: '30000' });
    expectSound(world);
  });

  test('is filled once when the cashier queues the deposit', async () => {
    const world = new EmulatedWorld();
    world.command({ kind: 'cashier', body: { creditBuffer: '1000' } });
    await world.run(15, { treasury: { cashBuffer: buffer } });
    expect(world.operations).toMatchObject([{ state: { kind: 'settled', received: $('30000') } }]);
    expectSound(world);
  });

  test('gets at most its daily cap, and at most what the wallet has', async () => {
    const capped = new EmulatedWorld();
    await capped.run(20, { treasury: { cashBuffer: { ...buffer, maxPerDay: $('12000') } } });
    expect(capped.operations).toMatchObject([{ terms: { amount: $('12000') } }]);
    const poor = new EmulatedWorld();
    await poor.run(20, {
      treasury: { cashBuffer: { ...buffer, upTo: $('900000'), maxPerDay: $('900000') } },
    });
    expect(poor.operations).toMatchObject([{ terms: { amount: $('50000') } }]);
    for (const world of [capped, poor]) expectSound(world);
  });
});

describe('a deposit the venue reports as failed', () => {
  /** Queues deposits at the cashier while their list reports them as failed. */
  const calledFailed = () => {
    const world = new EmulatedWorld();
    world.command({ kind: 'cashier', body: { creditBuffer: '1000' } });
    const { cashDeposits } = world.client;
    const lie = <Row>(row: Row): Row =>
      JSON.parse(JSON.stringify(row), (_, value: unknown) =>
        value === 'processing' ? 'failed' : value,
      ) as Row;
    Object.assign(world.client, {
      cashDeposits: async (...asked: Parameters<typeof cashDeposits>) => {
        const page = await cashDeposits(...asked);
        return { ...page, rows: page.rows.map(lie) };
      },
    });
    return world;
  };
  const treasury = {
    cashBuffer: { ...buffer, below: $('500000'), upTo: $('500000'), maxPerDay: $('15000') },
  };

  test('is not made again when the tokens are gone', async () => {
    const world = calledFailed();
    await world.run(45, { treasury });
    expect(world.operations).toMatchObject([{ state: { kind: 'failed' } }]);
    expect(world.alarms.join()).toMatch(
      /\(op-1\) ended without effect .* Nothing more of it is moved until they agree.*"drover accept/,
    );
  });
});

test('a deposit unknown to an older journal is not made again while the cashier has it queued', async () => {
  const world = new EmulatedWorld();
  world.command({ kind: 'cashier', body: { creditBuffer: '1000' } });
  await world.run(1, { treasury: { cashBuffer: buffer } });
  expect(world.operations).toMatchObject([{ state: { kind: 'processing' } }]);
  world.lines = cut(world.lines, /"walletOpened"/);
  await world.run(3, { treasury: { cashBuffer: buffer } });
  expect(world.operations).toEqual([]);
  expect(sends(world, 'cash/deposits')).toBe(1);
  expect(world.alarms.join()).toMatch(/Nothing more of it is moved until they agree/);
});

test('a deposit that is accepted, and shown a quarter of an hour later, ends its alarm', async () => {
  const world = new EmulatedWorld();
  world.command({ kind: 'faults', body: { rules: [], indexerLagMs: 900_000 } });
  await world.run(25, { treasury: { cashBuffer: buffer } });
  expect(world.operations).toMatchObject([{ state: { kind: 'settled' } }]);
  const ofDeposit = world.notices.filter(({ about }) => about === 'unknown op-1');
  expect(ofDeposit.map(({ kind }) => kind)).toEqual(['alarm', 'clear']);
});

describe('a deposit whose response is lost', () => {
  const losing = () => {
    const world = new EmulatedWorld();
    const rules = [
      { kind: 'lost-response', endpoint: 'POST /api/v1/cash/deposits/send', probability: 1 } as const,
    ];
    world.command({ kind: 'faults', body: { rules } });
    return { world, rules };
  };

  test('is found in the list of deposits and not sent again', async () => {
    const { world } = losing();
    await world.run(10, { treasury: { cashBuffer: buffer } });
    expect(sends(world, 'cash/deposits')).toBe(1);
    expect(world.operations).toMatchObject([{ state: { kind: 'settled' } }]);
    expect(world.notices.some(({ text }) => /op-1 was found at the venue/.test(text))).toBe(true);
    expectSound(world);
  });

  test('keeps its policy waiting, over a restart too', async () => {
    const { world, rules } = losing();
    world.command({ kind: 'faults', body: { rules, indexerLagMs: 3_600_000 } });
    await world.run(15, { treasury: { cashBuffer: { ...buffer, below: $('500000'), upTo: $('500000') } } });
    expect(world.operations).toMatchObject([{ state: { kind: 'unknown' } }]);
    expect(world.alarms.some((text) => /op-1.* is still without an answer/.test(text))).toBe(true);
    await world.run(5, { treasury: { cashBuffer: { ...buffer, below: $('500000'), upTo: $('500000') } } });
    expect(sends(world, 'cash/deposits')).toBe(1);
    world.command({ kind: 'faults', body: { rules: [] } });
    await world.run(5, { treasury: { cashBuffer: buffer } });
    expect(sends(world, 'cash/deposits')).toBe(1);
    expect(world.operations).toMatchObject([{ state: { kind: 'settled' } }]);
    // A difference unexplained for ten minutes is counted, and is gone again.
    expect(world.runner?.kernel.context.accountState.differences).toHaveLength(2);
    expectAgreement(world);
  });

  test('is not assumed gone while the wallet shows the tokens gone', async () => {
    const { world } = losing();
    Object.assign(world.client, { cashDeposits: () => Promise.resolve({ total: 0, rows: [] }) });
    await world.run(40, { treasury: { cashBuffer: buffer }, rules: { assumeGoneAfterMs: 300_000 } });
    expect(world.operations).toMatchObject([{ id: 'op-1', state: { kind: 'unknown' } }]);
    expect(
      world.alarms.filter((text) => /op-1.* still without an answer.* the wallet does not agree/.test(text)),
    ).toHaveLength(1);
    expect(sends(world, 'cash/deposits')).toBe(1);
  });
});

test('a deposit whose transaction the list still shows is never assumed gone', async () => {
  const world = new EmulatedWorld();
  const rules = [{ kind: 'unmined', endpoint: 'POST /api/v1/cash/deposits/send', probability: 1 } as const];
  world.command({ kind: 'faults', body: { rules } });
  await world.run(40, { treasury: { cashBuffer: buffer }, rules: { assumeGoneAfterMs: 300_000 } });
  expect(world.operations).toMatchObject([{ id: 'op-1', state: { kind: 'acknowledged' } }]);
  expect(sends(world, 'cash/deposits')).toBe(1);
});

describe('a runner killed around a deposit', () => {
  test('after the send finds the deposit and does not send it again', async () => {
    const world = new EmulatedWorld();
    await world.run(3, { treasury: { cashBuffer: buffer } });
    world.lines = cut(world.lines, /"kind":"operation","id":"op-1","event":\{"kind":"sent"/);
    await world.run(5, { treasury: { cashBuffer: buffer } });
    expect(sends(world, 'cash/deposits')).toBe(1);
    expect(world.operations).toMatchObject([{ id: 'op-1', state: { kind: 'settled' } }]);
    expectSound(world);
  });

  test('before the send abandons the deposit, and makes a new one later', async () => {
    const first = new EmulatedWorld();
    await first.run(3, { treasury: { cashBuffer: buffer } });
    const world = new EmulatedWorld({ lines: cut(first.lines, /"kind":"operationPlanned"/) });
    await world.run(8, { treasury: { cashBuffer: buffer } });
    expect(world.operations).toMatchObject([{ state: { kind: 'abandoned' } }]);
    await world.run(10, { treasury: { cashBuffer: buffer } });
    expect(world.operations).toMatchObject([
      { state: { kind: 'abandoned' } },
      { state: { kind: 'settled' } },
    ]);
    expect(sends(world, 'cash/deposits')).toBe(1);
    expectSound(world);
  });
});

describe('a sell without stock on the exchange', () => {
  const stockForSells = { maxPerOrder: $('20000'), maxPerDay: $('20000') };
  const sellFour = atStart((order) => void order.sell('SPY', { shares: 4 }));

  test('waits until the stock was deposited from the wallet, and is sent', async () => {
    const world = new EmulatedWorld();
    const runner = await world.run(10, { treasury: { stockForSells }, hooks: sellFour });
    const { accountState } = runner.kernel.context;
    expect(world.operations).toMatchObject([
      {
        terms: { kind: 'stockDeposit', amount: parseShares('4') },
        strategyId: 'solo',
        state: { kind: 'settled' },
      },
    ]);
    expect([...accountState.orders.values()]).toMatchObject([{ state: { kind: 'closed', how: 'filled' } }]);
    expect(ledgerOf(world).at(WALLET, SPY)).toBe($('6'));
    expect(accountState.ledger.held('solo', SPY)).toBe(0n);
    expect(accountState.positions.of('solo', SPY).quantity).toBe(0n);
    expectSound(world);
  });

  test('is dropped when its deposit fails on chain', async () => {
    const world = new EmulatedWorld();
    const { userAddress } = world;
    world.onNotice = ({ text }) => {
      if (/^deposit 4 SPY/.test(text))
        world.command({ kind: 'allowance', body: { userAddress, token: 'SPY', amount: '0' } });
    };
    const { kernel } = await world.run(10, { treasury: { stockForSells }, hooks: sellFour });
    expect(world.operations).toMatchObject([{ state: { kind: 'failed' } }]);
    expect([kernel.context.accountState.orders.size, kernel.context.accountState.intents.size]).toEqual([
      0, 0,
    ]);
    expect(world.alarms).toEqual(['deposit 4 SPY: failed on chain, the venue says "failed"']);
    expectSound(world);
  });

  test('is dropped when the policy is off, its cap too small or the wallet has too little', async () => {
    const small = { ...stockForSells, maxPerOrder: $('100') };
    const sellTwenty = atStart((order) => void order.sell('SPY', { shares: 20 }));
    for (const [treasury, hooks] of [
      [{}, sellFour],
      [{ stockForSells: small }, sellFour],
      [{ stockForSells }, sellTwenty],
    ] as const) {
      const world = new EmulatedWorld();
      const { kernel } = await world.run(3, { treasury, hooks });
      expect(world.operations).toEqual([]);
      expect([kernel.context.accountState.orders.size, kernel.context.accountState.intents.size]).toEqual([
        0, 0,
      ]);
      expectSound(world);
    }
  });
});

describe('a sell with `depositFirst`', () => {
  const stockForSells = { maxPerOrder: $('20000'), maxPerDay: $('20000'), onlyAsked: true };
  const allowOrders: ReadonlySet<AllowedOrder> = new Set(['depositsBeforeSells']);
  const asking = atStart((order) => void order.sell('SPY', { shares: 4, depositFirst: true }));

  test('waits for its deposit and is sent', async () => {
    const world = new EmulatedWorld();
    const { kernel } = await world.run(10, { treasury: { stockForSells }, hooks: asking, allowOrders });
    const { accountState } = kernel.context;
    expect(world.operations).toMatchObject([
      { terms: { kind: 'stockDeposit', amount: parseShares('4') }, strategyId: 'solo' },
    ]);
    expect([...accountState.orders.values()]).toMatchObject([{ state: { kind: 'closed', how: 'filled' } }]);
    expect(ledgerOf(world).at(WALLET, SPY)).toBe($('6'));
    expectSound(world);
  });

  test('gets a deposit under `onlyAsked`, and a plain sell does not', async () => {
    const world = new EmulatedWorld();
    const plain = atStart((order) => void order.sell('SPY', { shares: 4 }));
    const { kernel } = await world.run(3, { treasury: { stockForSells }, hooks: plain, allowOrders });
    expect(world.operations).toEqual([]);
    expect(kernel.context.accountState.orders.size).toBe(0);
    expectSound(world);
  });

  test.each<[string, Parameters<HookContext['order']['sell']>[1], boolean, RegExp]>([
    [
      'without the permission depositsBeforeSells',
      { shares: 4, depositFirst: true },
      false,
      /not allowed, nothing was sent: add deposits/,
    ],
    ['with `all`', { all: true, depositFirst: true }, true, /goes with \{ shares \}/],
    [
      'with a value other than true',
      { shares: 4, depositFirst: 'yes' as never },
      true,
      /is "yes"\. Write true/,
    ],
  ])('is refused %s', async (...[, size, isAllowed, why]) => {
    const world = new EmulatedWorld();
    await world.run(3, {
      treasury: { stockForSells },
      hooks: atStart((order) => void order.sell('SPY', size)),
      ...(isAllowed ? { allowOrders } : {}),
    });
    expect(world.operations).toEqual([]);
    expect(world.notices.filter(({ text }) => why.test(text))).toHaveLength(1);
    expectSound(world);
  });
});

describe('the debt of deferred sells', () => {
  test('is repaid from the wallet, up to the daily cap', async () => {
    const world = await indebted();
    await world.run(10, { treasury: { repayDebt: { maxPerDay: $('100000') } } });
    expect(world.operations).toMatchObject([
      { terms: { kind: 'repay', symbol: AAPL, amount: shares($('2')) }, state: { kind: 'settled' } },
    ]);
    expect(ledgerOf(world).at(DEBT, AAPL)).toBe(0n);
    expect(ledgerOf(world).at(WALLET, AAPL)).toBe($('18'));
    expect(world.truth().stocks.find(({ symbol }) => symbol === 'AAPL')?.debt).toBe('0');
    expectSound(world);
    const capped = await indebted();
    await capped.run(10, { treasury: { repayDebt: { maxPerDay: $('50') } } });
    expect(capped.operations).toHaveLength(1);
    expect(capped.operations[0]?.value).toBeLessThanOrEqual($('50'));
    expectSound(capped);
  });

  test('that is external is a difference, reported and counted, and stops the next start', async () => {
    const world = new EmulatedWorld({ account: 1 });
    const treasury = { repayDebt: { maxPerDay: $('1') } };
    await world.run(2, { treasury });
    await world.during(() => sellDeferred(world));
    const hooks = atStart((order) => void order.buy('AAPL', { notional: '100' }));
    const { kernel } = await world.run(5, { treasury, hooks });
    const { accountState } = kernel.context;
    expect(accountState.differences.map(({ asset, side }) => [asset, side])).toContainEqual(['AAPL', 'debt']);
    expect(world.alarms.length).toBeGreaterThan(0);
    expect([...accountState.frozen]).toEqual([]);
    expect([accountState.trading.ofRun, accountState.transfers.stopped]).toEqual([null, null]);
    expect([...accountState.orders.values()]).toEqual([]);
    expect(world.alarms.join()).toMatch(/nothing is sent until ledger and account agree: .*AAPL owed/);
  });

  test('is not read when no policy repays it', async () => {
    const world = await indebted();
    await world.run(5, { treasury: {} });
    expect(world.client.requests.byEndpoint['GET /api/v1/deferred-sell/debts']).toBeUndefined();
    expect(sends(world, 'deferred-sell/repay')).toBe(0);
    expect(world.runner?.kernel.context.accountState.differences).toEqual([]);
  });
});

test('tokens moved outside the run are a difference of the wallet, reported and counted, which stops no order', async () => {
  const world = new EmulatedWorld();
  const { userAddress } = world;
  await world.run(2, { treasury: {} });
  world.command({ kind: 'move', body: { userAddress, asset: 'USDC', amount: '700' } });
  const { kernel } = await world.run(5, {
    treasury: {},
    hooks: atStart((order) => void order.buy('AAPL', { notional: '100' })),
  });
  const { accountState } = kernel.context;
  expect(accountState.differences).toMatchObject([
    { asset: USDC, side: 'wallet', expected: $('50000'), actual: $('50700') },
  ]);
  expect(world.alarms).toHaveLength(1);
  expect([...accountState.frozen]).toEqual([]);
  expect([...accountState.orders.values()]).toMatchObject([{ state: { kind: 'closed' } }]);
  expect(ledgerOf(world).at(WALLET, USDC)).toBe($('50000'));
});
