import type { ChartData } from './chartData.ts';

/** Number of points of a chart, or of its bands. */
export const countOf = ({ columns }: Pick<ChartData, 'columns'>): number => columns[0]?.values.length ?? 0;

/** Place along the width at which the unit of a point begins. */
export const placeOf = ({ at, opening }: ChartData, index: number): number =>
  at?.[index] ?? (opening === undefined ? index : index - 1);

/** Width of a point, in units. */
export const widthOf = ({ widths, step = 1 }: ChartData, index: number): number => widths?.[index] ?? step;

/** Place along the width of the middle of a point; of the opening, the left edge. */
export const middleOf = (data: ChartData, index: number): number =>
  data.opening !== undefined && index === 0 ? 0 : placeOf(data, index) + widthOf(data, index) / 2;
