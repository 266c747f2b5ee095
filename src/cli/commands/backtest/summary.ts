import { counted } from '../../../core/counted.ts';
import type { BacktestResult } from '../../../backtest/result.ts';
import { monthTable } from '../../../statistics/periods.ts';
import { sampleOf } from '../../../statistics/sample.ts';
import { coloursOf, table } from '../../../process/output.ts';
import { shortAmounts } from '../../../domain/shortAmounts.ts';
import { endedText, GENERATED, lotsText, warmUpText } from '../../../report/remarks.ts';
import { setupLines } from '../../../report/setupText.ts';
import { worstDrawdowns } from '../../../statistics/drawdown.ts';
import { markNameOf } from '../../../statistics/markName.ts';
import type { MetricName } from '../../../statistics/metrics.ts';
import type { Terminal } from '../../../process/terminal.ts';
import { changeText, metricText, moneyText } from '../../../report/numberText.ts';
import { countsText, phaseLines, strategyTable } from '../../../app/backtest/resultText.ts';
import type { Variation } from '../../../backtest/checks/sensitivity.ts';

const BLOCKS = '▁▂▃▄▅▆▇█';
const WIDTH = 64;

/** A line of block characters, one per value; beyond `WIDTH`, one for the last of each group. Empty for fewer than two. */
export function sparkline(values: readonly number[]): string {
  if (values.length < 2) return '';
  const count = Math.min(values.length, WIDTH);
  const chosen = Array.from(
    { length: count },
    (_, index) => values[Math.floor(((index + 1) * values.length) / count) - 1] ?? NaN,
  );
  const [least, greatest] = [Math.min(...chosen), Math.max(...chosen)];
  const span = greatest - least;
  const heightOf = (value: number) =>
    span > 0 ? Math.round(((value - least) / span) * (BLOCKS.length - 1)) : BLOCKS.length >> 1;
  return chosen.map((value) => BLOCKS[heightOf(value)] ?? ' ').join('');
}

type CellTones = Pick<ReturnType<typeof coloursOf>, 'bold' | 'green' | 'red'>;

const MONTHS = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'];
/** Width of a month: twelve months, the year and its total fit into 80 columns. */
const CELL = 5;
const TOTAL = 8;
/** Maximum number of years in the text; a report shows all. */
const YEARS_MAX = 15;

/** Returns by month in percent; empty for less than two months, or more years than fit. */
function monthLines({ equity, marks }: Pick<BacktestResult, 'equity' | 'marks'>, tones: CellTones): string[] {
  const years = monthTable(sampleOf({ startEquity: Number(equity.start), marks }));
  const months = years.flatMap((year) => year.months).filter((value) => value !== null);
  if (months.length < 2 || years.length > YEARS_MAX) return [];
  const head = `%   ${MONTHS.map((name) => name.padStart(CELL)).join('')}${'Year'.padStart(TOTAL)}`;
  return [
    '',
    tones.bold(head),
    ...years.map(
      ({ year, months: own, total }) =>
        `${year}${own.map((value) => cell(value, CELL, tones)).join('')}${cell(total, TOTAL, tones)}`,
    ),
  ];
}

function cell(value: number | null, width: number, { green, red }: CellTones): string {
  if (value === null) return ' '.repeat(width);
  const percent = value * 100;
  const text = percent.toFixed(Math.abs(percent) < 9.95 ? 1 : 0).padStart(width);
  if (/^ *-?0(\.0)?$/.test(text)) return text.replace('-', ' ');
  return percent < 0 ? red(text) : green(text);
}

const REASONS_SHOWN = 3;

/** Orders, earnings and dropped intents of each strategy, for a backtest of several. */
function strategiesText({ strategies, unallocated }: BacktestResult): string[] {
  if (strategies.length < 2) return [];
  const rows = strategies.map(({ orders, ...own }) => ({
    ...own,
    orders: orders.planned,
    filled: orders.filled + orders.partlyFilled,
    dropped: orders.dropped,
  }));
  return ['', strategyTable(rows, unallocated), ...strategies.flatMap(droppedText)];
}

const droppedText = ({ id, dropped }: BacktestResult['strategies'][number]): string[] =>
  labelled(`dropped of ${id}  `, reasonLines(dropped));

/** Reasons why order intents did not become orders, most frequent first. */
function reasonLines(dropped: BacktestResult['dropped']): string[] {
  const reasons = Object.entries(dropped).sort((one, other) => other[1] - one[1]);
  const more = reasons.length > REASONS_SHOWN ? [`and ${reasons.length - REASONS_SHOWN} more reasons`] : [];
  return [
    ...reasons.slice(0, REASONS_SHOWN).map(([why, count]) => `${count}: ${shortAmounts(why)}`),
    ...more,
  ];
}

const TAGS_SHOWN = 10;

