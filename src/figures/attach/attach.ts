import { rangeOfTrade } from '../levels.ts';
import { onGestures } from './gestures.ts';
import { onHover } from './hover.ts';
import { onNumbers } from './numbers.ts';
import { Plot } from './plot.ts';
import { onRanges } from './ranges.ts';
import { SharedAxis } from './sharedAxis.ts';
import { Tip } from './tip.ts';

/** Figures that a browser shows, to be enlarged from elsewhere. */
export type Attachment = Readonly<{
  /** Axis of the figure with an id. */
  axisOf: (id: string) => SharedAxis | null;
  /** Goes to a figure of candles, enlarges the part with a trade, by its index, and makes that stand out. */
  showTrade: (id: string, trade: number) => void;
  /** Takes away all that was added: listeners, cross-hairs and the box of numbers. */
  detach: () => void;
}>;

/**
 * Makes the figures below an element answer to pointer, keys and buttons. Those with one `data-axis` move together.
 * @param sessions dates of the sessions, where figures name them by their places
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

/** The axis of each plot that shares one. */
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

/** Explains a term to whoever points at it, reaches it by keys or touches it. */
function onTerms(root: ParentNode, tip: Tip, signal: AbortSignal): void {
  for (const term of root.querySelectorAll<HTMLElement>('[data-tip]')) {
    term.removeAttribute('title');
    const explain = () => tip.explain(term, term.dataset['tip'] ?? '');
    for (const kind of ['pointerenter', 'focus', 'click']) term.addEventListener(kind, explain, { signal });
    for (const kind of ['pointerleave', 'blur']) term.addEventListener(kind, () => tip.hide(), { signal });
  }
}
