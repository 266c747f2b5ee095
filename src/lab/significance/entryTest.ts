import { InvalidValueError } from '../../core/errors.ts';
import { missing, NOTHING, type Missing } from '../../statistics/figures.ts';
import { DRAWS, placesOf, shuffle, type DrawOptions } from './resampling.ts';

/** Position of a strategy in one stock, bar by bar. */
export type Holding = Readonly<{
  /** Return of the stock over each bar. */
  returns: Float64Array;
  /** Position held over that bar, as a fraction of the equity: negative for a short one, 0 for none. */
  positions: Float64Array;
}>;

export type EntryTest = Readonly<{
  /** Probability of a gain at least this high with entries at random times. */
  probability: number;
  /** Sum of position times return over all bars, and its mean over the random entries. */
  gain: number;
  randomGain: number;
  /** Number of positions from entry to exit. */
  entries: number;
}>;

/**
 * Permutation test of entry times: are they better than random ones with the same number, sizes and holding times? Cuts
 * the bars into pieces (each position from entry to exit or reversal, and each bar without one), shuffles them, and
 * compares Σ position·return with that of the shuffled positions over the unchanged returns. The market stays the same,
 * so a rising market helps both equally. Trading costs do not depend on the order and are left out.
 *
 * It ignores the number of parameter sets from which the positions were selected: a strategy that random entries match
 * is rejected, one that beats them still needs the other tests. Probability: (1 + draws at or above)/(1 + draws).
 * Sources: Masters, "Permutation and randomization tests for trading system development", 2020; Aronson,
 * "Evidence-based technical analysis", 2006, chapter 5.
 *
 * @throws {InvalidValueError} for columns of different lengths
 */
export function entryTestOf(
  { returns, positions }: Holding,
  { random, draws = DRAWS }: DrawOptions,
): EntryTest | Missing {
  if (returns.length !== positions.length)
    throw new InvalidValueError(
      `${returns.length} returns and ${positions.length} positions: give one of each for every bar`,
    );
  const pieces = piecesOf(positions);
  const entries = pieces.filter(([first = 0]) => first !== 0).length;
  if (entries === 0) return missing('there was no entry');
  if (pieces.length === 1) return missing('a single position over all bars cannot be placed elsewhere');
  const gain = gainOf(returns, positions);
  const order = placesOf(pieces.length);
  const moved = new Float64Array(positions.length);
  let [above, sum] = [1, 0];
  for (let draw = 0; draw < draws; draw++) {
    let at = 0;
    for (const place of shuffle(order, random)) {
      const piece = pieces[place] ?? positions;
      moved.set(piece, at);
      at += piece.length;
    }
    const drawn = gainOf(returns, moved);
    sum += drawn;
    if (drawn >= gain - NOTHING) above++;
  }
  return { probability: above / (draws + 1), gain, randomGain: sum / draws, entries };
}

/** Positions from entry to exit or reversal, and single bars without one, in time order. */
function piecesOf(positions: Float64Array): Float64Array[] {
  const pieces: Float64Array[] = [];
  for (let from = 0; from < positions.length; from += pieces.at(-1)?.length ?? 1) {
    const sign = Math.sign(positions[from] ?? 0);
    let to = from + 1;
    if (sign !== 0) while (Math.sign(positions[to] ?? 0) === sign) to++;
    pieces.push(positions.subarray(from, to));
  }
  return pieces;
}

function gainOf(returns: Float64Array, positions: Float64Array): number {
  let sum = 0;
  for (let at = 0; at < returns.length; at++) sum += (returns[at] ?? NaN) * (positions[at] ?? NaN);
  return sum;
}
