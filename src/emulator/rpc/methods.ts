import { z } from 'zod';
import type { EpochMs } from '../../core/brand.ts';
import { baseFeeAt } from '../chain/blocks.ts';
import { BLOCK_GAS_LIMIT, TIP } from '../chain/gas.ts';
import { faceOf, NodeRefusal } from '../state/nodeFace.ts';
import { minedNonceAt, pendingNonce } from '../chain/wallets.ts';
import { CHAIN_ID } from '../state/constants.ts';
import { nativeOf } from '../chain/tokens.ts';
import type { World } from '../state/world.ts';
import { instantOf, numberAt, numberOf, requireLatest, requireRecent, quantity } from './blocks.ts';
import { call, codeAt, estimateGas } from './calls.ts';
import { logsOf, matches, type Log } from './logs.ts';
import { address, blockTag, count, hash, logQuery, optionalTag, parseParams, trial } from './params.ts';
import { blockView, gasUsedBy, shownReceipt, shownTransaction } from './views.ts';

/** Answers a method that changes nothing. @throws {NodeRefusal} */
export type Read = (world: World, params: readonly unknown[], now: EpochMs) => unknown;

/** A method with its parameters by position; what it does not know of is ignored, as nodes do. */
const read =
  <S extends z.ZodType>(
    schema: S,
    answer: (world: World, params: z.output<S>, now: EpochMs) => unknown,
  ): Read =>
  (world, params, now) =>
    answer(world, parseParams(schema, params), now);

const none = z.array(z.unknown());
const rest = z.unknown();
const full = z.boolean().nullish();

const FEE_BLOCKS_MAX = 1024;

export const reads: ReadonlyMap<string, Read> = new Map(
  Object.entries({
    eth_chainId: read(none, () => quantity(CHAIN_ID)),
    net_version: read(none, () => String(CHAIN_ID)),
    web3_clientVersion: read(none, () => 'drover-emulator'),
    eth_syncing: read(none, () => false),
    eth_accounts: read(none, () => []),
    eth_blockNumber: read(none, (world, _params, now) => quantity(numberAt(world, now))),
    eth_gasPrice: read(none, ({ state }, _params, now) => quantity(baseFeeAt(state, now) + TIP)),
    eth_maxPriorityFeePerGas: read(none, () => quantity(TIP)),
    eth_feeHistory: read(
      z.tuple([count, optionalTag, z.array(z.number()).nullish()]).rest(rest),
      (world, [blocks, newest, percentiles], now) => {
        const last = numberOf(world, newest, now);
        if (last === null) throw new NodeRefusal('request beyond head block');
        return feeHistory(world, { last, blocks, rewards: percentiles?.length ?? 0 });
      },
    ),
    eth_getBlockByNumber: read(z.tuple([blockTag, full]).rest(rest), (world, [tag, whole], now) => {
      const number = numberOf(world, tag, now);
      return number === null ? null : blockView(world, number, whole ?? false);
    }),
    eth_getBlockByHash: read(z.tuple([hash, full]).rest(rest), (world, [blockHash, whole], now) => {
      const number = numberOf(world, { blockHash }, now);
      return number === null ? null : blockView(world, number, whole ?? false);
    }),
    eth_getTransactionCount: read(z.tuple([address, optionalTag]).rest(rest), (world, [of, tag], now) => {
      const isCounted = tag === 'pending' && faceOf(world.state).countsWaiting;
      if (isCounted) return quantity(pendingNonce(world, of));
      return quantity(minedNonceAt(world, of, instantOf(world, requireRecent(world, tag, now))));
    }),
    eth_getBalance: read(z.tuple([address, optionalTag]).rest(rest), (world, [of, tag], now) => {
      requireLatest(world, tag, now);
      return quantity(nativeOf(world, of));
    }),
    eth_getCode: read(z.tuple([address, optionalTag]).rest(rest), (world, [of]) => codeAt(world, of)),
    eth_call: read(z.tuple([trial, optionalTag]).rest(rest), (world, [tried, tag], now) =>
      call(world, { trial: tried, tag }, now),
    ),
    eth_estimateGas: read(z.tuple([trial, optionalTag]).rest(rest), (world, [tried], now) =>
      quantity(estimateGas(world, tried, now)),
    ),
    eth_getTransactionByHash: read(z.tuple([hash]).rest(rest), (world, [of], now) => {
      const transaction = world.transactions.get(of);
      return transaction ? shownTransaction(world, transaction, now) : null;
    }),
    eth_getTransactionReceipt: read(z.tuple([hash]).rest(rest), (world, [of], now) => {
      const transaction = world.transactions.get(of);
      return transaction ? shownReceipt(world, transaction, now) : null;
    }),
    eth_getLogs: read(z.tuple([logQuery]).rest(rest), (world, [query], now) => logsIn(world, query, now)),
  } satisfies Record<string, Read>),
);

export const SEND = 'eth_sendRawTransaction';

/** Whether the node has such a method. */
export const isMethod = (name: string): boolean => name === SEND || reads.has(name);

type History = Readonly<{ last: number; blocks: number; rewards: number }>;

function feeHistory(world: World, { last, blocks, rewards }: History) {
  const size = Math.min(blocks, last + 1, FEE_BLOCKS_MAX);
  const numbers = Array.from({ length: size }, (_, index) => last - size + 1 + index);
  const usedIn = (number: number) => gasUsedBy(world.blocks.get(instantOf(world, number)) ?? []);
  const reward = Array.from({ length: rewards }, () => quantity(TIP));
  return {
    oldestBlock: quantity(last - size + 1),
    baseFeePerGas: [...numbers, last + 1].map((number) =>
      quantity(baseFeeAt(world.state, instantOf(world, number))),
    ),
    gasUsedRatio: numbers.map((number) => usedIn(number) / BLOCK_GAS_LIMIT),
    ...(rewards > 0 && { reward: numbers.map(() => reward) }),
  };
}

/** A range beyond the newest block ends there; an unknown start has no logs. */
function logsIn(world: World, { filter, from, to }: z.output<typeof logQuery>, now: EpochMs): Log[] {
  const first = numberOf(world, from, now);
  const last = numberOf(world, to, now) ?? numberAt(world, now);
  if (first === null) {
    if (from !== 'latest' && typeof from === 'object' && 'blockHash' in from)
      throw new NodeRefusal('unknown block');
    return [];
  }
  if (first > last) throw new NodeRefusal('invalid block range params');
  const [start, end] = [instantOf(world, first), instantOf(world, last)];
  return [...world.blocks]
    .filter(([at]) => at >= start && at <= end)
    .flatMap(([, block]) => logsOf(world, block).filter((log) => matches(filter, log)));
}
