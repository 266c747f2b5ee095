import { saidOf } from '../../statistics/markName.ts';
import { simulatedFan, type Fan } from '../../statistics/simulation.ts';
import { figure, missing } from './figure.ts';
import { signed } from './format.ts';
import { join, type Markup } from './markup.ts';
import { band, line, type Point } from './paths.ts';
import type { RunView } from './runView.ts';
import { linearScale, rangeOf, ticksOf } from './scale.ts';

const TITLE = 'A simulated year';

/** Where the account might be a year on, if the future draws from the same returns. */
export function fanChart({ sample, mark, record: { run } }: RunView): Markup {
  const fan = simulatedFan(sample, run.seed);
  if (!fan) return missing(TITLE, 'there are too few returns to draw from');
  const span = fan.p50.length;
  const scale = linearScale(
    rangeOf(
      fan.p5.map((value) => value - 1),
      fan.p95.map((value) => value - 1),
    ),
    { zero: true },
  );
  const of = (name: keyof Fan): Point[] => [
    [0, 0],
    ...fan[name].map((value, index): Point => [index + 1, value - 1]),
  ];
  const end = (name: keyof Fan) => signed((fan[name].at(-1) ?? NaN) - 1, 'percent1');
  const percentiles = ['p95', 'p75', 'p50', 'p25', 'p5'] as const;
  return figure({
    ...{ id: 'fan', title: TITLE, unit: 'change of equity', format: 'percent', scale, span, wide: true },
    summary: `After ${span} ${mark}s half of the paths are above ${end('p50')}; one in twenty is below ${end('p5')}, one in twenty above ${end('p95')}.`,
    note: `1,000 paths of blocks of 20 ${saidOf(mark, 'session returns')} of this run, drawn with repetition by seed ${run.seed}. It knows nothing that the run did not show.`,
    along: ticksOf(0, span, 6).map((at, index) => ({ at, label: String(at), minor: index % 2 === 1 })),
    alongUnit: `${mark}s from now`,
    area: join([
      band(of('p95'), of('p5'), { scale, style: 's1 outer' }),
      band(of('p75'), of('p25'), { scale, style: 's1 inner' }),
      line(of('p50'), scale, 's1 strong'),
    ]),
    keys: [
      { name: 'median', mark: 's1 strong' },
      { name: '25 to 75 %', mark: 's1 inner block' },
      { name: '5 to 95 %', mark: 's1 outer block' },
    ],
    data: {
      ...{
        kind: 'line',
        span,
        of: saidOf(mark, 'Session'),
        labels: fan.p50.map((_, index) => String(index + 1)),
      },
      at: fan.p50.map((_, index) => index + 0.5),
      columns: percentiles.map((name) => ({
        name: `${name.slice(1)} %`,
        format: 'percent1',
        values: fan[name].map((value) => value - 1),
      })),
    },
  });
}
