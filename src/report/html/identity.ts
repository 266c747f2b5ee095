import { counted } from '../../core/counted.ts';
import { markNameOf } from '../../statistics/markName.ts';
import type { RunRecord } from '../runRecord.ts';
import { paramTexts } from '../setupText.ts';
import { written } from '../../figures/format.ts';
import { markup, type Markup } from '../../figures/markup.ts';

/** Identity of a run: its strategies, data and settings, enough to repeat it. */
export function identityTables({ run, totals }: RunRecord): Markup {
  const rows: Row[] = [
    ['Run', run.runId],
    ['Kind', run.kind],
    ['Strategy', run.strategy],
    ['Symbols', run.symbols.join(', ')],
    ['From', run.from],
    ['To', run.to],
    ['Data', `${counted(run.bars, 'bar')} in ${counted(run.sessions, markNameOf(run.marksPerYear))}`],
    ['Seed', String(run.seed)],
  ];
  const open = totals.open.map(({ symbol, quantity }): Row => [symbol, written(Number(quantity), 'shares')]);
  return markup`<div class="metrics">${[
    plain('Run', rows),
    plain('Parameters', paramRows(run)),
    counts(
      'Orders',
      Object.entries(totals.orders).map(([name, count]) => [inWords(name), written(count, 'round')]),
    ),
    counts(
      'Dropped order intents, by reason',
      byCount(totals.dropped ?? {}).map(([why, count]) => [why, written(count, 'round')]),
    ),
    counts('Open at the end', open.length > 0 ? open : [['Nothing', '']]),
    plain('Settings', Object.entries(run.settings)),
  ]}</div>
`;
}

/** Counts, most frequent first. */
export const byCount = (counts: Readonly<Record<string, number>>) =>
  Object.entries(counts).sort((one, other) => other[1] - one[1]);

type Row = readonly [string, string];

const identityTable =
  (style: string) =>
  (title: string, rows: readonly Row[]): Markup | null =>
    rows.length === 0
      ? null
      : markup`<table class="${style}"><caption>${title}</caption><tbody>\n${rows.map(([name, value]) => markup`<tr><th scope="row">${name}</th><td>${value}</td></tr>\n`)}</tbody></table>`;

const plain = identityTable('identity');
const counts = identityTable('counts');

/** Row for each parameter of a single strategy, or for each of several strategies. */
function paramRows({ strategy, params }: RunRecord['run']): Row[] {
  if (Array.isArray(params)) return paramTexts(strategy, params).map(([id, text]) => [id, text]);
  if (typeof params !== 'object' || params === null)
    return params === undefined ? [] : [['Parameters', JSON.stringify(params, null, 2)]];
  return Object.entries(params).map(([name, value]) => [
    name,
    typeof value === 'string' ? value : JSON.stringify(value, null, 2),
  ]);
}

/** `partlyFilled` becomes `partly filled`. */
const inWords = (name: string): string => name.replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);
