/** Run in the page: for each chart, whether anything is visible in its plot. */
export const DRAWN = `[...document.querySelectorAll('figure')].map((figure) => {
  const plot = figure.querySelector('.plot, .rows');
  const box = plot.getBoundingClientRect();
  const paths = [...plot.querySelectorAll('.area path, .bar path')].filter((path) => {
    const { width, height } = path.getBoundingClientRect();
    const { stroke, fill } = getComputedStyle(path);
    return width + height > 3 && (stroke !== 'none' || fill !== 'none');
  });
  const labels = [...plot.querySelectorAll('text, th')].filter((text) => text.textContent !== '');
  return { id: figure.id, isDrawn: box.width > 200 && box.height > 60 && paths.length > 0 && labels.length > 3 };
})`;

/** Run in the page: labels of charts that overlap another or leave the page, and other content that leaves it without scrolling. */
export const MISPLACED = `(() => {
  const found = [];
  const boxOf = (element) => element.getBoundingClientRect();
  for (const figure of document.querySelectorAll('figure')) {
    const labels = [...figure.querySelectorAll('svg text')].filter((label) => boxOf(label).width > 0);
    for (const [place, label] of labels.entries()) {
      const box = boxOf(label);
      if (box.left < 0 || box.right > innerWidth) found.push(figure.id + ': ' + label.textContent + ' leaves the page');
      for (const other of labels.slice(place + 1)) {
        const its = boxOf(other);
        const isAcross = box.left < its.right - 1 && its.left < box.right - 1;
        if (isAcross && box.top < its.bottom - 3 && its.top < box.bottom - 3)
          found.push(figure.id + ': ' + label.textContent + ' lies on ' + other.textContent);
      }
    }
  }
  for (const element of document.querySelectorAll('main *:not(svg *)'))
    if (!element.closest('.scroll, .hidden') && boxOf(element).right > innerWidth + 1)
      found.push(element.tagName + ' ' + element.className + ' leaves the page');
  return found;
})()`;

/** Run in the page: colour of its background; how far it is wider than the screen. */
export const BACKGROUND = 'getComputedStyle(document.body).backgroundColor';
export const [LIGHT, DARK] = ['rgb(255, 255, 255)', 'rgb(20, 23, 26)'];
export const OVERFLOW = 'document.documentElement.scrollWidth - innerWidth';
