import { existsSync, mkdtempSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { drover, typing } from '../../cli/support/commandLine.ts';
import { aapl, contract, cwd, delegatee, env, startOneUser } from '../../cli/support/oneUser.ts';

let one: Awaited<ReturnType<typeof startOneUser>>;
let state: string;
beforeEach(async () => {
  one = await startOneUser();
  one.delegation.enabled = false;
  state = mkdtempSync(join(tmpdir(), 'drover-'));
});
afterEach(() => one.venue.close());

const enable = (...more: string[]) => [
  'oneclick',
  'enable',
  '--state',
  state,
  ...more,
  '--config',
  'my.yaml',
];
const asked = (answer: string, ...more: string[]) => {
  const keyboard = typing(answer);
  return drover(enable(...more), { env, cwd, keyboard }).then((done) => ({ ...done, keyboard }));
};
const enabled = () => one.sent().filter((line) => line === 'POST /api/v1/1ct/enable').length;
/** Lines that a user might paste into a config. */
const PASTED = /(oneClickRouter|delegatee): '/;

test.each([[[]], [['--yes']], [['--yes', '--delegatee', delegatee]], [['--yes', '--router', contract]]])(
  'oneclick enable signs nothing for a contract and delegatee that only the venue names: %s',
  async (flags) => {
    const { code, err } = await drover(enable(...flags), { env, cwd });
    expect([code, enabled()]).toEqual([4, 0]);
    expect(err).toContain('nothing was signed');
    expect(err).toContain(`named the contract ${contract}`);
    expect(err).not.toMatch(PASTED);
  },
);

test('oneclick enable pins contract and delegatee once "yes" is typed, and shows the lines for the config', async () => {
  const no = await asked('y');
  expect([no.code, enabled(), existsSync(join(state, 'one-click'))]).toEqual([130, 0, false]);
  expect(no.err).toContain(`delegatee  ${delegatee}`);
  const yes = await asked('yes');
  expect([yes.code, enabled(), yes.keyboard.asked]).toEqual([0, 1, [expect.stringContaining('type yes')]]);
  expect(yes.err).toContain('from what the venue publishes');
  expect(yes.err).not.toMatch(PASTED);
  expect(readFileSync(join(state, 'one-click'), 'utf8')).toContain(delegatee);
  one.delegation.enabled = false;
  expect([(await drover(enable(), { env, cwd })).code, enabled()]).toEqual([0, 2]);
});

test.each([
  ['delegatee', aapl, `delegatee is "${aapl}", not "${delegatee}"`],
  ['verifyingContract', aapl, `domain.verifyingContract is "${aapl}", not "${contract}"`],
])('oneclick enable refuses a changed %s later, showing both values', async (field, other, why) => {
  expect((await asked('yes')).code).toBe(0);
  const prepare = one.answers['POST /api/v1/1ct/prepare'];
  one.answers['POST /api/v1/1ct/prepare'] = (request) => {
    const answer = prepare?.(request) as Prepared;
    if (field === 'delegatee') answer.delegatee = answer.signPayload.message.delegatee = other;
    else answer.signPayload.domain.verifyingContract = other;
    return answer;
  };
  for (const again of [await asked('yes'), await asked('yes', '--yes')]) {
    expect([again.code, enabled(), again.keyboard.asked]).toEqual([4, 1, []]);
    expect(again.err).toContain(why);
  }
});
type Prepared = {
  delegatee: string;
  signPayload: { domain: { verifyingContract: string }; message: { delegatee: string } };
};

test('oneclick enable refuses a flag that contradicts the config or the state folder', async () => {
  one.writeConfig(`delegatee: '${delegatee}'`);
  const config = await drover(enable('--delegatee', aapl), { env, cwd });
  expect([config.code, config.err]).toEqual([
    4,
    expect.stringMatching(new RegExp(`--delegatee is ${aapl}, and venue.delegatee is ${delegatee}`)),
  ]);
  one.writeConfig();
  expect((await asked('yes')).code).toBe(0);
  const kept = await drover(enable('--router', aapl), { env, cwd });
  expect([kept.code, kept.err]).toEqual([
    4,
    expect.stringMatching(new RegExp(`--router is ${aapl}.*${contract}`)),
  ]);
  expect(enabled()).toBe(1);
});

test('oneclick enable does not ask where config or flags name both', async () => {
  expect(
    (await drover(enable('--router', contract, '--delegatee', delegatee, '--yes'), { env, cwd })).code,
  ).toBe(0);
  one.writeConfig(`oneClickRouter: '${contract}'\n  delegatee: '${delegatee}'`);
  expect([(await drover(enable(), { env, cwd })).code, enabled()]).toEqual([0, 2]);
});

test('oneclick enable follows the config before an earlier confirmation', async () => {
  expect((await asked('yes')).code).toBe(0);
  one.writeConfig(`oneClickRouter: '${aapl}'\n  delegatee: '${delegatee}'`);
  const { code, err } = await drover(enable(), { env, cwd });
  expect([code, err]).toEqual([
    4,
    expect.stringContaining(`domain.verifyingContract is "${contract}", not "${aapl}"`),
  ]);
});

test('oneclick status and doctor name a delegatee that is not the pinned one', async () => {
  one.delegation.enabled = true;
  one.writeConfig(`delegatee: '${aapl}'`);
  const { err } = await one.run('oneclick', 'status');
  expect(err).toContain(`delegatee is ${delegatee} at the venue, and ${aapl} in venue.delegatee`);
  const { code, out } = await one.run('doctor');
  expect([code, out]).toEqual([
    3,
    expect.stringContaining(`delegatee is ${delegatee} at the venue, and ${aapl}`),
  ]);
});

test('oneclick enable reports that the venue now names another delegatee than was signed for', async () => {
  one.answers['GET /api/v1/1ct/status'] = () => ({ status: 'enable', delegatee: aapl });
  const { code, err } = await drover(enable('--router', contract, '--delegatee', delegatee), { env, cwd });
  expect([code, err]).toEqual([
    4,
    expect.stringContaining(`names the delegatee ${aapl}, but ${delegatee} was signed for`),
  ]);
});
