import type { ExternalRules, Limits, OnKill, TradingRules } from '../limits.ts';

/** Polling periods in ms. */
export type PollingPeriods = Readonly<{
  /** Prices, during the regular session. */
  quotesMs: number;
  /** The order list, while an order or cancel is under way. */
  ordersMs: number;
  /** The order list, while open orders only rest. */
  restingMs: number;
  /** Balances and positions. */
  accountMs: number;
  /** Prices of tokens; absent: every minute if a limit bounds premiums, otherwise never. */
  tokenPricesMs?: number | undefined;
}>;

/** A day whose hours differ from the calendar's table; New York times such as 13:00. */
type HoursException = Readonly<{ date: string; reason: string }> &
  (Readonly<{ closed: true }> | Readonly<{ closed?: false; open?: string; close?: string }>);

/** Settings of a run that its config file may change while it runs. */
export type Settings = Readonly<{
  limits: Limits;
  ownLimits: Readonly<Record<string, Limits>>;
  stateAgeMs?: number;
  onKill?: OnKill;
  polling: PollingPeriods;
  /** Absent in journals from before it could change: the run's own applies. */
  external?: ExternalRules;
  /** Closures and hours in addition to the calendar's table; absent: likewise. */
  calendar?: readonly HoursException[];
}>;

/** A changed setting, in the config's words. */
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
