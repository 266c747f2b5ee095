import { DAY_MS } from '../../core/brand.ts';
import { InvalidValueError } from '../../core/errors.ts';
import type { Random } from '../../core/random.ts';
import { columnsOf, type BarColumns } from '../../market/series.ts';
import { deviationOf } from '../../statistics/moments.ts';
import { placesOf, shuffle } from './resampling.ts';

/**
 * Bars with noise on every price: each open, high, low and close times e^(s·z), z standard normal and s a part of the deviation
 * of the logarithmic change from close to close. High and low are widened where they must enclose open and close. Noise is not
 * carried into the next bar, so that the series stays where it was; times and volumes are kept.
 *
 * @param size noise as a part of that deviation, such as 0.1
 * @throws {InvalidValueError} for a size below 0
 */
export function noisyBars(
  bars: BarColumns,
  { random, size }: Readonly<{ random: Random; size: number }>,
): BarColumns {
  if (!(size >= 0 && size < Infinity))
    throw new InvalidValueError(
      `noise of size ${size}: write a part of the usual move of a bar, such as 0.1`,
    );
  const { close } = bars;
  const changes = close
    .map((price, at) => (at === 0 ? 0 : Math.log(price / (close[at - 1] ?? NaN))))
    .slice(1);
  const scale = changes.length > 1 ? size * deviationOf(changes) : 0;
  const noisy = (price = NaN) => price * Math.exp(scale * normalOf(random));
  const made = columnsOf(close.length);
  made.start.set(bars.start);
  made.volume.set(bars.volume);
  for (let at = 0; at < close.length; at++) {
    const [open, last] = [noisy(bars.open[at]), noisy(close[at])];
    made.open[at] = open;
    made.close[at] = last;
    made.high[at] = Math.max(noisy(bars.high[at]), open, last);
    made.low[at] = Math.min(noisy(bars.low[at]), open, last);
  }
  return made;
}

/** Standard normal number (Box and Muller). */
const normalOf = (random: Random): number =>
  Math.sqrt(-2 * Math.log(1 - random.next())) * Math.cos(2 * Math.PI * random.next());

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

/** Day in UTC: no session of the exchange goes over midnight there. */
const dayOf = (start = NaN): number => Math.floor(start / DAY_MS);

/** Places, and for each the one that comes there. */
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
