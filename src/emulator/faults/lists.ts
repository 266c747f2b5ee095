import { chanceOf, hashHex } from '../../core/random.ts';
import type { Mapping } from '../state/state.ts';
import type { MessageRule } from '../state/faultRules.ts';

/** What is wrong with the pages of a list. */
export type Disorder = Extract<MessageRule, { kind: 'list' }>;

/** How far pages after the first begin too early: rows come twice. Negative, they begin too late: rows come never. */
export const shiftOf = ({ how, rows }: Disorder): number => (how === 'shift' ? rows : 0);

/** A list, oldest first, as its pages are cut from it now. */
export function disordered(
  all: readonly Mapping[],
  { how, rows, txHash }: Disorder,
  chance: string,
): readonly Mapping[] {
  const newest = Math.max(all.length - Math.abs(rows), 0);
  const isMeant = (each: Mapping, index: number) =>
    txHash === undefined ? index >= newest : each.txHash === txHash.toLowerCase();
  switch (how) {
    case 'shuffle':
      return all
        .map((each) => ({ each, place: chanceOf(`${chance} ${each.txHash}`) }))
        .sort((a, b) => a.place - b.place)
        .map(({ each }) => each);
    case 'shift':
    case 'endless':
      return all;
    case 'repeat':
      return all.flatMap((each, index) => (isMeant(each, index) ? [each, each] : [each]));
    case 'vanish':
      return all.filter((each, index) => !isMeant(each, index));
  }
}

/** So many rows a list without an end claims to have. */
export const ENDLESS_TOTAL = 1_000_000_000;

const HASH = /0x[0-9a-f]{64}/g;

/** Rows that fill a page: each is `like`, a real row, under hashes of its own. */
export const inventedRows = (
  like: string,
  { page, count }: Readonly<{ page: number; count: number }>,
): string[] =>
  Array.from({ length: count }, (_, index) =>
    like.replace(HASH, (known) => hashHex(`invented ${page} ${index} ${known}`)),
  );
