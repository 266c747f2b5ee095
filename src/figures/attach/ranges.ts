import type { SharedAxis } from './sharedAxis.ts';

/** Makes the buttons above a plot choose the last so many units of its axis, or move along it by half of what is shown. */
export function onRanges(group: HTMLElement, axis: SharedAxis, signal: AbortSignal): void {
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
