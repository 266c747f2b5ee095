import { countOf } from '../points.ts';
import type { Plot } from './plot.ts';
import { element, valueText } from './tip.ts';

/** Fills the table of the numbers of a figure when it is first opened. */
export function onNumbers(plot: Plot, signal: AbortSignal): void {
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
