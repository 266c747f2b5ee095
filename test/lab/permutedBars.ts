import { DAY_MS } from '../../src/core/brand.ts';
import { InvalidValueError } from '../../src/core/errors.ts';
import type { Random } from '../../src/core/random.ts';
import { placesOf, shuffle } from '../../src/lab/significance/resampling.ts';
import { columnsOf, type BarColumns } from '../../src/domain/barColumns.ts';

/**
 * Bars of the same market without its order: bars that nothing can be known from. Cuts each bar after the first into its gap (from the
 * close before to its open) and its body (high, low and close from the open, and volume), all logarithmic, and puts both back in
 * random order, apart from each other; gaps over a night stay nights, gaps within a session stay there. What remains is the
 * distribution of gaps and bodies, the first bar, the last close, and every time. What goes is trends, returns to the mean and
 * quiet or wild spells. Several markets are permuted alike, so that what happened on one day still happens on one day.
 * Source: Masters, "Permutation and randomization tests for trading system development", 2020.
 *
 * @param markets bars of each symbol, all with the same starts
 * @throws {InvalidValueError} where starts differ
 */
export function permutedBars(markets: readonly BarColumns[], random: Random): BarColumns[] {
  const starts = markets[0]?.start ?? new Float64Array();
  for (const [market, { start }] of markets.entries())
    if (start.length !== starts.length || start.some((at, index) => at !== starts[index]))
      throw new InvalidValueError(
        `market ${market} has bars at other times than the first: permute only the bars that all have`,
      );
  const later = placesOf(starts.length).subarray(1);
  const isNight = (at: number) => dayOf(starts[at]) !== dayOf(starts[at - 1]);
  const order = {
    bodies: shuffledAmong(later, random),
    nights: shuffledAmong(later.filter(isNight), random),
    pauses: shuffledAmong(
      later.filter((at) => !isNight(at)),
      random,
    ),
  };
  return markets.map((bars) => permuted(bars, order));
}

/** Day in UTC: no session of the exchange crosses midnight there. */
const dayOf = (start = NaN): number => Math.floor(start / DAY_MS);

/** Places, and for each its source. */
type Order = Readonly<{ to: Int32Array; from: Int32Array }>;

const shuffledAmong = (places: Int32Array, random: Random): Order => ({
  to: places,
  from: shuffle(places.slice(), random),
});

function permuted(
  bars: BarColumns,
  { bodies, nights, pauses }: Readonly<Record<'bodies' | 'nights' | 'pauses', Order>>,
): BarColumns {
  const count = bars.start.length;
  const made = columnsOf(count);
  const gaps = new Float64Array(count);
  for (const { to, from } of [nights, pauses])
    for (const [index, place] of from.entries())
      gaps[to[index] ?? 0] = (bars.open[place] ?? NaN) / (bars.close[place - 1] ?? NaN);
  for (let at = 0; at < count; at++) {
    const place = at === 0 ? 0 : (bodies.from[at - 1] ?? 0);
    const from = bars.open[place] ?? NaN;
    const open = at === 0 ? from : (made.close[at - 1] ?? NaN) * (gaps[at] ?? NaN);
    const close = open * ((bars.close[place] ?? NaN) / from);
    made.start[at] = bars.start[at] ?? NaN;
    made.open[at] = open;
    made.close[at] = close;
    // Rounding may put them a digit inside of what they enclose.
    made.high[at] = Math.max(open * ((bars.high[place] ?? NaN) / from), open, close);
    made.low[at] = Math.min(open * ((bars.low[place] ?? NaN) / from), open, close);
    made.volume[at] = bars.volume[place] ?? NaN;
  }
  return made;
}
