import type { Variation } from '../../backtest/sensitivity.ts';
import { metricText, moneyText } from '../metricText.ts';
import { table } from '../table.ts';

const HEAD = ['sensitivity', 'pnl', 'difference', 'trades', 'max drawdown'];

/** One line for each way of the market. */
export const sensitivityText = (variations: readonly Variation[]): string =>
  table(
    HEAD,
    variations.map(({ name, pnl, difference, trades, maxDrawdown }, index) => [
      ...[name, moneyText(Number(pnl)), index === 0 ? '' : signed(Number(difference))],
      ...[String(trades), metricText('maxDrawdown', maxDrawdown)],
    ]),
    HEAD.slice(1),
  );

const signed = (value: number): string => `${value > 0 ? '+' : ''}${moneyText(value)}`;
