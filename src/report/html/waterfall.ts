import type { RunRecord } from '../runRecord.ts';
import { signed, written } from '../../figures/format.ts';
import type { Markup } from '../../figures/markup.ts';
import { rowChart } from '../../figures/rowChart.ts';
import type { RunView } from './runView.ts';

type Step = Readonly<{ name: string; from: number; to: number; style: string }>;

/** Steps from the result at decision prices to the final result. */
export function costWaterfall({ record }: RunView): Markup {
  const { totals } = record;
  const [net, fees, paid] = [Number(totals.pnl), Number(totals.fees), dividendsOf(totals)];
  const lost = Number(totals.writtenOff ?? 0);
  const gross = net + fees - paid + lost;
  const slippage = record.totals.slippage === undefined ? null : Number(record.totals.slippage);
  const steps: Step[] = [
    ...beforeFees(gross, record.metrics['shortfall'] ?? null, slippage),
    total('Before fees', gross),
    ...feeSteps(record, gross, gross - fees),
    ...(paid === 0 ? [] : [{ name: 'Dividends', from: gross - fees, to: net + lost, style: 'gain' }]),
    ...(lost === 0 ? [] : [{ name: 'Written off', from: net + lost, to: net, style: 'loss' }]),
    total('Net', net),
  ];
  return rowChart({
    id: 'costs',
    title: 'From gross to net profit',
    heads: ['Step', 'mUSD'],
    summary: `${signed(gross, 'money')} before fees, ${slippage === null ? '' : `${written(slippage, 'money')} of slippage in it, `}${written(fees, 'money')} in fees, ${paid === 0 ? '' : `${written(paid, 'money')} of dividends, `}${lost === 0 ? '' : `${written(lost, 'money')} written off, `}${signed(net, 'money')} net, open positions at their last price.`,
    note: noteOf(record, slippage),
    rows: steps.map((step) => ({ ...step, cells: [signed(step.to - step.from, 'money')] })),
  });
}

/** Dividends included in the profit: those paid, and those due at the end. */
const dividendsOf = ({ dividends = '0', receivable = '0' }: RunRecord['totals']): number =>
  Number(dividends) + Number(receivable);

/** Loss between decision and fill, split into slippage and the rest if possible. */
function beforeFees(gross: number, shortfall: number | null, slippage: number | null): Step[] {
  const decided = gross + (shortfall ?? 0);
  const start = shortfall === null ? [] : [total('At decision prices', decided)];
  if (slippage === null) return shortfall === null ? [] : [...start, cost('Shortfall', decided, gross)];
  const before = gross + slippage;
  return [
    ...(shortfall === null ? [total('Before slippage', before)] : [...start, cost('Delay', decided, before)]),
    cost('Slippage', before, gross),
  ];
}

function noteOf({ metrics, notes }: RunRecord, slippage: number | null): string {
  const isKnown = (metrics['shortfall'] ?? null) !== null;
  const lost = 'between the price at the decision and the fill';
  if (slippage === null)
    return isKnown
      ? `Shortfall is what delay, spread and slippage cost ${lost}.`
      : `Slippage is within the prices of the fills: ${notes['shortfall'] ?? 'it cannot be separated'}.`;
  const delay = isKnown ? ` Delay is the remaining loss or gain ${lost}.` : '';
  return `Slippage is how much worse fills were than the market price at the time, by the model of the run.${delay}`;
}

const total = (name: string, to: number): Step => ({ name, from: 0, to, style: to < 0 ? 'loss' : 'gain' });
const cost = (name: string, from: number, to: number): Step => ({ name, from, to, style: 'held' });

/** Fees, by kind if the record has them. */
function feeSteps({ metrics }: RunRecord, gross: number, net: number): Step[] {
  const mint = metrics['mintFees'] ?? null;
  if (mint === null || mint === 0) return [cost('Fees', gross, net)];
  return [cost('Mint fees', gross, gross - mint), cost('Other fees', gross - mint, net)];
}
