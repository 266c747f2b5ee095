import { epochMs, type EpochMs } from '../../src/core/brand.ts';
import type { Random } from '../../src/core/random.ts';
import { seededRandom } from '../../src/core/seededRandom.ts';

const MINUTE = 60_000;

/** Words of an operator in a run: commands, and the kill file. */
export const WORDS = [
  'pause',
  'reduce',
  'cancel',
  'flatten',
  'freeze',
  'unfreeze',
  'accept',
  'acceptOrder',
  'resolve',
  'acknowledge',
  'order',
  'transfer',
  'reload',
  'stop',
  'resume',
  'killFile',
] as const;
export type Word = (typeof WORDS)[number];

/** A word at a time. `rolls`: numbers from 0 to 1 that choose its scope, its object and its size. */
export type Said = Readonly<{
  word: Word;
  at: EpochMs;
  /** Time for which a restriction stands before it is lifted, in ms. */
  ms: number;
  /** Milliseconds after which the same id is given again; null for once. */
  againMs: number | null;
  rolls: Readonly<{ scope: number; choice: number; size: number }>;
}>;

type Span = Readonly<{ from: EpochMs; to: EpochMs }>;

/** Share of seeds whose operator says nothing. */
const SILENT = 0.35;
/** Share of the words that an operator knows in a seed. */
const KNOWN = 0.4;
const TIMES_MAX = 3;
/** Share of commands whose id is given again. */
const AGAIN = 0.3;

/** Words of the operator in a run, drawn apart from its faults: a seed has the same ones with and without an operator. */
export function wordsOf(seed: number, { from, to }: Span): readonly Said[] {
  const random = seededRandom(`operator ${seed}`);
  if (random.next() < SILENT) return [];
  const words = WORDS.flatMap((word) => (random.next() < KNOWN ? timesOf(word, random, { from, to }) : []));
  return words.toSorted((a, b) => a.at - b.at);
}

function timesOf(word: Word, random: Random, { from, to }: Span): Said[] {
  const most = word === 'stop' ? 1 : TIMES_MAX;
  return Array.from({ length: 1 + Math.floor(random.next() * most) }, () => {
    const at = epochMs(Math.floor(from + random.next() * (to - from)));
    const ms = Math.floor(MINUTE * (1 + 9 * random.next()));
    const [isAgain, wait] = [random.next() < AGAIN, random.next()];
    const rolls = { scope: random.next(), choice: random.next(), size: random.next() };
    return { word, at, ms, againMs: isAgain ? Math.floor(2 * MINUTE * wait ** 2) : null, rolls };
  });
}
