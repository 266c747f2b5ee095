import { expect, test } from 'vitest';
import { epochMs } from '../../src/core/brand.ts';
import type { JournalEvent } from '../../src/domain/journalEvent.ts';
import { PhaseWatch } from './phaseWatch.ts';
import { noneYet } from './sometimes.ts';

const at = (time: string): number => Date.parse(`2026-06-16T${time}-04:00`);
const [POST_ENDS, PRE_ENDS] = [at('20:00:00'), at('09:30:00')];

const planned = (id: string, until?: number, exit?: string): JournalEvent =>
  ({
    kind: 'planned',
    order: { id, until, ...(exit === undefined ? {} : { parent: { id: exit, leg: 'exit' } }) },
  }) as unknown as JournalEvent;
const event = (id: string, what: object): JournalEvent =>
  ({ kind: 'order', id, event: what }) as unknown as JournalEvent;
const sent = (id: string, time: string, deadline = at(time) / 1_000 + 20) =>
  event(id, { kind: 'sent', at: at(time), deadline });
const filled = (id: string) => event(id, { kind: 'reported', report: { status: 'filled' } });
const lapsed = (id: string) => event(id, { kind: 'cancelWanted', lapse: true });

function watched(...facts: readonly (readonly [time: string, fact: JournalEvent])[]) {
  const [found, sometimes]: [string[], ReturnType<typeof noneYet>] = [[], noneYet()];
  const watch = new PhaseWatch((detail) => found.push(detail), sometimes);
  for (const [time, fact] of facts) watch.take({ at: epochMs(at(time)), fact });
  const met = Object.entries(sometimes).flatMap(([name, count]) => (count === 0 ? [] : [name]));
  return { found, met };
}

test('orders outside the session are counted by the phase in which they left and filled', () => {
  const both = watched(
    ['17:00:00', planned('a', POST_ENDS)],
    ['17:00:01', sent('a', '17:00:01')],
    ['17:00:09', filled('a')],
    ['09:00:00', planned('b', PRE_ENDS)],
    ['09:00:01', sent('b', '09:00:01')],
    ['09:31:00', filled('b')],
  );
  expect(both).toEqual({ found: [], met: ['sent in pre', 'sent in post', 'filled in post'] });
});

test('an exit is counted that is armed again after its phase, and one whose fraction waits for the session', () => {
  const again = watched(
    ['19:58:00', planned('a', POST_ENDS, 'x')],
    ['20:00:01', lapsed('a')],
    ['20:01:00', planned('b', at('23:59:00'), 'x')],
  );
  expect(again.met).toEqual(['exitArmedAgain', 'phaseEndCancelled']);
  const rest = watched(
    ['19:58:00', planned('a', POST_ENDS, 'x')],
    ['19:58:09', filled('a')],
    ['09:30:00', planned('b', undefined, 'x')],
  );
  expect(rest.met).toEqual(['filled in post', 'fractionKept']);
});

test('a sale that follows the price within its phase is not armed again by that', () => {
  const followed = watched(
    ['19:50:00', planned('a', POST_ENDS, 'x')],
    ['19:52:00', lapsed('a')],
    ['19:52:09', planned('b', POST_ENDS, 'x')],
  );
  expect(followed.met).toEqual(['exitFollowed']);
});

test('an order that leaves in another phase, or with a deadline after it, is noted', () => {
  const wrong = watched(
    ['20:00:01', planned('a', POST_ENDS)],
    ['20:00:01', sent('a', '20:00:01')],
    ['19:59:00', planned('b', POST_ENDS)],
    ['19:59:00', sent('b', '19:59:00', POST_ENDS / 1_000 + 1)],
  );
  expect(wrong.found).toHaveLength(2);
});
