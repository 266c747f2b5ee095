import { expect } from 'vitest';
import { entryOf } from '../store/memoryJournal.ts';
import type { Stage } from './stage.ts';

export const factsOf = (stage: Stage) => stage.lines.map((line) => entryOf(line).fact);

/** Ends everything open at the venue, shows everything, and lets the runner read it. */
export async function settleAll(stage: Stage, ms: number): Promise<void> {
  const { venue } = stage;
  Object.assign(venue, { indexed: true, readsFail: false });
  for (const row of venue.rows) {
    row.shown = true;
    if (row.status === 'open') venue.end(row, 'expired');
  }
  await stage.pass(ms);
}

/** Invariants of every run whose orders have all ended. */
export function expectSound(stage: Stage): void {
  const { venue } = stage;
  const { accountState } = stage.runner.kernel.context;
  expect(stage.failure).toBeNull();
  const sent = factsOf(stage).flatMap((fact) =>
    fact.kind === 'order' && fact.event.kind === 'sent' ? [fact.id] : [],
  );
  expect(new Set(sent).size, 'an order is sent once').toBe(sent.length);
  expect(venue.sends, 'a send is journaled first').toBeLessThanOrEqual(sent.length);
  for (const row of venue.rows)
    expect([...accountState.byTx.keys()], 'each row is known').toContain(row.txHash);
  expect([...accountState.external.keys()], 'none is taken for foreign').toEqual([]);
  expect([...accountState.live.values()].map(({ id, state }) => `${id} ${state.kind}`)).toEqual([]);
  for (const asset of accountState.ledger.assets) {
    const actual = asset === 'mUSD' ? venue.cash : (venue.holdings.get(asset) ?? 0n);
    expect(accountState.ledger.total(asset), `the ledger's ${asset}`).toBe(actual);
    for (const strategyId of stage.runner.kernel.strategyIds)
      expect(accountState.ledger.balance(strategyId, 'reserved', asset), `reserved ${asset}`).toBe(0n);
  }
}
