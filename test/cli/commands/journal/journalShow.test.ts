import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { journalFile } from '../../../../src/app/environment/ownership.ts';
import type { JournalEvent } from '../../../../src/domain/journalEvent.ts';
import type { OrderIntent } from '../../../../src/domain/orders/orderIntent.ts';
import { openSqliteJournal } from '../../../../src/store/sqliteJournal.ts';
import { AAPL, anOrder, id, SENT } from '../../../domain/orders.ts';
import { SYNTHETIC_EVENTS } from '../../../store/syntheticEvents.ts';
import { drover } from '../../support/commandLine.ts';

const state = mkdtempSync(join(tmpdir(), 'drover-'));
const journal = openSqliteJournal(journalFile(state));
journal.commit([
  { at: SENT, fact: { kind: 'epoch', epoch: 1 } },
  { at: SENT, fact: { kind: 'halted', why: 'a test' } },
]);
const { syntheticPlaced, syntheticMoved, syntheticEnded } = SYNTHETIC_EVENTS;
journal.commit(
  [...syntheticPlaced, ...syntheticMoved, ...syntheticEnded].map((fact) => ({ at: SENT, fact })),
);
const intent = (own: string, parent?: OrderIntent['parent']): JournalEvent => ({
  kind: 'intentCreated',
  intent: {
    id: own,
    strategyId: 'beta',
    symbol: AAPL,
    terms: { kind: 'sell', quantity: 'all' },
    reason: 'test',
    at: SENT,
    notBefore: SENT,
    outside: 'wait',
    after: [],
    ...(parent ? { parent } : {}),
  },
});
const planned = (own: string, intentId: string): JournalEvent => ({
  kind: 'planned',
  order: anOrder({ id: id(own), intentId, strategyId: 'beta' }),
});
/** A stop of beta, its exit with an order, and another intent. */
const BETA: readonly JournalEvent[] = [
  ...syntheticPlaced.slice(0, 1).map((fact) => ({ ...fact, order: { ...fact.order, id: 'beta-1' } })),
  intent('beta-2'),
  planned('beta-2.1', 'beta-2'),
  ...syntheticMoved.slice(0, 1).map((fact) => ({ ...fact, id: 'beta-1' })),
  intent('beta-3', { id: 'beta-1', leg: 'exit' }),
  planned('beta-3.1', 'beta-3'),
  { kind: 'intentEnded', id: 'beta-3', how: 'done', why: 'filled' },
  ...syntheticEnded.slice(0, 1).map((fact) => ({ ...fact, id: 'beta-1' })),
];
journal.commit(BETA.map((fact) => ({ at: SENT, fact })));
journal.close();

const show = (...argv: string[]) => drover(['journal', 'show', '--state', state, '--json', ...argv]);
const messageIn = (err: string) => (JSON.parse(err) as { error: { message: string } }).error.message;

test('journal show --kind shows the entries of that kind, or nothing if there are none', async () => {
  const { code, out } = await show('--kind', 'halted');
  expect([code, JSON.parse(out)]).toMatchObject([0, { seq: 2, kind: 'halted', why: 'a test' }]);
  expect(await show('--kind', 'walletOpened')).toMatchObject({ code: 0, out: '' });
});

test('journal show --kind with an unknown kind is a usage error, and lists the known ones', async () => {
  for (const kind of ['bogus', 'toString']) {
    const { code, out, err } = await show('--kind', kind);
    expect(messageIn(err)).toMatch(
      new RegExp(
        `^--kind: there is no kind "${kind}"\\. There are epoch, ended, .*, planned, order, .*, timer, .*$`,
      ),
    );
    expect([code, out]).toEqual([2, '']);
  }
  expect(messageIn((await show('--kind', 'Plannd')).err)).toContain(
    '"Plannd". Did you mean planned? There are',
  );
});

test('journal show describes held orders in plain words, and with every field as JSON', async () => {
  const { out } = await drover(['journal', 'show', '--state', state]);
  const lines = out
    .split('\n')
    .filter((line) => line.includes('alpha-2'))
    .flatMap((line) => /synthetic\w+ +(.*)/.exec(line)?.[1] ?? []);
  expect(lines).toEqual([
    'alpha-2 of alpha: stop at 1 of all AAPL (told), held by the bot, not by the venue',
    'alpha-2 of alpha: bracket: buy AAPL for 1 (told), held by the bot, not by the venue; expires 2026-06-15T14:30:00Z; ' +
      'triggered by quotes of pre, regular; tag dip',
    'alpha-2 of alpha: buy AAPL for 1 as 10 % of the volume, at most at 1 (told), held by the bot, not by the venue',
    'alpha-2: stop 1.00, highest price 1.00',
    'alpha-2: triggered, its stop was touched, price 1.00',
    'alpha-2: is to end as cancelled: told',
    'alpha-2: may trade 1 shares in all, based on the volume until 2026-06-15T14:30:00Z',
    'alpha-2 has ended: done, sold 1',
  ]);
  const { out: json } = await show('--kind', 'syntheticEnded');
  expect(JSON.parse(json.slice(0, json.indexOf('\n')))).toMatchObject({
    kind: 'syntheticEnded',
    id: 'alpha-2',
    how: 'done',
  });
});

test('journal show --order finds a held order with its intents and their orders', async () => {
  const kindsOf = async (...argv: string[]) => {
    const { code, out } = await show(...argv);
    expect(code).toBe(0);
    return out
      .trim()
      .split('\n')
      .map((line) => (JSON.parse(line) as { kind: string }).kind);
  };
  const exit = ['wished', 'planned', 'wishEnded'];
  expect(await kindsOf('--order', 'beta-1')).toEqual([
    'syntheticPlaced',
    'syntheticMoved',
    ...exit,
    'syntheticEnded',
  ]);
  expect(await kindsOf('--order', 'beta-3')).toEqual(exit);
  expect(await kindsOf('--order', 'beta-3.1')).toEqual(['planned']);
  expect(await kindsOf('--order', 'beta-1', '--kind', 'planned')).toEqual(['planned']);
  expect(messageIn((await show('--order', 'beta-9')).err)).toBe('there is no order beta-9 in this journal');
});
