import { dividendRulesOf, type DividendRules } from '../../domain/corporateAction.ts';
import { ticker, type Address, type Ticker } from '../../domain/instrument.ts';
import type { TokenRatios } from '../../domain/premium.ts';
import type { RunConfig } from './schema.ts';

/** True if any strategy trades outside the regular session. */
export const tradesOutside = ({ trade, strategies }: Pick<RunConfig, 'trade' | 'strategies'>): boolean =>
  [trade, ...strategies.map((strategy) => strategy.trade ?? [])].some((phases) =>
    phases.some((phase) => phase !== 'regular'),
  );

/** How dividends are paid; with `mode: emulator` as the emulator pays them, unless stated otherwise. */
export function dividendsOf(config: RunConfig): DividendRules {
  const { mode, venue, emulator, stocks } = config;
  const own = Object.entries(stocks).flatMap(([symbol, { dividends }]) =>
    dividends ? [[ticker(symbol), dividends] as const] : [],
  );
  const begins = venue?.exDates ?? (mode === 'emulator' ? 'open' : 'evening');
  const rules = dividendRulesOf({
    dividends: venue?.dividends ?? (mode === 'emulator' ? emulator.dividends : undefined),
    withheldPercent: venue?.withheldPercent,
    toleranceBps: venue?.dividendToleranceBps,
    stocks: new Map(own),
  });
  return tradesOutside(config) && begins === 'evening' ? { ...rules, begins } : rules;
}

/** Shares per token, as stated in the config. */
export function tokenRatiosOf({ venue, stocks }: RunConfig): TokenRatios {
  const own = Object.entries(stocks).flatMap(([symbol, { tokenRatio: ratio }]) =>
    ratio === undefined ? [] : [[ticker(symbol), ratio] as const],
  );
  return { all: venue?.tokenRatio, stocks: new Map(own) };
}

/** Contracts pinned in the config, by symbol. */
export const contractsOf = ({ venue }: Pick<RunConfig, 'venue'>): ReadonlyMap<Ticker, Address> =>
  new Map(Object.entries(venue?.contracts ?? {}).map(([symbol, contract]) => [ticker(symbol), contract]));
