import { Database } from './sqlite/sqlite.ts';
import { epochMs } from '../core/brand.ts';
import { messageOf, SafetyError, orClosed, orElse } from '../core/errors.ts';
import type { Address } from '../domain/instrument.ts';
import type { LoggedTransaction, TransactionLog } from '../domain/transfers/transactionLog.ts';
import { isDamage, ADVICE, requireOwnTables } from './sqlite/sqliteErrors.ts';

type Row = Readonly<{
  hash: string;
  chain: number;
  target: string;
  nonce: number;
  raw: string;
  accepted: number;
  given_up: number;
  at: number | null;
}>;

const TABLE = `CREATE TABLE IF NOT EXISTS transactions (
  hash TEXT PRIMARY KEY, chain INTEGER NOT NULL, target TEXT NOT NULL, nonce INTEGER NOT NULL, raw TEXT NOT NULL,
  accepted INTEGER NOT NULL, given_up INTEGER NOT NULL
) STRICT`;
/** Signing times. A separate table, because versions up to 0.8.0 write the other one and rely on its columns. */
const TIMES = 'CREATE TABLE IF NOT EXISTS times (hash TEXT PRIMARY KEY, at INTEGER NOT NULL) STRICT';

export type TransactionFile = TransactionLog & Readonly<{ close(): void }>;

/**
 * Log of signed transactions on disk, written by one process at a time, the holder of the wallet's lock.
 * @throws {SafetyError} when it cannot be read or written
 */
export function openTransactionFile(file: string): TransactionFile {
  const database = at(file, () => opened(file));
  const all = database.prepare<[], Row>(
    'SELECT transactions.*, times.at FROM transactions LEFT JOIN times USING (hash) ORDER BY transactions.rowid',
  );
  const insert = database.prepare('INSERT OR REPLACE INTO transactions VALUES (?, ?, ?, ?, ?, 0, 0)');
  const date = database.prepare<[string, number]>('INSERT OR REPLACE INTO times VALUES (?, ?)');
  const accept = database.prepare<[string]>('UPDATE transactions SET accepted = 1 WHERE hash = ?');
  const giveUp = database.prepare<[string]>('UPDATE transactions SET given_up = 1 WHERE hash = ?');
  const remove = database.prepare<[string]>('DELETE FROM transactions WHERE hash = ?');
  const undate = database.prepare<[string]>('DELETE FROM times WHERE hash = ?');
  return {
    entries: () => at(file, () => all.all()).map(transactionOf),
    add({ txHash: hash, chainId: chain, to: target, nonce, raw }, signedAt) {
      at(file, () => {
        date.run(hash, signedAt);
        insert.run(hash, chain, target, nonce, raw);
      });
    },
    // Losing these does no harm: the chain is then read to see whether a nonce is used, and a node for the bytes.
    accept: (txHash) => orElse(() => accept.run(txHash), null),
    giveUp: (txHash) => orElse(() => giveUp.run(txHash), null),
    remove: (txHash) =>
      orElse(() => {
        remove.run(txHash);
        undate.run(txHash);
      }, undefined),
    close: () => database.close(),
  };
}

/** Opens the file, durable through SQLite's default journal and an fsync at each write. */
function opened(file: string): Database {
  const database = new Database(file, { timeout: 0 });
  return orClosed(database, () => {
    database.pragma('synchronous = FULL');
    requireOwnTables(database, file, `${TABLE}; ${TIMES}`);
    database.exec(`${TABLE}; ${TIMES}`);
    return database;
  });
}

const transactionOf = ({
  hash,
  chain,
  target,
  nonce,
  raw,
  accepted,
  given_up: givenUp,
  at: signedAt,
}: Row): LoggedTransaction => ({
  txHash: hash,
  chainId: chain,
  nonce,
  raw,
  to: target as Address,
  at: epochMs(signedAt ?? 0),
  accepted: accepted === 1,
  givenUp: givenUp === 1,
});

/** @throws {SafetyError} with the remedy, when the file cannot be read or written */
function at<T>(file: string, work: () => T): T {
  try {
    return work();
  } catch (cause) {
    const remedy = isDamage(cause)
      ? 'Wait until the chain shows nothing of this wallet that waits, and remove the file'
      : ADVICE;
    const why = `the transactions that the wallet has signed cannot be kept in ${file}: ${messageOf(cause)}. Nothing was sent. ${remedy}`;
    throw new SafetyError(why, { file }, { cause });
  }
}
