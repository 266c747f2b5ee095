import { counted } from '../../core/counted.ts';
import { returnOf } from '../../statistics/trades.ts';
import { brief, written, type Format } from '../../figures/format.ts';
import { dataBlock, markup, type Markup, scrolling } from '../../figures/markup.ts';
import { candleId, shownCandles } from './prices/candles.ts';
import type { TradeBlock } from './tradeBlock.ts';
import { newYorkText } from './newYorkText.ts';
import { sessionIndex, type RunView, type TradeRecord } from './runView.ts';

/** Most trades listed: a page with all of them would open slowly. */
const LISTED_MAX = 5000;
const PAGE = 50;

type TradeColumn = Readonly<{
  head: string;
  format?: Format;
  /** True for texts of several words. */
  isLong?: boolean;
  of: (trade: TradeRecord) => string | number;
}>;

const STRATEGY = 'Strategy';

/** The first of them are those that a phone shows. */
const COLUMNS: readonly TradeColumn[] = [
  { head: 'Symbol', of: ({ symbol }) => symbol },
  { head: 'Entry', of: ({ entryAt }) => newYorkText(entryAt) },
  { head: 'Exit', of: ({ exitAt }) => newYorkText(exitAt) },
  { head: 'Profit', format: 'money', of: ({ pnl }) => pnl },
  { head: 'Return', format: 'percent', of: returnOf },
  { head: STRATEGY, of: ({ strategy }) => strategy },
  { head: 'Shares', format: 'shares4', of: ({ shares }) => shares },
  { head: 'Bought at', format: 'price', of: ({ entryPrice }) => entryPrice },
  { head: 'Sold at', format: 'price', of: ({ exitPrice }) => exitPrice },
  { head: 'Fees', format: 'money', of: ({ fees = NaN }) => fees },
  { head: 'Bars', format: 'round', of: ({ bars = NaN }) => bars },
  { head: 'MAE', format: 'percent', of: ({ mae }) => mae },
  { head: 'MFE', format: 'percent', of: ({ mfe }) => mfe },
  { head: 'Entered for', isLong: true, of: ({ entryReason }) => entryReason },
  { head: 'Left for', isLong: true, of: ({ exitReason }) => exitReason },
];
/** Columns that closed lots do not have. */
const OF_ROUND_TRIPS = ['Bars', 'Fees'];
/** Columns that stand only where a trade has such a tag. */
const TAGS: readonly TradeColumn[] = [
  { head: 'Entry tag', of: ({ entryTag = '' }) => entryTag },
  { head: 'Exit tag', of: ({ exitTag = '' }) => exitTag },
];

/** The closed trades: the latest first, by page, to be sorted by any column. */
export function tradeList(view: RunView): Markup {
  const { record, trades, isByLots } = view;
  const { run } = record;
  if (trades.length === 0)
    return markup`<section class="table-block" id="trades"><h3>Trade list</h3><p class="none">No position was closed.</p></section>`;
  const isOfOne = trades.every(({ strategy }) => strategy === trades[0]?.strategy);
  const omitted = [...(isByLots ? OF_ROUND_TRIPS : []), ...(isOfOne ? [STRATEGY] : [])];
  const columns = [
    ...COLUMNS.filter(({ head }) => !omitted.includes(head)),
    ...TAGS.filter(({ of }) => trades.some(of)),
  ];
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
  markup`<table class="list" data-list="trades"><thead><tr>${columns.map(({ head, format }) => markup`<th scope="col"${format ? null : raw(' class="text"')}><button type="button">${head}</button></th>`)}</tr></thead><tbody>
${listed.slice(0, PAGE).map((trade) => rowOf(trade, columns))}</tbody></table>`,
)}
<noscript><p class="note">${unscripted}</p></noscript>
${dataBlock('data-trades', { page: PAGE, columns: columns.map((column) => packed(column, listed)), places: placesOf(listed, view) })}</section>
`;
}

const raw = (text: string): Markup => ({ markup: text });

const rowOf = (trade: TradeRecord, columns: readonly TradeColumn[]): Markup =>
  markup`<tr>${columns.map(({ of, format, isLong = false }) => {
    const value = of(trade);
    return typeof value === 'string' || !format
      ? markup`<td class="${isLong ? 'text reason' : 'text'}">${value}</td>`
      : markup`<td${format === 'money' && value < 0 ? raw(' class="lost"') : null}>${written(value, format)}</td>`;
  })}</tr>\n`;

/** A column for the script: repeated texts are stored once. */
function packed(
  { head, format, isLong, of }: TradeColumn,
  trades: readonly TradeRecord[],
): TradeBlock['columns'][number] {
  if (format) return { head, format, values: trades.map((trade) => brief(Number(of(trade)))) };
  const texts = trades.map((trade) => String(of(trade)));
  const known = [...new Set(texts)];
  const places = new Map(known.map((text, index) => [text, index]));
  const long = isLong ? { isLong } : {};
  return known.length * 2 > texts.length
    ? { head, ...long, values: texts }
    : { head, ...long, known, values: texts.map((text) => places.get(text) ?? 0) };
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
