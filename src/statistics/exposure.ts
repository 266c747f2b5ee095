import type { FillFigures, MarkFigures, RunFigures } from './figures.ts';
import { from, missing, type Measure } from './measure.ts';
import { sumBySession } from './bySession.ts';

/** Parts of the equity that positions make up at a mark. */
export type Weights = Readonly<{
  bySymbol: Readonly<Record<string, number>>;
  gross: number;
  net: number;
  /** The greatest, long or short. */
  most: number;
  /** Of the gross: 1 when all of it is one symbol. 0 without a position. */
  herfindahl: number;
}>;

export function weightsOf({ equity, positions }: Pick<MarkFigures, 'equity' | 'positions'>): Weights {
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
  return { bySymbol, gross, net, most, herfindahl: gross === 0 ? 0 : squares / gross ** 2 };
}

/** What was bought and sold in each session, in mUSD. */
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
  const sums = { exposed: 0, held: 0, gross: 0, net: 0, most: 0, herfindahl: 0, lesser: 0, traded: 0 };
  for (const [index, mark] of marks.entries()) {
    const { bought = NaN, sold = NaN } = turnover[index] ?? {};
    const { gross, net, most, herfindahl } = weightsOf(mark);
    if (gross > 0) sums.held++;
    if (gross > 0 || bought + sold > 0) sums.exposed++;
    sums.gross += gross;
    sums.net += net;
    sums.most = Math.max(sums.most, most);
    sums.herfindahl += herfindahl;
    sums.lesser += Math.min(bought, sold) / mark.equity;
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
    turnoverFund: mean(sums.lesser * marksPerYear),
    turnoverOneWay: mean((sums.traded / 2) * marksPerYear),
  };
}
