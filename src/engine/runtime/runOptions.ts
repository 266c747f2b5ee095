import type { TradingRules } from '../../domain/limits.ts';
import type { TradingCalendar } from '../../calendar/index.ts';
import type { Cash } from '../../core/amount.ts';
import type { EpochMs } from '../../core/brand.ts';
import type { Clock } from '../../core/clock.ts';
import type { ClockWatchdog } from '../../core/clockWatchdog.ts';
import type { Journal, JournalEntry } from '../../domain/journalEvent.ts';
import type { Pin } from '../../domain/account/pins.ts';
import type { TransferPort } from '../../domain/transfers/transfer.ts';
import type { Venue } from '../../domain/venue.ts';
import type { StrategySetup } from '../strategy/strategyInstance.ts';
import type { AlarmBook } from '../state/alarms.ts';
import type { Notice } from '../state/notice.ts';
import type { PollingPeriods } from '../../domain/operator/settings.ts';
import type { TreasuryPolicies } from '../treasury/policy.ts';
import { ConfigError } from '../../core/errors.ts';
import { Kernel } from '../kernel/kernel.ts';
import type { Obstacles } from '../risk/gate.ts';
import { suggest } from '../../core/suggest.ts';
import { ticker, type Instrument, type Ticker } from '../../domain/instrument.ts';
import type { FeedNeed } from '../../market/feed.ts';
import type { Bar } from '../../domain/bar.ts';
import { symbolsOf } from '../../strategy/dataNeeds.ts';

/** Phases of a run. `stopping` waits for responses; `draining` reads the outcomes of the rest. Neither sends anything new. */
export type Phase = 'starting' | 'running' | 'stopping' | 'draining' | 'stopped';

export type Until = Readonly<
  { kind: 'sessions'; count: number } | { kind: 'instant'; at: EpochMs } | { kind: 'stopped' }
>;

export type RunnerOptions = Readonly<{
  clock: Clock;
  venue: Venue;
  /** Port of transfers; without it, the treasury does nothing. */
  transferPort?: TransferPort;
  treasury?: TreasuryPolicies;
  journal: Journal;
  calendar: TradingCalendar;
  rules: TradingRules;
  /** The config's overlay of the venue's names and words, if any; journaled with the start. */
  assumptions?: Readonly<Record<string, unknown>>;
  /** Terms confirmed by a person and not pinned by the journal; journaled with the start. */
  pins?: readonly Pin[];
  strategies: readonly (StrategySetup & Readonly<{ capital: Cash }>)[];
  periods: PollingPeriods;
  until: Until;
  /** True while the kill file exists. Checked before every placement; cancels are still sent. */
  killed: () => boolean;
  /** Watchdog for gaps: the program stood still while the venue continued. Absent if time stands still with the program. */
  watchdog?: ClockWatchdog;
  /** Policy for orders that rest at the venue when the run is stopped. */
  atStop?: 'leave' | 'cancel';
  deliver: (notice: Notice) => void;
  /** Alarm book of all notices. Default: a new one. */
  alarms?: AlarmBook;
  /**
   * Runs a manual command without strategies; the journal shows no start or end of a run. `reads`: the venue is read
   * for the command's decision, and nothing is sent; `sends`: its orders are sent. A failed read ends both. `cancels`:
   * only cancels are sent, even if the venue cannot be read.
   */
  manual?: 'reads' | 'sends' | 'cancels';
  /** Called when a manual command can be decided: the venue has been read, and trading began or waits until the books agree. */
  ready?: () => void;
  /** Bars outside the session that earlier runs on the journal saw, oldest first: the venue has none. */
  recallBars?: (sets: readonly FeedNeed[]) => readonly Bar[];
  /** Receives journal entries as they become durable, for pages and metrics. */
  committed?: (entries: readonly JournalEntry[]) => void;
  /** Number of journal entries between checkpoints, besides those at closes. Default: none. */
  checkpointEvery?: number;
}>;

/** Reasons why a run places no orders now, by source: its journal, a gap to recover from, its start check. Null if none. */
export type RunObstacles = Readonly<Record<'journal' | 'gap' | 'start', string | null>>;

export const barNeeds = ({ needs }: StrategySetup): FeedNeed[] =>
  (needs.bars ?? []).map(({ symbol, interval, phases, warmUp = 0 }) => ({
    symbol: ticker(symbol),
    interval,
    phases,
    warmUp,
  }));

/** Number of listings shown, enough for all of the emulator's: no other command reaches a venue inside the run. */
const LISTED_SHOWN = 30;

/** Remedy for an unlisted symbol: a suggestion and the available symbols. */
function unlisted(symbol: string, known: readonly string[]): string {
  const suggestion = suggest(symbol, known);
  const more = known.length - LISTED_SHOWN;
  const rest = more > 0 ? ` and ${more} more (\`drover api GET /api/v1/symbols\`)` : '';
  return (
    `which is not listed at this venue.${suggestion === undefined ? '' : ` Did you mean ${suggestion}?`} ` +
    `Listed are ${known.slice(0, LISTED_SHOWN).join(', ')}${rest}. ` +
    'A row without a price, or one that cannot be read, counts as none: the log names it'
  );
}

/** @throws {ConfigError} when a strategy needs a symbol that the venue does not trade */
export function checkSymbols(
  strategies: readonly StrategySetup[],
  instruments: ReadonlyMap<Ticker, Instrument>,
): void {
  for (const { id, needs } of strategies) {
    for (const symbol of symbolsOf(needs)) {
      const instrument = instruments.get(ticker(symbol));
      if (instrument?.tradable) continue;
      const problem = instrument
        ? 'which is not tradable at this venue'
        : unlisted(symbol, [...instruments.keys()]);
      throw new ConfigError(`${id} asks for ${symbol}, ${problem}`, { strategy: id, symbol });
    }
  }
}

export function kernelOf(
  { calendar, rules, strategies, venue, transferPort, treasury }: RunnerOptions,
  obstacles: Obstacles,
): Kernel {
  return new Kernel({
    calendar,
    rules: { ...rules, readsActions: venue.corporateActions !== undefined },
    strategies,
    obstacles,
    ...(transferPort && treasury ? { treasury } : {}),
  });
}
