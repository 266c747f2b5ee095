import { InvalidValueError } from '../../core/errors.ts';
import { isNumber, missing, type Missing } from '../../statistics/figures.ts';
import { betaOf } from '../../statistics/moments.ts';
import type { Columns } from './trialReturns.ts';

export type Overfitting = Readonly<{
  /** Probability of backtest overfitting: share of splits whose best in one half is not above the other's median. */
  probability: number;
  /** Logit of the rank in the other half, ln(ω/(1 − ω)), for each split. */
  logits: Float64Array;
  /** Sharpe ratio per session of the best of one half, in that half, and in the other, for each split. */
  inSample: Float64Array;
  outOfSample: Float64Array;
  /** Regression slope of the second on the first: below 0, better backtests do worse later. Null if undefined. */
  slope: number | null;
  /** Fraction of splits in which the best of one half lost money in the other. */
  lossProbability: number;
  blocks: number;
  /** Number of sessions used: the first ones are left out if blocks of equal length do not cover all. */
  sessions: number;
}>;

/** Maximum number of blocks, as in the paper, and the minimum number of sessions in one. */
const BLOCKS_MAX = 16;
const BLOCKS_MIN = 4;
const BLOCK_SESSIONS_MIN = 20;

/** Number of blocks for a number of sessions: even, and 0 if there are too few. */
function blocksFor(sessions: number): number {
  const blocks = Math.min(2 * Math.floor(sessions / BLOCK_SESSIONS_MIN / 2), BLOCKS_MAX);
  return blocks < BLOCKS_MIN ? 0 : blocks;
}

/**
 * Combinatorially symmetric cross-validation: cuts the sessions into blocks, uses every half of them in turn as the
 * sample in which the best trial is chosen by Sharpe ratio, and ranks that trial in the other half: ω = rank/(N + 1),
 * with ties sharing their ranks. The probability of overfitting is the fraction of splits with ln(ω/(1 − ω)) ≤ 0.
 * Source: Bailey, Borwein, López de Prado and Zhu, "The probability of backtest overfitting", Journal of Computational
 * Finance 20(4), 2017 (first 2015).
 *
 * Cost: sums and squares of each block once, then of all subsets of each half of the blocks, by one addition each. A
 * split adds two of these: no return is read again, and no rounding error accumulates.
 *
 * @param blocks even, 2 to 16. Default: 16, fewer if a block would have less than 20 sessions
 * @throws {InvalidValueError} for any other number of blocks
 */
export function overfittingOf(columns: Columns, blocks?: number): Overfitting | Missing {
  const all = columns[0]?.length ?? 0;
  const count = blocks ?? blocksFor(all);
  if (count % 2 !== 0 || count < 0 || count > BLOCKS_MAX)
    throw new InvalidValueError(`${count} blocks: write an even number from 2 to ${BLOCKS_MAX}`);
  if (columns.length < 2) return missing('one trial: nothing was chosen');
  const isSame = (column: Columns[number]) => column.every((value, at) => value === columns[0]?.[at]);
  if (columns.every(isSame)) return missing('all trials had the same result: nothing was chosen');
  if (count === 0) return missing(`${all} sessions, but it needs ${BLOCKS_MIN * BLOCK_SESSIONS_MIN}`);
  const length = Math.floor(all / count);
  const sums = blockSums(columns, count, length);
  const [first, second] = [subsetSums(sums.slice(0, count / 2)), subsetSums(sums.slice(count / 2))];
  const splits = new Splits(columns.length, (length * count) / 2);
  for (const [low, lowSums] of first.entries())
    for (const [high, highSums] of second.entries())
      if (bitsIn(low) + bitsIn(high) === count / 2)
        splits.add([lowSums, highSums], [first.at(-1 - low) ?? lowSums, second.at(-1 - high) ?? highSums]);
  return { ...splits.result(), blocks: count, sessions: count * length };
}

/** Sums of returns, followed by sums of squares, one each per trial. */
type Sums = Float64Array;

