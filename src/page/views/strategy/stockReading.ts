import { DAY_MS } from '../../../core/brand.ts';
import type { PlotAnswer, PlottedColumns, QuoteCandles } from '../../../ops/model/past.ts';
import { placeAmong } from '../../../figures/series.ts';
import type { Growth } from '../../parts/reading.ts';

/** Candle lengths, each with the time range shown: limited to what a daemon reads within a few seconds. */
const REACHES = {
  '1m': 7 * DAY_MS,
  '5m': 31 * DAY_MS,
  '15m': 92 * DAY_MS,
  '1h': 92 * DAY_MS,
} as const;

export type Length = keyof typeof REACHES;

export const LENGTHS = Object.keys(REACHES) as readonly Length[];
export const USUAL_LENGTH: Length = '5m';

/** Length named by the URL; the default if it names none. */
export const lengthOf = (name: string | undefined): Length =>
  LENGTHS.find((length) => length === name) ?? USUAL_LENGTH;

/** Maximum number of candles kept. */
const CANDLES_MAX = 5_000;

/** One stock of a strategy, and its candle length. `now`: when it was selected, epoch ms. */
export type Chosen = Readonly<{ strategy: string; symbol: string; length: Length; now: number }>;

/** Start of the time range shown, aligned to the start of a candle of any length. */
const beginOf = ({ length, now }: Chosen): number => {
  const begin = now - REACHES[length];
  return begin - (begin % DAY_MS);
};

export const candlesPath = (chosen: Chosen, from = beginOf(chosen)): string =>
  `v1/candles?symbol=${encodeURIComponent(chosen.symbol)}&interval=${chosen.length}&from=${from}`;

export const plotsPath = (chosen: Chosen, from = beginOf(chosen)): string =>
  `v1/plots?strategy=${encodeURIComponent(chosen.strategy)}&symbol=${encodeURIComponent(chosen.symbol)}` +
  `&interval=${chosen.length}&from=${from}`;

/** Incremental reading of candles: from the start of the last one, which may still change. */
export const candlesGrowth = (chosen: Chosen): Growth<QuoteCandles> => ({
  next: ({ start }) => candlesPath(chosen, start.at(-1)),
  join: joinedCandles,
});

/** Candles extended by newer ones, which replace existing ones from their start on. */
export function joinedCandles(before: QuoteCandles, newer: QuoteCandles): QuoteCandles {
  const [first] = newer.start;
  if (first === undefined) return before;
  const kept = placeAmong(before.start, first - 1) + 1;
  const column = (name: 'start' | 'open' | 'high' | 'low' | 'close') =>
    [...before[name].slice(0, kept), ...newer[name]].slice(-CANDLES_MAX);
  return {
    ...newer,
    start: column('start'),
    open: column('open'),
    high: column('high'),
    low: column('low'),
    close: column('close'),
  };
}

/** Incremental reading of plotted series: from the start of the interval with the latest value. */
export const plotsGrowth = (chosen: Chosen): Growth<PlotAnswer> => ({
  next: (plots) => plotsPath(chosen, lastInterval(plots) ?? undefined),
  join: joinedPlots,
});

function lastInterval({ series, intervalMs }: PlotAnswer): number | null {
  const last = Math.max(...series.map(({ at }) => at.at(-1) ?? -Infinity));
  return Number.isFinite(last) ? last - (last % intervalMs) : null;
}

/** Series extended by newer values, which replace those of the same intervals. */
export function joinedPlots(before: PlotAnswer, newer: PlotAnswer): PlotAnswer {
  const from = lastInterval(before);
  if (from === null) return newer;
  const keyOf = ({ name, symbol, panel }: PlottedColumns) => JSON.stringify([name, symbol, panel]);
  const all = new Map(before.series.map((series) => [keyOf(series), upTo(series, from)]));
  for (const series of newer.series) {
    const known = all.get(keyOf(series));
    all.set(keyOf(series), known ? continued(known, series) : series);
  }
  return { ...newer, series: [...all.values()].filter(({ at }) => at.length > 0) };
}

function upTo(series: PlottedColumns, from: number): PlottedColumns {
  const kept = placeAmong(series.at, from - 1) + 1;
  return { ...series, at: series.at.slice(0, kept), values: series.values.slice(0, kept) };
}

const continued = (known: PlottedColumns, { at, values }: PlottedColumns): PlottedColumns => ({
  ...known,
  at: [...known.at, ...at].slice(-CANDLES_MAX),
  values: [...known.values, ...values].slice(-CANDLES_MAX),
});
