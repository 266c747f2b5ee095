import { encodeFunctionData, parseAbi, parseGwei, type Hex } from 'viem';
import { afterEach, describe, expect, test } from 'vitest';
import { epochMs } from '../../src/core/brand.ts';
import { baseFeeAt } from '../../src/emulator/chain/gas.ts';
import { refusalOf } from '../../src/emulator/chain/clientWords.ts';
import { BUSY } from '../../src/emulator/state/faultRules.ts';
import { CLIENTS, faceOfClient, type Client, type NodeFace } from '../../src/emulator/state/nodeFace.ts';
import { reverted } from '../../src/emulator/rpc/calls.ts';
import { cashToken, contracts } from '../../src/emulator/state/constants.ts';
import { genesis } from '../../src/emulator/state/genesis.ts';
import { isRevert, revertCause, revertData } from '../../src/wallet/revert.ts';
import { standingOf, type OfferState } from '../../src/wallet/offer.ts';
import { VenueRefusedError } from '../../src/core/errors.ts';
import { START } from './harness.ts';
import { closeAll, Trader } from './trader.ts';

afterEach(closeAll);

const SEND = 'eth_sendRawTransaction';

type Face = Readonly<Partial<Omit<NodeFace, 'client'>> & { client?: Client }>;

async function traderFacing(face: Face, rest: object = {}): Promise<Trader> {
  const trader = await Trader.start();
  await trader.control('/faults', { node: { client: 'geth', ...face }, ...rest });
  return trader;
}

const approval = encodeFunctionData({
  abi: parseAbi(['function approve(address spender, uint256 amount)']),
  args: [contracts.router, 5n],
});
const approving = { to: cashToken.address, data: approval } as const;

const countOf = ({ reader, address }: Trader, blockTag: 'latest' | 'pending') =>
  reader.getTransactionCount({ address, blockTag });

const isFound = async (trader: Trader, hash: string): Promise<boolean> =>
  (await trader.node('eth_getTransactionByHash', hash)).result !== null;

