import {
  type FillFigures,
  type MarkFigures,
  type RunFigures,
  from,
  isNumber,
  missing,
  quotient,
  type Measure,
} from './figures.ts';

/**
 * Sums of events up to each mark since the previous one; those after the last mark are added to it. Marks must be in
 * time order, events nearly so.
 */
export function sumBySession<Event extends Readonly<{ at: number }>>(
  marks: readonly Readonly<{ at: number }>[],
  events: readonly Event[],
  valueOf: (event: Event) => number,
): Float64Array {
  const sums = new Float64Array(marks.length);
  let place = 0;
  for (const event of events) {
    while (place < marks.length - 1 && (marks[place]?.at ?? NaN) < event.at) place++;
    while (place > 0 && (marks[place - 1]?.at ?? NaN) >= event.at) place--;
    sums[place] = (sums[place] ?? NaN) + valueOf(event);
  }
  return sums;
}

/** Positions at a mark as fractions of the equity. */
export function weightsOf({ equity, positions }: Pick<MarkFigures, 'equity' | 'positions'>) {
  const bySymbol: Record<string, number> = {};
  let [gross, net, most, squares] = [0, 0, 0, 0];
  for (const symbol in positions) {
    const weight = (positions[symbol] ?? NaN) / equity;
    const size = Math.abs(weight);
    bySymbol[symbol] = weight;
    net += weight;
    gross += size;
    most = Math.max(most, size);
    squares += size * size;
  }
  return {
    bySymbol,
    gross,
    net,
    /** Largest position, long or short. */
    most,
    /** Concentration of the gross exposure: 1 when it is all in one symbol, 0 without a position. */
    herfindahl: gross === 0 ? 0 : squares / gross ** 2,
  };
}

/** Notional bought and sold in each session, in mUSD. */
export function turnoverSeries(
  marks: readonly Pick<MarkFigures, 'at'>[],
  fills: readonly FillFigures[],
): Readonly<{ bought: number; sold: number }>[] {
  const worthOf = (wanted: string) => (fill: FillFigures) =>
    fill.side === wanted ? fill.shares * fill.price : 0;
  const [bought, sold] = [
    sumBySession(marks, fills, worthOf('buy')),
    sumBySession(marks, fills, worthOf('sell')),
  ];
  return marks.map((_, index) => ({ bought: bought[index] ?? NaN, sold: sold[index] ?? NaN }));
}

export function exposureMetrics({ marks, fills }: RunFigures, marksPerYear: number) {
  const turnover = turnoverSeries(marks, fills);
  const sums = { exposed: 0, held: 0, gross: 0, net: 0, most: 0, herfindahl: 0, traded: 0 };
  for (const [index, mark] of marks.entries()) {
    const { bought = NaN, sold = NaN } = turnover[index] ?? {};
    const { gross, net, most, herfindahl } = weightsOf(mark);
    if (gross > 0) sums.held++;
    if (gross > 0 || bought + sold > 0) sums.exposed++;
    sums.gross += gross;
    sums.net += net;
    sums.most = Math.max(sums.most, most);
    sums.herfindahl += herfindahl;
    sums.traded += (bought + sold) / mark.equity;
  }
  const mean = (sum: number): Measure =>
    marks.length === 0 ? missing('no session was marked') : sum / marks.length;
  return {
    exposureTime: mean(sums.exposed),
    averageGross: mean(sums.gross),
    averageNet: mean(sums.net),
    maxWeight: from(mean(0), () => sums.most),
    herfindahl: sums.held === 0 ? missing('nothing was ever held over a close') : sums.herfindahl / sums.held,
    turnoverFund: fundTurnover(marks, turnover, marksPerYear),
    turnoverOneWay: mean((sums.traded / 2) * marksPerYear),
  };
}

/** Fraction of the usual marks from which a year counts as full: the exchange has 248 to 253 sessions a year. */
const WHOLE_YEAR = 0.98;

/**
 * Portfolio turnover as funds report it: for each calendar year, the lesser of total purchases and total sales over the
 * mean equity of its marks, with partial years scaled up by their marks; then the mean of the years.
 */
function fundTurnover(
  marks: readonly Pick<MarkFigures, 'date' | 'equity'>[],
  turnover: readonly Readonly<{ bought: number; sold: number }>[],
  marksPerYear: number,
): Measure {
  const years = new Map<string, { bought: number; sold: number; equity: number; marks: number }>();
  for (const [index, { date, equity }] of marks.entries()) {
    const name = date.slice(0, 4);
    const year = years.get(name) ?? { bought: 0, sold: 0, equity: 0, marks: 0 };
    years.set(name, year);
    year.bought += turnover[index]?.bought ?? NaN;
    year.sold += turnover[index]?.sold ?? NaN;
    year.equity += equity;
    year.marks++;
  }
  let sum = 0;
  for (const year of years.values()) {
    const rate = quotient(Math.min(year.bought, year.sold) * year.marks, year.equity, 'the mean equity');
    if (!isNumber(rate)) return rate;
    sum += rate * (year.marks < marksPerYear * WHOLE_YEAR ? marksPerYear / year.marks : 1);
  }
  return years.size === 0 ? missing('no session was marked') : sum / years.size;
}
