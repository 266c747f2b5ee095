import type { Plot } from './plot.ts';
import type { SharedAxis } from './sharedAxis.ts';
import type { Tip } from './tip.ts';

/** Height of the tooltip for a point reached by keys, as a fraction of the plot. */
const KEY_HEIGHT = 0.3;

/** Shows the numbers of the point under the pointer, or of the one reached by the arrow keys. */
export function onHover(
  plot: Plot,
  { axis, tip, signal }: Readonly<{ axis: SharedAxis; tip: Tip; signal: AbortSignal }>,
): void {
  const { element } = plot;
  let index = -1;
  const hide = () => {
    axis.clear();
    tip.hide();
  };
  const show = (corner?: readonly [number, number]) => {
    const place = plot.middleOf(index);
    const part = plot.partOf(place);
    if (part < 0 || part > 1) {
      hide();
      return;
    }
    plot.cross(place, plot.heightOf(index));
    axis.cross(place, plot);
    const { left, top, width, height } = element.getBoundingClientRect();
    tip.show(plot, index, corner ?? [left + part * width, top + height * KEY_HEIGHT]);
  };
  const point = ({ clientX, clientY }: PointerEvent) => {
    index = plot.nearest(clientX, clientY);
    if (index >= 0) show([clientX, clientY]);
  };
  element.addEventListener('pointermove', point, { signal });
  element.addEventListener('pointerdown', point, { signal });
  element.addEventListener('pointerleave', hide, { signal });
  element.addEventListener('blur', hide, { signal });
  element.addEventListener(
    'keydown',
    (event) => {
      if (event.key === 'Escape') {
        hide();
        return;
      }
      const last = plot.count - 1;
      const moves: Record<string, number> = {
        ArrowLeft: index - 1,
        ArrowRight: index + 1,
        Home: 0,
        End: last,
      };
      const to = moves[event.key];
      if (to === undefined || last < 0) return;
      event.preventDefault();
      index = Math.max(0, Math.min(to, last));
      keepInSight(axis, plot.middleOf(index));
      show();
    },
    { signal },
  );
}

/** Scrolls the range just far enough to include a position. */
function keepInSight(axis: SharedAxis, place: number): void {
  const { from, to } = axis.range;
  const by = place < from ? place - 0.5 - from : place > to ? place + 0.5 - to : 0;
  if (by !== 0) axis.show({ from: from + by, to: to + by });
}
