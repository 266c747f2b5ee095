import { type RunFigures, isNumber, missing, NOTHING, type Measure } from './figures.ts';
import { growthOf } from './moments.ts';
import { periodReturns } from './periods.ts';
import { ofReturns, type Sample } from './sample.ts';

const NO_MARK = 'no session was marked';
/** Shortest time that is annualised, in years. */
const YEARS_MIN = 0.25;

const ofYears = ({ years }: Sample, measure: () => Measure): Measure =>
  years < YEARS_MIN ? missing('less than a quarter of a year') : measure();

/** Annual growth rate of returns over the time of a sample. */
export const cagrOf = (returns: readonly number[], sample: Sample): Measure =>
  ofYears(sample, () => growthOf(returns) ** (1 / sample.years) - 1);

export function returnMetrics(figures: RunFigures, sample: Sample) {
  const { returns } = sample;
  const growth = growthOf(returns);
  const [weeks, months, quarters, years] = (['week', 'month', 'quarter', 'year'] as const).map((period) =>
    periodReturns(sample, period).map(({ value }) => value),
  ) as [number[], number[], number[], number[]];
  return {
    totalReturn: returns.length > 0 ? growth - 1 : missing(NO_MARK),
    moneyWeightedReturn: ofYears(sample, () => moneyWeighted(figures, sample)),
    cagr: cagrOf(returns, sample),
    expectedDay: perPeriod(sample, returns),
    expectedMonth: perPeriod(sample, months),
    expectedYear: perPeriod(sample, years),
    bestDay: greatest(returns),
    worstDay: least(returns),
    bestMonth: greatest(months),
    worstMonth: least(months),
    bestYear: greatest(years),
    worstYear: least(years),
    positiveDays: shareAbove(sample, returns),
    positiveWeeks: shareAbove(sample, weeks),
    positiveMonths: shareAbove(sample, months),
    positiveQuarters: shareAbove(sample, quarters),
    positiveYears: shareAbove(sample, years),
  };
}

const perPeriod = (sample: Sample, values: readonly number[]): Measure =>
  ofReturns(sample, () => growthOf(values) ** (1 / values.length) - 1);

const shareAbove = (sample: Sample, values: readonly number[]): Measure =>
  ofReturns(sample, () => values.filter((value) => value > NOTHING).length / values.length);

const greatest = (values: readonly number[]): Measure =>
  values.length === 0 ? missing(NO_MARK) : values.reduce((best, value) => Math.max(best, value));

const least = (values: readonly number[]): Measure =>
  values.length === 0 ? missing(NO_MARK) : values.reduce((worst, value) => Math.min(worst, value));

const HALVINGS = 200;
/** Bounds of the logarithm of annual growth. */
const RATE_MAX = 50;

/** Internal rate of return: the annual rate at which the payments grow to the final value. */
function moneyWeighted({ startEquity, marks }: RunFigures, { days, years }: Sample): Measure {
  const flows = days.flatMap((day, index) => {
    const { flow = 0 } = marks[index] ?? {};
    return flow === 0 ? [] : [{ left: years * (1 - day / (days.at(-1) ?? 1)), paid: flow }];
  });
  const end = marks[days.length - 1]?.equity ?? 0;
  const surplus = (rate: number): number =>
    flows.reduce((sum, { left, paid }) => sum + paid * Math.exp(rate * left), 0) +
    startEquity * Math.exp(rate * years) -
    end;
  let [low, high] = [-RATE_MAX, RATE_MAX];
  if (!(surplus(low) < 0 && surplus(high) > 0)) return missing('no rate explains the payments in and out');
  for (let step = 0; step < HALVINGS; step++) {
    const middle = (low + high) / 2;
    if (surplus(middle) < 0) low = middle;
    else high = middle;
  }
  return Math.exp(low) - 1;
}

/** Difference of two metrics; if one is undefined, its reason. */
export const difference = (first: Measure, second: Measure): Measure => {
  if (!isNumber(first)) return first;
  return isNumber(second) ? first - second : second;
};