describe('a node', () => {
  test.each([
    [true, 1],
    [false, 0],
  ])('that counts pending transactions (%s) reports %d', async (countsWaiting, count) => {
    const trader = await traderFacing({ countsWaiting });
    await trader.send(await trader.signed(approving));
    expect(await countOf(trader, 'pending')).toBe(count);
    await trader.wait(5_000);
    expect(await countOf(trader, 'pending')).toBe(1);
  });

  test.each([true, false])(
    'that shows pending transactions by hash finds one at once: %s',
    async (showsWaiting) => {
      const trader = await traderFacing({ showsWaiting });
      const hash = await trader.send(await trader.signed(approving));
      expect(await isFound(trader, hash)).toBe(showsWaiting);
      await trader.wait(5_000);
      expect(await isFound(trader, hash)).toBe(true);
    },
  );

  test.each([
    ['used', 46_000n],
    ['limit', 200_000n],
  ] as const)('charges the gas %s', async (charges, gasUsed) => {
    const trader = await traderFacing({ charges });
    const { reader, address } = trader;
    const before = await reader.getBalance({ address });
    const hash = (await trader.send(await trader.signed(approving))) as Hex;
    await trader.wait(5_000);
    const receipt = await reader.getTransactionReceipt({ hash });
    expect(receipt).toMatchObject({ status: 'success', gasUsed });
    expect(before - (await reader.getBalance({ address }))).toBe(gasUsed * receipt.effectiveGasPrice);
  });

  test.each([
    [10, '65.9', 'replacement transaction underpriced'],
    [10, '66', null],
    [0, '60', 'replacement transaction underpriced'],
    [0, '60.1', null],
  ] as const)(
    'needs a bump of %d %% to replace a transaction: %s gwei',
    async (replacementPercent, gwei, refusal) => {
      const trader = await traderFacing({ replacementPercent });
      const first = { maxFeePerGas: parseGwei('60'), maxPriorityFeePerGas: parseGwei('10') };
      await trader.send(await trader.signed({ ...approving, ...first }));
      const fees = { maxFeePerGas: parseGwei(gwei), maxPriorityFeePerGas: parseGwei('11') };
      const answer = await trader.send(await trader.signed({ ...approving, ...fees }));
      if (refusal === null) expect(answer).toMatch(/^0x/);
      else expect(answer).toBe(refusal);
    },
  );

  test('drops a transaction that was pending too long, and mines it when it is sent again', async () => {
    const trader = await traderFacing({ expiryMs: 20_000 }, { mempoolMs: 60_000 });
    const raw = await trader.signed(approving);
    const hash = await trader.send(raw);
    await trader.wait(19_000);
    expect(await isFound(trader, hash)).toBe(true);
    await trader.wait(2_000);
    expect(await isFound(trader, hash)).toBe(false);
    await trader.wait(60_000);
    expect(await countOf(trader, 'latest')).toBe(0);
    await trader.control('/faults', {});
    expect(await trader.send(raw)).toBe(hash);
    await trader.wait(5_000);
    expect(await countOf(trader, 'latest')).toBe(1);
  });

  test('that is busy says so, and has carried out the request completely or not at all', async () => {
    const trader = await traderFacing({ client: 'monad', showsWaiting: true });
    const busy = { kind: 'busy-node', on: 'node', why: 'overloaded', endpoint: SEND, times: 1 };
    await trader.control('/faults', { node: { client: 'monad' }, rules: [busy] });
    const raw = await trader.signed(approving);
    expect(await trader.node(SEND, raw)).toMatchObject({
      error: { code: -32_603, message: 'overloaded, try again later' },
    });
    await trader.wait(5_000);
    expect(await countOf(trader, 'latest')).toBe(0);
    await trader.control('/faults', { node: { client: 'monad' }, rules: [{ ...busy, processed: true }] });
    expect(await trader.send(raw)).toBe('overloaded, try again later');
    await trader.wait(5_000);
    expect(await countOf(trader, 'latest')).toBe(1);
  });

  test.each([
    ['first', /^0x/],
    ['second', /^An existing transaction had higher priority$/],
  ])('behind a gateway that sends twice responds the %s time', async (heard, answer) => {
    const duplicate = { kind: 'duplicate', on: 'node', endpoint: SEND, heard };
    const trader = await traderFacing({ client: 'monad' }, { rules: [duplicate] });
    const sent = trader.send(await trader.signed(approving));
    for (let isOver = false; !isOver; await trader.wait(50)) {
      const pause = trader.reader.getChainId().then(() => null);
      isOver = (await Promise.race([sent, pause])) !== null;
    }
    expect(await sent).toMatch(answer);
    await trader.wait(5_000);
    expect(await countOf(trader, 'latest')).toBe(1);
  });

  test('of Monad counts and shows mined transactions only, and accepts a nonce with a gap', async () => {
    const trader = await traderFacing({ client: 'monad' });
    const hash = await trader.send(await trader.signed({ ...approving, nonce: 99 }));
    expect(hash).toMatch(/^0x/);
    expect(await isFound(trader, hash)).toBe(false);
    expect(await trader.send(await trader.signed({ ...approving, chainId: 1 }))).toBe(
      'Invalid chain ID: expected 143, got 1',
    );
  });

  test('refuses an unknown client', async () => {
    const trader = await Trader.start();
    await expect(trader.control('/faults', { node: { client: 'parity' } })).rejects.toThrow('node.client');
  });
});

