import { resolve } from 'node:path';
import { epochMs, toIso } from '../../../core/brand.ts';
import type { RunRecord } from '../../../report/runRecord.ts';
import {
  comparisonOf,
  type Comparison,
  type Difference,
  type TradeRecord,
} from '../../backtest/comparison.ts';
import { markNameOf, type MarkName } from '../../../statistics/markName.ts';
import type { CommandContext } from '../../context.ts';
import { EXIT } from '../../exitCodes.ts';
import { metricLabel, metricText, moneyText } from '../../backtest/metricText.ts';
import { toJson, coloursOf, table } from '../../output.ts';
import { readRecord } from '../../files.ts';

type CompareFlags = Readonly<{ a?: string; b?: string }>;

/** `drover compare`: two runs side by side, and where they part. */
export function compareCommand({ a = '', b = '' }: CompareFlags, context: CommandContext): Promise<number> {
  const { terminal, json, cwd } = context;
  const [first, second] = [readRecord(resolve(cwd, a)), readRecord(resolve(cwd, b))];
  const comparison = comparisonOf(first, second);
  if (json) terminal.out(toJson({ a: identityOf(a, first), b: identityOf(b, second), ...comparison }));
  else
    terminal.out(
      comparisonText(comparison, {
        names: [a, b],
        mark: markIn(first, second),
        bold: coloursOf(terminal).bold,
      }),
    );
  return Promise.resolve(EXIT.done);
}

const identityOf = (file: string, { run: { runId, strategy, symbols, from, to } }: RunRecord) => ({
  file,
  runId,
  strategy,
  symbols,
  from,
  to,
});

/** Weeks where both are of weeks. */
const markIn = (...records: readonly RunRecord[]): MarkName =>
  records.every(({ run }) => markNameOf(run.marksPerYear) === 'week') ? 'week' : 'session';

type Showing = Readonly<{
  names: readonly [string, string];
  mark: MarkName;
  bold: (text: string) => string;
}>;

function comparisonText(comparison: Comparison, { names, mark, bold }: Showing): string {
  const { same, settings, totals, metrics, firstTrade, trades } = comparison;
  const differing = metrics.filter(({ a, b }) => a !== b);
  const known = `${names[0]} and ${names[1]} are the same run`;
  if (same && differing.length === 0) return known;
  const rows = differing.map(({ name, a, b, difference }) => [
    metricLabel(name, mark),
    ...[a, b].map((value) => metricText(name, value, mark)),
    difference === null ? '' : metricText(name, difference, mark),
  ]);
  return [
    ...(same ? [`${known}, measured in two ways`, ''] : []),
    ...section(bold('settings that differ'), settings.length > 0 ? plain(settings, names) : 'none'),
    ...section(bold('totals'), plain(totals.filter(isSaid), names)),
    ...section(
      bold(`metrics: ${differing.length} of ${metrics.length} differ`),
      rows.length > 0 ? table(['', ...names, 'difference'], rows, [...names, 'difference']) : 'none',
    ),
    ...section(
      bold('trades'),
      firstTrade
        ? [
            `the first ${firstTrade.index} are the same, of ${trades.a} and ${trades.b}`,
            `A  ${tradeText(firstTrade.a)}`,
            `B  ${tradeText(firstTrade.b)}`,
          ].join('\n')
        : `all ${trades.a} are the same`,
    ),
  ]
    .join('\n')
    .trimEnd();
}

/** Counts of what happened in neither run are left out. */
const isSaid = ({ a, b }: Difference): boolean => a !== '0' || b !== '0';

const section = (title: string, body: string): string[] => [title, body, ''];

const plain = (differences: readonly Difference[], names: readonly [string, string]): string =>
  table(
    ['', ...names],
    differences.map(({ name, a, b }) => [name, a ?? '–', b ?? '–']),
    [...names],
  );

function tradeText(trade: TradeRecord | null): string {
  if (!trade) return 'no further trade';
  const { symbol, entryAt, exitAt, shares, entryPrice, exitPrice, pnl } = trade;
  const [from, to] = [toIso(epochMs(entryAt)), toIso(epochMs(exitAt))];
  return `${shares} ${symbol}, ${from} at ${entryPrice} to ${to} at ${exitPrice}: ${moneyText(pnl)} mUSD`;
}
