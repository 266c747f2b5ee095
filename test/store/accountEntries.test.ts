import { chmodSync, cpSync, mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { cash, notionalOf, price } from '../../src/core/amount.ts';
import { ACCOUNT_KINDS } from '../../src/domain/account/history.ts';
import { accountEntries } from '../../src/store/accountEntries.ts';
import { readJournal } from '../../src/store/readJournal.ts';

test('accountEntries adds to the opening of a 0.3.0 journal the prices its equity was computed from', () => {
  const folder = mkdtempSync(join(tmpdir(), 'drover-'));
  cpSync(fileURLToPath(new URL('../fixtures/journal-0.3.0/state', import.meta.url)), folder, {
    recursive: true,
  });
  chmodSync(folder, 0o700);
  const reader = readJournal(join(folder, 'journal.sqlite'));
  const entries = [...accountEntries(reader)];
  reader.close();
  const kinds: ReadonlySet<string> = new Set(ACCOUNT_KINDS);
  expect(entries.filter(({ fact }) => !kinds.has(fact.kind))).toEqual([]);
  const opened = entries.find(({ fact }) => fact.kind === 'opened')?.fact;
  if (opened?.kind !== 'opened') throw new Error('no opening');
  const prices = new Map(opened.prices);
  const worth = opened.holdings.map(([symbol, count]) =>
    notionalOf(count, prices.get(symbol) ?? price(0n), 'down'),
  );
  expect(cash(worth.reduce<bigint>((sum, each) => sum + each, opened.cash))).toBe(opened.equity);
});
