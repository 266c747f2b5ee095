/** Shows the numbers of the point under the pointer, or of the one that the arrow keys have reached. */
export const HOVER = String.raw`
const blockOf = (id) => JSON.parse(document.getElementById(id).textContent);
const page = blockOf('data-page');
const formatters = {};
for (const name in page.formats) formatters[name] = new Intl.NumberFormat('en-US', page.formats[name]);
const written = (value, format) => {
  if (value === null || value === undefined) return '–';
  if (typeof value === 'string' || !format) return String(value);
  return formatters[format].format(value).replace('-', '−');
};
const charts = new Map();
const chartOf = (id) => {
  if (!charts.has(id)) charts.set(id, blockOf('data-' + id));
  return charts.get(id);
};
const labelOf = (data, index) => (data.labels === 'sessions' ? page.sessions[data.at[index]] : data.labels[index]);
const countOf = (data) => (data.at || data.labels).length;
const middleOf = (data, index) => {
  if (data.kind === 'bands') return index + 0.5;
  if (data.kind === 'points' || data.labels !== 'sessions') return data.at[index];
  return data.at[index] + (data.step || 1) / 2;
};
const element = (name, text, style) => {
  const made = document.createElement(name);
  if (text !== undefined) made.textContent = text;
  if (style) made.className = style;
  return made;
};

const tip = element('div', undefined, 'tip');
tip.hidden = true;
tip.setAttribute('role', 'status');
document.body.append(tip);
const placeTip = (x, y) => {
  tip.hidden = false;
  const { width, height } = tip.getBoundingClientRect();
  const left = x + 14 + width > innerWidth - 6 ? x - 14 - width : x + 14;
  tip.style.left = Math.max(6, left) + 'px';
  tip.style.top = Math.max(6, Math.min(y + 14, innerHeight - height - 6)) + 'px';
};
const tipOf = (data, index) => {
  const list = element('dl');
  for (const { name, format, values, mark } of data.columns) {
    const value = values[index];
    if (value === null || value === undefined) continue;
    const head = element('dt');
    if (mark) head.append(element('i', undefined, 'key ' + mark));
    head.append(name);
    list.append(head, element('dd', written(value, format), format ? '' : 'text'));
  }
  tip.replaceChildren(element('b', labelOf(data, index)), list);
};

const svg = (name, attributes) => {
  const made = document.createElementNS('http://www.w3.org/2000/svg', name);
  for (const key in attributes) made.setAttribute(key, attributes[key]);
  return made;
};
const viewOf = (plot) => plot.querySelector('.area').viewBox.baseVal;
const nearest = (plot, data, x, y) => {
  const { width, height } = plot.getBoundingClientRect();
  const view = viewOf(plot);
  const at = view.x + (x / width) * view.width;
  if (data.kind === 'bands') return Math.max(0, Math.min(Math.floor(at), countOf(data) - 1));
  let best = -1;
  let least = Infinity;
  for (let index = 0; index < countOf(data); index++) {
    const across = ((middleOf(data, index) - at) / view.width) * width;
    const down = data.kind === 'points' ? (data.heights[index] / 1000) * height - y : 0;
    const far = across * across + down * down;
    if (far < least) [best, least] = [index, far];
  }
  return best;
};
const show = (plot, data, index, corner) => {
  const frame = plot.querySelector('.frame');
  const view = viewOf(plot);
  const left = ((middleOf(data, index) - view.x) / view.width) * 100;
  plot.querySelectorAll('.cross, .spot').forEach((old) => old.remove());
  if (left < 0 || left > 100) return hide(plot);
  const height = data.kind === 'points' ? data.heights[index] / 10 : null;
  frame.append(height === null
    ? svg('line', { class: 'cross', x1: left + '%', x2: left + '%', y2: '100%' })
    : svg('circle', { class: 'spot', cx: left + '%', cy: height + '%', r: 5 }));
  tipOf(data, index);
  const box = plot.getBoundingClientRect();
  const [x, y] = corner || [box.left + (left / 100) * box.width, box.top + box.height * 0.3];
  placeTip(x, y);
};
const hide = (plot) => {
  plot.querySelectorAll('.cross, .spot').forEach((old) => old.remove());
  tip.hidden = true;
};
for (const plot of document.querySelectorAll('[data-chart]')) {
  const id = plot.dataset.chart;
  let index = -1;
  const point = (event) => {
    const data = chartOf(id);
    const box = plot.getBoundingClientRect();
    index = nearest(plot, data, event.clientX - box.left, event.clientY - box.top);
    if (index >= 0) show(plot, data, index, [event.clientX, event.clientY]);
  };
  plot.addEventListener('pointermove', point);
  plot.addEventListener('pointerdown', point);
  plot.addEventListener('pointerleave', () => hide(plot));
  plot.addEventListener('blur', () => hide(plot));
  plot.addEventListener('keydown', (event) => {
    const data = chartOf(id);
    const last = countOf(data) - 1;
    const moves = { ArrowLeft: index - 1, ArrowRight: index + 1, Home: 0, End: last };
    if (event.key === 'Escape') return hide(plot);
    if (!(event.key in moves) || last < 0) return;
    event.preventDefault();
    index = Math.max(0, Math.min(moves[event.key], last));
    show(plot, data, index);
  });
}
for (const term of document.querySelectorAll('[data-tip]')) {
  term.removeAttribute('title');
  const tell = () => {
    tip.replaceChildren(term.dataset.tip);
    const box = term.getBoundingClientRect();
    placeTip(box.left, box.bottom - 6);
  };
  for (const kind of ['pointerenter', 'focus', 'click']) term.addEventListener(kind, tell);
  for (const kind of ['pointerleave', 'blur']) term.addEventListener(kind, () => (tip.hidden = true));
}
`;
