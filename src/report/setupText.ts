import { newYorkDate } from '../calendar/index.ts';
import { epochMs } from '../core/brand.ts';
import { shortAmounts } from '../domain/shortAmounts.ts';
import type { RunRecord } from './runRecord.ts';

/** Settings of a run that change the meaning of its figures: parameters, bars and fill model. */
export type RunSetup = Readonly<{
  /** Names of its strategies, separated by `, `. */
  strategy: string;
  /** Parameters of one strategy, or a list for several. */
  params: unknown;
  intervals: Readonly<Record<string, readonly string[]>> | undefined;
  /** Values by the name of the setting: `fill`, `fees`, `slippage`, … */
  model: Readonly<Record<string, string | number | null>>;
}>;

export type SetupLine = readonly [label: string, text: string];

/** Lines for under the title of a run. What the run does not know is left out. */
export const setupLines = ({ strategy, params, intervals = {}, model }: RunSetup): SetupLine[] =>
  [
    ...paramLines(strategy, params).map((text, index): SetupLine => [index === 0 ? 'params' : '', text]),
    ['bars', barsText(intervals)] as const,
    ['fill', fillText(model)] as const,
  ].filter(([, text]) => text !== '');

const paramLines = (strategy: string, params: unknown): string[] =>
  Array.isArray(params)
    ? paramTexts(strategy, params).map(([id, text]) => `${id}: ${text}`)
    : [paramText(params)];

/** Each of several strategies with its parameters. @param strategy their names, separated by `, ` */
export function paramTexts(
  strategy: string,
  params: readonly unknown[],
): (readonly [id: string, text: string])[] {
  const names = strategy.split(', ');
  return params.map((own, index) => [names[index] ?? String(index + 1), paramText(own) || 'none']);
}

const paramText = (params: unknown): string =>
  typeof params === 'object' && params !== null
    ? Object.entries(params)
        .map(([name, value]) => `${name} ${typeof value === 'string' ? value : JSON.stringify(value)}`)
        .join(', ')
    : '';

/** `1d`, or `X, Y 1d; Z 5m and 1d, orders fill by 5m`. */
function barsText(intervals: Readonly<Record<string, readonly string[]>>): string {
  const symbolsOf = new Map<string, string[]>();
  for (const [symbol, own] of Object.entries(intervals)) {
    const text = `${own.join(' and ')}${own.length > 1 ? `, orders fill by ${own[0] ?? ''}` : ''}`;
    symbolsOf.set(text, [...(symbolsOf.get(text) ?? []), symbol]);
  }
  if (symbolsOf.size === 1) return [...symbolsOf.keys()].join('');
  return [...symbolsOf].map(([text, symbols]) => `${symbols.join(', ')} ${text}`).join('; ');
}

/** Rules that are shown only where they differ from the usual ones, with their usual values. */
const UNUSUAL: readonly (readonly [name: string, label: string, usual: string])[] = [
  ['limitFill', 'limit fill', 'touch'],
  ['ambiguous', 'ambiguous', 'worst'],
  ['volumeCap', 'volume cap', 'none'],
  ['latencyMs', 'latency ms', '0'],
  ['delisted', 'delisted', 'last'],
];

function fillText(model: Readonly<Record<string, string | number | null>>): string {
  if (model['fill'] === undefined) return '';
  const shown = UNUSUAL.flatMap(([name, label, usual]) => {
    const value = String(model[name] ?? usual);
    return value === usual ? [] : [`${label} ${value}`];
  });
  const always = ['fees', 'slippage'].map((name) => `${name} ${String(model[name] ?? 'unknown')}`);
  return [String(model['fill']), ...always, ...shown].join(', ');
}

type WarmUpGap = NonNullable<RunRecord['warmUp']>[number];

/** `sma-cross: 18 of 30 bars of X 1d missing before the first one that counts`. */
export const warmUpText = ({ strategy, symbol, interval, needed, missing }: WarmUpGap): string =>
  `${strategy}: ${missing} of ${needed} bars of ${symbol} ${interval} missing before the first one that counts`;

type Ended = NonNullable<RunRecord['ended']>[number];

/** `X ends on 2026-06-17 at 90, before the run: 10 shares valued at that price; 1 order pending`. */
export function endedText({ symbol, lastBar, price, quantity, pending, writtenOff }: Ended): string {
  const worth =
    quantity === '0'
      ? 'nothing held'
      : `${quantity} shares ${writtenOff === null ? 'valued at that price' : 'left'}`;
  const lost = writtenOff === null || writtenOff === '0' ? worth : `written off, ${writtenOff} mUSD lost`;
  const waits = pending === 0 ? '' : `; ${pending} order${pending === 1 ? '' : 's'} pending`;
  const day = newYorkDate(epochMs(Date.parse(lastBar)));
  return shortAmounts(`${symbol} ends on ${day} at ${price}, before the run: ${lost}${waits}`);
}

/** Says that metrics of trades are of lots, and of how many. */
export function lotsText({ trades, closedLots, openLots }: Readonly<Record<string, number | null>>): string {
  const counts = `${closedLots ?? 0} closed, ${openLots ?? 0} open`;
  return `figures of trades are those of lots, the oldest sold first (${counts}): ${trades ?? 0} round trips are too few`;
}
