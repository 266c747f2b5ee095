import { statSync, writeFileSync } from 'node:fs';
import { Database } from '../../src/store/sqlite/sqlite.ts';
import { expect, test } from 'vitest';
import { openDocuments } from '../../src/store/documents.ts';
import { freshFiles } from './folder.ts';

const freshFile = freshFiles();

test('documents are read as last saved, in the order of their first save', () => {
  const file = freshFile();
  const first = openDocuments(file);
  first.save([
    ['account', { cash: 10n ** 30n }],
    ['b', { text: 'x', none: null }],
  ]);
  first.save([
    ['a', { list: [1n] }],
    ['account', { cash: -1n }],
  ]);
  first.close();

  const again = openDocuments(file);
  expect([...again.all()]).toEqual([
    ['account', { cash: -1n }],
    ['b', { text: 'x', none: null }],
    ['a', { list: [1n] }],
  ]);
  again.close();
  expect(statSync(file).mode & 0o777).toBe(0o600);
});

test('a failed save of documents keeps none of them', () => {
  const documents = openDocuments(freshFile());
  const loop: Record<string, unknown> = {};
  loop['self'] = loop;
  expect(() =>
    documents.save([
      ['good', 1],
      ['bad', loop],
    ]),
  ).toThrow('circular');
  expect([...documents.all()]).toEqual([]);
  documents.close();
});

test('a damaged document file and one of another version are refused', () => {
  const damaged = freshFile();
  writeFileSync(damaged, 'x'.repeat(4096));
  expect(() => openDocuments(damaged)).toThrow(`${damaged} is damaged`);

  const newer = freshFile();
  const database = new Database(newer);
  database.pragma('user_version = 2');
  database.close();
  expect(() => openDocuments(newer)).toThrow('another version of drover (schema 2)');
});