function blockSums(columns: Columns, blocks: number, length: number): Sums[] {
  const trials = columns.length;
  const start = (columns[0]?.length ?? 0) - blocks * length;
  return Array.from({ length: blocks }, (_, block) => {
    const sums = new Float64Array(2 * trials);
    const from = start + block * length;
    for (const [trial, column] of columns.entries()) {
      let [sum, squares] = [0, 0];
      for (let at = from; at < from + length; at++) {
        const value = column[at] ?? NaN;
        sum += value;
        squares += value * value;
      }
      sums[trial] = sum;
      sums[trials + trial] = squares;
    }
    return sums;
  });
}

/** Sums over all subsets of blocks, indexed by bit mask. */
function subsetSums(blocks: readonly Sums[]): Sums[] {
  const subsets = [new Float64Array(blocks[0]?.length ?? 0)];
  for (const block of blocks)
    for (const subset of subsets.slice()) subsets.push(subset.map((value, at) => value + (block[at] ?? NaN)));
  return subsets;
}

function bitsIn(bits: number): number {
  let count = 0;
  for (let left = bits; left > 0; left &= left - 1) count++;
  return count;
}

/** Half of all blocks: those in the first half, and those in the second. */
type Half = readonly [low: Sums, high: Sums];

/** Minimum fraction of the sum of squares that counts as variance rather than rounding error. */
const SPREAD_MIN = 1e-12;

/** Collects the results split by split. */
class Splits {
  readonly #trials: number;
  readonly #sessions: number;
  readonly #ratios: Float64Array;
  readonly #logits: number[] = [];
  readonly #inSample: number[] = [];
  readonly #outOfSample: number[] = [];

  /** @param sessions number in one half */
  constructor(trials: number, sessions: number) {
    this.#trials = trials;
    this.#sessions = sessions;
    this.#ratios = new Float64Array(trials);
  }

  add(chosenIn: Half, rankedIn: Half): void {
    const ratios = this.#ratios;
    this.#score(chosenIn);
    let best = 0;
    for (let trial = 1; trial < ratios.length; trial++)
      if ((ratios[trial] ?? NaN) > (ratios[best] ?? NaN)) best = trial;
    this.#inSample.push(ratios[best] ?? NaN);
    this.#score(rankedIn);
    const own = ratios[best] ?? NaN;
    let [below, equal] = [0, 0];
    for (const ratio of ratios) {
      if (ratio < own) below++;
      else if (ratio === own) equal++;
    }
    const rank = below + (equal + 1) / 2;
    this.#outOfSample.push(own);
    this.#logits.push(Math.log(rank / (this.#trials + 1 - rank)));
  }

  /** Sharpe ratios of all trials in one half; 0 for a trial that never moves there. */
  #score([low, high]: Half): void {
    const [trials, sessions] = [this.#trials, this.#sessions];
    for (let trial = 0; trial < trials; trial++) {
      const sum = (low[trial] ?? NaN) + (high[trial] ?? NaN);
      const squares = (low[trials + trial] ?? NaN) + (high[trials + trial] ?? NaN);
      const mean = sum / sessions;
      const spread = squares - sum * mean;
      this.#ratios[trial] = spread > SPREAD_MIN * squares ? mean / Math.sqrt(spread / (sessions - 1)) : 0;
    }
  }

  result(): Omit<Overfitting, 'blocks' | 'sessions'> {
    const shareOf = (values: readonly number[], isCounted: (value: number) => boolean): number =>
      values.filter(isCounted).length / values.length;
    const slope = betaOf(this.#outOfSample, this.#inSample);
    return {
      probability: shareOf(this.#logits, (logit) => logit <= 0),
      logits: Float64Array.from(this.#logits),
      inSample: Float64Array.from(this.#inSample),
      outOfSample: Float64Array.from(this.#outOfSample),
      slope: isNumber(slope) ? slope : null,
      lossProbability: shareOf(this.#outOfSample, (ratio) => ratio < 0),
    };
  }
}
