import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { epochMs } from '../../src/core/brand.ts';
import { ORIGIN, rowAfter, unchecked } from '../../src/store/integrity.ts';
import { storedKind } from '../../src/store/storedNames.ts';
import { EVENTS } from './journalEvents.ts';

/** Rows as 0.4.0 wrote these events: kind, order and body. All but quotes are still written so. */
const ROWS = readFileSync(new URL('../fixtures/journalRows.txt', import.meta.url), 'utf8')
  .trimEnd()
  .split('\n');
const at = epochMs(0);

describe.each(EVENTS.map((event, index) => [event.kind, index, event] as const))(
  'the stored journal event %s (row %i)',
  (...given) => {
    const [, index, event] = given;

    test.skipIf(event.kind === 'quotes')('is written in its stored form', () => {
      const { kind, order, body } = rowAfter(ORIGIN, { at, fact: event });
      expect([kind, order ?? '', body].join('\t')).toBe(ROWS[index]);
    });

    test('is read back equal, with its fields in order', () => {
      const body = ROWS[index]?.split('\t')[2] ?? '';
      const { fact } = unchecked({ seq: 1, at, body }, 'journal.sqlite');
      expect(fact).toEqual(event);
      expect(textOf(fact)).toBe(textOf(event));
    });
  },
);

/** Fields in their order, which later rows and the comparison of a replay keep. */
const textOf = (event: object) =>
  JSON.stringify(event, (_key, value: unknown) => (typeof value === 'bigint' ? `${value}` : value));

test('the list of stored rows has one row for each journal event', () => {
  expect(ROWS).toHaveLength(EVENTS.length);
});

const RENAMED = [...new Set(EVENTS.map(({ kind }) => kind))].filter((kind) => storedKind(kind) !== kind);

test.each(RENAMED)('a row of the kind %s, a current name that is never stored, is refused', (kind) => {
  const body = JSON.stringify(
    EVENTS.find((event) => event.kind === kind),
    (_key, value: unknown) => (typeof value === 'bigint' ? { $n: `${value}` } : value),
  );
  expect(() => unchecked({ seq: 1, at, body }, 'journal.sqlite')).toThrow(
    `${kind} is not a known kind of stored event`,
  );
});
