import { counted } from '../core/counted.ts';
import { newYorkDate } from '../calendar/index.ts';
import { epochMs } from '../core/brand.ts';
import { shortAmounts } from '../domain/shortAmounts.ts';
import type { RunRecord } from './runRecord.ts';

type WarmUpGap = NonNullable<RunRecord['warmUp']>[number];

/** `sma-cross: 18 of 30 bars of X 1d missing before the first one that counts`. */
export const warmUpText = ({ strategy, symbol, interval, needed, missing }: WarmUpGap): string =>
  `${strategy}: ${missing} of ${needed} bars of ${symbol} ${interval} missing before the first one that counts`;

/** First sentence of every output with generated prices. */
export const GENERATED =
  'Prices are generated, not those of a market: the results do not show what a strategy would have earned on real stocks.';

type EndRecord = NonNullable<RunRecord['ended']>[number];

/** `X ends on 2026-06-17 at 90, before the run: 10 shares valued at that price; 1 order pending`. */
export function endedText({ symbol, lastBar, price, quantity, pending, writtenOff }: EndRecord): string {
  const worth =
    quantity === '0'
      ? 'nothing held'
      : `${quantity} shares ${writtenOff === null ? 'valued at that price' : 'left'}`;
  const lost = writtenOff === null || writtenOff === '0' ? worth : `written off, ${writtenOff} mUSD lost`;
  const waits = pending === 0 ? '' : `; ${counted(pending, 'order')} pending`;
  const day = newYorkDate(epochMs(Date.parse(lastBar)));
  return shortAmounts(`${symbol} ends on ${day} at ${price}, before the run: ${lost}${waits}`);
}

/** Note that the trade metrics are based on lots, with their number. */
export function lotsText({ trades, closedLots, openLots }: Readonly<Record<string, number | null>>): string {
  const counts = `${closedLots ?? 0} closed, ${openLots ?? 0} open`;
  return `trade figures are those of lots, oldest sold first (${counts}): ${trades ?? 0} round trips are too few`;
}
