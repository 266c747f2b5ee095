import type { ChartData } from './chartData.ts';

/** Number of points or bands of a chart. */
export const countOf = ({ columns }: Pick<ChartData, 'columns'>): number => columns[0]?.values.length ?? 0;

/** Position along the width at which a point begins. */
export const placeOf = ({ at, opening }: ChartData, index: number): number =>
  at?.[index] ?? (opening === undefined ? index : index - 1);

/** Width of a point, in units. */
export const widthOf = ({ widths, step = 1 }: ChartData, index: number): number => widths?.[index] ?? step;

/** Horizontal position of a point's middle; for the opening point, the left edge. */
export const middleOf = (data: ChartData, index: number): number =>
  data.opening !== undefined && index === 0 ? 0 : placeOf(data, index) + widthOf(data, index) / 2;
