import { epochMs, toSeconds, type EpochMs } from '../../core/brand.ts';
import { hashHex } from '../../core/random.ts';
import { refuse } from '../chain/clientWords.ts';
import { faceOf } from '../state/nodeFace.ts';
import type { Hex } from '../state/state.ts';
import type { VenueState } from '../state/venueState.ts';

/** The chain has a block on every whole second; number 0 is that of the start. */
export const numberAt = ({ state }: VenueState, at: EpochMs): number =>
  toSeconds(at) - toSeconds(state.start);

export const instantOf = ({ state }: VenueState, number: number): EpochMs =>
  epochMs((number + toSeconds(state.start)) * 1000);

const NUMBER_DIGITS = 12;

/** Nothing for a block that has always been the one of its number. */
function forksOf(venue: VenueState, number: number): string {
  const at = instantOf(venue, number);
  const forks = venue.state.reorgs.filter(({ from, until }) => from < at && at <= until).length;
  return forks === 0 ? '' : ` ${forks}`;
}

/** Depends on seed, number and reorganisations alone; ends with the number, so that a block can be found by its hash. */
export const blockHashOf = (venue: VenueState, number: number): Hex =>
  `${hashHex(`block ${venue.state.seed} ${number}${forksOf(venue, number)}`).slice(0, -NUMBER_DIGITS)}${number.toString(16).padStart(NUMBER_DIGITS, '0')}` as Hex;

/** The number behind a hash. Null when the chain has no such block at `now`. */
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

/** Null for a block that the chain does not have yet, or has not at all. */
export function numberOf(venue: VenueState, tag: BlockTag, now: EpochMs): number | null {
  if (tag === 'earliest') return 0;
  if (typeof tag === 'string') return numberAt(venue, now);
  if ('blockHash' in tag) return numberOfHash(venue, tag.blockHash, now);
  return tag.blockNumber <= numberAt(venue, now) ? tag.blockNumber : null;
}

const nameOf = (tag: BlockTag): string | number =>
  typeof tag === 'string' ? tag : 'blockHash' in tag ? tag.blockHash : tag.blockNumber;

/** @throws {NodeRefusal} for the state of an older block, which this node has not kept */
export function requireLatest(venue: VenueState, tag: BlockTag, now: EpochMs): void {
  const [number, head] = [numberOf(venue, tag, now), numberAt(venue, now)];
  const { client } = faceOf(venue.state);
  if (number === null) refuse(client, 'noBlock', { head, block: nameOf(tag) });
  else if (number < head) refuse(client, 'pruned', { head, block: number });
}

/** Blocks of which this node counts transactions, as many as go-ethereum keeps the state of. */
const RECENT_BLOCKS = 128;

/** Number of a block. @throws {NodeRefusal} for one that the chain does not have, or that is too old for its client */
export function requireRecent(venue: VenueState, tag: BlockTag, now: EpochMs): number {
  const [number, head] = [numberOf(venue, tag, now), numberAt(venue, now)];
  const { client } = faceOf(venue.state);
  if (number === null) refuse(client, 'noBlock', { head, block: nameOf(tag) });
  else if (number <= head - RECENT_BLOCKS) refuse(client, 'pruned', { head, block: number });
  return number ?? head;
}

/** A number as JSON-RPC writes it. */
export const quantity = (value: number | bigint): Hex => `0x${value.toString(16)}`;
