import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { journalFile } from '../../../src/app/environment/ownership.ts';
import type { JournalEvent } from '../../../src/domain/journalEvent.ts';
import { ticker, type Instrument } from '../../../src/domain/instrument.ts';
import { openSqliteJournal } from '../../../src/store/sqliteJournal.ts';
import { SENT } from '../../domain/orders.ts';
import { drover, typing } from '../../cli/support/commandLine.ts';
import { allow, balance, cashToken, startMovingUser, txHash, usdc } from '../../cli/support/movingUser.ts';
import { aapl, cwd, env, listing, spy, user } from '../../cli/support/oneUser.ts';

const moved = `0x${'99'.repeat(20)}`;
const both = `address was ${aapl}, and the venue now says ${moved}`;

function stateWith(...facts: readonly JournalEvent[]): string {
  const state = mkdtempSync(join(tmpdir(), 'drover-'));
  const journal = openSqliteJournal(journalFile(state));
  journal.commit([{ kind: 'epoch', epoch: 1 } as const, ...facts].map((fact) => ({ at: SENT, fact })));
  journal.close();
  return state;
}
const pinned = () =>
  stateWith({
    kind: 'pinned',
    pins: [
      { subject: 'stock AAPL', terms: { address: aapl } },
      { subject: 'cash token USDC', terms: { address: usdc, decimals: '6' } },
    ],
  });
const instrument: Instrument = {
  symbol: ticker('AAPL'),
  address: aapl as `0x${string}`,
  tradable: true,
  fractionable: true,
  overnightTradable: false,
};
const ofOld = () => stateWith({ kind: 'instruments', instruments: [instrument] });

let one: Awaited<ReturnType<typeof startMovingUser>>;
beforeEach(async () => {
  one = await startMovingUser();
  one.answers['GET /api/v1/symbols'] = () => [
    listing('AAPL', { contractAddress: moved }),
    listing('SPY', { contractAddress: spy }),
  ];
});
afterEach(() => one.venue.close());

const MOVES = [
  'orders place AAPL buy --limit 10 --quantity 0.1',
  'stock deposit AAPL 1',
  'stock withdraw AAPL 1',
  'debt repay AAPL 1',
];

describe("a contract that differs from the journal's pin", () => {
  test.each(MOVES)('keeps "%s" from sending, and both are shown', async (command) => {
    for (const state of [pinned(), ofOld()]) {
      const { code, err } = await one.run(...command.split(' '), '--yes', '--state', state);
      expect([code, err]).toEqual([4, expect.stringContaining(both)]);
      expect(err).toContain('Nothing was sent');
    }
    expect(one.sends()).toEqual([]);
  });
});

test.each(MOVES)('a contract that differs from venue.contracts keeps "%s" from sending', async (command) => {
  one.writeConfig(`contracts: { AAPL: '${aapl}' }`);
  allow('stockMoves, repay');
  const { code, err } = await one.run(...command.split(' '), '--yes');
  expect([code, err]).toEqual([
    4,
    expect.stringMatching(new RegExp(`${aapl} in venue.contracts, and ${moved}`)),
  ]);
  expect(one.sends()).toEqual([]);
});

