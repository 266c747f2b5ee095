import { rangeOfTrade } from '../levels.ts';
import { onGestures } from './gestures.ts';
import { onHover } from './hover.ts';
import { Plot } from './plot.ts';
import { SharedAxis } from './sharedAxis.ts';
import { Tip, element, valueText } from './tip.ts';
import { countOf } from '../points.ts';

/** Interactive figures of a page, with access for other scripts. */
export type Attachment = Readonly<{
  /** Axis of the figure with an id. */
  axisOf: (id: string) => SharedAxis | null;
  /** Scrolls to a candle figure, zooms to a trade given by its index, and highlights it. */
  showTrade: (id: string, trade: number) => void;
  /** Removes everything added: listeners, cross-hairs and the tooltip. */
  detach: () => void;
}>;

/**
 * Makes the figures below an element respond to pointer, keys and buttons. Those with one `data-axis` move together.
 * @param sessions session dates, for figures that refer to them by index
 */
export function attach(root: ParentNode, sessions: readonly string[] = []): Attachment {
  const ending = new AbortController();
  const { signal } = ending;
  const tip = new Tip();
  const plots = [...root.querySelectorAll<HTMLElement>('[data-chart]')].flatMap((element) => {
    const figure = element.closest<HTMLElement>('figure');
    return figure ? [new Plot(element, figure, sessions)] : [];
  });
  const axes = axesOf(plots);
  const sight = new IntersectionObserver((entries) => {
    for (const { target, isIntersecting } of entries) {
      const plot = plots.find(({ element }) => element === target);
      if (!plot) continue;
      plot.isInSight = isIntersecting;
      if (isIntersecting) plot.refresh();
    }
  });
  for (const plot of plots) {
    const axis = axes.get(plot) ?? new SharedAxis([plot]);
    sight.observe(plot.element);
    onHover(plot, { axis, tip, signal });
    onNumbers(plot, signal);
    if (plot.group === null) continue;
    onGestures(plot, axis, signal);
    const buttons = plot.figure.querySelector<HTMLElement>('.ranges');
    if (buttons) onRanges(buttons, axis, signal);
    onScale(plot, signal);
  }
  onTerms(root, tip, signal);
  const plotOf = (id: string) => plots.find(({ element }) => element.dataset['chart'] === id);
  return {
    axisOf: (id) => axes.get(plotOf(id)) ?? null,
    showTrade: (id, trade) => {
      const own = plotOf(id);
      const range = own && rangeOfTrade(own.data, trade);
      if (!range) return;
      for (const plot of plots) if (plot === own || plot.hasChosen) plot.choose(plot === own ? trade : null);
      axes.get(own)?.show(range);
      own.figure.scrollIntoView();
      own.element.focus({ preventScroll: true });
    },
    detach: () => {
      ending.abort();
      sight.disconnect();
      for (const plot of plots) plot.clear();
      tip.remove();
    },
  };
}

/** Toggles the price axis between linear and logarithmic. */
function onScale(plot: Plot, signal: AbortSignal): void {
  const button = plot.figure.querySelector('[data-log]');
  button?.addEventListener(
    'click',
    () => {
      plot.isLog = !plot.isLog;
      button.setAttribute('aria-pressed', String(plot.isLog));
    },
    { signal },
  );
}

/** Axis of each plot that shares one. */
function axesOf(plots: readonly Plot[]): ReadonlyMap<Plot | undefined, SharedAxis> {
  const groups = new Map<string, Plot[]>();
  for (const plot of plots)
    if (plot.group !== null) groups.set(plot.group, [...(groups.get(plot.group) ?? []), plot]);
  return new Map(
    [...groups.values()].flatMap((own) => {
      const axis = new SharedAxis(own);
      return own.map((plot) => [plot, axis] as const);
    }),
  );
}

/** Explains a term when it is hovered, focused or touched. */
function onTerms(root: ParentNode, tip: Tip, signal: AbortSignal): void {
  for (const term of root.querySelectorAll<HTMLElement>('[data-tip]')) {
    term.removeAttribute('title');
    const explain = () => tip.explain(term, term.dataset['tip'] ?? '');
    for (const kind of ['pointerenter', 'focus', 'click']) term.addEventListener(kind, explain, { signal });
    for (const kind of ['pointerleave', 'blur']) term.addEventListener(kind, () => tip.hide(), { signal });
  }
}

/** Fills a figure's table of numbers when it is first opened. */
function onNumbers(plot: Plot, signal: AbortSignal): void {
  const details = plot.figure.querySelector<HTMLDetailsElement>('details.numbers');
  details?.addEventListener(
    'toggle',
    () => {
      if (details.open && !details.querySelector('table')) details.append(tableOf(plot));
    },
    { signal },
  );
}

function tableOf(plot: Plot): HTMLElement {
  const { of, columns } = plot.data;
  const head = element('tr');
  for (const name of [of, ...columns.map((column) => column.name)]) {
    const cell = element('th', name);
    cell.setAttribute('scope', 'col');
    head.append(cell);
  }
  const body = element('tbody');
  for (let index = 0; index < countOf(plot.data); index++) {
    const row = element('tr');
    row.append(element('td', plot.labelOf(index, plot.data)));
    for (const { values, format = 'general' } of columns)
      row.append(element('td', valueText(values[index], format)));
    body.append(row);
  }
  const [table, top, box] = [element('table'), element('thead'), element('div', undefined, 'scroll')];
  top.append(head);
  table.append(top, body);
  box.tabIndex = 0;
  box.append(table);
  return box;
}

/** Makes the buttons above a plot show the last n units of its axis, or scroll by half of the visible range. */
function onRanges(group: HTMLElement, axis: SharedAxis, signal: AbortSignal): void {
  const { span } = axis;
  const lengths = [...group.querySelectorAll<HTMLButtonElement>('[data-length]')];
  const moves = [...group.querySelectorAll<HTMLButtonElement>('[data-move]')];
  const lengthOf = ({ dataset }: HTMLButtonElement) => Number(dataset['length']) || span;
  for (const button of lengths) {
    const length = lengthOf(button);
    button.hidden = length > span || (length === span && button.dataset['length'] !== '0');
    button.addEventListener('click', () => axis.show({ from: axis.range.to - length, to: axis.range.to }), {
      signal,
    });
  }
  for (const button of moves)
    button.addEventListener(
      'click',
      () => {
        const { from, to } = axis.range;
        const by = Math.max(1, Math.round((to - from) / 2)) * Number(button.dataset['move']);
        axis.show({ from: from + by, to: to + by });
      },
      { signal },
    );
  const mark = () => {
    const { from, to } = axis.range;
    for (const button of lengths)
      button.setAttribute('aria-pressed', String(!button.hidden && to - from === lengthOf(button)));
    for (const button of moves) button.disabled = Number(button.dataset['move']) < 0 ? from <= 0 : to >= span;
  };
  axis.onShown(mark);
  mark();
}
