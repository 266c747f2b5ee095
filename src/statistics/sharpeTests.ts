import { type StatisticsOptions, from, missing, quotient, type Measure } from './figures.ts';
import { deviationOf, kurtosisOf, meanOf, skewOf } from './moments.ts';
import { normalBelow, normalQuantile } from './normal.ts';
import { ofReturns, type Sample } from './sample.ts';

/** Confidence required of a track record. */
const CONFIDENCE = 0.95;
const EULER = 0.5772156649015329;

/** Sharpe ratio per mark, and the square of its standard error times n − 1, with the plain kurtosis. */
type Estimate = Readonly<{ ratio: number; spread: number }>;

/** Tests of a Sharpe ratio against chance (Bailey and López de Prado). */
export function sharpeTests(sample: Sample, trials: StatisticsOptions['trials']) {
  const { returns } = sample;
  const test = (make: (estimate: Estimate) => Measure): Measure =>
    ofReturns(sample, () =>
      from(
        quotient(meanOf(returns) - sample.riskFreeOfMark, deviationOf(returns), 'the volatility'),
        (ratio) => {
          const spread = 1 - skewOf(returns) * ratio + ((kurtosisOf(returns) - 1) / 4) * ratio ** 2;
          return spread > 0
            ? make({ ratio, spread })
            : missing('the standard error of the Sharpe ratio is 0');
        },
      ),
    );
  const spreadOfMark = ({ spread }: Estimate) => spread / (returns.length - 1);
  const above = (barOf: (estimate: Estimate) => number) =>
    test((estimate) => normalBelow((estimate.ratio - barOf(estimate)) / Math.sqrt(spreadOfMark(estimate))));
  return {
    probabilisticSharpe: above(() => 0),
    deflatedSharpe:
      trials && trials.count > 1
        ? above(
            (estimate) => Math.sqrt(trials.variance ?? spreadOfMark(estimate)) * bestOfChance(trials.count),
          )
        : missing('nobody said how many runs it was chosen from'),
    minimumTrackRecord: test(({ ratio, spread }) =>
      ratio > 0
        ? 1 + spread * (normalQuantile(CONFIDENCE) / ratio) ** 2
        : missing('the Sharpe ratio is not above 0'),
    ),
  };
}

/** Expected maximum of so many draws of a standard normal variable. */
function bestOfChance(count: number): number {
  const low = normalQuantile(1 - 1 / count);
  const high = normalQuantile(1 - 1 / (count * Math.E));
  return (1 - EULER) * low + EULER * high;
}
