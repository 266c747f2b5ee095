import { markup, type Markup } from './markup.ts';

/** Number of shades on each side. */
export const HEAT_SHADES = 10;

/**
 * Range of values for the shades of a table. If there are losses, shades extend from 0 both ways, equally for gains and
 * losses; otherwise from the lowest value to the highest.
 */
export type HeatRange = Readonly<{ low: number; high: number }>;

/** Range of values, in which gains and losses of equal size have equally deep shades. */
export function heatRange(values: readonly number[], { around0 = false } = {}): HeatRange {
  const [low, high] = [Math.min(...values), Math.max(...values)];
  const largest = Math.max(Math.abs(low), Math.abs(high), 0);
  return around0 || low < 0 ? { low: -largest, high: largest } : { low, high };
}

/** Shade of a value: `g1` to `g10`, `l1` to `l10`, or `flat`. */
export function shade(value: number, { low, high }: HeatRange): string {
  const isDiverging = low < 0;
  if (!(high > low) || (isDiverging && value === 0)) return 'flat';
  const part = isDiverging ? Math.abs(value) / high : (value - low) / (high - low);
  const step = Math.min(HEAT_SHADES, Math.max(1, Math.ceil(part * HEAT_SHADES - 1e-9)));
  return `${isDiverging && value < 0 ? 'l' : 'g'}${step}`;
}

/** Legend of the shades, with the values at both ends. */
export function heatScale({ low, high }: HeatRange, textOf: (value: number) => string): Markup | null {
  if (!(high > low)) return null;
  const steps = Array.from({ length: HEAT_SHADES }, (_, index) => index + 1);
  const gains = steps.map((step) => `g${step}`);
  const shades = low < 0 ? [...steps.toReversed().map((step) => `l${step}`), 'flat', ...gains] : gains;
  return markup`<p class="heat-scale">${textOf(low)}<span aria-hidden="true">${shades.map((name) => markup`<i class="${name}"></i>`)}</span>${textOf(high)}</p>`;
}
