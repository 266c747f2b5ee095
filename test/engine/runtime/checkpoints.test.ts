import { chmodSync, cpSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { epochMs } from '../../../src/core/brand.ts';
import type {
  ExternalCancelEvent,
  Journal,
  JournalEntry,
  JournalEvent,
} from '../../../src/domain/journalEvent.ts';
import { JournalFold } from '../../../src/engine/kernel/journalFold.ts';
import {
  CheckpointProof,
  foldJournal,
  keepCheckpoint,
  resume,
} from '../../../src/engine/runtime/checkpoints.ts';
import { readJournal } from '../../../src/store/readJournal.ts';
import { aReport } from '../../domain/orders.ts';
import { moments } from '../../runs.ts';
import { memoryJournal } from '../../store/memoryJournal.ts';
import { Stage } from '../stage.ts';

const OF_EARLIER_VERSIONS = [
  'journal-0.3.0',
  'journal-0.3.0-day',
  'journal-0.3.0-resumed',
  'journal-0.5.0',
  'journal-0.8.0',
  'journal-0.8.0-held',
];

function entriesIn(name: string): JournalEntry[] {
  const folder = mkdtempSync(join(tmpdir(), 'drover-checkpoints-'));
  cpSync(fileURLToPath(new URL(`../../fixtures/${name}/state`, import.meta.url)), folder, {
    recursive: true,
  });
  chmodSync(folder, 0o700);
  const reader = readJournal(join(folder, 'journal.sqlite'));
  try {
    return [...reader.entries()].map(({ at, fact }) => ({ at, fact }));
  } finally {
    reader.close();
    rmSync(folder, { recursive: true });
  }
}

/** Journal with a checkpoint after so many of its entries. */
function journalWith(entries: readonly JournalEntry[], count: number): Journal & { saved: { text: string } } {
  const saved = { text: null as string | null };
  const journal = memoryJournal([], saved);
  journal.commit(entries.slice(0, count));
  keepCheckpoint(journal);
  journal.commit(entries.slice(count));
  return { ...journal, saved: { ...journal.saved, text: saved.text ?? '' } as never };
}

function wholeText(journal: Journal): string {
  const fold = new JournalFold();
  for (const entry of journal.entries()) fold.apply(entry);
  return fold.text().toString();
}

const proofOf = (journal: Journal): CheckpointProof => {
  const proof = new CheckpointProof();
  [...journal.entries()].forEach((entry, index) => proof.take(entry, index + 1));
  return proof;
};

describe.each(OF_EARLIER_VERSIONS)('%s', (name) => {
  const entries = entriesIn(name);

  test('has the same books from any checkpoint as from all its entries', () => {
    for (const count of moments(entries.length)) {
      const journal = journalWith(entries, count);
      expect(resume(journal, new JournalFold())).toEqual({ from: count + 1, problem: null });
      expect(
        foldJournal(journal, new JournalFold()).text().toString() === wholeText(journal),
        `after ${count}`,
      ).toBe(true);
      expect(proofOf(journal)).toMatchObject({ compared: 1, wrong: [] });
    }
  });

  test('has the same books from a checkpoint of a checkpoint', () => {
    const journal = memoryJournal([], { text: null });
    const step = Math.ceil(entries.length / 7);
    for (let from = 0; from < entries.length; from += step) {
      journal.commit(entries.slice(from, from + step));
      keepCheckpoint(journal);
    }
    expect(foldJournal(journal, new JournalFold()).text().toString()).toBe(wholeText(journal));
    expect(proofOf(journal)).toMatchObject({ compared: 7, wrong: [] });
  });
});

describe('a checkpoint that cannot be trusted', () => {
  const entries = entriesIn('journal-0.8.0');
  const half = Math.floor(entries.length / 2);
  const text = journalWith(entries, half).saved.text;
  const [head = '', body = ''] = [text.slice(0, text.indexOf('\n')), text.slice(text.indexOf('\n') + 1)];
  const [form, number] = JSON.parse(head) as [string, number];
  const other = journalWith(entries, half - 1).saved.text;

  test.each([
    ['has a changed byte', text.replace('"fold"', '"gold"'), 'about another one'],
    ['has a changed amount', text.replace('"$n":"1', '"$n":"2'), 'about another one'],
    ['lost its end', text.slice(0, -40), 'about another one'],
    ['has only its first line', head, ''],
    ['is not text', '\u0000\u0000\u0000', ''],
    ['is empty', '', ''],
    ['is of another version', `${JSON.stringify(['0.0.1 1', number])}\n${body}`, 'version 0.0.1 1'],
    [
      'names an entry that is not a checkpoint',
      `${JSON.stringify([form, number + 1])}\n${body}`,
      'not about one',
    ],
    ['names a missing entry', `${JSON.stringify([form, 10 ** 9])}\n${body}`, 'not about one'],
    ['is of another journal', other, 'not about one'],
  ])('because it %s is reported and skipped, and every entry is read', (_why, damaged, problem) => {
    const journal = {
      ...journalWith(entries, half),
      saved: { read: () => Buffer.from(damaged), write: () => undefined },
    };
    const fold = new JournalFold();
    const before = fold.text().toString();
    const found = resume(journal, fold);
    expect(found.from).toBe(1);
    expect(found.problem).toContain('the checkpoint was left out');
    expect(found.problem).toContain(problem);
    expect(fold.text().toString()).toBe(before);
    expect(foldJournal(journal, new JournalFold()).text().toString()).toBe(wholeText(journal));
  });

  test('because it cannot be read is reported and skipped', () => {
    const read = () => {
      throw new Error('EIO');
    };
    const journal = { ...journalWith(entries, half), saved: { read, write: () => undefined } };
    expect(resume(journal, new JournalFold())).toEqual({
      from: 1,
      problem: 'the checkpoint was left out (EIO)',
    });
  });

  test('because its entries produce different books is found by reading all entries', () => {
    const journal = memoryJournal([], { text: null });
    journal.commit(entries.slice(0, half));
    const wrong = new JournalFold();
    for (const entry of entries.slice(0, half - 40)) wrong.apply(entry);
    keepCheckpoint(journal, wrong);
    journal.commit(entries.slice(half));
    expect(proofOf(journal)).toMatchObject({ compared: 1, wrong: [half + 1] });
  });

  test('because another version wrote it proves nothing', () => {
    const journal = memoryJournal([]);
    const fact = { kind: 'checkpoint', form: '0.0.1 1', hash: '0x' } as const;
    journal.commit([...entries.slice(0, 3), { at: epochMs(0), fact }]);
    expect(proofOf(journal)).toMatchObject({ compared: 0, wrong: [] });
  });
});

test('a start from an earlier checkpoint, of a process killed before it wrote the next, has the same books', () => {
  const entries = entriesIn('journal-0.8.0');
  const saved = { text: null as string | null };
  const journal = memoryJournal([], saved);
  journal.commit(entries.slice(0, 20));
  keepCheckpoint(journal);
  const { text } = saved;
  journal.commit(entries.slice(20, 50));
  keepCheckpoint(journal);
  saved.text = text;
  journal.commit(entries.slice(50));
  expect(resume(journal, new JournalFold())).toEqual({ from: 21, problem: null });
  expect(foldJournal(journal, new JournalFold()).text().toString()).toBe(wholeText(journal));
});

test('an empty journal has no checkpoint', () => {
  const journal = memoryJournal([], { text: null });
  expect(keepCheckpoint(journal)).toEqual([]);
  expect(journal.length()).toBe(0);
});

test('a run that is stopped while it reads its journal writes nothing', async () => {
  const entries = entriesIn('journal-0.8.0');
  const stage = new Stage();
  const { runner } = stage;
  const long = Array.from({ length: 6_000 }, () => ({
    at: entries[0]?.at ?? epochMs(0),
    fact: { kind: 'logged', strategyId: 'solo', text: 'again' } as const,
  }));
  stage.options.journal.commit(long);
  const before = stage.lines.length;
  runner.stop('asked to stop');
  expect(await runner.recover()).toBe(false);
  expect(runner.endNow('told twice').stop.how).toBe('at once');
  expect(stage.lines).toHaveLength(before);
});

test('the cancels of external orders are in a checkpoint, with their own transactions', () => {
  const report = aReport({ txHash: 'tx-a', status: 'open' });
  const cancel = (event: ExternalCancelEvent): JournalEvent => ({
    kind: 'externalCancel',
    txHash: 'tx-a',
    event,
  });
  const facts: JournalEvent[] = [
    { kind: 'external', txHash: 'tx-a', report, why: 'not ours', unaccepted: true },
    { kind: 'externalAccepted', txHash: 'tx-a', reason: 'mine' },
    cancel({ kind: 'wanted' }),
    cancel({ kind: 'sent' }),
    cancel({ kind: 'refused', reason: 'not open' }),
    cancel({ kind: 'wanted' }),
    cancel({ kind: 'sent' }),
    cancel({ kind: 'accepted', txHash: 'tx-b' }),
  ];
  const entries = facts.map((fact) => ({ at: epochMs(1), fact }));
  for (let count = 1; count <= entries.length; count++) {
    const journal = journalWith(entries, count);
    const whole = new JournalFold();
    for (const entry of entries) whole.apply(entry);
    const resumed = new JournalFold();
    expect(resume(journal, resumed)).toEqual({ from: count + 1, problem: null });
    const { fact } = entries[count - 1] ?? {};
    const kept = fact?.kind === 'externalCancel' ? [['tx-a', fact.event]] : [];
    expect([...resumed.accountState.externals.cancels]).toEqual(kept);
    const { externals, cancelHashes } = foldJournal(journal, new JournalFold()).accountState;
    expect(externals.cancels).toEqual(whole.accountState.externals.cancels);
    expect([externals.isCancelling, [...cancelHashes]]).toEqual([true, ['tx-b']]);
  }
});
