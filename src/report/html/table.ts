import { markup, type Markup } from './markup.ts';

export type Cell = Markup | string | number;

export type Table = Readonly<{
  id: string;
  title: string;
  heads: readonly string[];
  rows: readonly (readonly Cell[])[];
  note?: string;
  /** Columns of text, from the left; the others hold numbers. */
  texts?: number;
}>;

/** A table under its title. On a narrow screen it scrolls by itself. */
export const table = ({ id, title, heads, rows, note, texts = 0 }: Table): Markup =>
  markup`<section class="table-block wide" id="${id}"><h3>${title}</h3>
${scrolling(
  title,
  markup`<table class="texts-${texts}"><thead><tr>${heads.map((head) => markup`<th scope="col">${head}</th>`)}</tr></thead><tbody>
${rows.map((cells) => markup`<tr>${cells.map((cell) => markup`<td>${cell}</td>`)}</tr>\n`)}</tbody></table>`,
)}${note === undefined ? null : markup`<p class="note">${note}</p>`}</section>
`;

export const scrolling = (name: string, inner: Markup): Markup =>
  markup`<div class="scroll" tabindex="0" role="region" aria-label="${name}">${inner}</div>`;
