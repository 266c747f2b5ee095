import { parseTransaction } from 'viem';
import { describe, expect, test } from 'vitest';
import { parseCash, parseShares } from '../../../src/core/amount.ts';
import { ticker, type Address } from '../../../src/domain/instrument.ts';
import { DEBT, WALLET } from '../../../src/domain/account/ledger.ts';
import { cashToken } from '../../../src/emulator/state/constants.ts';
import { decodeRouterCall } from '../../../src/wallet/routerAbi.ts';
import { EmulatedWorld, type Submission } from '../emulated.ts';
import { atStart } from '../stage.ts';
import { cut, expectSound, indebted, ledgerOf } from '../treasuries.ts';

const $ = parseCash;
const USDC = cashToken.address.toLowerCase() as Address;
const SPY = ticker('SPY');
const AAPL = ticker('AAPL');
const buffer = { below: $('120000'), upTo: $('130000'), atLeast: $('100'), maxPerDay: $('45000') };
const stockForSells = { maxPerOrder: $('20000'), maxPerDay: $('20000') };
const sellFour = atStart((order) => void order.sell('SPY', { shares: 4 }));
const approved = (world: EmulatedWorld, token: string, amount: string) =>
  world.command({ kind: 'allowance', body: { userAddress: world.userAddress, token, amount } });

/** Router calls that the wallet has offered; an approval is `approve`. */
const offered = ({ node }: EmulatedWorld) =>
  node.offered.map((raw) => {
    const { data = '0x' } = parseTransaction(raw as `0x02${string}`);
    return decodeRouterCall(data)?.kind ?? (data.startsWith('0x095ea7b3') ? 'approve' : data);
  });

const dropAll = (world: EmulatedWorld) => {
  const rules = [
    { kind: 'unmined', on: 'node', endpoint: 'eth_sendRawTransaction', probability: 1 } as const,
  ];
  world.command({ kind: 'faults', body: { rules } });
};

/** Losses of a node that accepts nothing during a whole test. */
const MUTE: readonly 'before'[] = Array.from({ length: 2_000 }, () => 'before');

const kinds = (world: EmulatedWorld) =>
  world.operations.map(({ terms, state }) => `${terms.kind} ${state.kind}`);

