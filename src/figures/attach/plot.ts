import { ticksAmong, ticksWithin } from '../axis.ts';
import { draw } from '../drawing.ts';
import { gridMarks, tickMarks } from '../figure.ts';
import { levelAt } from '../levels.ts';
import { countOf, middleOf, placeOf } from '../points.ts';
import { HEIGHT, type Range, percentAlong } from '../scale.ts';
import type { ChartData } from '../chartData.ts';

/** Range that differs from any other, which forces a redraw. */
const NOWHERE: Range = { from: NaN, to: NaN };

const SVG = 'http://www.w3.org/2000/svg';

/** Plot of one figure in a browser: what it shows, and where its points are. */
export class Plot {
  readonly element: HTMLElement;
  readonly figure: HTMLElement;
  /** Axis shared with other figures, or null. */
  readonly group: string | null;
  /** True for a plot that shows intraday data. */
  readonly isIntraday: boolean;
  range: Range;
  isInSight = true;
  readonly #sessions: readonly string[];
  #data: ChartData | null = null;
  #shown: ChartData | null = null;
  #drawn: Range;
  #isLog: boolean | null = null;
  #chosen: number | null = null;

  /** @param sessions session dates, for figures that refer to them by index */
  constructor(element: HTMLElement, figure: HTMLElement, sessions: readonly string[]) {
    this.element = element;
    this.figure = figure;
    this.#sessions = sessions;
    this.group = figure.dataset['axis'] ?? null;
    this.isIntraday = 'intraday' in element.dataset;
    const { x, width } = this.#view;
    this.range = this.#drawn = { from: x, to: x + width };
  }

