import { createVenueClient } from '../../../src/api/client.ts';
import { createVenue } from '../../../src/api/venue.ts';
import { loadConfig, stateOverride, type LoadedConfig } from '../../../src/app/config/load.ts';
import { journalFile } from '../../../src/app/environment/ownership.ts';
import { Secrets } from '../../../src/core/secrets.ts';
import type { JournalEvent } from '../../../src/domain/journalEvent.ts';
import { openSqliteJournal } from '../../../src/store/sqliteJournal.ts';
import { accountOf, startEmulated } from './emulated.ts';
import { emptyState } from './stateFolder.ts';

/** An emulated account, and the state folder of an ended run on it. `begin` makes a new one. */
export async function startClosedRun(seed: number, submission = 'one-click') {
  const venue = await startEmulated(seed);
  const account = accountOf(venue, submission);
  const { baseUrl, chainId, product } = venue.info;
  const { apiKey, secret } = account.key;
  const client = createVenueClient({ baseUrl, chainId, product, clock: venue.clock, apiKey, secret });
  const port = createVenue(client, { userAddress: account.user });
  let state = '';

  /** Balances that a run starting now would take into its ledger. */
  async function opening(): Promise<JournalEvent[]> {
    const [{ cash, holdings, tokens = new Map() }, debts] = [await port.account(), await port.debts()];
    const at = (place: 'exchange' | 'wallet') =>
      [...holdings].map(([symbol, amounts]) => [symbol, amounts[place]] as const);
    return [
      { kind: 'epoch', epoch: 1 },
      { kind: 'opened', cash, equity: cash, holdings: at('exchange') },
      { kind: 'walletOpened', tokens: [...tokens], stocks: at('wallet') },
      { kind: 'debtsOpened', debts: [...debts] },
    ];
  }

  function commit(...facts: readonly JournalEvent[]): void {
    const journal = openSqliteJournal(journalFile(state));
    journal.commit(facts.map((fact) => ({ at: venue.clock.now(), fact })));
    journal.close();
  }

  /** Cancels orders that earlier tests have left open. */
  async function cancelOpen(): Promise<void> {
    const { rows } = await port.orders({ page: 1, limit: 50 });
    for (const row of rows)
      if (!('unreadable' in row) && row.status === 'open')
        await account.run(['orders', 'cancel', row.txHash, '--yes']);
  }

  return {
    venue,
    account,
    port,
    commit,
    get state(): string {
      return state;
    },
    async begin() {
      await venue.control('/faults', { rules: [] });
      // Time stands still: requests of the previous test would use up the budget of this one.
      await venue.later(60_000);
      await cancelOpen();
      state = emptyState();
      commit(...(await opening()));
    },
    loaded: (): LoadedConfig =>
      loadConfig({
        file: account.file,
        cwd: '/',
        secrets: new Secrets(),
        overrides: stateOverride({ state }),
      }),
    by: (...argv: string[]) => account.run([...argv, '--state', state, '--yes']),
    async differences(): Promise<string[]> {
      const { out, err } = await account.run(['reconcile', '--state', state]);
      if (out === '') throw new Error(err);
      return (JSON.parse(out) as { differences: string[] }).differences;
    },
    async close() {
      await client.close();
      await venue.close();
    },
  };
}
export type ClosedRun = Awaited<ReturnType<typeof startClosedRun>>;