describe('transfers sent by the wallet itself', () => {
  const own = () => new EmulatedWorld({ submission: 'calldata' });

  test('fill the cash buffer, with bytes and hash in the journal first', async () => {
    const world = own();
    let journaled = '';
    world.node.onOffer = () => (journaled = world.lines.at(-1) ?? '');
    await world.run(10, { treasury: { cashBuffer: buffer } });
    expect(kinds(world)).toEqual(['cashDeposit settled']);
    expect(offered(world)).toEqual(['deposit']);
    expect(journaled).toContain(`"raw":"${world.node.offered[0]}"`);
    expect(journaled).toMatch(/"id":"op-1","event":\{"kind":"sent".*"txHash":"0x/);
    expect(ledgerOf(world).at(WALLET, USDC)).toBe($('20000'));
    expectSound(world);
  });

  test('move stock for a sell, and repay debt', async () => {
    const seller = own();
    await seller.run(10, { treasury: { stockForSells }, hooks: sellFour });
    expect(offered(seller)).toEqual(['depositStock', 'placeMarketOrder']);
    expect(ledgerOf(seller).at(WALLET, SPY)).toBe($('6'));
    expectSound(seller);
    const debtor = await indebted('calldata');
    await debtor.run(10, { treasury: { repayDebt: { maxPerDay: $('100000') } } });
    expect(kinds(debtor)).toEqual(['repay settled']);
    expect(ledgerOf(debtor).at(DEBT, AAPL)).toBe(0n);
    expectSound(debtor);
  });

  test('are found by their hash when the response was lost', async () => {
    const world = own();
    world.node.losses.push('after');
    await world.run(10, { treasury: { cashBuffer: buffer } });
    expect(kinds(world)).toEqual(['cashDeposit settled']);
    expect(new Set(world.node.offered).size).toBe(1);
    expectSound(world);
  });

  test('are sent again as the same bytes when the node has lost them', async () => {
    const world = own();
    world.node.losses.push('before', 'before', 'before');
    await world.run(10, { treasury: { cashBuffer: buffer } });
    expect(kinds(world)).toEqual(['cashDeposit settled']);
    expect(world.node.offered).toHaveLength(4);
    expect(new Set(world.node.offered).size).toBe(1);
    expectSound(world);
  });

  test('are not sent again while a kill file exists', async () => {
    const world = own();
    let isKilled = false;
    world.node.losses.push('before', 'before', 'before');
    world.onNotice = ({ text }) => (isKilled ||= text.includes('no usable response'));
    await world.run(10, { treasury: { cashBuffer: buffer }, killed: () => isKilled });
    expect(kinds(world)).toEqual(['cashDeposit unknown']);
    expect(world.node.offered).toHaveLength(3);
  });

  test('closed without proof leave their nonce to the next, so that at most one of them is done', async () => {
    const world = own();
    world.node.losses.push(...MUTE);
    const treasury = { cashBuffer: { ...buffer, maxPerDay: $('900000') } };
    world.onNotice = ({ text }) => {
      if (text.includes('is assumed never done')) world.node.losses.length = 0;
    };
    await world.run(40, { treasury, rules: { assumeGoneAfterMs: 300_000 } });
    expect(kinds(world)).toEqual(['cashDeposit neverExisted', 'cashDeposit settled']);
    const bytes = [...new Set(world.node.offered)] as `0x02${string}`[];
    expect(bytes.map((raw) => parseTransaction(raw).nonce ?? 0)).toEqual([0, 0]);
  });

  test('wait while earlier bytes may still be mined, over a restart too', async () => {
    const world = own();
    world.node.losses.push(...MUTE);
    const treasury = { cashBuffer: { ...buffer, maxPerDay: $('900000') } };
    await world.run(15, { treasury });
    await world.run(5, { treasury });
    expect(kinds(world)).toEqual(['cashDeposit unknown']);
    expect(new Set(world.node.offered).size).toBe(1);
    expect(world.alarms.some((text) => /op-1.* is still without an answer/.test(text))).toBe(true);
    expectSound(world);
  });

  test.each([
    ['that never arrived', (world: EmulatedWorld) => void world.node.losses.push(...MUTE)],
    ['that were dropped, linked to the key,', dropAll],
  ])('%s are closed once another transaction was mined with their nonce', async (_how, lose) => {
    const world = own();
    lose(world);
    const treasury = { cashBuffer: { ...buffer, maxPerDay: $('900000') } };
    await world.run(3, { treasury });
    expect(kinds(world)).toHaveLength(1);
    world.node.losses.length = 0;
    world.command({ kind: 'faults', body: { rules: [] } });
    await world.during(() => world.sendElsewhere(0));
    // A policy waits ten minutes after a failed transfer.
    await world.run(14, { treasury });
    expect(kinds(world)).toEqual(['cashDeposit neverExisted', 'cashDeposit settled']);
    expect(world.alarms.join()).not.toMatch(/assumed/);
    expectSound(world);
  });

  test('stay open while their amount has left the wallet, although another transaction has their nonce', async () => {
    const world = own();
    world.node.losses.push(...MUTE);
    const treasury = { cashBuffer: buffer };
    await world.run(3, { treasury });
    expect(kinds(world)).toEqual(['cashDeposit unknown']);
    world.node.losses.length = 0;
    const { userAddress } = world;
    world.command({
      kind: 'move',
      body: { userAddress, asset: cashToken.symbol, amount: '-30000', bucket: 'wallet' },
    });
    await world.during(() => world.sendElsewhere(0));
    await world.run(14, { treasury });
    expect(kinds(world)).toEqual(['cashDeposit unknown']);
    expect(world.alarms.join()).toMatch(/op-1.* is still without an answer/);
  });

  test('stay open while the wallet shows them done, whatever the node says about their nonce', async () => {
    const world = own();
    const endpoint = 'POST /api/v1/cash/deposits/tx';
    const node = { on: 'node', endpoint: 'eth_sendRawTransaction', probability: 1 } as const;
    const rules = [
      { kind: 'status', status: 504, processed: false, endpoint, probability: 1 } as const,
      { kind: 'false-receipt', how: 'missing', depth: 0, ...node } as const,
    ];
    world.command({ kind: 'faults', body: { rules } });
    await world.run(14, { treasury: { cashBuffer: { ...buffer, maxPerDay: $('900000') } } });
    expect(kinds(world)).toEqual(['cashDeposit acknowledged']);
    expect(world.node.offered).toHaveLength(1);
  });

  test('have a failed link repeated without being sent again', async () => {
    const world = own();
    const endpoint = 'POST /api/v1/cash/deposits/tx';
    const rules = [{ kind: 'status', status: 504, processed: false, endpoint, probability: 1 } as const];
    world.command({ kind: 'faults', body: { rules } });
    await world.run(3, { treasury: { cashBuffer: buffer } });
    expect(kinds(world)).toEqual(['cashDeposit acknowledged']);
    world.command({ kind: 'faults', body: { rules: [] } });
    await world.run(5, { treasury: { cashBuffer: buffer } });
    expect(kinds(world)).toEqual(['cashDeposit settled']);
    expect(world.node.offered).toHaveLength(1);
    expectSound(world);
  });

  test.each([
    ['after their bytes are durable', /"kind":"operation","id":"op-1","event":\{"kind":"sent"/],
    ['after their response', /"kind":"operation","id":"op-1","event":\{"kind":"accepted"/],
  ])('of a runner killed %s are not sent again', async (_, line) => {
    const world = own();
    await world.run(3, { treasury: { cashBuffer: buffer } });
    world.lines = cut(world.lines, line);
    await world.run(5, { treasury: { cashBuffer: buffer } });
    expect(world.node.offered).toHaveLength(1);
    expect(kinds(world)).toEqual(['cashDeposit settled']);
    expectSound(world);
  });
});

describe.each<Submission>(['one-click', 'calldata'])('transfers by %s', (submission) => {
  const own = () => new EmulatedWorld({ submission });

  test("that reverted raise an alarm with the venue's word", async () => {
    const world = own();
    const revoke = () => approved(world, 'SPY', '0');
    if (submission === 'calldata') world.node.onOffer = revoke;
    else
      world.onNotice = ({ text }) => {
        if (text.startsWith('deposit 4 SPY')) revoke();
      };
    const { kernel } = await world.run(10, { treasury: { stockForSells }, hooks: sellFour });
    expect(world.operations).toMatchObject([
      { state: { kind: 'failed', reason: 'the venue says "failed"' } },
    ]);
    expect(world.alarms).toEqual(['deposit 4 SPY: failed on chain, the venue says "failed"']);
    expect(kernel.context.accountState.intents.size).toBe(0);
    expectSound(world);
  });

  test('without an approval are not sent, with one alarm that names the command, until it is given', async () => {
    const world = own();
    approved(world, 'USDC', '29999');
    await world.run(10, { treasury: { cashBuffer: buffer } });
    expect(world.operations).toEqual([]);
    expect(world.node.offered).toEqual([]);
    expect(world.alarms).toHaveLength(1);
    expect(world.alarms[0]).toMatch(
      /^deposit 30000 cash: the wallet has approved 29999 USDC for 0x.*Approve it by "drover wallet approve USDC 30000"/,
    );
    approved(world, 'USDC', '30000');
    await world.run(5, { treasury: { cashBuffer: buffer } });
    expect(kinds(world)).toEqual(['cashDeposit settled']);
    expectSound(world);
  });

  test('without an approval are approved first for the exact amount when the config allows it', async () => {
    const world = own();
    approved(world, 'USDC', '5');
    const approve = new Map([['USDC', $('30000')]]);
    await world.run(10, { treasury: { cashBuffer: buffer, approve } });
    expect(kinds(world)).toEqual(['approve settled', 'cashDeposit settled']);
    expect(world.operations[0]?.terms.amount).toBe($('30000'));
    expect(world.allowanceOf(USDC)).toBe(0n);
    expect(world.alarms).toEqual([]);
    expectSound(world);
  });

  test('above the configured cap of an approval are not sent', async () => {
    const world = own();
    approved(world, 'USDC', '5');
    const approve = new Map([
      ['USDC', $('29999.99')],
      ['SPY', $('1000')],
    ]);
    await world.run(10, { treasury: { cashBuffer: buffer, approve } });
    expect(world.operations).toEqual([]);
    expect(world.node.offered).toEqual([]);
    expect(world.allowanceOf(USDC)).toBe($('5'));
    expect(world.alarms).toHaveLength(1);
    expect(world.alarms[0]).toMatch(/treasury\.approve allows 29999\.99$/);
    expectSound(world);
  });

  test("are not approved by a node's decimals alone, which could be false and exceed the cap", async () => {
    const world = own();
    approved(world, 'USDC', '5');
    const { ask } = world.node;
    const isDecimals = (params: readonly unknown[]) => JSON.stringify(params).includes('0x313ce567');
    world.node.ask = ((method, params, shape) =>
      isDecimals(params)
        ? Promise.resolve(shape.parse(`0x${'12'.padStart(64, '0')}`))
        : ask.call(world.node, method, params, shape)) as typeof ask;
    await world.run(10, { treasury: { cashBuffer: buffer, approve: new Map([['USDC', $('30000')]]) } });
    expect(world.node.offered).toEqual([]);
    expect(world.allowanceOf(USDC)).toBe($('5'));
    expect(world.alarms.join()).toMatch(/states 6 decimals for 0x.*, and the token itself 18/);
  });

  test('use the approval cap of their own token, not of one with the same name in the balance', async () => {
    const world = own();
    approved(world, 'USDC', '5');
    const balance = world.client.balance.bind(world.client);
    const renamed = <Row extends object>(row: Row) =>
      'symbol' in row && row.symbol === 'USDC' ? { ...row, symbol: 'SPY' } : row;
    Object.assign(world.client, {
      balance: async (...asked: Parameters<typeof balance>) => {
        const answer = await balance(...asked);
        return { ...answer, tokenBalances: answer.tokenBalances.map(renamed) };
      },
    });
    const approve = new Map([['SPY', $('1000000')]]);
    await world.run(10, { treasury: { cashBuffer: buffer, approve } });
    expect(world.allowanceOf(USDC)).toBe($('5'));
    expect(world.alarms.join()).toMatch(/approved 5 USDC .* treasury\.approve does not name it/);
  });

  test('for a sell wait for approval and stock, and for a debt for the approval', async () => {
    const world = own();
    approved(world, 'SPY', '0');
    const approve = new Map([['SPY', $('4')]]);
    const runner = await world.run(10, { treasury: { stockForSells, approve }, hooks: sellFour });
    expect(kinds(world)).toEqual(['approve settled', 'stockDeposit settled']);
    const { accountState } = runner.kernel.context;
    expect([...accountState.orders.values()]).toMatchObject([
      { terms: { quantity: parseShares('4') }, state: { kind: 'closed', how: 'filled' } },
    ]);
    expectSound(world);
    const debtor = await indebted(submission);
    approved(debtor, 'AAPL', '1');
    const treasury = { repayDebt: { maxPerDay: $('100000') }, approve: new Map([['AAPL', $('2')]]) };
    await debtor.run(10, { treasury });
    expect(kinds(debtor)).toEqual(['approve settled', 'repay settled']);
    expectSound(debtor);
  });

  test('wait while an approval is unknown, which is found by its hash', async () => {
    const world = own();
    approved(world, 'USDC', '0');
    const treasury = { cashBuffer: buffer, approve: new Map([['USDC', $('30000')]]) };
    world.node.losses.push(...MUTE);
    await world.run(15, { treasury });
    expect(kinds(world)).toEqual(['approve unknown']);
    expect(new Set(world.node.offered).size).toBe(1);
    expectSound(world);
    const found = own();
    approved(found, 'USDC', '0');
    found.node.losses.push('after');
    await found.run(10, { treasury });
    expect(kinds(found)).toEqual(['approve settled', 'cashDeposit settled']);
    expectSound(found);
  });

  test('of a runner killed between approval and deposit make only the deposit', async () => {
    const world = own();
    approved(world, 'USDC', '0');
    const treasury = { cashBuffer: buffer, approve: new Map([['USDC', $('30000')]]) };
    let approving = 0;
    world.node.onOffer = () => approving++;
    world.onNotice = ({ text }) => {
      if (/^approve .* done/.test(text)) world.runner?.stop('killed');
    };
    await world.run(10, { treasury });
    world.onNotice = () => undefined;
    world.lines = cut(world.lines, /"id":"op-1","event":\{"kind":"sent"/);
    await world.run(10, { treasury });
    expect(kinds(world)).toEqual(['approve settled', 'cashDeposit settled']);
    expect(approving).toBe(submission === 'calldata' ? 2 : 1);
    expectSound(world);
  });
});
