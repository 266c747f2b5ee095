import { markup, type Markup } from './markup.ts';

/** Button that toggles the axis of a figure between linear and logarithmic. */
const LOG_BUTTON = markup`<button type="button" data-log aria-pressed="false">Logarithmic</button>`;

/**
 * Buttons that select the range shown on an axis; they need the script.
 * @param name of the figure, for screen readers
 * @param lengths names and lengths in axis units; 0 for all
 * @param hasLog true for a line figure with values above 0, which can use a logarithmic scale
 */
export const rangeButtons = (
  name: string,
  lengths: readonly (readonly [string, number])[],
  hasLog = false,
): Markup =>
  markup`<div class="ranges scripted" role="group" aria-label="Range of ${name}">${lengths.map(
    ([label, length]) =>
      markup`<button type="button" data-length="${length}" aria-pressed="${length === 0 ? 'true' : 'false'}">${label}</button>`,
  )}<button type="button" data-move="-1" aria-label="Earlier">‹</button><button type="button" data-move="1" aria-label="Later">›</button>${hasLog ? LOG_BUTTON : null}</div>`;

/** Lengths in years. */
const RANGES: readonly (readonly [string, number])[] = [
  ['1M', 1 / 12],
  ['3M', 1 / 4],
  ['6M', 1 / 2],
  ['1Y', 1],
  ['All', 0],
];

/** Selectable lengths for an axis of sessions or weeks. @param marksPerYear number of these per year */
export const lengthsOf = (marksPerYear: number): (readonly [string, number])[] =>
  RANGES.map(([name, years]) => [name, Math.round(years * marksPerYear)]);
