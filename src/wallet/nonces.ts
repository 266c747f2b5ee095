import { greatest } from '../core/amount.ts';
import { epochMs, toIso, type EpochSeconds } from '../core/brand.ts';
import type { Clock } from '../core/clock.ts';
import { NotSentError } from '../core/errors.ts';
import type { Address } from '../domain/instrument.ts';
import type { LoggedTransaction, TransactionLog } from '../domain/transfers/transactionLog.ts';
import type { SignedTransaction } from '../domain/venue.ts';
import type { Chain } from './chain.ts';
import { dayStart, type Replacement } from './gas.ts';
import type { RouterCodec } from './routerAbi.ts';
import { deadlineOf, feesOf, outbidding } from './checkCalldata.ts';

/** Raised while an earlier transaction is pending past its deadline and needs a person. Nothing was sent. */
export class StuckWalletError extends NotSentError {}

/** Number of used nonces remembered, because a node's count may fall behind blocks it has already shown. */
const KEPT_USED = 64;

type NoncesOptions = Readonly<{
  wallet: Address;
  log: TransactionLog;
  chain: Pick<Chain, 'transactionCount' | 'trace'>;
  clock: Pick<Clock, 'now'>;
  /** Codec for the deadlines of calls. */
  codec: Pick<RouterCodec, 'decode'>;
  /** Resubmits signed bytes to the node. Never throws because of its response. */
  offerAgain: (transaction: SignedTransaction) => Promise<void>;
}>;

/** The nonce of the next transaction; `least`: minimum fees if another, no longer visible one was signed with it. */
export type NextNonce = Readonly<{ nonce: number; least: Replacement | null }>;

/**
 * A signed transaction whose nonce no block has used. `live`: it may still be mined; `stuck`: it is pending past its
 * deadline; `dead`: the node has no trace of it, and never accepted it or its deadline has passed. The nonce of one that
 * is dead, or was given up, is free, because at most one of the two is ever mined. A call without a deadline never dies:
 * only another transaction with its nonce ends it.
 */
type Open = Readonly<{
  transaction: LoggedTransaction;
  deadline: EpochSeconds | null;
  state: 'live' | 'stuck' | 'dead';
}>;

/**
 * The nonces of a wallet. The node's count alone is not enough: some nodes ignore pending transactions, a load balancer
 * uses a different node each time, and every node forgets. So a signed nonce that no block has used is not issued again.
 */
export class Nonces {
  readonly #options: NoncesOptions;

  constructor(options: NoncesOptions) {
    this.#options = options;
  }

  /**
   * The lowest nonce not used by a block, the node's mempool or a live transaction of ours. Calls without a deadline that
   * the node no longer knows are resubmitted to it: all later ones wait for them.
   * @throws {StuckWalletError} while an earlier transaction is pending past its deadline
   */
  async next(): Promise<NextNonce> {
    const { wallet, log, chain, clock } = this.#options;
    const [used, counted] = await Promise.all([
      chain.transactionCount(wallet, 'latest'),
      chain.transactionCount(wallet, 'pending'),
    ]);
    const today = dayStart(clock.now());
    for (const { nonce, txHash, at } of log.entries())
      if (nonce < used - KEPT_USED && at < today) log.remove(txHash);
    const signed = log.entries().filter(({ nonce }) => nonce >= used);
    const open = await Promise.all(signed.map((transaction) => this.#look(transaction, signed)));
    const live = open.filter(({ state }) => state !== 'dead');
    const taken = new Set(live.map(({ transaction }) => transaction.nonce));
    const givenUp = open
      .map(({ transaction }) => transaction)
      .filter((each) => each.givenUp && !taken.has(each.nonce));
    let nonce = Math.min(Math.max(used, counted), ...givenUp.map((each) => each.nonce));
    while (taken.has(nonce)) nonce++;
    requireMoving(live, { used, nonce });
    return { nonce, least: replacing(nonce, open) };
  }

  async #look(transaction: LoggedTransaction, signed: readonly LoggedTransaction[]): Promise<Open> {
    const { chain, clock, codec, offerAgain } = this.#options;
    const deadline = deadlineOf(transaction, codec);
    const live = { transaction, deadline, state: 'live' } as const;
    if (transaction.givenUp) return { ...live, state: 'dead' };
    const isInTime = deadline !== null && clock.now() <= deadline * 1000;
    if (isInTime && transaction.accepted) return live;
    const trace = await chain.trace(transaction.txHash);
    if (deadline === null) {
      if (trace.kind === 'absent' && !isOutbid(transaction, signed)) await offerAgain(transaction);
      return live;
    }
    if (trace.kind === 'waiting') return isInTime ? live : { ...live, state: 'stuck' };
    const isUnseen = trace.kind === 'absent' && (!transaction.accepted || trace.at > deadline * 1000);
    return isUnseen ? { ...live, state: 'dead' } : live;
  }
}

/** True if another was signed to replace this one. */
const isOutbid = (one: SignedTransaction, signed: readonly SignedTransaction[]): boolean =>
  signed.some(
    (other) =>
      other.nonce === one.nonce &&
      other.txHash !== one.txHash &&
      feesOf(other).maxFeePerGas > feesOf(one).maxFeePerGas,
  );

/** Fees of transactions that a node may still hold unseen: one that does not outbid them is refused, or silently dropped. */
function replacing(nonce: number, open: readonly Open[]): Replacement | null {
  const fees = open
    .filter(({ transaction }) => transaction.nonce === nonce)
    .map(({ transaction }) => feesOf(transaction));
  if (fees.length === 0) return null;
  return {
    nonce,
    ...outbidding({
      maxFeePerGas: greatest(0n, ...fees.map(({ maxFeePerGas }) => maxFeePerGas)),
      maxPriorityFeePerGas: greatest(0n, ...fees.map(({ maxPriorityFeePerGas }) => maxPriorityFeePerGas)),
    }),
  };
}

/** @throws {StuckWalletError} with advice, when a transaction with this nonce would queue behind one that is stuck */
function requireMoving(
  live: readonly Open[],
  { used, nonce }: Readonly<{ used: number; nonce: number }>,
): void {
  const before = live
    .filter(({ transaction }) => transaction.nonce < nonce)
    .sort((a, b) => a.transaction.nonce - b.transaction.nonce);
  const stuck = before.find(({ state }) => state === 'stuck');
  const [first] = before;
  if (!stuck || !first) return;
  const { transaction, deadline } = first;
  const passed = deadline === null ? '' : `, past its deadline of ${toIso(epochMs(deadline * 1000))}`;
  throw new StuckWalletError(
    `the wallet is stuck: nonce ${transaction.nonce} (transaction ${transaction.txHash}) still waits to be mined${passed}, and ` +
      `what is sent now would wait behind it. ${remedyOf(transaction.nonce, used)}. Nothing was sent`,
  );
}

const remedyOf = (nonce: number, used: number): string =>
  nonce === used
    ? `Wait, or cancel it with "drover wallet cancel ${nonce}"`
    : `It waits for nonce ${used}, which was not signed here: check the program that sent it`;
