import { printable } from '../core/printable.ts';

/** Markup text. All other text is escaped when inserted into it. */
export type Markup = Readonly<{ markup: string }>;

type Value = Markup | string | number | null | undefined | readonly Value[];

const ESCAPES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

/** Text escaped for use in markup, without invisible characters or ones that change the text direction. */
export const escapeText = (text: string): string =>
  printable(text).replace(/[&<>"']/g, (sign) => ESCAPES[sign] ?? sign);

/** Markup from a template. Inserted values are escaped unless they are markup; null inserts nothing. */
export const markup = (parts: TemplateStringsArray, ...values: readonly Value[]): Markup => ({
  markup: parts.reduce((text, part, index) => text + textOf(values[index - 1]) + part),
});

/** Joins pieces of markup, such as list items. */
export const join = (pieces: readonly Markup[]): Markup => markup`${pieces}`;

function textOf(value: Value): string {
  if (value === null || value === undefined) return '';
  if (typeof value === 'string') return escapeText(value);
  if (typeof value === 'number') return String(value);
  if ('markup' in value) return value.markup;
  return value.map(textOf).join('');
}

/** JSON block for the page's own script: it cannot close its element, nor be executed. */
export const dataBlock = (id: string, value: unknown): Markup => ({
  markup: `<script type="application/json" id="${escapeText(id)}">${JSON.stringify(value).replace(/</g, '\\u003c')}</script>`,
});

type Table = Readonly<{
  id: string;
  title: string;
  heads: readonly string[];
  rows: readonly (readonly (Markup | string | number)[])[];
  note?: string;
  /** Number of leading text columns; the others hold numbers. */
  texts?: number;
}>;

/** Table below its title. On a narrow screen it scrolls by itself. */
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
