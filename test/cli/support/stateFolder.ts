import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { journalFile } from '../../../src/app/environment/ownership.ts';
import { parseCash, parseShares } from '../../../src/core/amount.ts';
import type { EpochMs } from '../../../src/core/brand.ts';
import { AccountState } from '../../../src/domain/account/accountState.ts';
import type { JournalEntry, JournalEvent } from '../../../src/domain/journalEvent.ts';
import { ticker } from '../../../src/domain/instrument.ts';
import { readJournal } from '../../../src/store/readJournal.ts';
import { openSqliteJournal } from '../../../src/store/sqliteJournal.ts';
import { SENT } from '../../domain/orders.ts';

type Opened = Readonly<{ held?: string; at?: EpochMs }>;

/** A state folder whose journal opens with 5000.25 mUSD and `held` AAPL, followed by `facts`. */
export function stateSaying(
  facts: readonly JournalEvent[],
  { held = '2.5', at = SENT }: Opened = {},
): string {
  const state = mkdtempSync(join(tmpdir(), 'drover-'));
  const cash = parseCash('5000.25');
  const opened: JournalEvent[] = [
    { kind: 'epoch', epoch: 1 },
    { kind: 'opened', cash, equity: cash, holdings: [[ticker('AAPL'), parseShares(held)]] },
  ];
  const journal = openSqliteJournal(journalFile(state));
  journal.commit([...opened, ...facts].map((fact) => ({ at, fact })));
  journal.close();
  return state;
}

/** A folder for the journal of a run. */
export const emptyState = (): string => mkdtempSync(join(tmpdir(), 'drover-'));

/** Entries of the journal of a state folder. */
export function entriesIn(state: string): JournalEntry[] {
  const reader = readJournal(journalFile(state));
  const entries = [...(reader.lines() as Iterable<JournalEntry>)];
  reader.close();
  return entries;
}

/** Account state computed from the journal of a state folder. */
export function booksIn(state: string): AccountState {
  const accountState = new AccountState();
  for (const entry of entriesIn(state)) accountState.apply(entry);
  return accountState;
}
