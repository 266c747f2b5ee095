import type { RunRecord } from '../runRecord.ts';
import { figure } from './figure.ts';
import { signed, written } from './format.ts';
import { join, type Markup } from './markup.ts';
import { blocks, line } from './paths.ts';
import type { RunView } from './runView.ts';
import { linearScale, rangeOf, type Scale } from './scale.ts';

const ROOM = 0.5;
const BPS = 10_000;

type Step = Readonly<{ name: string; from: number; to: number; style: string }>;

/** From what the prices of the decisions would have given to what is left. */
export function costWaterfall({ record }: RunView): Markup {
  const [net, fees] = [Number(record.totals.pnl), Number(record.totals.fees)];
  const gross = net + fees;
  const shortfall = shortfallOf(record);
  const steps: Step[] = [
    ...(shortfall === null
      ? []
      : [total('At decision prices', gross + shortfall), cost('Shortfall', gross + shortfall, gross)]),
    total('Before fees', gross),
    ...feeSteps(record, gross, net),
    total('Net', net),
  ];
  const scale = linearScale(rangeOf(steps.flatMap(({ from, to }) => [from, to])), { zero: true });
  return figure({
    ...{
      id: 'costs',
      title: 'From gross to net profit',
      unit: 'mUSD',
      format: 'money',
      scale,
      span: steps.length,
    },
    summary: `${signed(gross, 'money')} before fees, ${written(fees, 'money')} in fees, ${signed(net, 'money')} net, open positions at their last price.`,
    along: steps.map(({ name }, index) => ({ at: index + 0.5, label: name, minor: name === 'Shortfall' })),
    area: join([...steps.map((step, index) => bar(step, index, scale)), ...links(steps, scale)]),
    note:
      shortfall === null
        ? `Slippage is within the prices of the fills: ${record.notes['shortfallBps'] ?? 'nothing tells it apart'}.`
        : 'Shortfall is what delay, spread and slippage took between the price at the decision and the fill: its mean in bps over the value traded.',
    data: {
      ...{ kind: 'bands', span: steps.length, of: 'Step', labels: steps.map(({ name }) => name) },
      columns: [{ name: 'mUSD', format: 'money', values: steps.map(({ from, to }) => to - from) }],
    },
  });
}

const total = (name: string, to: number): Step => ({ name, from: 0, to, style: to < 0 ? 'loss' : 'gain' });
const cost = (name: string, from: number, to: number): Step => ({ name, from, to, style: 'held' });

/** In mUSD; null where it is not known. */
function shortfallOf({ metrics, fills }: RunRecord): number | null {
  const bps = metrics['shortfallBps'] ?? null;
  const traded = fills.reduce((sum, { shares, price }) => sum + shares * price, 0);
  return bps === null ? null : (bps / BPS) * traded;
}

/** By kind where the record tells them apart. */
function feeSteps({ metrics }: RunRecord, gross: number, net: number): Step[] {
  const mint = metrics['mintFees'] ?? null;
  if (mint === null || mint === 0) return [cost('Fees', gross, net)];
  return [cost('Mint fees', gross, gross - mint), cost('Other fees', gross - mint, net)];
}

const bar = ({ from, to, style }: Step, index: number, scale: Scale): Markup =>
  blocks(
    [
      {
        ...{ from: index + (1 - ROOM) / 2, to: index + (1 + ROOM) / 2 },
        ...{ low: Math.min(from, to), high: Math.max(from, to) },
      },
    ],
    scale,
    style,
  );

const links = (steps: readonly Step[], scale: Scale): Markup[] =>
  steps.slice(0, -1).map(({ to }, index) => {
    const [left, right] = [index + (1 + ROOM) / 2, index + 1 + (1 - ROOM) / 2];
    return line(
      [
        [left, to],
        [right, to],
      ],
      scale,
      'link',
    );
  });
