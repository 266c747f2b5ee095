import { linearScale, HEIGHT, rangeOf } from '../../../figures/scale.ts';
import { signed } from '../../../figures/format.ts';
import { keptPoints } from '../../../figures/thinning.ts';
import type { Status } from '../../../ops/model/status.ts';
import type { Moment } from './today.ts';

/** Maximum number of points of a line as wide as a cell. */
const POINTS = 240;
const WIDTH = 1_000;

type DayLineProps = Readonly<{
  moments: readonly Moment[];
  session: Status['session'];
  /** Profit at a moment; null if there is none. */
  of: (moment: Moment) => number | null;
  /** Owner of the profit, for screen readers. */
  name: string;
}>;

/** Profit since the open as a small line, over the whole length of the session. */
export function DayLine({ moments, session, of, name }: DayLineProps) {
  const points = moments.flatMap((moment) => {
    const profit = of(moment);
    return profit === null ? [] : [{ at: moment.at, profit }];
  });
  const [first, last] = [points[0], points.at(-1)];
  if (first === undefined || last === undefined) return null;
  const values = points.map(({ profit }) => profit);
  const range = rangeOf(values, [0]) ?? [0, 0];
  const scale = linearScale(range);
  const close = session.phase === 'regular' && session.close !== null ? Date.parse(session.close) : last.at;
  const along = (at: number) => ((at - first.at) / Math.max(close - first.at, 1)) * WIDTH;
  const drawn = keptPoints([values], POINTS).flatMap((index) => {
    const point = points[index];
    return point ? [`${along(point.at).toFixed(1)} ${scale.place(point.profit).toFixed(1)}`] : [];
  });
  const ground = scale.place(0);
  const [least, most] = range.map((value) => signed(value, 'money'));
  return (
    <svg
      class={`day-line ${last.profit < 0 ? 'loss' : 'gain'}`}
      viewBox={`0 0 ${WIDTH} ${HEIGHT}`}
      preserveAspectRatio="none"
      role="img"
      aria-label={`Profit of ${name} since the open: ${signed(last.profit, 'money')} mUSD, between ${least ?? ''} and ${most ?? ''}`}
    >
      <line x2={WIDTH} y1={ground} y2={ground} />
      <path d={`M${drawn.join('L')}${drawn.length === 1 ? 'h0' : ''}`} />
    </svg>
  );
}