describe('a moving base fee', () => {
  const PEAK = 16;
  const walking = { ...genesis({ seed: 3, start: START, indexerLagMs: 0 }) };
  const face = { ...faceOfClient('geth'), baseFeePeak: PEAK };
  const state = { seed: 3, node: { usual: face, face, walks: [{ from: START, peak: PEAK }] } };
  const fees = Array.from({ length: 3_600 }, (_, second) =>
    Number(baseFeeAt(state, epochMs(START + second * 1_000))),
  );

  test('stays between its bounds, moves widely, and changes by at most an eighth a block', () => {
    expect(Math.min(...fees)).toBeGreaterThanOrEqual(50e9 / PEAK);
    expect(Math.max(...fees)).toBeLessThanOrEqual(50e9 * PEAK);
    expect(Math.max(...fees) / Math.min(...fees)).toBeGreaterThan(8);
    const steps = fees.slice(1).map((fee, index) => fee / (fees[index] ?? fee));
    expect(Math.max(...steps)).toBeLessThanOrEqual(1.125);
    expect(Math.min(...steps)).toBeGreaterThanOrEqual(0.875);
  });

  test('is constant before the move, and without one', () => {
    expect(baseFeeAt(state, epochMs(START - 1_000))).toBe(parseGwei('50'));
    expect(baseFeeAt(walking, START)).toBe(parseGwei('50'));
  });

  test('leaves underpaid transactions pending in the order of nonces until it falls', async () => {
    const trader = await traderFacing({ baseFeePeak: PEAK });
    const { reader } = trader;
    const feeNow = async () => (await reader.getBlock()).baseFeePerGas ?? 0n;
    for (let minute = 0; minute < 60 && (await feeNow()) < parseGwei('100'); minute++)
      await trader.wait(10_000);
    const cheap = { maxFeePerGas: parseGwei('60'), maxPriorityFeePerGas: 0n };
    const dear = { maxFeePerGas: parseGwei('900'), maxPriorityFeePerGas: 0n };
    const hashes = [
      await trader.send(await trader.signed({ ...approving, ...cheap })),
      await trader.send(await trader.signed({ ...approving, ...dear, nonce: 1 })),
    ] as Hex[];
    await trader.wait(3_000);
    expect(await countOf(trader, 'latest')).toBe(0);
    for (let minute = 0; minute < 60 && (await countOf(trader, 'latest')) === 0; minute++)
      await trader.wait(10_000);
    await trader.wait(3_000);
    const [first, second] = await Promise.all(hashes.map((hash) => reader.getTransactionReceipt({ hash })));
    const { baseFeePerGas } = await reader.getBlock({ blockNumber: first?.blockNumber ?? 0n });
    expect(first?.effectiveGasPrice).toBe(baseFeePerGas);
    expect(baseFeePerGas).toBeLessThanOrEqual(parseGwei('60'));
    expect(Number(second?.blockNumber)).toBeGreaterThanOrEqual(Number(first?.blockNumber));
  });
});

/** The meaning that the words of every client must have. Monad's pool compares bytes with those it already has. */
const STANDINGS: Readonly<Partial<Record<Parameters<typeof refusalOf>[1], OfferState>>> = {
  nonceTooLow: 'unclear',
  nonceTooHigh: 'never',
  notReplaced: 'never',
  funds: 'never',
  chainId: 'never',
  gasAboveBlock: 'never',
  gasTooLow: 'never',
  tipAboveFee: 'never',
  feeBelowBase: 'never',
  rateLimited: 'unclear',
  overloaded: 'unclear',
  internal: 'unclear',
  pruned: 'unclear',
};

const VALUES = { hash: `0x${'ab'.repeat(32)}`, nonce: 3, next: 5, gas: 40_000_000, gasMax: 30_000_000 };

describe.each(CLIENTS)('the error messages of %s', (client) => {
  test('are classified by the wallet according to their meaning', () => {
    for (const [reason, standing] of Object.entries(STANDINGS)) {
      const refusal = refusalOf(client, reason as 'funds', VALUES);
      const isOpen = client === 'monad' && reason === 'notReplaced';
      if (refusal)
        expect([reason, standingOf(refusal.message)]).toEqual([reason, isOpen ? 'unclear' : standing]);
    }
    const known = refusalOf(client, 'known', VALUES);
    expect(standingOf(known?.message ?? '')).toBe(client === 'monad' ? 'unclear' : 'taken');
  });

  test('distinguish a revert from a busy node', () => {
    for (const reason of BUSY) {
      const { code, message, data } = refusalOf(client, reason, {}) ?? {};
      expect([reason, isRevert({ code: code ?? 0, message: message ?? '', data: revertData(data) })]).toEqual(
        [reason, false],
      );
    }
    for (const reverts of ['text', 'custom', 'bare'] as const) {
      const { code, message, data } = reverted({ ...faceOfClient(client), reverts }, 'paused');
      expect(isRevert({ code, message, data: revertData(data) })).toBe(true);
      const cause = revertCause(new VenueRefusedError(message, { data: revertData(data) }));
      if (reverts === 'text') expect(cause).toBe('paused');
      if (reverts === 'custom') expect(cause).toMatch(/^custom error 0x[0-9a-f]{8}$/);
    }
  });
});

test('besu reports pruned block state in its own words', () => {
  expect(refusalOf('besu', 'pruned')?.message).toBe('World state unavailable');
});
