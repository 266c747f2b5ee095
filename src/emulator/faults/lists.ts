import { chanceOf, hashHex } from '../../core/random.ts';
import type { Mapping } from '../state/state.ts';
import type { MessageRule } from '../state/faultRules.ts';

/** Fault in the pages of a list. */
export type Disorder = Extract<MessageRule, { kind: 'list' }>;

/** Rows by which pages after the first begin too early, so that rows come twice; negative: too late, so that rows are missing. */
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

/** Total that a list without an end claims to have. */
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
