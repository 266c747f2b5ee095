import { z } from 'zod';
import type { EpochMs } from '../../core/brand.ts';
import { baseFeeAt, BLOCK_GAS_LIMIT, TIP } from '../chain/gas.ts';
import { faceOf, NodeRefusal } from '../state/nodeFace.ts';
import { minedNonceAt, pendingNonce } from '../chain/wallets.ts';
import { CHAIN_ID } from '../state/constants.ts';
import { nativeOf } from '../state/tokens.ts';
import type { VenueState } from '../state/venueState.ts';
import { instantOf, numberAt, numberOf, requireLatest, requireRecent, quantity } from './blocks.ts';
import { call, codeAt, estimateGas } from './calls.ts';
import { logsOf, matches, type Log, blockView, gasUsedBy, shownReceipt, shownTransaction } from './views.ts';
import { address, blockTag, count, hash, logQuery, optionalTag, parseParams, trial } from './params.ts';

/** Handles a read-only method. @throws {NodeRefusal} */
export type ReadMethod = (venue: VenueState, params: readonly unknown[], now: EpochMs) => unknown;

/** A method with its positional parameters; unknown ones are ignored, as nodes do. */
const read =
  <S extends z.ZodType>(
    schema: S,
    answer: (venue: VenueState, params: z.output<S>, now: EpochMs) => unknown,
  ): ReadMethod =>
  (venue, params, now) =>
    answer(venue, parseParams(schema, params), now);

const none = z.array(z.unknown());
const rest = z.unknown();
const full = z.boolean().nullish();

const FEE_BLOCKS_MAX = 1024;

export const reads: ReadonlyMap<string, ReadMethod> = new Map(
  Object.entries({
    eth_chainId: read(none, () => quantity(CHAIN_ID)),
    net_version: read(none, () => String(CHAIN_ID)),
    web3_clientVersion: read(none, () => 'drover-emulator'),
    eth_syncing: read(none, () => false),
    eth_accounts: read(none, () => []),
    eth_blockNumber: read(none, (venue, _params, now) => quantity(numberAt(venue, now))),
    eth_gasPrice: read(none, ({ state }, _params, now) => quantity(baseFeeAt(state, now) + TIP)),
    eth_maxPriorityFeePerGas: read(none, () => quantity(TIP)),
    eth_feeHistory: read(
      z.tuple([count, optionalTag, z.array(z.number()).nullish()]).rest(rest),
      (venue, [blocks, newest, percentiles], now) => {
        const last = numberOf(venue, newest, now);
        if (last === null) throw new NodeRefusal('request beyond head block');
        return feeHistory(venue, { last, blocks, rewards: percentiles?.length ?? 0 });
      },
    ),
    eth_getBlockByNumber: read(z.tuple([blockTag, full]).rest(rest), (venue, [tag, whole], now) => {
      const number = numberOf(venue, tag, now);
      return number === null ? null : blockView(venue, number, whole ?? false);
    }),
    eth_getBlockByHash: read(z.tuple([hash, full]).rest(rest), (venue, [blockHash, whole], now) => {
      const number = numberOf(venue, { blockHash }, now);
      return number === null ? null : blockView(venue, number, whole ?? false);
    }),
    eth_getTransactionCount: read(z.tuple([address, optionalTag]).rest(rest), (venue, [of, tag], now) => {
      const isCounted = tag === 'pending' && faceOf(venue.state).countsWaiting;
      if (isCounted) return quantity(pendingNonce(venue, of));
      return quantity(minedNonceAt(venue, of, instantOf(venue, requireRecent(venue, tag, now))));
    }),
    eth_getBalance: read(z.tuple([address, optionalTag]).rest(rest), (venue, [of, tag], now) => {
      requireLatest(venue, tag, now);
      return quantity(nativeOf(venue, of));
    }),
    eth_getCode: read(z.tuple([address, optionalTag]).rest(rest), (venue, [of]) => codeAt(venue, of)),
    eth_call: read(z.tuple([trial, optionalTag]).rest(rest), (venue, [tried, tag], now) =>
      call(venue, { trial: tried, tag }, now),
    ),
    eth_estimateGas: read(z.tuple([trial, optionalTag]).rest(rest), (venue, [tried], now) =>
      quantity(estimateGas(venue, tried, now)),
    ),
    eth_getTransactionByHash: read(z.tuple([hash]).rest(rest), (venue, [of], now) => {
      const transaction = venue.transactions.get(of);
      return transaction ? shownTransaction(venue, transaction, now) : null;
    }),
    eth_getTransactionReceipt: read(z.tuple([hash]).rest(rest), (venue, [of], now) => {
      const transaction = venue.transactions.get(of);
      return transaction ? shownReceipt(venue, transaction, now) : null;
    }),
    eth_getLogs: read(z.tuple([logQuery]).rest(rest), (venue, [query], now) => logsIn(venue, query, now)),
  } satisfies Record<string, ReadMethod>),
);

export const SEND = 'eth_sendRawTransaction';

export const isMethod = (name: string): boolean => name === SEND || reads.has(name);

type History = Readonly<{ last: number; blocks: number; rewards: number }>;

function feeHistory(venue: VenueState, { last, blocks, rewards }: History) {
  const size = Math.min(blocks, last + 1, FEE_BLOCKS_MAX);
  const numbers = Array.from({ length: size }, (_, index) => last - size + 1 + index);
  const usedIn = (number: number) => gasUsedBy(venue.blocks.get(instantOf(venue, number)) ?? []);
  const reward = Array.from({ length: rewards }, () => quantity(TIP));
  return {
    oldestBlock: quantity(last - size + 1),
    baseFeePerGas: [...numbers, last + 1].map((number) =>
      quantity(baseFeeAt(venue.state, instantOf(venue, number))),
    ),
    gasUsedRatio: numbers.map((number) => usedIn(number) / BLOCK_GAS_LIMIT),
    ...(rewards > 0 && { reward: numbers.map(() => reward) }),
  };
}

/** Logs in a block range. A range beyond the newest block is cut there; one with an unknown start has no logs. */
function logsIn(venue: VenueState, { filter, from, to }: z.output<typeof logQuery>, now: EpochMs): Log[] {
  const first = numberOf(venue, from, now);
  const last = numberOf(venue, to, now) ?? numberAt(venue, now);
  if (first === null) {
    if (from !== 'latest' && typeof from === 'object' && 'blockHash' in from)
      throw new NodeRefusal('unknown block');
    return [];
  }
  if (first > last) throw new NodeRefusal('invalid block range params');
  const [start, end] = [instantOf(venue, first), instantOf(venue, last)];
  return [...venue.blocks]
    .filter(([at]) => at >= start && at <= end)
    .flatMap(([, block]) => logsOf(venue, block).filter((log) => matches(filter, log)));
}
