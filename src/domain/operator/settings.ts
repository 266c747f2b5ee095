import type { ExternalRules, Limits, OnKill, TradingRules } from '../limits.ts';

/** Periods of the reads, in ms. */
export type PollingPeriods = Readonly<{
  /** Prices, during the regular session. */
  quotesMs: number;
  /** The order list, while an order or cancel is under way. */
  ordersMs: number;
  /** The order list, while open orders only rest. */
  restingMs: number;
  /** Balances and positions. */
  accountMs: number;
  /** Prices of tokens; absent: each minute where a limit bounds them, else never. */
  tokenPricesMs?: number | undefined;
}>;

/** Day whose hours are not those of the calendar's table; times of New York, such as 13:00. */
type HoursException = Readonly<{ date: string; reason: string }> &
  (Readonly<{ closed: true }> | Readonly<{ closed?: false; open?: string; close?: string }>);

/** Settings of a run that its config file may change while it lasts. */
export type Settings = Readonly<{
  limits: Limits;
  ownLimits: Readonly<Record<string, Limits>>;
  stateAgeMs?: number;
  onKill?: OnKill;
  polling: PollingPeriods;
  /** Absent in the journals from before it could change: that of the run counts. */
  external?: ExternalRules;
  /** Closures and hours beyond the calendar's table; absent likewise. */
  calendar?: readonly HoursException[];
}>;

/** A setting that has changed, in the words of the config. */
export type SettingChange = Readonly<{ from: string; to: string }>;

export const rulesWith = (
  rules: TradingRules,
  { limits, ownLimits, stateAgeMs, onKill, external }: Settings,
): TradingRules => ({
  ...rules,
  limits,
  ownLimits: new Map(Object.entries(ownLimits)),
  ...(stateAgeMs === undefined ? {} : { stateAgeMs }),
  ...(external === undefined ? {} : { external }),
  onKill: onKill ?? 'leave',
});
