import { describe, expect, test } from 'vitest';
import type { RunReport } from '../../src/engine/runtime/runner.ts';
import { anvilPath } from './anvil.ts';
import { playToTheClose, type FaceOf, type Verdict } from './daemon.ts';
import { monadFace } from './monadFace.ts';
import type { Intercept } from './relay.ts';

const LONG_MS = 180_000;
/** Market orders of the strategy: three at once, four times. A limit order or its cancel comes with them. */
const MARKETS = 12;
const SEND = 'eth_sendRawTransaction';

type Answer = Readonly<{ result?: string }>;

const passing: Intercept = (call, forward) => forward(call);

/** Makes the node forget these sends, counted from 1, as soon as it has accepted them. */
const dropping =
  (sends: ReadonlySet<number>): FaceOf =>
  ({ node }) => {
    let sent = 0;
    return async (call, forward) => {
      const answer = await forward(call);
      if (call.method !== SEND || !sends.has(++sent)) return answer;
      await node.ask('anvil_dropTransaction', (JSON.parse(answer) as Answer).result);
      return answer;
    };
  };

/** Stops blocks for so long once a transaction waits. */
const stalling =
  (ms: number): FaceOf =>
  ({ mirror }) => {
    let hasStalled = false;
    return (call, forward) => {
      if (call.method === SEND && !hasStalled) {
        hasStalled = true;
        mirror.stall(ms);
      }
      return forward(call);
    };
  };

/** Monad's node, which loses the response of these sends, counted from 1. */
const losingOnMonad =
  (sends: ReadonlySet<number>): FaceOf =>
  () => {
    let sent = 0;
    return async (call, forward) => {
      const answer = await monadFace(call, forward);
      return call.method === SEND && sends.has(++sent) ? null : answer;
    };
  };

/** Monad's node, whose daemon dies as the node accepts these sends, counted from 1. */
const dyingOnMonad =
  (sends: ReadonlySet<number>): FaceOf =>
  ({ kill }) => {
    let sent = 0;
    return async (call, forward) => {
      const answer = await monadFace(call, forward);
      if (call.method !== SEND || !sends.has(++sent)) return answer;
      kill();
      return null;
    };
  };

async function play(faceOf: FaceOf): Promise<Verdict & Readonly<{ report: RunReport }>> {
  const verdict = await playToTheClose(faceOf);
  return { ...verdict, report: JSON.parse(verdict.out) as RunReport };
}

/** Invariants of every run, whatever the node did. */
function expectSound({
  code,
  findings,
  pairs,
  journal,
  err,
  report,
}: Awaited<ReturnType<typeof play>>): void {
  expect(findings, err).toEqual([]);
  expect(
    pairs.filter(({ node, venue }) => node !== venue),
    'both chains have done the same',
  ).toEqual([]);
  expect(report.orders).toMatchObject({ sent: journal.sends.size, unknown: 0, working: 0, external: 0 });
  expect(report.reconciliation.differences).toBe(0);
  expect([...journal.books.frozen], 'nothing came as a surprise').toEqual([]);
  expect(code, err).toBe(0);
}

describe.skipIf(anvilPath === null)('the built daemon on a real node', () => {
  test('sends several orders at once, each carried out once', { timeout: LONG_MS }, async () => {
    const run = await play(() => passing);
    expectSound(run);
    expect(run.report.orders).toMatchObject({ filled: MARKETS, cancelled: 2 });
  });

  test('carries out each order once on Monad when two responses are lost', { timeout: LONG_MS }, async () => {
    const run = await play(losingOnMonad(new Set([2, 7])));
    expectSound(run);
    expect(run.report.orders).toMatchObject({ filled: MARKETS });
  });

  test(
    'carries out each order once on Monad when it dies twice during a send',
    { timeout: LONG_MS },
    async () => {
      const run = await play(dyingOnMonad(new Set([2, 7])));
      expectSound(run);
      expect(run.lives).toBe(3);
      expect(run.report.orders.filled).toBeGreaterThanOrEqual(MARKETS - 4);
    },
  );

  test(
    'ends dropped transactions as never placed, and carries out nothing twice',
    { timeout: LONG_MS },
    async () => {
      const run = await play(dropping(new Set([2, 7])));
      expectSound(run);
      expect(run.report.orders.neverExisted).toBeGreaterThan(0);
      expect(run.report.orders.neverExistedAssumed).toBe(0);
    },
  );

  test(
    'has transactions that wait past their deadline reverted, and carries out later orders',
    { timeout: LONG_MS },
    async () => {
      const run = await play(stalling(70_000));
      expectSound(run);
      expect(run.report.orders.reverted).toBeGreaterThan(0);
      expect(run.report.orders.filled).toBeGreaterThan(0);
    },
  );
});
