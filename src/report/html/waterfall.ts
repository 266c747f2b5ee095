import { figure } from './figure.ts';
import { signed, written } from './format.ts';
import { join, type Markup } from './markup.ts';
import { blocks, line } from './paths.ts';
import type { RunView } from './runView.ts';
import { linearScale, rangeOf } from './scale.ts';

const ROOM = 0.5;

type Step = Readonly<{ name: string; from: number; to: number; style: string }>;

const styleOf = (value: number): string => (value < 0 ? 'loss' : 'gain');

/** From what the market gave to what is left. */
export function costWaterfall({ record }: RunView): Markup {
  const [net, fees] = [Number(record.totals.pnl), Number(record.totals.fees)];
  const gross = net + fees;
  const steps: Step[] = [
    { name: 'Before fees', from: 0, to: gross, style: styleOf(gross) },
    { name: 'Fees', from: gross, to: net, style: 'held' },
    { name: 'Net', from: 0, to: net, style: styleOf(net) },
  ];
  const scale = linearScale(rangeOf(steps.flatMap(({ from, to }) => [from, to])), { zero: true });
  const bars = steps.map(({ from, to, style }, index) =>
    blocks(
      [
        {
          from: index + (1 - ROOM) / 2,
          to: index + (1 + ROOM) / 2,
          low: Math.min(from, to),
          high: Math.max(from, to),
        },
      ],
      scale,
      style,
    ),
  );
  const links = steps.slice(0, -1).map(({ to }, index) =>
    line(
      [
        [index + (1 + ROOM) / 2, to],
        [index + 1 + (1 - ROOM) / 2, to],
      ],
      scale,
      'link',
    ),
  );
  const change = ({ from, to }: Step) => to - from;
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
    along: steps.map(({ name }, index) => ({ at: index + 0.5, label: name })),
    area: join([...bars, ...links]),
    data: {
      ...{ kind: 'bands', span: steps.length, of: 'Step', labels: steps.map(({ name }) => name) },
      columns: [{ name: 'mUSD', format: 'money', values: steps.map(change) }],
    },
  });
}
