import type { BarColumns } from '../../src/domain/barColumns.ts';

/** Result of a bare loop over the columns by the benchmark's rules, without the engine. */
export type Outcome = Readonly<{ trades: number; pnl: number }>;

const SHARES = 10;
const FEE = 0.001;

const at = (column: Float64Array, index: number): number => column[index] ?? NaN;

export function plainSma({ open, close }: BarColumns): Outcome {
  let [fast, slow, held, wanted, cash, trades] = [0, 0, 0, 0, 0, 0];
  for (let i = 0; i < close.length; i++) {
    if (wanted !== 0) {
      cash -= wanted * at(open, i) + FEE * SHARES * at(open, i);
      held += wanted;
      if (held === 0) trades++;
      wanted = 0;
    }
    fast += at(close, i) - (i >= 10 ? at(close, i - 10) : 0);
    slow += at(close, i) - (i >= 30 ? at(close, i - 30) : 0);
    const spread = i >= 29 ? fast / 10 - slow / 30 : 0;
    if (held === 0 && spread > 1e-9) wanted = SHARES;
    if (held > 0 && spread < -1e-9) wanted = -SHARES;
  }
  return { trades, pnl: cash + held * at(close, close.length - 1) };
}

export function plainRsi({ start, open, low, close }: BarColumns, isDaily: boolean): Outcome {
  let [limit, held, cash, trades, isSelling] = [0, 0, 0, 0, false];
  let [up, down] = [0, 0];
  for (let i = 0; i < close.length; i++) {
    if (isSelling) {
      cash += SHARES * at(open, i) * (1 - FEE);
      [held, isSelling] = [0, false];
      trades++;
    }
    if (limit > 0 && at(low, i) <= limit) {
      cash -= SHARES * Math.min(at(open, i), limit) * (1 + FEE);
      [held, limit] = [SHARES, 0];
    }
    const isLast = isDaily || i === close.length - 1 || at(start, i + 1) - at(start, i) > 60_000;
    if (isLast) limit = 0;
    if (i === 0) continue;
    const change = at(close, i) - at(close, i - 1);
    const weight = Math.min(i, 14);
    up = (up * (weight - 1) + Math.max(change, 0)) / weight;
    down = (down * (weight - 1) + Math.max(-change, 0)) / weight;
    if (i < 14) continue;
    const rsi = 100 - 100 / (1 + up / down);
    if (held === 0 && limit === 0 && rsi < 30 && (isDaily || !isLast)) limit = 0.99 * at(close, i);
    else if (held > 0 && rsi > 70) isSelling = true;
  }
  return { trades, pnl: cash + held * at(close, close.length - 1) };
}
