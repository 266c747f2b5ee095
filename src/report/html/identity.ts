import { markNameOf } from '../../statistics/markName.ts';
import type { RunRecord } from '../runRecord.ts';
import { counted } from './format.ts';
import { markup, type Markup } from './markup.ts';

/** What was run, on what, and how: enough to run it again. */
export function identityTables({ run, totals }: RunRecord): Markup {
  const rows: [string, string][] = [
    ['Run', run.runId],
    ['Kind', run.kind],
    ['Strategy', run.strategy],
    ['Symbols', run.symbols.join(', ')],
    ['From', run.from],
    ['To', run.to],
    ['Data', `${counted(run.bars, 'bar')} in ${counted(run.sessions, markNameOf(run.marksPerYear))}`],
    ['Seed', String(run.seed)],
  ];
  const open = totals.open.map(({ symbol, quantity }): [string, string] => [symbol, quantity]);
  return markup`<div class="charts">${[
    plain('Run', rows),
    plain('Settings', Object.entries(run.settings)),
    plain('Parameters', paramRows(run.params)),
    plain(
      'Orders',
      Object.entries(totals.orders).map(([name, count]) => [inWords(name), String(count)]),
    ),
    plain(
      'Dropped wishes, by why',
      byCount(totals.dropped ?? {}).map(([why, count]) => [why, String(count)]),
    ),
    plain('Open at the end', open.length > 0 ? open : [['Nothing', '']]),
  ]}</div>
`;
}

/** The most frequent first. */
const byCount = (counts: Readonly<Record<string, number>>) =>
  Object.entries(counts).sort((one, other) => other[1] - one[1]);

const plain = (title: string, rows: readonly (readonly [string, string])[]): Markup | null =>
  rows.length === 0
    ? null
    : markup`<table class="identity"><caption>${title}</caption><tbody>\n${rows.map(([name, value]) => markup`<tr><th scope="row">${name}</th><td>${value}</td></tr>\n`)}</tbody></table>`;

function paramRows(params: unknown): [string, string][] {
  if (typeof params !== 'object' || params === null || Array.isArray(params))
    return params === undefined ? [] : [['Parameters', JSON.stringify(params, null, 2)]];
  return Object.entries(params).map(([name, value]) => [
    name,
    typeof value === 'string' ? value : JSON.stringify(value, null, 2),
  ]);
}

/** `partlyFilled` as `partly filled`. */
const inWords = (name: string): string => name.replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);
