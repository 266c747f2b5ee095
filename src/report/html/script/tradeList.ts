import { csvOf } from '../../csv.ts';
import type { Attachment } from '../../../figures/attach/attach.ts';
import { element, valueText } from '../../../figures/attach/tip.ts';
import type { TradeBlock } from '../tradeList.ts';

type Column = TradeBlock['columns'][number];
type SortOrder = Readonly<{ column: Column; sign: number }>;

const valueOf = ({ known, values }: Column, row: number): string | number | null => {
  const value = values[row] ?? null;
  return known && typeof value === 'number' ? (known[value] ?? null) : value;
};

function compare(one: string | number | null, other: string | number | null, sign: number): number {
  if (one === other) return 0;
  if (one === null || other === null) return one === null ? 1 : -1;
  return one < other ? -sign : sign;
}

/**
 * Shows the trade list page by page, sortable by any column and searchable. A row links to the candles of its stock.
 * @param onShow called with the id of a figure and the index of a trade there, when a row is selected
 */
export function onTradeList(table: HTMLTableElement, onShow: Attachment['showTrade']): void {
  const list = table.dataset['list'] ?? '';
  const text = document.getElementById(`data-${list}`)?.textContent ?? '';
  const pager = document.querySelector<HTMLElement>(`[data-pager="${list}"]`);
  const find = pager?.querySelector<HTMLInputElement>('[data-find]');
  if (!pager || !find) return;
  const pages = new TradePages(table, pager, JSON.parse(text) as TradeBlock);
  find.addEventListener('input', () => pages.choose(find.value));
  for (const button of pager.querySelectorAll<HTMLButtonElement>('[data-step]'))
    button.addEventListener('click', () => pages.step(Number(button.dataset['step'])));
  const csv = pager.querySelector<HTMLButtonElement>('[data-csv]');
  csv?.addEventListener('click', () => download(pages.csv, `trades-${csv.dataset['csv'] ?? ''}.csv`));
  for (const [place, head] of [...table.querySelectorAll('thead th')].entries())
    head.querySelector('button')?.addEventListener('click', () => pages.sort(place, head));
  table.addEventListener('click', (event) => {
    const row = event.target instanceof Element ? event.target.closest('tbody tr') : null;
    const link = row?.querySelector<HTMLAnchorElement>('a[data-trade]');
    if (!link || getSelection()?.isCollapsed === false) return;
    event.preventDefault();
    history.pushState(null, '', link.hash);
    onShow(link.hash.slice(1), Number(link.dataset['trade']));
  });
  pages.choose('');
}

/** Visible rows: the search results, in sort order, by page. */
class TradePages {
  readonly #table: HTMLTableElement;
  readonly #pager: HTMLElement;
  readonly #block: TradeBlock;
  #rows: readonly number[] = [];
  #first = 0;
  #text = '';
  #sorting: SortOrder | null = null;

  constructor(table: HTMLTableElement, pager: HTMLElement, block: TradeBlock) {
    [this.#table, this.#pager, this.#block] = [table, pager, block];
  }

  step(by: number): void {
    this.#first += this.#block.page * by;
    this.#draw();
  }

  sort(place: number, head: Element): void {
    const column = this.#block.columns[place];
    if (!column) return;
    const isAgain = this.#sorting?.column === column;
    const sign = isAgain ? -(this.#sorting?.sign ?? 1) : column.format ? -1 : 1;
    this.#sorting = { column, sign };
    for (const other of this.#table.querySelectorAll('thead th')) other.removeAttribute('aria-sort');
    head.setAttribute('aria-sort', sign > 0 ? 'ascending' : 'descending');
    this.choose(this.#text);
  }

  /** Trades found, in their order, as CSV. */
  get csv(): string {
    const { columns } = this.#block;
    const rows = this.#rows.map((row) => columns.map((column) => valueOf(column, row)));
    return `${csvOf([columns.map(({ head }) => head), ...rows])}\n`;
  }

  choose(text: string): void {
    this.#text = text;
    const wanted = text.trim().toLowerCase();
    const { columns } = this.#block;
    const texts = columns.filter(({ format }) => !format);
    const isFound = (row: number) =>
      wanted === '' || texts.some((column) => String(valueOf(column, row)).toLowerCase().includes(wanted));
    const found = (columns[0]?.values ?? []).flatMap((_, row) => (isFound(row) ? [row] : []));
    const sorting = this.#sorting;
    this.#rows = sorting
      ? found.sort(
          (one, other) =>
            compare(valueOf(sorting.column, one), valueOf(sorting.column, other), sorting.sign) ||
            one - other,
        )
      : found;
    this.#first = 0;
    this.#draw();
  }

  #draw(): void {
    const { page, columns } = this.#block;
    const last = Math.min(this.#first + page, this.#rows.length);
    const body = element('tbody');
    for (const row of this.#rows.slice(this.#first, last)) {
      const line = element('tr');
      for (const column of columns) line.append(this.#cell(column, row));
      body.append(line);
    }
    this.#table.tBodies[0]?.replaceWith(body);
    const where = this.#pager.querySelector('[data-where]');
    if (where)
      where.textContent =
        this.#rows.length > 0 ? `${this.#first + 1}–${last} of ${this.#rows.length}` : 'none found';
    const [newer, older] = this.#pager.querySelectorAll<HTMLButtonElement>('[data-step]');
    if (!newer || !older) return;
    newer.disabled = this.#first === 0;
    older.disabled = last >= this.#rows.length;
    [newer.textContent, older.textContent] = this.#sorting
      ? ['‹ Previous', 'Next ›']
      : ['‹ Newer', 'Older ›'];
  }

  #cell(column: Column, row: number): HTMLElement {
    const value = valueOf(column, row);
    const { format, head, isLong } = column;
    if (format) {
      const lost = format === 'money' && typeof value === 'number' && value < 0;
      return element('td', valueText(value, format), lost ? 'lost' : '');
    }
    const text = String(value ?? '');
    const place = head === 'Symbol' ? this.#block.places[row] : null;
    const cell = element('td', place ? undefined : text, isLong ? 'text reason' : 'text');
    if (place) cell.append(linkTo(place, text));
    return cell;
  }
}

/** Saves a text as a download. */
function download(text: string, name: string): void {
  const link = document.createElement('a');
  link.href = URL.createObjectURL(new Blob([text], { type: 'text/csv' }));
  link.download = name;
  link.click();
  URL.revokeObjectURL(link.href);
}

function linkTo([chart, index]: NonNullable<TradeBlock['places'][number]>, text: string): HTMLElement {
  const link = element('a', text);
  link.setAttribute('href', `#${chart}`);
  link.dataset['trade'] = String(index);
  return link;
}
