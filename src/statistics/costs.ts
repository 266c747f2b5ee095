import type { FillFigures, RunFigures } from './figures.ts';
import { missing, quotient, type Measure } from './measure.ts';
import { sumOf } from './moments.ts';
import { cagrOf, difference } from './returns.ts';
import type { Sample } from './sample.ts';
import { sessionsOf } from './sessionFills.ts';

const BPS = 10_000;

export function costMetrics(figures: RunFigures, sample: Sample, cagr: Measure) {
  const { fills, orders = {} } = figures;
  const fees = sumOf(fills.map((fill) => fill.fees));
  const traded = sumOf(fills.map(({ shares, price }) => shares * price));
  const ofOrders = (...names: readonly string[]): Measure =>
    quotient(sumOf(names.map((name) => orders[name] ?? 0)), orders['sent'] ?? 0, 'the number of orders sent');
  return {
    fees,
    feesBps: quotient(fees * BPS, traded, 'the value traded'),
    costDrag: difference(cagrOf(withoutFees(figures, sample), sample), cagr),
    shortfallBps: shortfall(fills),
    fillRate: ofOrders('filled', 'partlyFilled'),
    expiredShare: ofOrders('expired'),
    rejectedShare: ofOrders('rejected'),
  };
}

/** Returns as they were had nothing been paid for trading. */
function withoutFees({ startEquity, marks, fills }: RunFigures, { returns }: Sample): number[] {
  const paid = sessionsOf(marks, fills).map((own) => sumOf(own.map(({ fees }) => fees)));
  return returns.map(
    (value, index) => value + (paid[index] ?? 0) / (marks[index - 1]?.equity ?? startEquity),
  );
}

/** How much worse than the price at the decision, over all that was traded for which it is known. Fees apart. */
function shortfall(fills: readonly FillFigures[]): Measure {
  let [lost, value] = [0, 0];
  for (const { side, shares, price, decisionPrice } of fills) {
    if (decisionPrice === undefined) continue;
    lost += (side === 'buy' ? price - decisionPrice : decisionPrice - price) * shares;
    value += decisionPrice * shares;
  }
  return value > 0 ? (lost * BPS) / value : missing('no price at a decision is known');
}
