import type { Figure } from './figure.ts';
import { markup, type Markup } from './markup.ts';
import { rangeOf } from './scale.ts';

/** Row with a bar between two values, and its formatted numbers. */
export type ChartRow = Readonly<{
  name: string;
  from: number;
  to: number;
  style: string;
  cells: readonly string[];
}>;

type RowChart = Pick<Figure, 'id' | 'title' | 'summary' | 'wide' | 'note'> &
  Readonly<{
    /** Head of the names, and of each number column. */
    heads: readonly [string, ...string[]];
    rows: readonly ChartRow[];
  }>;

/** Width of the bars in units. */
const WIDTH = 1000;
const HIGH = 10;

/** Horizontal bars with names and numbers as text, because there may be many names, and long ones. */
export function rowChart({ id, title, summary, wide = false, note, heads, rows }: RowChart): Markup {
  const [low, high] = rangeOf(
    rows.flatMap(({ from, to }) => [from, to]),
    [0],
  ) ?? [0, 1];
  const place = (value: number) =>
    high > low ? Math.round(((value - low) / (high - low)) * WIDTH * 10) / 10 : 0;
  const bar = ({ from, to, style }: ChartRow) => {
    const [left, right] = [place(Math.min(from, to)), place(Math.max(from, to))];
    return markup`<svg viewBox="0 0 ${WIDTH} ${HIGH}" preserveAspectRatio="none" aria-hidden="true"><path class="line zero" d="M${place(0)} 0V${HIGH}"/><path class="fill ${style}" d="M${left} 1H${right}V${HIGH - 1}H${left}Z"/></svg>`;
  };
  const [of, ...numbers] = heads;
  const body = rows.map(
    (row) =>
      markup`<tr><th scope="row" title="${row.name}">${row.name}</th><td class="bar">${bar(row)}</td>${row.cells.map((cell) => markup`<td>${cell}</td>`)}</tr>\n`,
  );
  return markup`<figure class="chart${wide ? ' wide' : ''}" id="${id}">
<figcaption><h3>${title}</h3><p class="summary">${summary}</p></figcaption>
<table class="rows"><thead><tr><th scope="col">${of}</th><td class="bar"></td>${numbers.map((head) => markup`<th scope="col">${head}</th>`)}</tr></thead><tbody>
${body}</tbody></table>
${note === undefined ? null : markup`<p class="note">${note}</p>`}
</figure>
`;
}