  /** Numbers of the figure, parsed on first use. */
  get data(): ChartData {
    const block = this.figure.querySelector('script[type="application/json"]');
    return (this.#data ??= JSON.parse(block?.textContent ?? '') as ChartData);
  }

  /** Numbers shown now: its own or, over a short range, the intraday ones. */
  get shown(): ChartData {
    return (this.#shown ??= levelAt(this.data, this.range)?.data ?? this.data);
  }

  get count(): number {
    return countOf(this.shown);
  }

  /** @param data what is shown, or all numbers of the figure */
  labelOf(index: number, data = this.shown): string {
    const { labels, opening, times } = data;
    if (opening !== undefined && index === 0) return opening;
    const label =
      (labels === 'sessions' ? this.#sessions[Math.floor(placeOf(data, index))] : labels[index]) ?? '';
    return times ? `${label} ${times[index] ?? ''}` : label;
  }

  /** Horizontal position of a point, in axis units. */
  middleOf(index: number): number {
    const { kind, at } = this.shown;
    if (kind === 'bands') return index + 0.5;
    return kind === 'points' ? (at?.[index] ?? 0) : middleOf(this.shown, index);
  }

  /** Height of a point from the top, as a fraction; null for points with only a horizontal position. */
  heightOf(index: number): number | null {
    const { kind, heights } = this.data;
    return kind === 'points' ? (heights?.[index] ?? 0) / HEIGHT : null;
  }

  /** Fraction of the width at which a position is shown. */
  partOf(place: number): number {
    return (place - this.range.from) / (this.range.to - this.range.from);
  }

  placeAt(clientX: number): number {
    const { left, width } = this.element.getBoundingClientRect();
    const { from, to } = this.range;
    return from + ((clientX - left) / width) * (to - from);
  }

  /** Point nearest to a screen position, or the band that contains it; −1 without points. */
  nearest(clientX: number, clientY: number): number {
    const { top, width, height } = this.element.getBoundingClientRect();
    const { from, to } = this.range;
    const at = this.placeAt(clientX);
    if (this.data.kind === 'bands') return Math.max(0, Math.min(Math.floor(at), this.count - 1));
    let [best, least] = [-1, Infinity];
    for (let index = 0; index < this.count; index++) {
      const across = ((this.middleOf(index) - at) / (to - from)) * width;
      const part = this.heightOf(index);
      const down = part === null ? 0 : part * height - (clientY - top);
      const far = across * across + down * down;
      if (far < least) [best, least] = [index, far];
    }
    return best;
  }

  /** Draws the cross-hair at a position, or the ring around a point; removes them if out of range. */
  cross(place: number, height: number | null = null): void {
    this.clear();
    const part = this.partOf(place);
    if (part < 0 || part > 1) return;
    const left = `${part * 100}%`;
    const made = document.createElementNS(SVG, height === null ? 'line' : 'circle');
    const attributes =
      height === null
        ? { class: 'cross', x1: left, x2: left, y2: '100%' }
        : { class: 'spot', cx: left, cy: `${height * 100}%`, r: '5' };
    for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value);
    this.element.querySelector('.frame')?.append(made);
  }

  clear(): void {
    for (const old of this.element.querySelectorAll('.cross, .spot')) old.remove();
  }

  /** Shows a range; if the plot is off screen, it is drawn later. */
  show(range: Range): void {
    this.range = range;
    this.#shown = null;
    if (this.isInSight) this.refresh();
  }

  get isLog(): boolean {
    const { drawing } = this.data;
    return this.#isLog ?? (drawing?.kind === 'lines' && drawing.isLog === true);
  }

  /** Switches between a logarithmic and a linear price scale. */
  set isLog(value: boolean) {
    this.#isLog = value;
    this.#drawn = NOWHERE;
    this.refresh();
  }

  get hasChosen(): boolean {
    return this.#chosen !== null;
  }

  /** Highlights a trade of a stock, by its index; null for none. */
  choose(trade: number | null): void {
    this.#chosen = trade;
    this.#drawn = NOWHERE;
    if (this.isInSight) this.refresh();
  }

  /** Draws the current range, unless it is already drawn. */
  refresh(): void {
    const { from, to } = this.range;
    if (this.#drawn.from === from && this.#drawn.to === to) return;
    this.#drawn = this.range;
    this.clear();
    const { drawing, labels } = this.data;
    for (const area of this.figure.querySelectorAll('.area'))
      area.setAttribute('viewBox', `${from} 0 ${to - from} ${HEIGHT}`);
    if (drawing) {
      const wanted =
        drawing.kind === 'lines' ? { ...drawing, isLog: this.isLog } : { ...drawing, chosen: this.#chosen };
      const { scale, area, marks, volume } = draw(this.data, wanted, this.range);
      this.#fill('.plot:not(.volume) .area', area.markup);
      this.#fill('.grid', gridMarks(scale, this.data.columns[0]?.format ?? 'general').markup);
      if (marks) this.#fill('.pins', marks.markup);
      if (volume) {
        this.#fill('.volume .area', volume.bars.markup);
        this.#fill('.volume .frame > text', volume.top);
      }
    }
    for (const mark of this.element.querySelectorAll<SVGElement>('.event')) {
      const at = Number(mark.dataset['at']);
      mark.setAttribute('x', percentAlong(at - from, to - from));
      mark.toggleAttribute('data-out', at < from || at > to);
    }
    const names = labels === 'sessions' ? this.#sessions : labels;
    const { shown, range } = this;
    const ticks = shown.times
      ? ticksAmong(
          shown.times.map((_, index) => this.labelOf(index, shown)),
          shown.times.map((_, index) => middleOf(shown, index)),
          range,
        )
      : ticksWithin(names, range);
    this.#fill('.ticks', tickMarks(ticks, range).markup);
  }

  /** The markup comes from our own functions, which escape all text. */
  #fill(selector: string, markup: string): void {
    const place = this.figure.querySelector(selector);
    if (place) place.innerHTML = markup;
  }

  get #view(): DOMRect {
    const area = this.element.querySelector<SVGSVGElement>('.area');
    return area?.viewBox.baseVal as DOMRect;
  }
}