describe('a contract that is not pinned', () => {
  const wordsOf = (command: string) => command.split(' ');
  let state: string;
  beforeEach(() => {
    state = mkdtempSync(join(tmpdir(), 'drover-'));
    Object.assign(one.answers, {
      'POST /api/v1/orders/send': () => ({ uuid: 'u', txHash }),
      'POST /api/v1/stock/deposits/send': () => ({ uuid: 'u', txHash }),
      'POST /api/v1/stock/withdrawals/send': () => ({ uuid: 'u', txHash }),
      [`GET /api/v1/users/${user}/balance`]: () => {
        const shown = balance('300', '2.5');
        return {
          ...shown,
          tokenBalances: shown.tokenBalances.map((row) => ({ ...row, walletAllowance: '1000' })),
        };
      },
    });
  });
  const listed = (address: string) => {
    one.answers['GET /api/v1/symbols'] = () => [
      listing('AAPL', { contractAddress: address }),
      listing('SPY', { contractAddress: spy }),
    ];
  };
  test('is shown before a transfer, and nothing is sent unless the plan is confirmed', async () => {
    listed(aapl);
    const order = wordsOf('orders place AAPL buy --limit 10 --quantity 0.1 --no-wait');
    const keyboard = typing('n', 'y');
    const asked = () => drover([...order, '--state', state, '--config', 'my.yaml'], { env, cwd, keyboard });
    const no = await asked();
    expect([no.code, no.err]).toEqual([
      130,
      expect.stringContaining(
        `contract   ${aapl} for AAPL, as the venue lists it: nothing has pinned it yet`,
      ),
    ]);
    expect(one.sends()).toEqual([]);
    const yes = await asked();
    expect([yes.code, yes.err]).toEqual([
      0,
      expect.stringContaining(`${aapl} for AAPL, pinned by the journal`),
    ]);
    expect(one.sends()).toHaveLength(1);
  });

  test.each(MOVES.slice(0, 3))(
    'is pinned by "%s --yes", and any other is refused from then on',
    async (command) => {
      listed(aapl);
      const argv = [...wordsOf(command), '--yes', '--no-wait', '--state', state];
      expect(await one.run(...argv)).toMatchObject({ code: 0 });
      listed(moved);
      const before = one.sends();
      for (const again of MOVES) {
        const { code, err } = await one.run(...wordsOf(again), '--yes', '--state', state);
        expect([code, err]).toEqual([4, expect.stringContaining(both)]);
        expect(err).toContain('Nothing was sent');
      }
      expect(one.sends()).toEqual(before);
    },
  );

  test('of a cash token is pinned by the first deposit', async () => {
    listed(aapl);
    const deposit = wordsOf('cash deposit 100 --yes --no-wait --state').concat(state);
    expect(await one.run(...deposit)).toMatchObject({ code: 0 });
    one.answers['GET /api/v1/config'] = () => ({
      cashierTokenConfig: [{ ...cashToken, tokenAddress: moved }],
    });
    expect(await one.run(...deposit)).toMatchObject({
      code: 4,
      err: expect.stringContaining(usdc) as string,
    });
  });

  test('is not sent to while the file of confirmed contracts is damaged', async () => {
    writeFileSync(join(state, 'contracts'), '{ "stock AAPL": "0x1" }');
    const { code, err } = await one.run(...wordsOf(MOVES[0] ?? ''), '--yes', '--state', state);
    expect([code, err, one.sends()]).toEqual([2, expect.stringContaining('confirmed by hand'), []]);
  });
});

test('a contract that two symbols share is not traded', async () => {
  one.answers['GET /api/v1/symbols'] = () => [listing('AAPL'), listing('SPY')];
  const { code, err } = await one.run(
    'orders',
    'place',
    'AAPL',
    'buy',
    '--limit',
    '10',
    '--quantity',
    '1',
    '--yes',
  );
  expect([code, err]).toEqual([4, expect.stringContaining('SPY has the same contract')]);
});

test('an unlisted symbol in venue.contracts is refused with a suggestion', async () => {
  one.writeConfig(`contracts: { APPL: '${moved}' }`);
  const { code, err } = await one.run(
    'orders',
    'place',
    'AAPL',
    'buy',
    '--limit',
    '10',
    '--quantity',
    '1',
    '--yes',
  );
  expect([code, err]).toEqual([2, expect.stringMatching(/venue.contracts names APPL.*Did you mean AAPL\?/)]);
});

test.each([
  ['cash deposit 100', { tokenAddress: moved }, `address was ${usdc}, and the venue now says ${moved}`],
  ['cash withdraw 100', { decimals: 8 }, 'decimals was 6, and the venue now says 8'],
] as const)('a changed cash token keeps "%s" from sending', async (...[command, change, why]) => {
  one.answers['GET /api/v1/config'] = () => ({ cashierTokenConfig: [{ ...cashToken, ...change }] });
  const { code, err } = await one.run(...command.split(' '), '--yes', '--state', pinned());
  expect([code, err]).toEqual([4, expect.stringContaining(why)]);
  expect(one.sends()).toEqual([]);
});

