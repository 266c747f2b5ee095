import { afterEach, beforeEach, expect, test } from 'vitest';
import { journalFile } from '../../../src/app/environment/ownership.ts';
import { parseCash } from '../../../src/core/amount.ts';
import type { JournalEvent } from '../../../src/domain/journalEvent.ts';
import { openSqliteJournal } from '../../../src/store/sqliteJournal.ts';
import { anOrder, aReport, DEADLINE, id, SENT } from '../../domain/orders.ts';
import { aapl, user } from '../../cli/support/oneUser.ts';
import { balance, startMovingUser } from '../../cli/support/movingUser.ts';
import { declined } from '../../cli/support/venueStub.ts';
import { emptyState } from '../../cli/support/stateFolder.ts';

const TX = `0x${'a'.repeat(64)}`;
const DEBT = { stockAddress: aapl, stockSymbol: 'AAPL', debtQuantity: '1' };
const POSITIONS = `GET /api/v1/users/${user}/positions`;
const BALANCE = `GET /api/v1/users/${user}/balance`;

let one: Awaited<ReturnType<typeof startMovingUser>>;
let state: string;
const by = (argv: string) => one.run(...argv.split(' '), '--state', state);

/** Opens the account state of a new state folder by a refused withdrawal, and adds entries to its journal. */
async function begin(facts: readonly JournalEvent[]): Promise<void> {
  one.answers[BALANCE] = () => balance('300', '2.5');
  one.answers[POSITIONS] = () => balance('300', '2.5').tokenBalances.slice(1);
  one.answers['GET /api/v1/deferred-sell/debts'] = () => [DEBT];
  one.delegation.enabled = true;
  state = emptyState();
  expect((await by('cash withdraw 999999 --yes')).code).toBe(4);
  const journal = openSqliteJournal(journalFile(state));
  journal.commit(facts.map((fact) => ({ at: SENT, fact })));
  journal.close();
}

beforeEach(async () => void (one = await startMovingUser()));
afterEach(() => one.venue.close());

/** Problems at the venue, each with the output of a command that it stops. */
const TROUBLES = [
  [
    () => {
      one.answers[BALANCE] = () => ({ ...balance('300', '3.5'), mUsdBalance: '4000.25' });
      one.answers[POSITIONS] = () => balance('300', '3.5').tokenBalances.slice(1);
    },
    /differ|do not agree/,
  ],
  [() => (one.delegation.enabled = false), /One Click is off/],
  [() => (one.answers[BALANCE] = () => declined(500, 'out of order')), /out of order/],
] as const;

const HALTED: JournalEvent = {
  kind: 'restricted',
  state: 'halted',
  cause: 'operator',
  scope: {},
  by: 'ann',
  reason: 'late',
};
const FROZEN: JournalEvent = { kind: 'frozen', symbol: anOrder().terms.symbol, why: 'it looks odd' };
const UNKNOWN: readonly JournalEvent[] = [
  { kind: 'allocated', strategyId: 'alpha', amount: parseCash('2000') },
  { kind: 'planned', order: anOrder() },
  { kind: 'order', id: id('w1.1'), event: { kind: 'sent', at: SENT, deadline: DEADLINE } },
  { kind: 'order', id: id('w1.1'), event: { kind: 'lost', reason: 'reset' } },
];
const EXTERNAL: JournalEvent = {
  kind: 'external',
  txHash: TX,
  report: aReport({ txHash: TX }),
  why: 'found at the start',
  unaccepted: true,
};

test.each<[argv: string, differ: number, off: number, unread: number, facts?: readonly JournalEvent[]]>([
  ['pause --reason late', 0, 0, 0],
  ['reduce --reason late', 0, 0, 0],
  ['freeze AAPL --reason late', 0, 0, 0],
  ['resume --reason seen', 4, 0, 3, [HALTED]],
  ['unfreeze AAPL --reason seen', 4, 0, 3, [FROZEN]],
  ['accept mUSD --reason mine --yes', 0, 2, 3],
  ['resolve w1.1 --reason gone --yes', 4, 0, 3, UNKNOWN],
  [`orders accept ${TX} --reason seen`, 0, 0, 3, [EXTERNAL]],
  ['orders place AAPL buy --limit 10 --quantity 1 --yes', 4, 4, 3],
  ['cash withdraw 100 --yes', 4, 4, 3],
  ['stock deposit AAPL 1 --yes', 4, 4, 3],
  ['stock withdraw AAPL 1 --yes', 4, 4, 3],
  ['debt repay AAPL 1 --yes', 4, 4, 3],
])(
  '%s: exit %i while books differ, %i without One Click, %i without the account',
  async (...[argv, differ, off, unread, facts = []]) => {
    const ended: number[] = [];
    for (const [trouble, why] of TROUBLES) {
      await begin(facts);
      trouble();
      const { code, err } = await by(argv);
      ended.push(code);
      if (code > 2) expect(err).toMatch(why);
    }
    expect(ended).toEqual([differ, off, unread]);
    expect(one.sends()).toEqual([]);
  },
);

test('the status after manual commands without a run says so, and has a profit of 0', async () => {
  await begin([]);
  const { out, code } = await by('status --json');
  expect(code).toBe(0);
  const status = JSON.parse(out) as Record<string, unknown>;
  expect(status).toMatchObject({
    running: false,
    lastEnd: { text: 'no run has begun on it, only commands by hand' },
    unallocated: { pnl: { total: '0' }, positions: [{ symbol: 'AAPL', shares: '2.5' }] },
  });
  expect(Date.parse(String(status['startedAt']))).toBeGreaterThan(0);
});

test('a send that is refused while books differ says what would clear it', async () => {
  for (const argv of ['orders place AAPL buy --limit 10 --quantity 1 --yes', 'cash withdraw 100 --yes']) {
    await begin([]);
    TROUBLES[0][0]();
    const { code, err } = await by(argv);
    expect([code, err]).toEqual([
      4,
      expect.stringMatching(/orders accept TX .*accept ASSET .*Nothing was sent/),
    ]);
  }
});
