import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { orClosed, orClosedAfter } from '../../core/errors.ts';
import type { Address } from '../../domain/instrument.ts';
import {
  memoryTransactionLog,
  transactionsOf,
  type JournaledTransactions,
  type TransactionLog,
} from '../../domain/transfers/transactionLog.ts';
import { latestOf } from '../../store/readJournal.ts';
import { openTransactionFile, type TransactionFile } from '../../store/transactionFile.ts';
import type { Chain } from '../../wallet/chain.ts';
import { journalFile } from './ownership.ts';
import { holdWallet, lockFolders, type LockPlaces } from './locks.ts';

/** Number of journal entries searched for transactions, newest first: far more than can be pending. */
const FACTS_MAX = 2_000;

/** Length of the longest trading day, in ms: everything signed in it counts towards its gas. */
const LONGEST_DAY_MS = 25 * 3_600_000;

export type WalletUse = Readonly<{
  address: Address;
  chainId: number;
  rpcUrl: string;
  /** State folder of the run, whose journal may know transactions that this machine does not. */
  stateDir: string | undefined;
  /** This process, as named in the errors of others. */
  holder: string;
}>;

/** The log of a wallet's transactions, open. */
export type OpenLog = Readonly<{ log: TransactionLog; close(): void }>;

/**
 * Holds a wallet for the life of this process, and opens the log of its signed transactions on this chain.
 * @throws {LockHeldError} when another process holds it
 * @throws {SafetyError} when a lock folder can be changed by others, or a log cannot be read
 */
export async function openHeldWallet(
  use: WalletUse,
  chain: Pick<Chain, 'genesis'>,
  places: LockPlaces,
): Promise<OpenLog> {
  const release = holdWallet(use, places);
  return orClosedAfter({ close: release }, async () => {
    const { log, close } = await openWalletLog(use, chain, places);
    return {
      log,
      close() {
        close();
        release();
      },
    };
  });
}

/**
 * Opens the log of what a wallet held by the caller has signed on this chain: a file beside each lock, so that every process that
 * a lock excludes knows the nonces too.
 * @throws {SafetyError} when one cannot be read
 */
async function openWalletLog(
  use: WalletUse,
  chain: Pick<Chain, 'genesis'>,
  places: LockPlaces,
): Promise<OpenLog> {
  const name = `nonces-${use.address.toLowerCase()}-${await nameOfChain(use, chain)}.sqlite`;
  const files: TransactionFile[] = [];
  const close = () => {
    for (const file of files) file.close();
  };
  return orClosed({ close }, () => {
    for (const folder of lockFolders(places)) files.push(openTransactionFile(join(folder, name)));
    return { log: logOver(files, transactionsIn(use)), close };
  });
}

/** The log of a wallet on a chain that only this run uses. */
export const unsharedLog = (use: Pick<WalletUse, 'stateDir' | 'chainId'>): OpenLog => ({
  log: memoryTransactionLog(transactionsIn(use).signed),
  close: () => undefined,
});

/** Name of a chain. A local node may start a new chain each time; the hash of its first block distinguishes them. */
async function nameOfChain({ chainId, rpcUrl }: WalletUse, chain: Pick<Chain, 'genesis'>): Promise<string> {
  const { protocol, port } = new URL(rpcUrl);
  if (protocol !== 'http:') return String(chainId);
  return `${chainId}-${port || '80'}-${(await chain.genesis()).slice(2, 18)}`;
}

/** One log for all the files, which are read once: the lock prevents others from writing them. */
function logOver(
  files: readonly TransactionFile[],
  { signed, refused }: JournaledTransactions,
): TransactionLog {
  const kept = files.flatMap((file) => file.entries()).filter(({ txHash }) => !refused.has(txHash));
  const known = memoryTransactionLog([...kept, ...signed]);
  const logs = [...files, known];
  const remove = (txHash: string) => {
    for (const log of logs) log.remove(txHash);
  };
  for (const txHash of refused) remove(txHash);
  return {
    entries: () => known.entries(),
    add(transaction, at) {
      try {
        for (const log of logs) log.add(transaction, at);
      } catch (error) {
        // It will never be sent now, and no process may submit it later.
        remove(transaction.txHash);
        throw error;
      }
    },
    accept(txHash) {
      for (const log of logs) log.accept(txHash);
    },
    giveUp(txHash) {
      for (const log of logs) log.giveUp(txHash);
    },
    remove,
  };
}

/** The wallet's own transactions in the journal of a state folder; none if there is no journal. */
export function transactionsIn({
  stateDir,
  chainId,
}: Pick<WalletUse, 'stateDir' | 'chainId'>): JournaledTransactions {
  if (stateDir === undefined || !existsSync(journalFile(stateDir))) return transactionsOf([]);
  const facts = latestOf(journalFile(stateDir), ['order', 'transfer', 'externalCancel', 'nonceCancelled'], {
    count: FACTS_MAX,
    spanMs: LONGEST_DAY_MS,
  });
  const { signed, refused } = transactionsOf(facts);
  return { signed: signed.filter((each) => each.chainId === chainId), refused };
}
