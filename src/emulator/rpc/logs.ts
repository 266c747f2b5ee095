import { encodeAbiParameters, encodeEventTopics } from 'viem/utils';
import type { Abi } from 'viem';
import { InvariantError } from '../../core/errors.ts';
import { eventAbi, type ChainEvent } from '../state/events.ts';
import type { Hex, Transaction } from '../state/state.ts';
import type { VenueState } from '../state/venueState.ts';
import { blockHashOf, numberAt, quantity } from './blocks.ts';

export type Log = Readonly<{
  address: string;
  topics: readonly Hex[];
  data: Hex;
  blockNumber: Hex;
  blockHash: Hex;
  transactionHash: Hex;
  transactionIndex: Hex;
  logIndex: Hex;
  removed: false;
}>;

/** The logs of a block, in the order of its transactions. */
export function logsOf(venue: VenueState, block: readonly Transaction[]): readonly Log[] {
  const entries = block.flatMap((transaction, index) =>
    (transaction.receipt?.events ?? []).map((event) => ({ transaction, index, event })),
  );
  return entries.map(({ transaction, index, event }, logIndex) => {
    const number = numberAt(venue, transaction.minedAt ?? venue.state.start);
    return {
      address: event.address.toLowerCase(),
      ...encodeEvent(event),
      blockNumber: quantity(number),
      blockHash: blockHashOf(venue, number),
      transactionHash: transaction.hash,
      transactionIndex: quantity(index),
      logIndex: quantity(logIndex),
      removed: false,
    };
  });
}

function encodeEvent({ name, args }: ChainEvent): Pick<Log, 'topics' | 'data'> {
  const item = eventAbi.find((each) => each.name === name);
  if (!item) throw new InvariantError(`no event ${name}`);
  const values = new Map<string, unknown>(Object.entries(args));
  const plain = item.inputs.filter((input) => !('indexed' in input));
  const abi: Abi = [item];
  return {
    topics: encodeEventTopics({ abi, eventName: name, args }) as Hex[],
    data: encodeAbiParameters(
      plain,
      plain.map((input) => values.get(input.name)),
    ),
  };
}

export type LogFilter = Readonly<{
  /** In lower case; of any contract when empty. */
  addresses: readonly string[];
  /** By position: one of these in lower case, anything for null. */
  topics: readonly (readonly string[] | null)[];
}>;

export const matches = ({ addresses, topics }: LogFilter, log: Log): boolean =>
  (addresses.length === 0 || addresses.includes(log.address)) &&
  topics.length <= log.topics.length &&
  topics.every((wanted, index) => wanted === null || wanted.includes(log.topics[index] ?? ''));
