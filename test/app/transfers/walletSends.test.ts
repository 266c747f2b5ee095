import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeEach, expect, test } from 'vitest';
import { RateLimitedError } from '../../../src/core/errors.ts';
import { epochMs } from '../../../src/core/brand.ts';
import { VirtualClock } from '../../../src/core/virtualClock.ts';
import type { SendGate, SendOutcome, SignedTransaction } from '../../../src/domain/venue.ts';
import type { SendingConnection } from '../../../src/app/environment/connect.ts';
import { sendFromWallet } from '../../../src/app/transfers/walletSends.ts';

const txHash = `0x${'ab'.repeat(32)}`;
const userAddress = `0x${'1'.repeat(40)}` as const;
const transaction: SignedTransaction = { chainId: 1, to: userAddress, nonce: 7, raw: '0x', txHash };
let state: string;
let told: string[];
let account: SendingConnection;

beforeEach(() => {
  state = mkdtempSync(join(tmpdir(), 'drover-gate-'));
  told = [];
  const config = { mode: 'live', state, limits: {}, orders: { deadlineSeconds: 90 } };
  account = {
    clock: new VirtualClock({ start: epochMs(1_700_000_000_000) }),
    loaded: { config, file: 'my.yaml' },
    context: { terminal: { err: (text: string) => told.push(text) } },
    venue: { userAddress },
  } as unknown as SendingConnection;
});

/** A wallet that takes a while to prepare between its two gate checks. */
const prepared =
  (meanwhile: () => void, outcome: SendOutcome = { kind: 'accepted', txHash }) =>
  (gate: SendGate): Promise<SendOutcome> => {
    const first = gate.open();
    meanwhile();
    if ('deadline' in first) gate.open(first.deadline);
    gate.commit(transaction);
    return Promise.resolve(outcome);
  };
const send = (how: ReturnType<typeof prepared>) => sendFromWallet(account, { risk: 'adds' }, how);

test('a kill file that appears while a send is prepared stops it before its bytes are stored', async () => {
  const kill = () => writeFileSync(join(state, 'KILL'), '');
  await expect(async () => send(prepared(kill))).rejects.toThrow(/KILL is there, and nothing is sent/);
  expect(told).toEqual([]);
});

test('the deadline counts from the opening of the gate, and a second opening keeps it', async () => {
  const opened: unknown[] = [];
  const look = (gate: SendGate) => {
    const first = gate.open();
    opened.push(first, 'deadline' in first && gate.open(first.deadline));
    return Promise.resolve({ kind: 'accepted', txHash } as const);
  };
  expect(await send(look)).toEqual({ txHash });
  expect(opened).toEqual([{ deadline: 1_700_000_090 }, { deadline: 1_700_000_090 }]);
});

test('a wallet transaction is printed before it is sent, and returned with its nonce', async () => {
  expect(await send(prepared(() => undefined))).toEqual({ txHash, signed: { from: userAddress, nonce: 7 } });
  expect(told).toEqual([`signed: ${txHash}`]);
});

test.each<[outcome: SendOutcome, code: string, text: RegExp]>([
  [{ kind: 'refused', reason: 'no' }, 'VENUE_REFUSED', /^no$/],
  [{ kind: 'refused', reason: 'not the call', alarm: true }, 'REFUSED_BY_SAFETY', /^not the call$/],
  [{ kind: 'stopped', reason: 'clock' }, 'NOT_SENT', /^clock$/],
  [{ kind: 'unknown', reason: 'reset' }, 'OUTCOME_UNKNOWN', /reset.*drover wallet show 0x(ab)+ --wait/],
  [{ kind: 'unknown', reason: 'many', error: new RateLimitedError('many') }, 'RATE_LIMITED', /^many$/],
])('the outcome %o is thrown as %s', async (outcome, code, text) => {
  const thrown: unknown = await send(prepared(() => undefined, outcome)).catch((error: unknown) => error);
  expect(thrown).toMatchObject({ code, message: expect.stringMatching(text) as string });
});
