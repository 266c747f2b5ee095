import { epochMs, toSeconds, type EpochMs } from '../../core/brand.ts';
import { hashHex } from '../../core/random.ts';
import { refuse } from '../chain/clientWords.ts';
import { faceOf } from '../state/nodeFace.ts';
import type { Hex } from '../state/state.ts';
import type { VenueState } from '../state/venueState.ts';

/** Number of the block at an instant: one on every whole second, number 0 at the start. */
export const numberAt = ({ state }: VenueState, at: EpochMs): number =>
  toSeconds(at) - toSeconds(state.start);

export const instantOf = ({ state }: VenueState, number: number): EpochMs =>
  epochMs((number + toSeconds(state.start)) * 1000);

const NUMBER_DIGITS = 12;

/** Suffix that tells blocks replaced by a reorganisation from the first ones; empty for blocks never replaced. */
function forksOf(venue: VenueState, number: number): string {
  const at = instantOf(venue, number);
  const forks = venue.state.reorgs.filter(({ from, until }) => from < at && at <= until).length;
  return forks === 0 ? '' : ` ${forks}`;
}

/** Hash of a block. Depends only on seed, number and reorganisations; ends with the number, so that it can be looked up. */
export const blockHashOf = (venue: VenueState, number: number): Hex =>
  `${hashHex(`block ${venue.state.seed} ${number}${forksOf(venue, number)}`).slice(0, -NUMBER_DIGITS)}${number.toString(16).padStart(NUMBER_DIGITS, '0')}` as Hex;

/** Block number of a hash. Null when the chain has no such block at `now`. */
function numberOfHash(venue: VenueState, hash: string, now: EpochMs): number | null {
  const number = Number.parseInt(hash.slice(-NUMBER_DIGITS), 16);
  const known = number <= numberAt(venue, now) && blockHashOf(venue, number) === hash.toLowerCase();
  return known ? number : null;
}

export type BlockTag =
  | Readonly<{ blockNumber: number }>
  | Readonly<{ blockHash: string }>
  | 'latest'
  | 'pending'
  | 'safe'
  | 'finalized'
  | 'earliest';

/** Number of a block. Null when the chain does not have it (yet). */
export function numberOf(venue: VenueState, tag: BlockTag, now: EpochMs): number | null {
  if (tag === 'earliest') return 0;
  if (typeof tag === 'string') return numberAt(venue, now);
  if ('blockHash' in tag) return numberOfHash(venue, tag.blockHash, now);
  return tag.blockNumber <= numberAt(venue, now) ? tag.blockNumber : null;
}

const nameOf = (tag: BlockTag): string | number =>
  typeof tag === 'string' ? tag : 'blockHash' in tag ? tag.blockHash : tag.blockNumber;

/** Requires the newest block. @throws {NodeRefusal} for an older one, whose state this node has not kept */
export const requireLatest = (venue: VenueState, tag: BlockTag, now: EpochMs): number =>
  requireWithin(venue, { tag, blocks: 1 }, now);

/** Number of recent blocks for which transaction counts are available: go-ethereum keeps the state of as many. */
const RECENT_BLOCKS = 128;

/** Number of a recent block. @throws {NodeRefusal} for one that does not exist, or is too old for the client */
export const requireRecent = (venue: VenueState, tag: BlockTag, now: EpochMs): number =>
  requireWithin(venue, { tag, blocks: RECENT_BLOCKS }, now);

type Window = Readonly<{ tag: BlockTag; blocks: number }>;

function requireWithin(venue: VenueState, { tag, blocks }: Window, now: EpochMs): number {
  const [number, head] = [numberOf(venue, tag, now), numberAt(venue, now)];
  const { client } = faceOf(venue.state);
  if (number === null) refuse(client, 'noBlock', { head, block: nameOf(tag) });
  else if (number <= head - blocks) refuse(client, 'pruned', { head, block: number });
  return number ?? head;
}

/** A number in JSON-RPC notation. */
export const quantity = (value: number | bigint): Hex => `0x${value.toString(16)}`;