/** Closed trades and profit by entry tag, largest profits and losses first. */
function tagLines(tags: BacktestResult['tags'] = []): string[] {
  const sorted = tags.toSorted((one, other) => Math.abs(Number(other.pnl)) - Math.abs(Number(one.pnl)));
  const more = sorted.length > TAGS_SHOWN ? [`and ${sorted.length - TAGS_SHOWN} more tags`] : [];
  const lines = sorted
    .slice(0, TAGS_SHOWN)
    .map(({ tag, trades, pnl }) => `${tag}: ${trades} closed, ${moneyText(Number(pnl))} mUSD`);
  return [...lines, ...more];
}

/** Lines with a label in front of the first. */
const labelled = (label: string, lines: readonly string[]): string[] =>
  lines.map((line, index) => `${index === 0 ? label : ' '.repeat(label.length)}${line}`);

const DRAWDOWNS_SHOWN = 3;
const ENDED_SHOWN = 5;
const LABEL_WIDTH = 9;
/** Minimum drawdown that is shown: a smaller one would read 0.00 %. */
const SHOWN_MIN = 0.000_05;

type Tones = Pick<ReturnType<typeof coloursOf>, 'bold' | 'dim' | 'green' | 'red'>;

/** Result of a backtest, for people. */
export function backtestText(result: BacktestResult, terminal: Terminal): string {
  const tones: Tones = coloursOf(terminal);
  const { bars, sessions, marksPerYear, elapsedMs } = result;
  const seconds = (elapsedMs.load + elapsedMs.run + elapsedMs.report) / 1_000;
  return [
    ...(result.generated ? [tones.red(GENERATED), ''] : []),
    tones.bold(
      `${result.strategy} on ${result.symbols.join(', ')}, ${day(result.from)} to ${day(result.to)}`,
    ),
    ...setupLines(result).map(([label, text]) => `${label.padEnd(LABEL_WIDTH)}${text}`),
    ...warmUpLines(result),
    '',
    ...equityLines(result, tones),
    ...keyFigures(result),
    '',
    ...activity(result),
    ...strategiesText(result),
    ...phaseLines(result),
    ...labelled('hint'.padEnd(LABEL_WIDTH), result.hints),
    ...chance(result),
    ...drawdownLines(result, tones),
    ...monthLines(result, tones),
    '',
    tones.dim(
      `run ${result.runId}: ${counted(bars, 'bar')} in ${counted(sessions, markNameOf(marksPerYear))}, ${seconds.toFixed(2)} s`,
    ),
  ].join('\n');
}

const day = (iso: string): string => iso.slice(0, 10);

function equityLines({ equity, marks }: BacktestResult, { green, red }: Tones): string[] {
  const [start, end] = [Number(equity.start), Number(equity.end)];
  const paint = end < start ? red : green;
  const change = `${end > start ? '+' : ''}${moneyText(end - start)}${start > 0 ? ` (${changeText(end / start - 1)})` : ''}`;
  const line = sparkline(marks.map((mark) => mark.equity));
  return [
    `equity   ${moneyText(start)} → ${moneyText(end)} mUSD  ${paint(change)}`,
    ...(line ? [`         ${paint(line)}`] : []),
  ];
}

/** Most important figures, in three columns. */
const KEY: readonly (readonly (readonly [label: string, name: MetricName])[])[] = [
  [
    ['growth a year', 'cagr'],
    ['Sharpe', 'sharpe'],
    ['max drawdown', 'maxDrawdown'],
  ],
  [
    ['volatility', 'volatility'],
    ['Sortino', 'sortino'],
    ['longest', 'longestDrawdownDays'],
  ],
  [
    ['best month', 'bestMonth'],
    ['Calmar', 'calmar'],
    ['under water', 'underwaterShare'],
  ],
  [
    ['worst month', 'worstMonth'],
    ['beta', 'beta'],
    ['in the market', 'exposureTime'],
  ],
];

/** Text on how much of the result may be luck, if the number of trials was given. */
const chance = ({ metrics }: BacktestResult): string[] =>
  metrics.deflatedSharpe === null
    ? []
    : [
        `chance   deflated Sharpe ${metricText('deflatedSharpe', metrics.deflatedSharpe)}, above 0 alone ${metricText('probabilisticSharpe', metrics.probabilisticSharpe)}`,
      ];

function keyFigures({ metrics, notes, benchmark }: BacktestResult): string[] {
  const rows = KEY.map((row) => row.flatMap(([label, name]) => [label, metricText(name, metrics[name])]));
  const { benchmarkReturn: held } = metrics;
  const heldText = held === null ? `–: ${notes.benchmarkReturn ?? ''}` : changeText(held);
  return [...(benchmark ? [`holding  ${benchmark.symbol} ${heldText}`, ''] : []), ...aligned(rows)];
}

/** Aligns labels to the left, and the values after them to the right. */
function aligned(rows: readonly (readonly string[])[]): string[] {
  const widths = (rows[0] ?? []).map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)));
  return rows.map((row) =>
    row
      .map((cell, column) =>
        column % 2 === 0
          ? `${column === 0 ? '' : '    '}${cell.padEnd(widths[column] ?? 0)}`
          : `  ${cell.padStart(widths[column] ?? 0)}`,
      )
      .join(''),
  );
}

