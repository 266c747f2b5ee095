import { toIso, type EpochMs } from '../../core/brand.ts';
import type { TradingCalendar } from '../../calendar/index.ts';
import type { Journal } from '../../domain/journalEvent.ts';
import type { TradingRules } from '../../domain/limits.ts';
import { describeMismatch } from '../../engine/account/reconciliation.ts';
import { JournalFold } from '../../engine/kernel/journalFold.ts';
import { foldJournal } from '../../engine/runtime/checkpoints.ts';
import { EngineContext } from '../../engine/state/engineContext.ts';
import type { Status } from './status.ts';
import type { StandingDifference } from './todo.ts';

/**
 * State of a run according to its journal. `startedAt`: start of its last process; `lastAt`: time of its last entry, null for
 * an empty journal. `lastEnd`: null when the last process recorded no end. If only manual commands have written, they are those
 * of the commands.
 */
export type JournalState = Readonly<{
  context: EngineContext;
  differences: readonly StandingDifference[];
  startedAt: EpochMs | null;
  lastAt: EpochMs | null;
  lastEnd: Status['lastEnd'];
}>;

/** State of a journal, from which a status is made. Prices are the last recorded ones. */
export function journalState(
  journal: Pick<Journal, 'entries' | 'saved'>,
  { calendar, rules, now }: Readonly<{ calendar: TradingCalendar; rules: TradingRules; now: EpochMs }>,
): JournalState {
  const context = new EngineContext(
    { calendar, rules },
    {
      orderMoved: ignore,
      intentMoved: ignore,
      intentRefused: ignore,
      heldMoved: ignore,
      actionBooked: ignore,
    },
  );
  context.begin(now);
  const fold = foldJournal(journal, new JournalFold(context));
  const { startedAt, lastAt, ended } = fold;
  for (const [symbol, instrument] of fold.instruments) context.market.instruments.set(symbol, instrument);
  for (const [symbol, quote] of fold.prices) context.market.follow(symbol, () => ({ symbol, ...quote }), []);
  const differences = [...fold.differences.values()].map((each) => ({
    asset: each.asset,
    text: `${describeMismatch(each)}, when they were last compared`,
  }));
  const lastEnd = ended && { at: toIso(ended.at), text: ended.why };
  if (startedAt !== null || lastAt === null) return { context, differences, startedAt, lastAt, lastEnd };
  const byHand = { at: toIso(lastAt), text: 'no run has begun on it, only commands by hand' };
  return {
    context,
    differences,
    startedAt: context.accountState.opened?.at ?? lastAt,
    lastAt,
    lastEnd: byHand,
  };
}

const ignore = (): void => undefined;
