import type { RunRecord } from '../../../report/runRecord.ts';
import { newYorkDay } from '../../parts/times.ts';

export type Decision = NonNullable<RunRecord['decisions']>[number];

/** Decisions that contain a text, ignoring case; the latest first. */
export function matching(decisions: readonly Decision[], text: string): Decision[] {
  const wanted = text.toLowerCase();
  return decisions
    .filter(({ id, symbol, terms, reason, tag = '', end, why }) =>
      [id, symbol, terms, reason, tag, end ?? 'open', why].some((part) =>
        part.toLowerCase().includes(wanted),
      ),
    )
    .toReversed();
}

/** Fills of one day in New York, the latest first. */
export const tradesOn = (day: string, fills: RunRecord['fills']): RunRecord['fills'] =>
  fills.filter(({ at }) => newYorkDay(new Date(at).toISOString()) === day).toReversed();

/** Outcome of a decision in words. */
export function endText({ end, why }: Pick<Decision, 'end' | 'why'>): string {
  if (end === null) return 'open';
  return why === '' || why === end ? end : `${end}: ${why}`;
}
