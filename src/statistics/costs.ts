import { type FillFigures, type RunFigures, from, missing, quotient, type Measure } from './figures.ts';
import { sumOf } from './moments.ts';
import { cagrOf, difference } from './returns.ts';
import type { Sample } from './sample.ts';
import { sumBySession } from './exposure.ts';

const BPS = 10_000;

export function costMetrics(figures: RunFigures, sample: Sample, cagr: Measure) {
  const { fills, orders = {} } = figures;
  let [fees, traded, slipped] = [0, 0, 0];
  for (const fill of fills) {
    fees += fill.fees;
    traded += fill.shares * fill.price;
    slipped += fill.slippage ?? NaN;
  }
  const slippage = Number.isNaN(slipped) ? missing('slippage is within the prices of the fills') : slipped;
  const ofOrders = (...names: readonly string[]): Measure =>
    quotient(sumOf(names.map((name) => orders[name] ?? 0)), orders['sent'] ?? 0, 'the number of orders sent');
  return {
    fees,
    ...byKind(fills, fees),
    feesBps: quotient(fees * BPS, traded, 'the value traded'),
    slippage,
    slippageBps: from(slippage, (value) => quotient(value * BPS, traded, 'the value traded')),
    costDrag: difference(cagrOf(withoutFees(figures, sample), sample), cagr),
    ...shortfallOf(figures),
    fillRate: ofOrders('filled', 'partlyFilled'),
    expiredShare: ofOrders('expired'),
    rejectedShare: ofOrders('rejected'),
  };
}

function byKind(fills: readonly FillFigures[], fees: number): Record<'mintFees' | 'protocolFees', Measure> {
  let sum = 0;
  for (const { mintFee = NaN } of fills) sum += mintFee;
  const mintFees = Number.isNaN(sum) ? missing('the fees are not listed separately') : sum;
  return { mintFees, protocolFees: from(mintFees, (minting) => fees - minting) };
}

/** Returns without any trading costs. */
function withoutFees({ startEquity, marks, fills }: RunFigures, { returns }: Sample): number[] {
  const paid = sumBySession(marks, fills, ({ fees }) => fees);
  return returns.map((value, index) => {
    const before = marks[index - 1]?.equity ?? startEquity;
    return before > 0 ? value + (paid[index] ?? 0) / before : value;
  });
}

/** Implementation shortfall against the price at the decision, over all trades with a known one; without fees. */
function shortfallOf({ fills }: RunFigures): Record<'shortfall' | 'shortfallBps', Measure> {
  let [lost, value] = [0, 0];
  for (const { side, shares, price, decisionPrice: decided = null } of fills) {
    if (decided === null) continue;
    lost += (side === 'buy' ? price - decided : decided - price) * shares;
    value += decided * shares;
  }
  const shortfall = value > 0 ? lost : missing('no price at a decision is known');
  return { shortfall, shortfallBps: from(shortfall, () => (lost * BPS) / value) };
}
