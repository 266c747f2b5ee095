import type { Candle } from './indicator.ts';

export const typicalPrice = ({ high, low, close }: Pick<Candle, 'high' | 'low' | 'close'>): number =>
  (high + low + close) / 3;
