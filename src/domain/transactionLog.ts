import type { Entry } from './fact.ts';
import type { SignedTransaction } from './venue.ts';

/** `accepted`: a node has said that it has it. */
export type LoggedTransaction = SignedTransaction & Readonly<{ accepted: boolean }>;

/** Transactions that a wallet has signed on one chain, by whatever process, until their nonces are used for good. */
export interface TransactionLog {
  entries(): readonly LoggedTransaction[];
  /**
   * Durable when it returns. Not accepted yet.
   * @throws {DroverError} when it cannot be written: the transaction must not leave then
   */
  add(transaction: SignedTransaction): void;
  /** Notes that a node has it. */
  accept(txHash: string): void;
  /** Takes out what has never left, or whose nonce is used. */
  remove(txHash: string): void;
}

/** A log that ends with this process, begun with what was signed before. */
export function memoryTransactionLog(signed: Iterable<LoggedTransaction> = []): TransactionLog {
  const byHash = new Map<string, LoggedTransaction>();
  const set = (each: LoggedTransaction) => void byHash.set(each.txHash, each);
  for (const each of signed) if (!byHash.get(each.txHash)?.accepted) set(each);
  return {
    entries: () => [...byHash.values()],
    add: (transaction) => set({ ...transaction, accepted: false }),
    accept(txHash) {
      const found = byHash.get(txHash);
      if (found) set({ ...found, accepted: true });
    },
    remove: (txHash) => void byHash.delete(txHash),
  };
}

/**
 * Transactions of a wallet's own in a journal. `closed`: hashes of transfers that were refused, or closed without proof: they are
 * not offered again, and their nonces may go to others.
 */
export type JournaledTransactions = Readonly<{
  signed: readonly LoggedTransaction[];
  closed: ReadonlySet<string>;
}>;

/** Finds them in any order of the journal's entries; those of a simulated venue have no bytes. */
export function transactionsOf(entries: Iterable<Entry>): JournaledTransactions {
  const sent: (readonly [owner: string, transaction: SignedTransaction])[] = [];
  const accepted = new Set<string>();
  const closedOwners = new Set<string>();
  for (const { fact } of entries) {
    if (fact.kind !== 'order' && fact.kind !== 'operation') continue;
    const { id, event, request } = fact;
    if (request && 'raw' in request && request.raw !== '0x') sent.push([id, request]);
    if (event.kind === 'accepted' || event.kind === 'cancelAccepted') accepted.add(event.txHash);
    if (fact.kind === 'operation' && (event.kind === 'refused' || event.kind === 'assumedGone'))
      closedOwners.add(id);
  }
  const isClosed = (owner: string) => closedOwners.has(owner);
  return {
    signed: sent
      .filter(([owner]) => !isClosed(owner))
      .map(([, each]) => ({ ...each, accepted: accepted.has(each.txHash) })),
    closed: new Set(sent.filter(([owner]) => isClosed(owner)).map(([, { txHash }]) => txHash)),
  };
}
