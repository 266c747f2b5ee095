import type { TradingCalendar } from '../../calendar/index.ts';
import { DAY_MS, type EpochMs } from '../../core/brand.ts';
import { closing } from '../../core/errors.ts';
import { barSetName, type Bar } from '../../domain/bar.ts';
import type { FeedNeed } from '../../market/feed.ts';
import { readJournal, type JournalReader } from '../../store/readJournal.ts';

/** Maximum age in ms of bars that are reread. */
const RECALLED_MS = 10 * DAY_MS;

type Place = Readonly<{ now: EpochMs; calendar: TradingCalendar }>;

/** `left`: number of bars still to find, by phase. */
type RecalledSet = FeedNeed & Readonly<{ left: Map<string, number> }>;

/**
 * Bars outside the session that earlier runs on a journal were shown, oldest first, without duplicates: for each set and phase the
 * last ones, as many as its warm-up may need. Bars from before a split are omitted: their prices are on another scale.
 */
export const recalledBars = (file: string, needs: readonly FeedNeed[], place: Place): Bar[] =>
  closing(readJournal(file), (reader) => lastBars(reader, needs, place));

function lastBars(reader: JournalReader, needs: readonly FeedNeed[], { now, calendar }: Place): Bar[] {
  const sets = new Set(needs.map((need): RecalledSet => ({ ...need, left: countsOf(need) })));
  const found = new Map<string, Bar>();
  for (const { at, fact } of reader.backwards(['bar', 'split'], Infinity)) {
    if (at < now - RECALLED_MS || sets.size === 0) break;
    if (fact.kind === 'split')
      for (const set of sets) if (set.symbol === fact.action.symbol) sets.delete(set);
    if (fact.kind !== 'bar') continue;
    const { bar } = fact;
    const name = `${barSetName(bar)} ${bar.start}`;
    // Each start journals its recalled bars again: the time of the entry is not that of the bar.
    if (found.has(name) || bar.start < now - RECALLED_MS) continue;
    const { phase } = calendar.phaseAt(bar.start);
    for (const set of sets) {
      const isOwn = set.symbol === bar.symbol && set.interval === bar.interval;
      const left = isOwn ? set.left.get(phase) : undefined;
      if (left === undefined) continue;
      found.set(name, bar);
      if (left > 1) set.left.set(phase, left - 1);
      else set.left.delete(phase);
      if (set.left.size === 0) sets.delete(set);
    }
  }
  return [...found.values()].sort((a, b) => a.start - b.start);
}

const countsOf = ({ phases = [], warmUp }: FeedNeed): Map<string, number> =>
  new Map(phases.map((phase) => [phase, Math.max(warmUp, 1)]));
