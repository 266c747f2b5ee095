import type { TradingCalendar } from '../../calendar/index.ts';
import { DAY_MS, type EpochMs } from '../../core/brand.ts';
import { hasPhase, type Bar, type BarSet } from '../../domain/bar.ts';
import { readJournal } from '../../store/readJournal.ts';

/** Age in ms up to which bars are read again. */
const RECALLED_MS = 10 * DAY_MS;

/**
 * Bars outside the session that earlier runs on a journal were shown, oldest first, each once. Those of before a split are left out:
 * their prices mean something else.
 */
export function recalledBars(
  file: string,
  sets: readonly BarSet[],
  { now, calendar }: Readonly<{ now: EpochMs; calendar: TradingCalendar }>,
): Bar[] {
  const left = new Set(sets);
  const found = new Map<string, Bar>();
  const reader = readJournal(file);
  try {
    for (const { at, fact } of reader.backwards(['bar', 'split'], Infinity)) {
      if (at < now - RECALLED_MS || left.size === 0) break;
      if (fact.kind === 'split')
        for (const set of left) if (set.symbol === fact.action.symbol) left.delete(set);
      if (fact.kind !== 'bar') continue;
      const { bar } = fact;
      const { phase } = calendar.phaseAt(bar.start);
      const isMeant = [...left].some(
        (set) => set.symbol === bar.symbol && set.interval === bar.interval && hasPhase(set, phase),
      );
      const name = `${bar.symbol} ${bar.interval} ${bar.start}`;
      if (isMeant && !found.has(name)) found.set(name, bar);
    }
  } finally {
    reader.close();
  }
  return [...found.values()].sort((a, b) => a.start - b.start);
}
