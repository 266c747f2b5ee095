/** @module-tag heavy */
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { openSqliteJournal } from '../../../src/store/sqliteJournal.ts';
import { drover, type Ran } from '../../cli/support/commandLine.ts';
import { startEmulated, type Emulated } from '../../cli/support/emulated.ts';

const SEED = 97;
let venue: Emulated;
let cwd: string;
beforeAll(async () => {
  venue = await startEmulated(SEED);
});
afterAll(() => venue.close());
beforeEach(() => {
  cwd = mkdtempSync(join(tmpdir(), 'drover-'));
  writeFileSync(join(cwd, 'live.yaml'), configText(venue.info));
});

const configText = ({ baseUrl, chainId, product, accounts }: Emulated['info']) => `mode: live
state: ./state
venue: { baseUrl: '${baseUrl}', chainId: ${chainId}, product: ${product}, userAddress: '${accounts[0]?.userAddress ?? ''}' }
limits: { orderNotional: 500, positionNotional: 500, grossExposure: 500, ordersPerMinute: 9, dayLoss: 500,
          priceBandBps: 500, quoteAgeMs: 60000 }
strategies: [{ id: steady, use: dca, capital: 500, params: { symbol: SPY, notional: 50, at: '15:00' } }]
`;

/** A command line for the venue in this process. A run ends as soon as it has begun. */
async function command(...argv: string[]): Promise<Ran> {
  const key = venue.info.accounts[0]?.keys.find(({ access }) => access === 'WRITABLE');
  const env = { DROVER_API_KEY: key?.apiKey ?? '', DROVER_API_SECRET: key?.secret ?? '', HOME: cwd };
  venue.pass();
  try {
    return await drover([...argv, '--config', 'live.yaml'], {
      env,
      cwd,
      clock: venue.clock,
      signal: AbortSignal.abort('SIGTERM'),
    });
  } finally {
    venue.stand();
  }
}

const start = () => command('run', '--live');
const state = (name: string) => join(cwd, 'state', name);
const journalFiles = () => readdirSync(join(cwd, 'state')).filter((name) => name.startsWith('journal'));

describe('a state folder whose journal is lost', () => {
  beforeEach(async () => {
    expect(await start()).toMatchObject({ code: 0 });
    expect(existsSync(state('account'))).toBe(true);
  });

  test.each([
    ['is gone with all its parts', () => journalFiles().forEach((name) => rmSync(state(name)))],
    ['is emptied with all its parts', () => journalFiles().forEach((name) => truncateSync(state(name)))],
    ['is gone, and the note of its end is there', () => rmSync(state('journal.sqlite'))],
    ['is emptied, and the note of its end is there', () => truncateSync(state('journal.sqlite'))],
    [
      'is gone with everything but the account',
      () =>
        readdirSync(join(cwd, 'state'))
          .filter((name) => name !== 'account')
          .forEach((name) => rmSync(state(name), { recursive: true })),
    ],
  ])('is refused with what to do, at every start: the journal %s', async (_how, lose) => {
    lose();
    for (const _ of [1, 2]) {
      const { code, err } = await start();
      expect(code).toBe(4);
      expect(err).toContain(`${join(cwd, 'state')} has lost its journal: journal.sqlite is `);
      expect(err).toMatch(/Nothing was sent\. .*backup.*drover journal recover.*--state DIR/s);
    }
  });

  test('is recovered from what the venue shows, and starts again', async () => {
    journalFiles().forEach((name) => rmSync(state(name)));
    const shown = await command('journal', 'recover');
    expect([shown.code, shown.out]).toEqual([0, expect.stringContaining('journal.sqlite is missing')]);
    expect((await start()).code).toBe(4);
    expect((await command('journal', 'recover', '--yes')).code).toBe(0);
    expect(await start()).toMatchObject({ code: 0 });
  });

  test('a state folder that has lost only its account file gets a new one', async () => {
    rmSync(state('account'));
    expect(await start()).toMatchObject({ code: 0 });
    expect(existsSync(state('account'))).toBe(true);
  });
});

test('a first start killed before its first commit does not count as a lost journal', async () => {
  mkdirSync(join(cwd, 'state'), { mode: 0o700 });
  openSqliteJournal(state('journal.sqlite')).close();
  for (const name of ['lock.sqlite', 'reserve', 'KILL']) writeFileSync(state(name), '');
  expect(readdirSync(join(cwd, 'state'))).not.toContain('account');
  expect(await start()).toMatchObject({ code: 0 });
  expect(existsSync(state('account'))).toBe(true);
});

test('a journal without any entry counts as lost', async () => {
  expect(await start()).toMatchObject({ code: 0 });
  for (const name of journalFiles()) rmSync(state(name));
  openSqliteJournal(state('journal.sqlite')).close();
  const { code, err } = await start();
  expect([code, err]).toEqual([4, expect.stringContaining('journal.sqlite is without an entry')]);
});