function activity({ metrics, trades, orders, open, ...result }: BacktestResult): string[] {
  const { fees, slippage, dividends, events, tradeMetricsFrom } = result;
  const splits = events.filter(({ kind }) => kind === 'split').length;
  const received = Number(dividends);
  const payments = `dividends ${moneyText(received)} mUSD${receivableText(result)}`;
  const held = open.map(({ symbol, quantity }) => shortAmounts(`${quantity} ${symbol}`)).join(', ');
  const rates: readonly (readonly [label: string, name: MetricName])[] = [
    ['won', 'winRate'],
    ['profit factor', 'profitFactor'],
    ['expectancy', 'expectancy'],
    ['in R', 'expectancyR'],
  ];
  const known = rates.flatMap(([label, name]) =>
    metrics[name] === null ? [] : [`${label} ${metricText(name, metrics[name])}`],
  );
  return [
    `trades   ${[`${trades} closed`, ...(held ? [`open ${held}`] : []), ...known].join(', ')}${known.length > 0 && tradeMetricsFrom === 'lots' ? ' (by lots)' : ''}`,
    ...(tradeMetricsFrom === 'lots' ? [`lots     ${lotsText({ ...metrics, trades })}`] : []),
    `orders   ${countsText(orders)}; fees ${moneyText(Number(fees))}, slippage ${moneyText(Number(slippage))} mUSD`,
    ...labelled('by tag   ', tagLines(result.tags)),
    ...(result.strategies.length > 1 ? [] : labelled('dropped  ', reasonLines(result.dropped))),
    ...endedLines(result),
    ...(splits > 0 || received > 0 || result.unpaid.length > 0
      ? [`actions  splits ${splits}; ${payments}`]
      : []),
  ];
}

/** Dividends included in the equity that are paid after the end. */
function receivableText({ receivable, unpaid }: Pick<BacktestResult, 'receivable' | 'unpaid'>): string {
  if (unpaid.length === 0) return '';
  const each = unpaid
    .slice(0, ENDED_SHOWN)
    .map(
      ({ symbol, exDate, payableDate, amount }) =>
        `${moneyText(Number(amount))} of ${symbol}, ex ${exDate}, payable ${payableDate ?? exDate}`,
    );
  const more = unpaid.length > each.length ? `, and ${unpaid.length - each.length} more` : '';
  return `, and ${moneyText(Number(receivable))} receivable at the end (${each.join('; ')}${more})`;
}

/** Series with too few bars for the warm-up. */
function warmUpLines({ warmUp }: Pick<BacktestResult, 'warmUp'>): string[] {
  const more = warmUp.length - ENDED_SHOWN;
  return labelled('warm-up'.padEnd(LABEL_WIDTH), [
    ...warmUp.slice(0, ENDED_SHOWN).map(warmUpText),
    ...(more > 0 ? [`and ${more} more series`] : []),
  ]);
}

/** Symbols whose bars end early, first those that were held or pending. */
function endedLines({ ended }: Pick<BacktestResult, 'ended'>): string[] {
  const matters = ({ quantity, pending, writtenOff }: BacktestResult['ended'][number]) =>
    quantity !== '0' || pending > 0 || (writtenOff ?? '0') !== '0';
  const sorted = [...ended.filter(matters), ...ended.filter((one) => !matters(one))];
  const more = sorted.length - ENDED_SHOWN;
  return labelled('ended'.padEnd(LABEL_WIDTH), [
    ...sorted.slice(0, ENDED_SHOWN).map(endedText),
    ...(more > 0 ? [`and ${more} more symbols`] : []),
  ]);
}

function drawdownLines({ equity, marks }: BacktestResult, { bold }: Tones): string[] {
  const worst = worstDrawdowns(sampleOf({ startEquity: Number(equity.start), marks }), DRAWDOWNS_SHOWN);
  const rows = worst
    .filter(({ depth }) => depth < -SHOWN_MIN)
    .map(({ depth, peakDate, troughDate, recoveryDate, days }) => [
      metricText('maxDrawdown', depth),
      peakDate,
      troughDate,
      recoveryDate ?? 'not yet',
      String(days),
    ]);
  if (rows.length === 0) return [];
  const [head = '', ...lines] = table(['drawdown', 'peak', 'trough', 'recovered', 'days'], rows, [
    'drawdown',
    'days',
  ]).split('\n');
  return ['', bold(head), ...lines];
}

const HEAD = ['sensitivity', 'pnl', 'difference', 'trades', 'max drawdown'];

/** One line for each variation of the market model. */
export const sensitivityText = (variations: readonly Variation[]): string =>
  table(
    HEAD,
    variations.map(({ name, pnl, difference, trades, maxDrawdown }, index) => [
      name,
      moneyText(Number(pnl)),
      index === 0 ? '' : signed(Number(difference)),
      String(trades),
      metricText('maxDrawdown', maxDrawdown),
    ]),
    HEAD.slice(1),
  );

const signed = (value: number): string => `${value > 0 ? '+' : ''}${moneyText(value)}`;
