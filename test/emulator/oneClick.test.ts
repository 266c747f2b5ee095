import { privateKeyToAccount } from 'viem/accounts';
import { describe, expect, test } from 'vitest';
import { VirtualClock } from '../../src/core/virtualClock.ts';
import { openFront, openMachine } from '../../src/emulator/index.ts';
import { sign, type Call, type Envelope } from './client.ts';
import { START } from './harness.ts';

/** The last account starts without delegation. */
const OWNER = 3;

type Payload = { message: { user: `0x${string}`; nonce: number; deadline: number } };

function open() {
  const kept = openMachine({ start: new Date(START).toISOString() });
  const clock = new VirtualClock({ start: START });
  const front = openFront(kept, { clock, latency: { minMs: 0, maxMs: 0 } });
  const account = kept.machine.state.accounts[OWNER];
  const key = kept.machine.state.keys.find(({ userAddress }) => userAddress === account?.userAddress);
  if (!account || !key) throw new Error('no account');
  const ask = async (call: Omit<Call, 'ts'>): Promise<Envelope> => {
    const reply = await front({ ...sign(key, { ...call, ts: clock.now() }), ip: '127.0.0.1' });
    return JSON.parse(reply?.body ?? '') as Envelope;
  };
  const post = (name: string, body?: unknown) => ask({ method: 'POST', path: `/api/v1/1ct/${name}`, body });
  const status = async () =>
    ((await ask({ method: 'GET', path: '/api/v1/1ct/status' })).data as { status: string }).status;
  const prepare = async (deadline: number) =>
    (await post('prepare', { deadline })).data as { signPayload: Payload; nonce: number; delegatee: string };
  return { account, clock, post, status, prepare };
}

const signedBy = (privateKey: `0x${string}`, payload: Payload) =>
  privateKeyToAccount(privateKey).signTypedData(payload as never);

const deadline = START / 1000 + 600;

describe('One Click', () => {
  test("is enabled by the user's signature of the prepared payload", async () => {
    const { account, post, status, prepare } = open();
    expect(await status()).toBe('disabled');
    const { signPayload, delegatee, nonce } = await prepare(deadline);
    expect(signPayload).toMatchObject({
      domain: { name: 'OneClickRouter', version: '1', chainId: 143 },
      primaryType: 'Delegate',
      message: { user: account.userAddress, delegatee, nonce, deadline },
    });
    const signature = await signedBy(account.privateKey, signPayload);
    expect(await post('enable', { signature, deadline })).toMatchObject({
      code: 200,
      data: { status: 'enable' },
    });
    expect(await status()).toBe('enable');
    expect(await post('disable')).toMatchObject({ code: 200, data: { status: 'disabled' } });
    expect(await status()).toBe('disabled');
  });

  test('accepts a signature once', async () => {
    const { account, post, prepare } = open();
    const { signPayload } = await prepare(deadline);
    const signature = await signedBy(account.privateKey, signPayload);
    await post('enable', { signature, deadline });
    await post('disable');
    await prepare(deadline);
    expect(await post('enable', { signature, deadline })).toMatchObject({ code: 10_003 });
  });

  test('rejects a signature of another wallet', async () => {
    const { post, status, prepare } = open();
    const { signPayload } = await prepare(deadline);
    const signature = await signedBy(`0x${'1'.repeat(64)}`, signPayload);
    expect(await post('enable', { signature, deadline })).toMatchObject({ code: 10_003 });
    expect(await status()).toBe('disabled');
  });

  test('rejects a deadline that differs from the prepared one or has passed', async () => {
    const { account, clock, post, prepare } = open();
    const { signPayload } = await prepare(deadline);
    const signature = await signedBy(account.privateKey, signPayload);
    expect(await post('enable', { signature, deadline: deadline + 1 })).toMatchObject({ code: 10_003 });
    await clock.advanceBy(600_000);
    expect(await post('enable', { signature, deadline })).toMatchObject({
      code: 10_002,
      errMsg: 'deadline has expired',
    });
  });

  test.each([
    ['nothing was prepared', { signature: `0x${'1'.repeat(130)}`, deadline }, 10_003],
    ['the signature is short', { signature: '0x12', deadline }, 10_000],
    ['the deadline is not a uint32', { signature: `0x${'1'.repeat(130)}`, deadline: 2 ** 32 }, 10_000],
  ])('rejects a request if %s', async (_name, body, code) => {
    expect(await open().post('enable', body)).toMatchObject({ code });
  });

  test('rejects an invalid signature', async () => {
    const { post, prepare } = open();
    await prepare(deadline);
    expect(await post('enable', { signature: `0x${'f'.repeat(130)}`, deadline })).toMatchObject({
      code: 10_003,
    });
  });
});
