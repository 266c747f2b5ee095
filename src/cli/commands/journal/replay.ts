import { toIso } from '../../../core/brand.ts';
import { counted } from '../../../core/counted.ts';
import type { JournalEvent } from '../../../domain/journalEvent.ts';
import { Kernel } from '../../../engine/kernel/kernel.ts';
import { replay, type Divergence } from '../../../engine/runtime/replay.ts';
import { changedSeries } from '../../../engine/strategy/seriesNews.ts';
import { readJournal } from '../../../store/readJournal.ts';
import { storedEvent } from '../../../store/storedNames.ts';
import { createTradingCalendar } from '../../../calendar/index.ts';
import { exceptionsOf } from '../../../app/config/fields.ts';
import type { CommandContext } from '../../../process/context.ts';
import { EXIT } from '../../../process/exitCodes.ts';
import { printResult, toJson } from '../../../process/output.ts';
import { journalOf } from '../../../app/environment/journal.ts';
import { planStrategies, rulesOf } from '../../../app/environment/plan.ts';

/**
 * `drover journal replay`: lets the strategies of the config decide again on everything that a run showed them. Exit 1 if a
 * decision differs, or there is none.
 */
export async function journalReplay(flags: { state?: string }, context: CommandContext): Promise<number> {
  const { loaded, file } = journalOf(flags, context);
  const { strategies, close } = await planStrategies(loaded, {
    context,
    print: (text) => context.terminal.err(text),
    // Code lost with another strategy's thread is recorded in the journal.
    alone: new Set(loaded.config.strategies.map(({ id }) => id)),
  });
  const options = {
    rules: rulesOf(loaded.config),
    obstacles: { reason: () => null },
    strategies,
  };
  const further = exceptionsOf(loaded.config);
  const reader = readJournal(file);
  try {
    const entries = [...reader.lines()];
    const { parting, ...counts } = replay(
      entries,
      // A separate calendar: one process's reloads do not apply to the next.
      (ids) =>
        new Kernel({
          ...options,
          calendar: createTradingCalendar(further),
          strategies: ofIds(strategies, ids),
        }),
    );
    for (const name of changedSeries(entries, strategies))
      context.terminal.err(
        `drover: rows of the dated series ${name} have changed since: decisions by it may differ`,
      );
    const shown = parting && shownParting(parting);
    const isChecked = parting !== null || entries.some(({ fact }) => DECISIONS.has(fact.kind));
    const text = isChecked
      ? textOf(counts, parting)
      : 'nothing was checked: no strategy decided anything in this journal, and none does now';
    printResult(context, { ...counts, entries: entries.length, parting: shown }, text);
    return parting || !isChecked ? EXIT.failed : EXIT.done;
  } finally {
    reader.close();
    await close();
  }
}

const DECISIONS: ReadonlySet<JournalEvent['kind']> = new Set([
  'intentCreated',
  'intentRefused',
  'syntheticPlaced',
  'planned',
]);

/** Strategies of the config that ran at the time, in their order then. One removed from the config makes no decisions. */
const ofIds = <Planned extends { id: string }>(
  strategies: readonly Planned[],
  ids: readonly string[],
): Planned[] => ids.flatMap((id) => strategies.find((strategy) => strategy.id === id) ?? []);

/** Line of `--json`: the events under the names of their journal entries. */
const shownParting = ({ index, at, journal, now }: Divergence) => ({
  at: toIso(at),
  journal: journal && storedEvent(journal),
  now: now && storedEvent(now),
  seq: index + 1,
});

type Counts = Readonly<{ wishes: number; orders: number }>;

function textOf({ wishes, orders }: Counts, parting: Divergence | null): string {
  const same = `${counted(wishes, 'order intent')} and ${counted(orders, 'order')}`;
  if (!parting) return `the same: ${same}`;
  const { at, index, journal, now } = parting;
  return [
    `${same} are the same; entry ${index + 1} of ${toIso(at)} differs`,
    `  journal  ${factText(journal)}`,
    `  now      ${factText(now)}`,
    '  code and config of the strategies are read as they are now, and no journal keeps the old ones: look there first',
  ].join('\n');
}

const factText = (fact: JournalEvent | null): string => (fact ? toJson(storedEvent(fact)) : 'nothing');
