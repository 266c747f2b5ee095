import { counted } from '../../core/counted.ts';
import { returnOf } from '../../statistics/trades.ts';
import { brief, written, type Format } from '../../figures/format.ts';
import { dataBlock, markup, type Markup, scrolling } from '../../figures/markup.ts';
import { candleId, shownCandles } from './candles.ts';
import { newYorkText, sessionIndex, type RunView, type TradeRecord } from './runView.ts';

/** Most trades listed: a page with all of them would open slowly. */
const LISTED_MAX = 5000;
const PAGE = 50;

type TradeColumn = Readonly<{ head: string; format?: Format; of: (trade: TradeRecord) => string | number }>;

const COLUMNS: readonly TradeColumn[] = [
  { head: 'Symbol', of: ({ symbol }) => symbol },
  { head: 'Entry', of: ({ entryAt }) => newYorkText(entryAt) },
  { head: 'Exit', of: ({ exitAt }) => newYorkText(exitAt) },
  { head: 'Bars', format: 'round', of: ({ bars = NaN }) => bars },
  { head: 'Shares', format: 'shares4', of: ({ shares }) => shares },
  { head: 'Bought at', format: 'price4', of: ({ entryPrice }) => entryPrice },
  { head: 'Sold at', format: 'price4', of: ({ exitPrice }) => exitPrice },
  { head: 'Fees', format: 'money', of: ({ fees = NaN }) => fees },
  { head: 'Profit', format: 'money', of: ({ pnl }) => pnl },
  { head: 'Return', format: 'percent', of: returnOf },
  { head: 'MAE', format: 'percent', of: ({ mae }) => mae },
  { head: 'MFE', format: 'percent', of: ({ mfe }) => mfe },
  { head: 'Entered for', of: ({ entryReason }) => entryReason },
  { head: 'Left for', of: ({ exitReason }) => exitReason },
];
/** Columns that closed lots do not have. */
const OF_ROUND_TRIPS = ['Bars', 'Fees'];
/** Columns that stand only where a trade has such a tag. */
const TAGS: readonly TradeColumn[] = [
  { head: 'Entry tag', of: ({ entryTag = '' }) => entryTag },
  { head: 'Exit tag', of: ({ exitTag = '' }) => exitTag },
];
const STRATEGY: TradeColumn = { head: 'Strategy', of: ({ strategy }) => strategy };

/** Data of the list for the script: its columns, rows a page, and the place of each trade in the candles of its symbol. */
export type TradeBlock = Readonly<{
  page: number;
  columns: readonly Readonly<{
    head: string;
    format?: Format;
    /** Texts that repeat; `values` are then places among them. */
    known?: readonly string[];
    values: readonly (string | number | null)[];
  }>[];
  places: readonly (readonly [chart: string, from: number, to: number] | null)[];
}>;

/** The closed trades: the latest first, by page, to be sorted by any column. */
export function tradeList(view: RunView): Markup {
  const { record, trades, isByLots } = view;
  const { run } = record;
  if (trades.length === 0)
    return markup`<section class="table-block" id="trades"><h3>Trade list</h3><p class="none">No position was closed.</p></section>`;
  const several = trades.some(({ strategy }) => strategy !== trades[0]?.strategy);
  const shown = COLUMNS.filter(({ head }) => !isByLots || !OF_ROUND_TRIPS.includes(head));
  const columns = [...(several ? [STRATEGY] : []), ...shown, ...TAGS.filter(({ of }) => trades.some(of))];
  const latest = trades.toSorted((one, other) => other.exitAt - one.exitAt);
  const listed = latest.slice(0, LISTED_MAX);
  const cut =
    listed.length < trades.length
      ? ` The ${written(LISTED_MAX, 'round')} latest of ${written(trades.length, 'round')} are listed; the record of run ${run.runId} has all.`
      : '';
  const unscripted = listed.length > PAGE ? ` Without scripts the page shows the first ${PAGE}.` : '';
  return markup`<section class="table-block" id="trades"><h3>Trade list</h3>
<p class="summary">${counted(trades.length, isByLots ? 'closed lot' : 'closed trade')}; times in New York, prices and money in mUSD, profit with fees.${cut}</p>
<div class="pager scripted" data-pager="trades"><label>Find <input type="search" placeholder="symbol or reason" data-find></label><button type="button" data-step="-1">‹ Newer</button><span data-where aria-live="polite"></span><button type="button" data-step="1">Older ›</button></div>
${scrolling(
  'Trade list',
  markup`<table data-list="trades"><thead><tr>${columns.map(({ head, format }) => markup`<th scope="col"${format ? null : raw(' class="text"')}><button type="button">${head}</button></th>`)}</tr></thead><tbody>
${listed.slice(0, PAGE).map((trade) => rowOf(trade, columns))}</tbody></table>`,
)}
<noscript><p class="note">${unscripted}</p></noscript>
${dataBlock('data-trades', { page: PAGE, columns: columns.map((column) => packed(column, listed)), places: placesOf(listed, view) })}</section>
`;
}

const raw = (text: string): Markup => ({ markup: text });

const rowOf = (trade: TradeRecord, columns: readonly TradeColumn[]): Markup =>
  markup`<tr>${columns.map(({ of, format }) => {
    const value = of(trade);
    return typeof value === 'string' || !format
      ? markup`<td class="text" title="${value}">${value}</td>`
      : markup`<td${format === 'money' && value < 0 ? raw(' class="lost"') : null}>${written(value, format)}</td>`;
  })}</tr>\n`;

/** A column for the script: repeated texts are stored once. */
function packed(
  { head, format, of }: TradeColumn,
  trades: readonly TradeRecord[],
): TradeBlock['columns'][number] {
  if (format) return { head, format, values: trades.map((trade) => brief(Number(of(trade)))) };
  const texts = trades.map((trade) => String(of(trade)));
  const known = [...new Set(texts)];
  const places = new Map(known.map((text, index) => [text, index]));
  return known.length * 2 > texts.length
    ? { head, values: texts }
    : { head, known, values: texts.map((text) => places.get(text) ?? 0) };
}

/** Figure of each trade's symbol with the sessions of its entry and exit; null where the symbol has no figure. */
function placesOf(trades: readonly TradeRecord[], view: RunView): TradeBlock['places'] {
  const charts = new Map(
    shownCandles(view.record).map(({ symbol }, index) => [symbol, candleId(index)] as const),
  );
  return trades.map(({ symbol, entryAt, exitAt }) => {
    const chart = charts.get(symbol);
    return chart === undefined ? null : [chart, sessionIndex(view, entryAt), sessionIndex(view, exitAt)];
  });
}
