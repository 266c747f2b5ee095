import { counted } from '../core/counted.ts';
import { shortAmounts } from '../domain/shortAmounts.ts';
import { markNameOf, type MarkName } from '../statistics/markName.ts';
import type { Comparison, Difference } from './comparison.ts';
import { executionBlocks } from './executionText.ts';
import { metricLabel, metricText, moneyText, priceText, sharesText } from './numberText.ts';
import type { RunRecord } from './runRecord.ts';
import type { ComparisonStyle, TextBlock, TextTable, TextLine } from './textBlocks.ts';

/** Part of a comparison in readable form, for the terminal and the page alike. */
export type ComparisonPart = Readonly<{ title: string; blocks: readonly TextBlock[] }>;

type MarkedRun = Readonly<{ run: Pick<RunRecord['run'], 'marksPerYear'> }>;

/** Week if both runs are weekly, otherwise session. */
export const markIn = (...records: readonly MarkedRun[]): MarkName =>
  records.every(({ run }) => markNameOf(run.marksPerYear) === 'week') ? 'week' : 'session';

/** True if two records are of the same run, measured in the same way. */
export const isOneRun = ({ same, metrics }: Comparison): boolean =>
  same && metrics.every(({ a, b }) => a === b);

/** Earnings, decisions and fills of two runs, with the differences between them. */
export function comparisonParts(comparison: Comparison, style: ComparisonStyle): ComparisonPart[] {
  const { totals, metrics, execution, settings } = comparison;
  const differing = metrics.filter(({ a, b }) => a !== b);
  const isTraded = execution.fills.a + execution.fills.b > 0;
  return [
    { title: 'totals', blocks: totalBlocks(totals, style) },
    ...(isTraded ? [{ title: 'decisions and fills', blocks: executionBlocks(execution, style) }] : []),
    {
      title: `metrics: ${differing.length} of ${metrics.length} differ`,
      blocks: [metricBlock(differing, style)],
    },
    { title: 'trades', blocks: tradeLines(comparison, style) },
    { title: 'settings that differ', blocks: settingBlocks(settings, style) },
  ];
}

/** Metrics of two runs, with the difference B minus A. */
export function metricBlock(
  metrics: Comparison['metrics'],
  { names, mark }: Pick<ComparisonStyle, 'names' | 'mark'>,
): TextBlock {
  const rows = metrics.map(({ name, a, b, difference }) => [
    metricLabel(name, mark),
    ...[a, b].map((value) => metricText(name, value, mark)),
    difference === null ? '' : metricText(name, difference, mark),
  ]);
  return rows.length === 0
    ? { text: 'none' }
    : { heads: ['', ...names, 'difference'], rows, numbers: [1, 2, 3] };
}

function tradeLines({ firstTrade, trades }: Comparison, style: ComparisonStyle): TextLine[] {
  if (firstTrade === null) return [{ text: `all ${trades.a} are the same` }];
  return [
    { text: `the first ${firstTrade.index} are the same, of ${trades.a} and ${trades.b}` },
    { label: 'A', text: tradeText(firstTrade.a, style) },
    { label: 'B', text: tradeText(firstTrade.b, style) },
  ];
}

/** False for counts that are 0 or unknown in both runs, which are omitted. */
const isListed = ({ a, b }: Difference): boolean => [a, b].some((value) => value !== null && value !== '0');

/** Totals that are mUSD amounts. */
const MONEY = ['pnl', 'fees', 'slippage', 'dividends', 'equity at the end'];

/** Difference rounded for people: money to cents, shares to six decimals. */
function rounded({ name, a, b }: Difference): Difference {
  const form = MONEY.includes(name) ? centsText : shortAmounts;
  const text = (value: string | null) => (value === null ? null : form(value));
  return { name, a: text(a), b: text(b) };
}

const centsText = (value: string): string =>
  Number.isFinite(Number(value)) ? moneyText(Number(value)) : value;

function totalBlocks(totals: readonly Difference[], { names }: ComparisonStyle): TextBlock[] {
  const listed = totals.filter(isListed).map(rounded);
  const open = listed.find(({ name }) => name === 'open');
  return [
    plainTable(
      listed.filter(({ name }) => name !== 'open'),
      names,
    ),
    ...(open && (open.a !== 'none' || open.b !== 'none')
      ? [open.a, open.b].map((held, index) => ({
          label: 'open',
          text: `${names[index] ?? ''}: ${held ?? '–'}`,
        }))
      : []),
  ];
}

/** Settings that differ. If only one run is simulated, the many settings of that run alone are only counted. */
function settingBlocks(settings: readonly Difference[], { names, listedBy }: ComparisonStyle): TextBlock[] {
  if (settings.length === 0) return [{ text: 'none' }];
  const isMixed = settings.some(({ name }) => name === 'kind');
  const both = settings.filter(({ a, b }) => !isMixed || (a !== null && b !== null));
  const rest = settings.length - both.length;
  return [
    ...(both.length > 0 ? [plainTable(both, names)] : []),
    ...(rest > 0
      ? [
          {
            text: `and ${counted(rest, 'setting')} of one run alone: ${listedBy} lists ${rest === 1 ? 'it' : 'them'}`,
          },
        ]
      : []),
  ];
}

const plainTable = (differences: readonly Difference[], names: readonly [string, string]): TextTable => ({
  heads: ['', ...names],
  rows: differences.map(({ name, a, b }) => [name, a ?? '–', b ?? '–']),
  numbers: [1, 2],
});

function tradeText(trade: NonNullable<Comparison['firstTrade']>['a'], { timeOf }: ComparisonStyle): string {
  if (!trade) return 'no further trade';
  const { symbol, entryAt, exitAt, shares, entryPrice, exitPrice, pnl } = trade;
  return `${sharesText(shares)} ${symbol}, ${timeOf(entryAt)} at ${priceText(entryPrice)} to ${timeOf(exitAt)} at ${priceText(exitPrice)}: ${moneyText(pnl)} mUSD`;
}
