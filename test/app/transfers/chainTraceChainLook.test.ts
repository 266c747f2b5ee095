import { expect, test } from 'vitest';
import { epochMs } from '../../../src/core/brand.ts';
import { VirtualClock } from '../../../src/core/virtualClock.ts';
import { lookOnChain } from '../../../src/app/transfers/chainTrace.ts';
import type { Chain } from '../../../src/wallet/chain.ts';
import type { Trace } from '../../../src/wallet/traces.ts';

const START = 1_781_530_000_000;
const TX = `0x${'aa'.repeat(32)}`;
const signed = { from: `0x${'bb'.repeat(20)}`, nonce: 7 } as const;
const absent: Trace = { kind: 'absent', at: epochMs(START) };
const waiting: Trace = { kind: 'waiting', signed };
const mined = (revert: string | null, isDeep: boolean): Trace => ({
  kind: 'mined',
  at: epochMs(START),
  revert,
  isDeep,
});

/** Polls every 50 s what the chain reports next, and returns the statuses and the last end. */
async function seen(...traces: readonly Trace[]) {
  const clock = new VirtualClock({ start: epochMs(START) });
  const asked: Parameters<Chain['trace']>[1][] = [];
  const left = [...traces];
  const look = lookOnChain((status) => status, {
    txHash: TX,
    clock,
    lookMs: 100_000,
    traceOf(_txHash, nonce) {
      asked.push(nonce);
      return Promise.resolve(left.shift() ?? absent);
    },
  });
  const sights = [];
  for (let at = 0; at < traces.length; at++) {
    sights.push(await look());
    await clock.advanceBy(50_000);
  }
  return { ends: sights.map((sight) => sight?.end ?? null), last: sights.at(-1), asked };
}

test('a transaction without a trace on the chain for long enough ends as unknown', async () => {
  const { ends, last } = await seen(absent, absent, absent);
  expect(ends).toEqual([null, null, 'unknown']);
  expect(last?.status).toBe(
    `for 100 s the chain has shown no trace of ${TX}: it waits unseen, was dropped, or has never arrived. It may still be mined while no other transaction of its wallet has used its nonce`,
  );
});

test('a transaction that is dropped while pending is looked for again for the full time', async () => {
  expect((await seen(absent, absent, waiting, waiting, absent, absent, absent)).ends).toEqual([
    null,
    null,
    null,
    null,
    null,
    null,
    'unknown',
  ]);
});

test("a transaction's nonce is learned while it is pending, so that a replacement can be found", async () => {
  const { ends, asked, last } = await seen(waiting, absent, { kind: 'replaced', at: epochMs(START) });
  expect(asked).toEqual([undefined, signed, signed]);
  expect(ends).toEqual([null, null, 'failed']);
  expect(last?.status).toBe(
    'replaced: another transaction was mined with its nonce, and this one did nothing',
  );
});

test('a revert is final once its block is deep enough for no reorganisation', async () => {
  const { ends, last } = await seen(mined('paused', false), mined(null, false));
  expect(ends).toEqual([null, 'done']);
  expect(last?.status).toBe('success');
  expect((await seen(mined('paused', false), mined('paused', true))).ends).toEqual([null, 'failed']);
  expect((await seen(mined('paused', false))).last?.status).toBe(
    'reverted: paused, unless a reorganisation undoes it',
  );
});
