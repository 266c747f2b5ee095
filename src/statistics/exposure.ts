import type { FillFigures, MarkFigures, RunFigures } from './figures.ts';
import { missing, type Measure } from './measure.ts';
import { meanOf, sumOf } from './moments.ts';
import { sessionsOf } from './sessionFills.ts';

/** Parts of the equity that positions make up at a mark. */
export type Weights = Readonly<{
  bySymbol: Readonly<Record<string, number>>;
  gross: number;
  net: number;
  /** Of the gross: 1 when all of it is one symbol. 0 without a position. */
  herfindahl: number;
}>;

export function weightsOf({ equity, positions }: Pick<MarkFigures, 'equity' | 'positions'>): Weights {
  const each = Object.entries(positions).map(([symbol, worth]) => [symbol, worth / equity] as const);
  const gross = sumOf(each.map(([, weight]) => Math.abs(weight)));
  return {
    bySymbol: Object.fromEntries(each),
    ...{ gross, net: sumOf(each.map(([, weight]) => weight)) },
    herfindahl: gross === 0 ? 0 : sumOf(each.map(([, weight]) => (weight / gross) ** 2)),
  };
}

/** What was bought and sold in each session, in mUSD. */
export function turnoverSeries(
  marks: readonly Pick<MarkFigures, 'at'>[],
  fills: readonly FillFigures[],
): Readonly<{ bought: number; sold: number }>[] {
  return sessionsOf(marks, fills).map((own) => ({
    bought: sumOf(own.map(({ side, shares, price }) => (side === 'buy' ? shares * price : 0))),
    sold: sumOf(own.map(({ side, shares, price }) => (side === 'sell' ? shares * price : 0))),
  }));
}

export function exposureMetrics({ marks, fills }: RunFigures, marksPerYear: number) {
  const of = (measure: () => Measure): Measure =>
    marks.length === 0 ? missing('no session was marked') : measure();
  const turnover = turnoverSeries(marks, fills);
  const weights = marks.map(weightsOf);
  const held = weights.filter(({ gross }) => gross > 0);
  const isExposed = ({ gross }: Weights, index: number) =>
    gross > 0 || (turnover[index]?.bought ?? 0) + (turnover[index]?.sold ?? 0) > 0;
  const yearly = (part: (bought: number, sold: number) => number): Measure =>
    of(
      () =>
        marksPerYear *
        meanOf(turnover.map(({ bought, sold }, index) => part(bought, sold) / (marks[index]?.equity ?? NaN))),
    );
  return {
    exposureTime: of(() => weights.filter(isExposed).length / weights.length),
    averageGross: of(() => meanOf(weights.map(({ gross }) => gross))),
    averageNet: of(() => meanOf(weights.map(({ net }) => net))),
    maxWeight: of(() =>
      weights.reduce(
        (most, { bySymbol }) => Object.values(bySymbol).reduce((a, b) => Math.max(a, Math.abs(b)), most),
        0,
      ),
    ),
    herfindahl: of(() =>
      held.length === 0
        ? missing('nothing was ever held over a close')
        : meanOf(held.map((one) => one.herfindahl)),
    ),
    turnoverFund: yearly(Math.min),
    turnoverOneWay: yearly((bought, sold) => (bought + sold) / 2),
  };
}
