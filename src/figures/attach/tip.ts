import { written } from '../format.ts';
import type { Plot } from './plot.ts';

const GAP = 14;
const EDGE = 6;

/** Creates an element with text, never with markup. */
export function element(name: string, text?: string, style = ''): HTMLElement {
  const made = document.createElement(name);
  if (text !== undefined) made.textContent = text;
  if (style !== '') made.className = style;
  return made;
}

/** Formatted number or text of a column. */
export const valueText = (value: number | string | null | undefined, format: Parameters<typeof written>[1]) =>
  typeof value === 'string' ? value : written(value, format);

/** Tooltip next to the pointer with the numbers of a point. */
export class Tip {
  readonly #box = element('div', undefined, 'tip');

  constructor() {
    this.#box.hidden = true;
    this.#box.setAttribute('role', 'status');
    document.body.append(this.#box);
  }

  /** Shows the numbers of a plot's point near a screen position. */
  show(plot: Plot, index: number, [x, y]: readonly [number, number]): void {
    const list = element('dl');
    for (const { name, format = 'general', values, mark } of plot.shown.columns) {
      const value = values[index];
      if (value === null || value === undefined) continue;
      const head = element('dt');
      if (mark !== undefined) head.append(element('i', undefined, `key ${mark}`));
      head.append(name);
      list.append(head, element('dd', valueText(value, format), typeof value === 'string' ? 'text' : ''));
    }
    this.#box.replaceChildren(element('b', plot.labelOf(index)), list);
    this.#place(x, y);
  }

  /** Shows a text below an element. */
  explain(term: Element, text: string): void {
    this.#box.replaceChildren(text);
    const { left, bottom } = term.getBoundingClientRect();
    this.#place(left, bottom - EDGE);
  }

  hide(): void {
    this.#box.hidden = true;
  }

  remove(): void {
    this.#box.remove();
  }

  #place(x: number, y: number): void {
    this.#box.hidden = false;
    const { width, height } = this.#box.getBoundingClientRect();
    const left = x + GAP + width > innerWidth - EDGE ? x - GAP - width : x + GAP;
    this.#box.style.left = `${Math.max(EDGE, left)}px`;
    this.#box.style.top = `${Math.max(EDGE, Math.min(y + GAP, innerHeight - height - EDGE))}px`;
  }
}
