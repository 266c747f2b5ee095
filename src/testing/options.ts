import { cash, wadFromNumber } from '../core/amount.ts';
import type { Interval } from '../domain/bar.ts';
import type { Limits } from '../domain/limits.ts';
import type { SeriesFile } from '../market/seriesCsv.ts';
import type { BarPrices } from './times.ts';

/** Prices by symbol, in mUSD. */
export type Prices = Readonly<Record<string, number>>;

/** Limits of the run, as in `limits` of a config; money in mUSD. */
export type StageLimits = Pick<Limits, 'ordersPerMinute' | 'priceBandBps' | 'limitPolicy'> &
  Readonly<Partial<Record<MoneyLimit, number>>>;

const MONEY_LIMITS = [
  'orderNotional',
  'positionNotional',
  'grossExposure',
  'dayLoss',
  'turnoverPerDay',
] as const satisfies readonly (keyof Limits)[];
type MoneyLimit = (typeof MONEY_LIMITS)[number];

export type StageOptions<Params> = Readonly<{
  params: Params;
  /** Initial prices. A stock is listed from its first price on: give one for each stock that `data` requests. */
  prices: Prices;
  /** Capital in mUSD. Default 10000. */
  cash?: number;
  /** Start in New York time. Default `2026-06-15T10:00`, a Monday during the session. */
  start?: string;
  /** Bars before the start for the warm-up, oldest first: only their closes, or more prices. */
  history?: Readonly<Partial<Record<Interval, Readonly<Record<string, readonly BarPrices[]>>>>>;
  /** CSV of each dated series that `data` requests, by name. */
  series?: Readonly<Record<string, string>>;
  /** Default: none. */
  limits?: StageLimits;
}>;

/** Dated series as files, called `NAME.csv` in errors. */
export const filesOf = (series: StageOptions<unknown>['series'] = {}): Readonly<Record<string, SeriesFile>> =>
  Object.fromEntries(Object.entries(series).map(([name, text]) => [name, { file: `${name}.csv`, text }]));

/** Limits as exact amounts. @throws {InvalidValueError} for an amount that is not a finite number */
export function limitsOf(given: StageLimits = {}): Limits {
  const money = MONEY_LIMITS.flatMap((name) => {
    const amount = given[name];
    return amount === undefined ? [] : [[name, cash(wadFromNumber(amount))] as const];
  });
  const { ordersPerMinute, priceBandBps, limitPolicy } = given;
  return { ordersPerMinute, priceBandBps, limitPolicy, ...Object.fromEntries(money) };
}
