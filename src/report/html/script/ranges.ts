/** Enlarges a part of a candle chart: its height follows the visible part. */
export const RANGES = String.raw`
const SPACE = 0.05;
const zoomTo = (id, from, to) => {
  const plot = document.querySelector('[data-chart="' + id + '"]');
  const data = chartOf(id);
  const { low, high, lowColumn, highColumn } = data.zoom;
  const step = data.step || 1;
  let [least, most] = [Infinity, -Infinity];
  data.at.forEach((at, index) => {
    if (at + step <= from || at >= to) return;
    least = Math.min(least, data.columns[lowColumn].values[index]);
    most = Math.max(most, data.columns[highColumn].values[index]);
  });
  const all = from <= 0 && to >= data.span;
  const room = all || least > most ? 0 : (most - least) * SPACE || Math.abs(most) * 0.01;
  const [bottom, top] = all || least > most ? [low, high] : [least - room, most + room];
  const heightOf = (value) => (1 - (value - low) / (high - low)) * 1000;
  const view = { x: from, y: heightOf(top), width: to - from, height: heightOf(bottom) - heightOf(top) };
  const box = [view.x, view.y, view.width, view.height].join(' ');
  plot.querySelector('.area').setAttribute('viewBox', box);
  document.querySelector('[data-follow="' + id + '"]').setAttribute('viewBox', from + ' 0 ' + (to - from) + ' 1000');
  for (const pin of plot.querySelectorAll('.pins use')) {
    const left = (pin.dataset.at - from) / (to - from);
    pin.setAttribute('x', left * 100 + '%');
    const down = (pin.dataset.down - view.y) / view.height;
    pin.setAttribute('y', down * 100 + '%');
    pin.style.display = left < 0 || left > 1 || down < -0.02 || down > 1.02 ? 'none' : '';
  }
  drawGrid(plot, { bottom, top });
  drawTicks(plot, { from, to });
  hide(plot);
};
const drawGrid = (plot, { bottom, top }) => {
  const rough = (top - bottom) / 7;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 5, 10].find((each) => each * power >= rough) * power;
  const decimals = Math.max(0, Math.ceil(-Math.log10(step) - 1e-6));
  const digits = { minimumFractionDigits: decimals, maximumFractionDigits: decimals };
  const grid = svg('g', { class: 'grid' });
  for (let tick = Math.ceil(bottom / step) * step; tick <= top + step * 1e-9; tick += step) {
    const y = ((top - tick) / (top - bottom)) * 100 + '%';
    const text = svg('text', { class: 'up', x: -8, y, dy: '.32em' });
    text.textContent = tick.toLocaleString('en-US', digits).replace('-', '−');
    grid.append(svg('line', { class: 'rule', x2: '100%', y1: y, y2: y }), text);
  }
  plot.querySelector('.grid').replaceWith(grid);
};
const drawTicks = (plot, { from, to }) => {
  const ticks = svg('g', { class: 'ticks' });
  const count = Math.min(6, to - from);
  for (let part = 0; part < count; part++) {
    const at = Math.floor(from + ((part + 0.5) / count) * (to - from));
    const x = ((at + 0.5 - from) / (to - from)) * 100 + '%';
    const each = svg('g', part % 2 === 1 ? { class: 'minor' } : {});
    const text = svg('text', { class: 'down', x, y: '100%', dy: '1.5em' });
    text.textContent = page.sessions[at] || '';
    each.append(svg('line', { class: 'tick', x1: x, x2: x, y1: '100%', y2: '100%' }), text);
    ticks.append(each);
  }
  plot.querySelector('.ticks').replaceWith(ticks);
};
for (const group of document.querySelectorAll('[data-ranges]')) {
  const id = group.dataset.ranges;
  const { span } = chartOf(id);
  let [from, to] = [0, span];
  const go = (start, end) => {
    const width = Math.max(5, Math.min(end - start, span));
    from = Math.max(0, Math.min(start, span - width));
    to = Math.min(span, from + width);
    zoomTo(id, from, to);
    for (const button of group.querySelectorAll('[data-sessions]')) {
      const sessions = Number(button.dataset.sessions) || span;
      button.setAttribute('aria-pressed', String(to - from === Math.min(sessions, span) && (sessions < span || !Number(button.dataset.sessions))));
    }
    for (const button of group.querySelectorAll('[data-move]'))
      button.disabled = Number(button.dataset.move) < 0 ? from <= 0 : to >= span;
  };
  for (const button of group.querySelectorAll('[data-sessions]')) {
    const sessions = Number(button.dataset.sessions) || span;
    button.hidden = sessions > span || (sessions === span && button.dataset.sessions !== '0');
    button.addEventListener('click', () => go(to - sessions, to));
  }
  for (const button of group.querySelectorAll('[data-move]'))
    button.addEventListener('click', () => {
      const by = Math.max(1, Math.round((to - from) * 0.5)) * Number(button.dataset.move);
      go(from + by, to + by);
    });
  const plot = document.querySelector('[data-chart="' + id + '"]');
  const sessionAt = (event) => {
    const box = plot.getBoundingClientRect();
    return from + ((event.clientX - box.left) / box.width) * (to - from);
  };
  let begun = null;
  plot.addEventListener('pointerdown', (event) => (begun = event.pointerType === 'mouse' ? sessionAt(event) : null));
  plot.addEventListener('pointerup', (event) => {
    const ended = sessionAt(event);
    if (begun !== null && Math.abs(ended - begun) >= 3) go(Math.floor(Math.min(begun, ended)), Math.ceil(Math.max(begun, ended)));
    begun = null;
  });
  plot.addEventListener('dblclick', () => go(0, span));
  for (const button of group.querySelectorAll('[data-move]')) button.disabled = true;
}
`;
