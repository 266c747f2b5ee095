import { existsSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startDaemon, type DaemonRun } from './daemonRun.ts';

let run: DaemonRun;
beforeAll(async () => {
  run = await startDaemon();
});
afterAll(async () => {
  await run.stop();
});

test('a run listens on a socket in its state folder that only its user may open', async () => {
  expect(run.socket).toBe(join(run.stateDir, 'control.sock'));
  expect(statSync(run.socket).mode & 0o777).toBe(0o600);
  expect(await run.client.status()).toMatchObject({ running: true, mode: 'emulator' });
});

test('a command is carried out once, with who and why, and its id returns the first response again', async () => {
  const id = 'command-0001';
  const first = await run.client.steer('trade', { state: 'reducing', reason: 'lunch' }, { id });
  const again = await run.client.steer('trade', { state: 'reducing', reason: 'lunch' }, { id });
  expect(again).toEqual(first);
  expect(await run.client.command(id)).toMatchObject({
    id,
    by: expect.stringMatching(/ \(socket\), a test$/) as string,
    reason: 'lunch',
    done: true,
  });
  const status = await run.client.status();
  expect(status.state).toMatchObject({ trading: 'reducing', reason: 'lunch' });
});

test('the id of a command is refused for another command', async () => {
  await run.client.steer('trade', { state: 'halted' }, { id: 'command-0002' });
  await expect(run.client.steer('stop', {}, { id: 'command-0002' })).rejects.toThrow(
    /the id command-0002 was used for another command \(trade\)/,
  );
});

test('the id of a dry-run reload is refused for a real reload', async () => {
  await run.client.steer('reload', { dryRun: true }, { id: 'command-0003' });
  await expect(run.client.steer('reload', {}, { id: 'command-0003' })).rejects.toThrow(
    /was used for another/,
  );
});

test.each([
  ['orders', { symbol: 'AA PL', side: 'buy', shares: '1' }],
  ['freeze', { symbol: 'A\u001b[2JB' }],
  ['trade', { state: 'halted', symbol: '__proto__' }],
  ['transfers', { kind: 'stockDeposit', symbol: 'a b', token: `0x${'0'.repeat(40)}`, amount: '1' }],
])('an invalid symbol is refused as wrong usage: %s', async (verb, body) => {
  await expect(run.client.steer(verb, body)).rejects.toThrow(
    /^field "symbol" must be the symbol of a stock.*Nothing was done/,
  );
});

test('stop ends the run and removes its socket', async () => {
  const other = await startDaemon();
  expect(await other.client.steer('stop', { reason: 'evening' })).toMatchObject({ done: true });
  expect((await other.stop()).code).toBe(0);
  expect(existsSync(other.socket)).toBe(false);
});
