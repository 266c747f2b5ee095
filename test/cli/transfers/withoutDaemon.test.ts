import { afterEach, beforeEach, expect, test } from 'vitest';
import { balance, startMovingUser } from '../support/movingUser.ts';
import { declined } from '../support/venueStub.ts';
import { user } from '../support/oneUser.ts';
import { emptyState } from '../support/stateFolder.ts';

const BALANCE = `GET /api/v1/users/${user}/balance`;

let one: Awaited<ReturnType<typeof startMovingUser>>;
let state: string;
const by = (argv: string) => one.run(...argv.split(' '), '--state', state);

beforeEach(async () => {
  one = await startMovingUser();
  state = emptyState();
  expect((await by('cash withdraw 999999 --yes')).code).toBe(4);
});
afterEach(() => one.venue.close());

const TROUBLES = {
  'books differ': () => {
    one.answers[BALANCE] = () => ({ ...balance('300', '2.5'), mUsdBalance: '4000.25' });
  },
  'One Click is off': () => {
    one.delegation.enabled = false;
  },
  'the account is unreadable': () => {
    one.answers[BALANCE] = () => declined(500, 'out of order');
  },
} as const;

test.each<[argv: string, differ: number, off: number, unread: number]>([
  ['pause --reason late', 0, 0, 0],
  ['reduce --reason late', 0, 0, 0],
  ['freeze AAPL --reason late', 0, 0, 0],
  ['resume --reason seen', 4, 0, 3],
  ['accept mUSD --reason mine --yes', 0, 2, 3],
  ['orders place AAPL buy --limit 10 --quantity 1 --yes', 4, 4, 3],
  ['cash withdraw 100 --yes', 4, 4, 3],
])(
  '%s ends with %i while books differ, %i without One Click, %i without the account',
  async (...[argv, ...codes]) => {
    const told: number[] = [];
    for (const trouble of Object.values(TROUBLES)) {
      if (argv.startsWith('resume')) expect((await by('pause --reason late')).code).toBe(0);
      trouble();
      told.push((await by(argv)).code);
      one.answers[BALANCE] = () => balance('300', '2.5');
      one.delegation.enabled = true;
      state = emptyState();
      await by('cash withdraw 999999 --yes');
    }
    expect(told).toEqual(codes);
    expect(one.sends()).toEqual([]);
  },
);
