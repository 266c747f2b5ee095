import { signed, written } from '../../../figures/format.ts';
import type { Markup } from '../../../figures/markup.ts';
import { sessionChart } from '../../../figures/sessionChart.ts';
import { drawdownSeries } from '../../../statistics/drawdown.ts';
import { sampleOf } from '../../../statistics/sample.ts';
import type { RunRecord } from '../../../report/runRecord.ts';

type Marks = RunRecord['marks'];

/** Closes of a record, and the equity before the first. */
export type Sessions = Readonly<{ marks: Marks; totals: Pick<RunRecord['totals'], 'equity'> }>;

const COMMON = { mark: 'session', wide: true } as const;

/** Equity, drawdown and exposure of a strategy at the closes of its sessions. */
export function sessionFigures(record: Sessions): Markup[] {
  const { marks } = record;
  const dates = marks.map(({ date }) => date);
  return [equityFigure(marks, dates), drawdownFigure(record, dates), exposureFigure(marks, dates)];
}

function equityFigure(marks: Marks, dates: readonly string[]): Markup {
  const values = marks.map(({ equity }) => equity);
  const summary = `From ${written(values[0], 'money')} to ${written(values.at(-1), 'money')} mUSD, deposits and withdrawals included.`;
  return sessionChart({
    ...COMMON,
    id: 'equity',
    title: 'Equity',
    summary,
    unit: 'mUSD',
    dates,
    format: 'money',
    lines: [{ name: 'Equity', values, style: 's1 strong' }],
  });
}

function drawdownFigure(record: Sessions, dates: readonly string[]): Markup {
  const values = drawdownOf(record);
  const deepest = values.reduce<number>((least, depth) => Math.min(least, depth ?? 0), 0);
  return sessionChart({
    ...COMMON,
    id: 'drawdown',
    title: 'Drawdown',
    summary:
      deepest === 0
        ? 'Never below an earlier peak.'
        : `Deepest ${signed(deepest, 'percent')}; deposits and withdrawals are no gains or losses.`,
    unit: 'below the highest equity so far',
    dates,
    format: 'percent',
    zero: true,
    height: 'low',
    lines: [{ name: 'Drawdown', values, style: 'loss', areaTo: 0 }],
  });
}

function exposureFigure(marks: Marks, dates: readonly string[]): Markup {
  const values = marks.map(({ equity, positions }) => {
    const held = Object.values(positions).reduce((sum, worth) => sum + worth, 0);
    return equity > 0 ? held / equity : null;
  });
  return sessionChart({
    ...COMMON,
    id: 'exposure',
    title: 'Exposure',
    summary: `${written(values.at(-1), 'percent1')} of its equity was in stock at the last close.`,
    unit: 'value of held shares, as a share of equity',
    dates,
    format: 'percent',
    zero: true,
    height: 'low',
    lines: [{ name: 'Exposure', values, style: 's1', areaTo: 0 }],
  });
}

/** Drawdown from the highest previous close, as in the report; null for sessions that began without money. */
export function drawdownOf({ marks, totals }: Sessions): (number | null)[] {
  const { returns } = sampleOf({ startEquity: Number(totals.equity.start), marks });
  const depths = drawdownSeries(returns);
  return marks.map((_, index) => depths[index] ?? null);
}