describe('a cash token that the journal does not know', () => {
  const newcomer = { ...cashToken, symbol: 'USDX', tokenAddress: moved };
  beforeEach(() => {
    one.answers['GET /api/v1/config'] = () => ({ cashierTokenConfig: [cashToken, newcomer] });
  });

  test.each(['cash deposit 100', 'cash withdraw 100'])('keeps "%s" from sending', async (command) => {
    const argv = [...command.split(' '), '--token', 'USDX', '--yes', '--state', pinned()];
    const { code, err } = await one.run(...argv);
    expect([code, err]).toEqual([2, expect.stringContaining('USDX is not a cash token here')]);
    expect(one.sends()).toEqual([]);
  });

  test('is ignored in favour of the known one of the same name', async () => {
    const twin = { ...newcomer, symbol: 'USDC' };
    one.answers['GET /api/v1/config'] = () => ({ cashierTokenConfig: [twin, cashToken] });
    const argv = ['cash', 'withdraw', '100', '--token', 'USDC', '--yes', '--no-wait', '--state', pinned()];
    const { err } = await one.run(...argv);
    expect(err).not.toContain(moved);
    expect(one.sends()).toHaveLength(1);
  });
});

test.each([
  ['AAPL', `address was ${aapl}, and the venue now says ${moved}`],
  ['USDC', `address was ${usdc}, and the venue now says ${moved}`],
])('an approval of %s is not sent for another token', async (token, why) => {
  one.answers[`GET /api/v1/users/${user}/balance`] = () => {
    const shown = balance('300', '2.5');
    return { ...shown, tokenBalances: shown.tokenBalances.map((row) => ({ ...row, address: moved })) };
  };
  const { code, err } = await one.run('wallet', 'approve', token, '1', '--yes', '--state', pinned());
  expect([code, err]).toEqual([4, expect.stringContaining(why)]);
});

test('an approval is not sent for a token that the venue calls a stock, or that has no pin', async () => {
  for (const change of [{ isStock: true }, { symbol: 'USDX' }]) {
    one.answers[`GET /api/v1/users/${user}/balance`] = () => {
      const shown = balance('300', '2.5');
      const rows = shown.tokenBalances.map((row) => ({ ...row, ...change, address: moved }));
      return { ...shown, tokenBalances: rows.slice(0, 1) };
    };
    const wanted = 'symbol' in change ? 'USDX' : 'USDC';
    const { code, err } = await one.run('wallet', 'approve', wanted, '1', '--yes', '--state', pinned());
    expect([code, err]).toEqual([4, expect.stringContaining(moved)]);
  }
});

describe('the check of contracts by doctor', () => {
  const findings = async (...more: string[]) => {
    const { out } = await one.run('doctor', '--json', ...more);
    return (JSON.parse(out) as { check: string }[]).filter(({ check }) => check === 'contracts');
  };

  test('fails where venue and journal differ', async () => {
    allow('delegation', `state: ${pinned()}\n`);
    expect(await findings()).toMatchObject([
      { verdict: 'fail', detail: expect.stringContaining(both) as string },
    ]);
  });

  test('fails where venue and venue.contracts differ, and names what is not listed', async () => {
    one.writeConfig(`contracts: { AAPL: '${aapl}' }`);
    expect(await findings()).toMatchObject([
      { verdict: 'fail', detail: expect.stringContaining(moved) as string },
    ]);
    one.writeConfig(`contracts: { APPL: '${aapl}' }`);
    expect(await findings()).toMatchObject([
      { verdict: 'fail', detail: expect.stringContaining('Did you mean AAPL?') as string },
    ]);
    one.writeConfig(`contracts: { AAPL: '${moved}' }`);
    expect(await findings()).toMatchObject([{ verdict: 'ok' }]);
  });
});

test('a symbol that a shell would expand never appears in a command to copy', async () => {
  const symbol = 'USD$(id)';
  one.answers['GET /api/v1/config'] = () => ({ cashierTokenConfig: [{ ...cashToken, symbol }] });
  one.answers[`GET /api/v1/users/${user}/balance`] = () => balance('300', '2.5', '1');
  const { code, err } = await one.run('cash', 'deposit', '100', '--yes');
  expect(code).not.toBe(0);
  expect(err).toContain(`drover wallet approve ${usdc} 100`);
});
