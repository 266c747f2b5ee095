/** The numbers of a chart as a table when asked for, the list of trades by page, and the choice of light or dark. */
export const TABLES = String.raw`
for (const details of document.querySelectorAll('[data-table]'))
  details.addEventListener('toggle', () => {
    if (!details.open || details.querySelector('table')) return;
    const data = chartOf(details.dataset.table);
    const head = element('tr');
    for (const name of [data.of, ...data.columns.map((column) => column.name)]) {
      const cell = element('th', name);
      cell.scope = 'col';
      head.append(cell);
    }
    const body = element('tbody');
    for (let index = 0; index < countOf(data); index++) {
      const row = element('tr');
      row.append(element('td', labelOf(data, index)));
      for (const { values, format } of data.columns) row.append(element('td', written(values[index], format)));
      body.append(row);
    }
    const table = element('table');
    const top = element('thead');
    top.append(head);
    table.append(top, body);
    const box = element('div', undefined, 'scroll');
    box.tabIndex = 0;
    box.append(table);
    details.append(box);
  });

for (const table of document.querySelectorAll('[data-list]')) {
  const { columns, page: size } = blockOf('data-' + table.dataset.list);
  const pager = document.querySelector('[data-pager="' + table.dataset.list + '"]');
  const [newer, older] = pager.querySelectorAll('[data-step]');
  const textOf = ({ known, values }, row) => (known ? known[values[row]] : values[row]);
  const texts = columns.filter(({ format }) => !format);
  const every = columns[0].values.map((_, row) => row);
  let rows = every;
  let first = 0;
  let sorted = null;
  const draw = () => {
    const body = element('tbody');
    for (const row of rows.slice(first, first + size)) {
      const line = element('tr');
      for (const column of columns) {
        const value = textOf(column, row);
        const cell = element('td', written(value, column.format), column.format ? '' : 'text');
        if (column.format === 'money' && value < 0) cell.className = 'lost';
        if (!column.format) cell.title = value;
        line.append(cell);
      }
      body.append(line);
    }
    table.tBodies[0].replaceWith(body);
    const last = Math.min(first + size, rows.length);
    pager.querySelector('[data-where]').textContent = rows.length ? first + 1 + '–' + last + ' of ' + rows.length : 'none found';
    newer.disabled = first === 0;
    older.disabled = last >= rows.length;
    const plain = !sorted;
    newer.textContent = plain ? '‹ Newer' : '‹ Previous';
    older.textContent = plain ? 'Older ›' : 'Next ›';
  };
  const choose = () => {
    const wanted = pager.querySelector('[data-find]').value.trim().toLowerCase();
    rows = wanted ? every.filter((row) => texts.some((column) => String(textOf(column, row)).toLowerCase().includes(wanted))) : [...every];
    if (sorted) {
      const { column, sign } = sorted;
      const compare = (a, b) => (a === b ? 0 : a === null ? 1 : b === null ? -1 : a < b ? -sign : sign);
      rows.sort((a, b) => compare(textOf(column, a), textOf(column, b)) || a - b);
    }
    first = 0;
    draw();
  };
  table.querySelectorAll('thead th').forEach((head, place) =>
    head.querySelector('button').addEventListener('click', () => {
      const column = columns[place];
      const again = sorted && sorted.column === column;
      sorted = { column, sign: again ? -sorted.sign : column.format ? -1 : 1 };
      table.querySelectorAll('thead th').forEach((other) => other.removeAttribute('aria-sort'));
      head.setAttribute('aria-sort', sorted.sign > 0 ? 'ascending' : 'descending');
      choose();
    }),
  );
  pager.querySelector('[data-find]').addEventListener('input', choose);
  for (const button of [newer, older])
    button.addEventListener('click', () => {
      first += size * Number(button.dataset.step);
      draw();
    });
  draw();
}

const toggle = document.getElementById('theme');
const themes = ['auto', 'light', 'dark'];
toggle.addEventListener('click', () => {
  const now = document.documentElement.dataset.theme || 'auto';
  const next = themes[(themes.indexOf(now) + 1) % themes.length];
  if (next === 'auto') delete document.documentElement.dataset.theme;
  else document.documentElement.dataset.theme = next;
  toggle.textContent = 'Theme: ' + next;
});
document.documentElement.classList.add('js');
`;
