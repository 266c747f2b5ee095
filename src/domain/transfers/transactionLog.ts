import type { JournalEntry } from '../journalEvent.ts';
import type { SignedTransaction } from '../venue.ts';
import { epochMs, type EpochMs } from '../../core/brand.ts';

/**
 * A transaction signed by the wallet. `at`: when, 0 if unknown. `accepted`: a node has confirmed that it has it.
 * `givenUp`: closed without proof; the next transaction gets its nonce, so that at most one of the two is ever mined.
 */
export type LoggedTransaction = SignedTransaction &
  Readonly<{ at: EpochMs; accepted: boolean; givenUp: boolean }>;

/** Transactions that a wallet has signed on one chain, in any process, until their nonces are finally used. */
export interface TransactionLog {
  entries(): readonly LoggedTransaction[];
  /**
   * Adds a transaction signed at a time, not accepted yet. Durable when it returns.
   * @throws {DroverError} if it cannot be written: the transaction must not be sent then
   */
  add(transaction: SignedTransaction, at: EpochMs): void;
  /** Records that a node has a transaction. */
  accept(txHash: string): void;
  /** Records that a transaction is closed without proof. */
  giveUp(txHash: string): void;
  /** Removes a transaction that was never sent, or whose nonce is used. */
  remove(txHash: string): void;
}

/** Log in memory, starting with the given transactions. */
export function memoryTransactionLog(signed: Iterable<LoggedTransaction> = []): TransactionLog {
  const byHash = new Map<string, LoggedTransaction>();
  const set = (each: LoggedTransaction) => void byHash.set(each.txHash, each);
  const note = (txHash: string, mark: Partial<LoggedTransaction>) => {
    const found = byHash.get(txHash);
    if (found) set({ ...found, ...mark });
  };
  for (const each of signed) {
    const { at = each.at, accepted = false, givenUp = false } = byHash.get(each.txHash) ?? {};
    const known = { at: epochMs(Math.max(at, each.at)), accepted: each.accepted || accepted };
    set({ ...each, ...known, givenUp: each.givenUp || givenUp });
  }
  return {
    entries: () => [...byHash.values()],
    add: (transaction, at) => set({ ...transaction, at, accepted: false, givenUp: false }),
    accept: (txHash) => note(txHash, { accepted: true }),
    giveUp: (txHash) => note(txHash, { givenUp: true }),
    remove: (txHash) => void byHash.delete(txHash),
  };
}

/** Wallet-signed transactions in a journal. `refused`: hashes of transfers that no node kept, or that were never sent. */
export type JournaledTransactions = Readonly<{
  signed: readonly LoggedTransaction[];
  refused: ReadonlySet<string>;
}>;

type DatedTransaction = SignedTransaction & Readonly<{ at: EpochMs }>;

/** Finds the wallet's transactions among journal entries, in any order; those of a simulated venue have no bytes. */
export function transactionsOf(entries: Iterable<JournalEntry>): JournaledTransactions {
  const sent: (readonly [strategyId: string, transaction: DatedTransaction])[] = [];
  const accepted = new Set<string>();
  const ends = new Map<string, 'refused' | 'assumedGone'>();
  for (const { at, fact } of entries) {
    if (fact.kind === 'nonceCancelled') sent.push([fact.request.txHash, { ...fact.request, at }]);
    if (fact.kind !== 'order' && fact.kind !== 'transfer' && fact.kind !== 'externalCancel') continue;
    const { event, request } = fact;
    const id = 'id' in fact ? fact.id : fact.txHash;
    if (request && 'raw' in request && request.raw !== '0x') sent.push([id, { ...request, at }]);
    if (event.kind === 'accepted' || event.kind === 'cancelAccepted') accepted.add(event.txHash);
    const isEnd = event.kind === 'refused' || event.kind === 'assumedGone';
    if (fact.kind === 'transfer' && isEnd) ends.set(id, event.kind);
  }
  const isRefused = (strategyId: string) => ends.get(strategyId) === 'refused';
  const logged = ([strategyId, each]: (typeof sent)[number]): LoggedTransaction => ({
    ...each,
    accepted: accepted.has(each.txHash),
    givenUp: ends.get(strategyId) === 'assumedGone',
  });
  return {
    signed: sent.filter(([strategyId]) => !isRefused(strategyId)).map(logged),
    refused: new Set(sent.filter(([strategyId]) => isRefused(strategyId)).map(([, { txHash }]) => txHash)),
  };
}
