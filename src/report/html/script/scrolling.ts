/** Marks the sides on which a table goes on, so that one sees that it scrolls. */
export function onScrolling(): void {
  for (const box of document.querySelectorAll<HTMLElement>('.scroll')) {
    const mark = () => {
      const { scrollLeft, scrollWidth, clientWidth } = box;
      const sides = [
        ...(scrollLeft > 1 ? ['left'] : []),
        ...(scrollLeft + clientWidth < scrollWidth - 1 ? ['right'] : []),
      ];
      box.dataset['more'] = sides.join(' ');
    };
    box.addEventListener('scroll', mark, { passive: true });
    new ResizeObserver(mark).observe(box);
  }
}
