import type { Plot } from './plot.ts';
import type { SharedAxis } from './sharedAxis.ts';

/** Distance in pixels from which a pointer movement counts as a drag. */
const DRAG_FROM = 4;
/** Fraction of the range that one wheel notch adds or removes. */
const WHEEL = 0.002;
const KEY = 0.6;

/**
 * Pans and zooms a plot. Dragging selects a range if the whole axis is shown or with the shift key, and otherwise pans.
 * Two fingers, or the wheel with the control key, zoom; a sideways wheel pans; a double click shows all.
 */
export function onGestures(plot: Plot, axis: SharedAxis, signal: AbortSignal): void {
  const { element } = plot;
  const pointers = new Map<number, number>();
  let drag: Readonly<{ x: number; place: number; from: number; to: number; isChoice: boolean }> | null = null;
  const begin = (x: number, shift: boolean) => {
    const { from, to } = axis.range;
    drag = { x, place: plot.placeAt(x), from, to, isChoice: axis.isWhole || shift };
  };
  const on = <Name extends keyof HTMLElementEventMap>(
    name: Name,
    run: (event: HTMLElementEventMap[Name]) => void,
  ) => element.addEventListener(name, run, { signal, passive: false });
  on('pointerdown', ({ pointerId, clientX, shiftKey, button }) => {
    if (button !== 0) return;
    pointers.set(pointerId, clientX);
    begin(clientX, shiftKey);
  });
  on('pointermove', ({ pointerId, clientX, pointerType }) => {
    const other = [...pointers].find(([id]) => id !== pointerId)?.[1];
    const before = pointers.get(pointerId);
    if (before === undefined) return;
    pointers.set(pointerId, clientX);
    if (other !== undefined) return pinch({ plot, axis }, { before, now: clientX, other });
    if (!drag || Math.abs(clientX - drag.x) < DRAG_FROM) return;
    if (!element.hasPointerCapture(pointerId)) element.setPointerCapture(pointerId);
    if (drag.isChoice) {
      if (pointerType === 'mouse') choose(plot, drag.x, clientX);
      return;
    }
    const by = ((clientX - drag.x) / element.clientWidth) * (drag.to - drag.from);
    axis.follow({ from: drag.from - by, to: drag.to - by });
  });
  const end = ({ pointerId, clientX, pointerType }: PointerEvent, isDone: boolean) => {
    const begun = drag;
    drag = null;
    pointers.delete(pointerId);
    plot.figure.querySelector('.choice')?.remove();
    if (!isDone || !begun?.isChoice || pointerType !== 'mouse') return;
    if (Math.abs(clientX - begun.x) < DRAG_FROM) return;
    const [from = 0, to = 0] = [begun.place, plot.placeAt(clientX)].sort((one, other) => one - other);
    axis.show({ from: Math.floor(from), to: Math.ceil(to) });
  };
  on('pointerup', (event) => end(event, true));
  on('pointercancel', (event) => end(event, false));
  on('dblclick', () => axis.show({ from: 0, to: axis.span }));
  on('wheel', (event) => onWheel(event, plot, axis));
  on('keydown', (event) => onKey(event, axis));
}

function pinch(
  { plot, axis }: Readonly<{ plot: Plot; axis: SharedAxis }>,
  { before, now, other }: Readonly<{ before: number; now: number; other: number }>,
): void {
  const [was, is] = [Math.abs(before - other), Math.abs(now - other)];
  if (was > 0 && is > 0) axis.zoom(was / is, plot.placeAt(other));
}

function onWheel(event: WheelEvent, plot: Plot, axis: SharedAxis): void {
  const { from, to } = axis.range;
  const sideways = event.shiftKey ? event.deltaY : event.deltaX;
  if (event.ctrlKey || event.metaKey) axis.zoom(Math.exp(event.deltaY * WHEEL), plot.placeAt(event.clientX));
  else if (!axis.isWhole && Math.abs(sideways) > Math.abs(event.shiftKey ? 0 : event.deltaY)) {
    const by = (sideways / plot.element.clientWidth) * (to - from);
    axis.follow({ from: from + by, to: to + by });
  } else return;
  event.preventDefault();
}

function onKey(event: KeyboardEvent, axis: SharedAxis): void {
  const { from, to } = axis.range;
  const middle = (from + to) / 2;
  if (event.key === '+' || event.key === '=') axis.zoom(KEY, middle);
  else if (event.key === '-') axis.zoom(1 / KEY, middle);
  else if (event.key === '0') axis.show({ from: 0, to: axis.span });
  else return;
  event.preventDefault();
}

/** Marks the range being selected. */
function choose(plot: Plot, from: number, to: number): void {
  const { left } = plot.element.getBoundingClientRect();
  let choice = plot.element.querySelector<HTMLElement>('.choice');
  if (!choice) {
    choice = document.createElement('div');
    choice.className = 'choice';
    plot.element.append(choice);
  }
  choice.style.left = `${Math.min(from, to) - left}px`;
  choice.style.width = `${Math.abs(to - from)}px`;
}
