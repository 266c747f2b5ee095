/** Text that is markup already. Every other text is escaped when it is put into some. */
export type Markup = Readonly<{ markup: string }>;

type Value = Markup | string | number | null | undefined | readonly Value[];

const ESCAPES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

export const escapeText = (text: string): string => text.replace(/[&<>"']/g, (sign) => ESCAPES[sign] ?? sign);

/** Markup from a template: what is put in is escaped, unless it is markup; nothing for null. */
export const markup = (parts: TemplateStringsArray, ...values: readonly Value[]): Markup => ({
  markup: parts.reduce((text, part, index) => text + textOf(values[index - 1]) + part),
});

/** Joins pieces, as those of a list. */
export const join = (pieces: readonly Markup[], between = ''): Markup => ({
  markup: pieces.map((piece) => piece.markup).join(between),
});

function textOf(value: Value): string {
  if (value === null || value === undefined) return '';
  if (typeof value === 'string') return escapeText(value);
  if (typeof value === 'number') return String(value);
  if ('markup' in value) return value.markup;
  return value.map(textOf).join('');
}

/** A block of JSON for the page's own script: it cannot end the element that holds it, nor be run. */
export const dataBlock = (id: string, value: unknown): Markup => ({
  markup: `<script type="application/json" id="${escapeText(id)}">${JSON.stringify(value).replace(/</g, '\\u003c')}</script>`,
});
