import { markup, type Markup } from './markup.ts';

/**
 * Buttons that choose how much of an axis its figures show; they are of use only with a script.
 * @param name the figure's, for those who do not see where the buttons stand
 * @param lengths names and lengths in units of the axis; 0 for all of it
 */
export const rangeButtons = (name: string, lengths: readonly (readonly [string, number])[]): Markup =>
  markup`<div class="ranges scripted" role="group" aria-label="Range of ${name}">${lengths.map(
    ([label, length]) =>
      markup`<button type="button" data-length="${length}" aria-pressed="${length === 0 ? 'true' : 'false'}">${label}</button>`,
  )}<button type="button" data-move="-1" aria-label="Earlier">‹</button><button type="button" data-move="1" aria-label="Later">›</button></div>`;
