import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { RunSummary } from '../../src/engine/runtime/summary.ts';
import { openMachine } from '../../src/emulator/index.ts';
import { openSqliteJournal } from '../../src/store/sqliteJournal.ts';
import { drover, freshDir, root, start } from './cli.ts';

const LONG_MS = 300_000;

type Summary = RunSummary & Readonly<{ requests: { byEndpoint: Readonly<Record<string, number>> } }>;
const summaryOf = (out: string): Summary => JSON.parse(out) as Summary;

/** Half a day on the emulator's config with one changed line. */
function afternoon(): string[] {
  const written = readFileSync(join(root, 'config/emulator.yaml'), 'utf8');
  const file = join(freshDir(), 'calldata.yaml');
  writeFileSync(file, written.replace('submission: one-click', 'submission: calldata'));
  return ['run', file, '--start', '2026-06-15T12:30', '--speed', 'max', '--until', 'close', '--json'];
}

/** Hashes of the orders at the venue, and of the transactions that the journal has as signed and acknowledged. */
function bothSides(state: string) {
  const kept = openMachine({ stateDir: join(state, 'emulator') });
  const { orders } = kept.machine.truth(kept.machine.state.now);
  kept.close();
  const journal = openSqliteJournal(join(state, 'journal.sqlite'));
  const signed: string[] = [];
  for (const { fact } of journal.entries()) {
    if (fact.kind !== 'order' || fact.event.kind !== 'sent') continue;
    expect(fact.event.txHash, 'a hash is known before its bytes leave').toBeDefined();
    if (fact.request && 'raw' in fact.request) signed.push(fact.request.txHash);
  }
  journal.close();
  return { venue: orders.map(({ txHash }) => txHash), signed };
}

test(
  'an afternoon of calldata orders ends clean, and is the same when repeated',
  { timeout: LONG_MS },
  async () => {
    const args = afternoon();
    const [first, again] = await Promise.all([drover(args), drover(args)]);
    expect([first.code, again.code]).toEqual([0, 0]);
    const { orders, reconciliation, requests } = summaryOf(first.out);
    expect(orders).toMatchObject({ unknown: 0, working: 0, external: 0, reverted: 0 });
    expect(reconciliation.differences).toBe(0);
    expect(orders.sent).toBeGreaterThanOrEqual(20);
    for (const kind of ['filled', 'cancelled', 'expired'] as const) expect(orders[kind]).toBeGreaterThan(0);
    const sends = Object.keys(requests.byEndpoint).filter((name) => name.includes('/send'));
    expect(sends).toEqual([]);
    expect(again.out).toBe(first.out);
  },
);

test(
  'an afternoon of calldata orders that is killed three times continues by the hashes in its journal',
  { timeout: LONG_MS },
  async () => {
    const state = freshDir();
    const args = [...afternoon(), '--state', state];
    for (const moment of [/^14:0/, /^14:1/, /^14:2/]) {
      const run = start(args);
      await run.line(moment);
      run.child.kill('SIGKILL');
      expect((await run.done).signal).toBe('SIGKILL');
    }
    const last = await drover(args);
    expect(last.err).not.toMatch(/external order/);
    expect(last.code).toBe(0);
    expect(summaryOf(last.out)).toMatchObject({
      orders: { unknown: 0, working: 0, external: 0 },
      reconciliation: { differences: 0 },
    });
    const { venue, signed } = bothSides(state);
    expect(venue.length).toBeGreaterThan(10);
    expect(new Set(signed).size).toBe(signed.length);
    expect(signed).toEqual(expect.arrayContaining(venue));
  },
);
