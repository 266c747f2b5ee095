import type { BarColumns } from '../../src/market/series.ts';

/** What a bare loop over the columns makes of the benchmark's rules: nothing of the engine is in it. */
export type Outcome = Readonly<{ trades: number; pnl: number }>;

const SHARES = 10;
const FEE = 0.001;

export function plainSma({ open, close }: BarColumns): Outcome {
  let [fast, slow, held, wanted, cash, trades] = [0, 0, 0, 0, 0, 0];
  for (let i = 0; i < close.length; i++) {
    if (wanted !== 0) {
      cash -= wanted * open[i]! + FEE * SHARES * open[i]!;
      held += wanted;
      if (held === 0) trades++;
      wanted = 0;
    }
    fast += close[i]! - (i >= 10 ? close[i - 10]! : 0);
    slow += close[i]! - (i >= 30 ? close[i - 30]! : 0);
    const spread = i >= 29 ? fast / 10 - slow / 30 : 0;
    if (held === 0 && spread > 1e-9) wanted = SHARES;
    if (held > 0 && spread < -1e-9) wanted = -SHARES;
  }
  return { trades, pnl: cash + held * close.at(-1)! };
}

export function plainRsi({ start, open, low, close }: BarColumns, isDaily: boolean): Outcome {
  let [limit, held, cash, trades, isSelling] = [0, 0, 0, 0, false];
  let [up, down] = [0, 0];
  for (let i = 0; i < close.length; i++) {
    if (isSelling) {
      cash += SHARES * open[i]! * (1 - FEE);
      [held, isSelling] = [0, false];
      trades++;
    }
    if (limit > 0 && low[i]! <= limit) {
      cash -= SHARES * Math.min(open[i]!, limit) * (1 + FEE);
      [held, limit] = [SHARES, 0];
    }
    const isLast = isDaily || i === close.length - 1 || start[i + 1]! - start[i]! > 60_000;
    if (isLast) limit = 0;
    if (i === 0) continue;
    const change = close[i]! - close[i - 1]!;
    const weight = Math.min(i, 14);
    up = (up * (weight - 1) + Math.max(change, 0)) / weight;
    down = (down * (weight - 1) + Math.max(-change, 0)) / weight;
    if (i < 14) continue;
    const rsi = 100 - 100 / (1 + up / down);
    if (held === 0 && limit === 0 && rsi < 30 && (isDaily || !isLast)) limit = 0.99 * close[i]!;
    else if (held > 0 && rsi > 70) isSelling = true;
  }
  return { trades, pnl: cash + held * close.at(-1)! };
}
