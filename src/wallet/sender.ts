import { keccak256 } from 'viem/utils';
import { z } from 'zod';
import type { Cash } from '../core/amount.ts';
import type { EpochSeconds } from '../core/brand.ts';
import type { Clock } from '../core/clock.ts';
import {
  DroverError,
  atVenueFault,
  isVenueFault,
  messageOf,
  NoAnswerError,
  NotSentError,
  SafetyError,
  UnreachableError,
  VenueRefusedError,
} from '../core/errors.ts';
import type { Address } from '../domain/instrument.ts';
import type { TransactionLog } from '../domain/transfers/transactionLog.ts';
import type { SendGate, SendOutcome, SignedTransaction } from '../domain/venue.ts';
import type { Wallet } from './account.ts';
import type { Chain } from './chain.ts';
import { type CheckedCall, feesOf, outbidding } from './checkCalldata.ts';
import {
  DaySpending,
  feeBounds,
  feesWithin,
  gasWithin,
  GasTooDearError,
  requireOutbidding,
  type GasLimits,
  type Replacement,
} from './gas.ts';
import { Nonces, StuckWalletError, type NextNonce } from './nonces.ts';
import { standingOf } from './offer.ts';
import { standardCodec, type RouterCodec } from './routerAbi.ts';
import type { Rpc } from './rpc.ts';
import type { Trace } from './traces.ts';

export type SenderOptions = Readonly<{
  wallet: Pick<Wallet, 'address' | 'signTransaction'>;
  rpc: Pick<Rpc, 'askOnce' | 'ready'>;
  chain: Chain;
  clock: Clock;
  gas: GasLimits;
  /** Codec of a router with non-standard functions. */
  codec?: RouterCodec;
  /** Transactions that this wallet has signed before, in this process or another. */
  log: TransactionLog;
  /** Called with each transaction of an earlier send that is resubmitted to the node. */
  onOfferAgain?: (transaction: SignedTransaction) => void;
}>;

/** Call of a contract: chain, address and data. */
export type WalletCall = Omit<CheckedCall, 'kind'>;

export type SendRequest = Readonly<{
  gate: SendGate;
  /** Returns the checked call for a deadline. An error ends the send with nothing signed. */
  callFor: (deadline: EpochSeconds) => Promise<WalletCall>;
  /** True for a sell or a cancel, for which part of the day's gas is reserved. */
  reduces?: boolean;
  /** A transaction to replace, with its nonce and higher fees. Without it, the next nonce is used. */
  replaces?: SignedTransaction;
}>;

/** Maximum number of times that the same bytes are offered to the node without a conclusive response. */
const OFFERS_MAX = 3;
const BACK_OFF_MS = 1_000;

/** Time that a transaction needs to be mined, in ms: this long before its deadline a silent node is no longer retried. */
const MINING_MS = 30_000;

const hash = z.string().regex(/^0x[0-9a-fA-F]{64}$/, 'not a hash');

/**
 * The only sender of a wallet: one transaction after the other, each with its own nonce. A transaction is first prepared,
 * estimated and signed; then the gate is checked again, its bytes are made durable, and they are sent in the same step.  Without
 * a response the same bytes are offered again, because a chain mines them only once. That ends with the deadline, and with this
 * process: later runs only look them up by hash. A transaction is never signed a second time for the same order.
 */
export class Sender {
  readonly #options: SenderOptions;
  readonly #nonces: Nonces;
  readonly #spending: DaySpending;
  #last: Promise<unknown> = Promise.resolve();

  constructor(options: SenderOptions) {
    this.#options = options;
    const { wallet, log, chain, clock, codec = standardCodec } = options;
    const offerAgain = (transaction: SignedTransaction) => this.#offerAgain(transaction);
    this.#nonces = new Nonces({ wallet: wallet.address, log, chain, clock, codec, offerAgain });
    this.#spending = new DaySpending(log);
  }

  get address(): Address {
    return this.#options.wallet.address;
  }

  /** Never throws for faults of the venue, the node or the network. */
  send(request: SendRequest): Promise<SendOutcome> {
    const sending = this.#last.then(() => this.#send(request));
    this.#last = sending.catch(() => undefined);
    return sending;
  }

  /**
   * Resubmits an earlier transaction to the node with the same bytes, unless it has left the log, was given up, or a
   * block has used its nonce. Never throws for faults of the node or the network.
   */
  offerAgain(txHash: string): Promise<void> {
    const offering = this.#last.then(() => this.#offerUnused(txHash));
    this.#last = offering.catch(() => undefined);
    return offering;
  }

  async #offerUnused(txHash: string): Promise<void> {
    const { log, chain, wallet } = this.#options;
    const found = log.entries().find((each) => each.txHash === txHash);
    if (!found || found.givenUp) return;
    const count = chain.transactionCount(wallet.address, 'latest');
    const used = await count.catch(atVenueFault(() => null));
    if (used !== null && found.nonce >= used) await this.#offerAgain(found);
  }

  /** Reuses the nonce of a transaction for the next one: it was closed without proof, and may still be mined. */
  giveUp(txHash: string): void {
    this.#options.log.giveUp(txHash);
  }

  async #send(request: SendRequest): Promise<SendOutcome> {
    const { gate } = request;
    await this.#options.rpc.ready();
    const opened = gate.open();
    if ('stop' in opened) return { kind: 'stopped', reason: opened.stop };
    const { deadline, worth } = opened;
    let transaction: SignedTransaction;
    try {
      transaction = await this.#signInTime({ ...request, worth }, deadline);
    } catch (error) {
      return unsent(error);
    }
    const standing = gate.open(deadline);
    if ('stop' in standing) return { kind: 'stopped', reason: standing.stop };
    gate.commit(transaction);
    const unlogged = this.#log(transaction);
    if (unlogged !== null) return unlogged;
    return this.#offer(transaction, deadline);
  }

  /** Reserves its nonce. Comes after the journal, so that only journaled bytes are ever resubmitted. */
  #log(transaction: SignedTransaction): SendOutcome | null {
    try {
      this.#options.log.add(transaction, this.#options.clock.now());
      return null;
    } catch (error) {
      if (!(error instanceof DroverError)) throw error;
      return { kind: 'refused', reason: messageOf(error), unsent: true, alarm: true };
    }
  }

  /**
   * Repeats a read until the node has returned everything that a signature needs.
   * @throws the last failure when the order could no longer be mined in time, {NotSentError} once the gate is shut
   */
  async #signInTime(request: ValuedRequest, deadline: EpochSeconds): Promise<SignedTransaction> {
    const { clock } = this.#options;
    const call = await request.callFor(deadline);
    for (;;) {
      try {
        return await this.#sign(call, request);
      } catch (error) {
        const isTooLate = clock.now() + BACK_OFF_MS > deadline * 1000 - MINING_MS;
        if (!(error instanceof NoAnswerError) || isTooLate) throw error;
      }
      const standing = request.gate.open(deadline);
      if ('stop' in standing) throw new NotSentError(standing.stop);
      await clock.sleep(BACK_OFF_MS);
    }
  }

  async #sign(
    { chainId, to, data }: WalletCall,
    { replaces, worth, reduces = false }: ValuedRequest,
  ): Promise<SignedTransaction> {
    const { chain, wallet, clock, gas: limits } = this.#options;
    const [{ nonce, least }, prices, gas] = await Promise.all([
      replaces ? placeOf(replaces) : this.#nonces.next(),
      chain.gasPrices(),
      gasWithin(limits, chain, { from: wallet.address, to, data }),
    ]);
    const spent = this.#spending.beside(nonce, clock.now());
    const bounds = feeBounds(limits, { gas, spent, worth, reduces });
    if (replaces && least) requireOutbidding(bounds, least);
    const fees = feesWithin({ bounds, gas }, prices, least);
    const raw = await wallet.signTransaction({ chainId, to, data, nonce, gas, ...fees });
    return { chainId, to, nonce, raw, txHash: keccak256(raw) };
  }

  async #offer({ raw, txHash }: SignedTransaction, deadline: EpochSeconds): Promise<SendOutcome> {
    const { clock, log } = this.#options;
    for (let tried = 1; ; tried++) {
      const outcome = await this.#offerOnce({ raw, txHash, isFirst: tried === 1 });
      const isOver = tried === OFFERS_MAX || clock.now() >= deadline * 1000;
      if (outcome.kind === 'accepted') log.accept(txHash);
      if (outcome.kind === 'refused') log.remove(txHash);
      if (outcome.kind !== 'unknown' || isOver) return outcome;
      await clock.sleep(BACK_OFF_MS);
    }
  }

  async #offerOnce({ raw, txHash, isFirst }: Offer): Promise<SendOutcome> {
    const { rpc } = this.#options;
    try {
      const taken = await rpc.askOnce('eth_sendRawTransaction', [raw], hash);
      if (taken.toLowerCase() === txHash) return { kind: 'accepted', txHash };
      return { kind: 'unknown', reason: `the node reports the transaction as ${taken}, not ${txHash}` };
    } catch (error) {
      if (!isVenueFault(error)) throw error;
      const standing = error instanceof VenueRefusedError ? standingOf(error.message) : 'unclear';
      if (standing === 'taken') return { kind: 'accepted', txHash };
      const reason = messageOf(error);
      // Bytes that were sent before may be anywhere, whatever this node says about them now.
      if (isFirst && error instanceof UnreachableError) return { kind: 'refused', reason, unsent: true };
      if (isFirst && standing === 'never') return { kind: 'refused', reason };
      const trace = await this.#traceOf(txHash);
      if (trace && trace.kind !== 'absent') return { kind: 'accepted', txHash };
      // A first response proves nothing either: a gateway may have passed the bytes on twice, so that their own copy has
      // used the nonce, and a node that lags behind does not know it yet.
      return { kind: 'unknown', reason };
    }
  }

  /** Offers the same bytes once more, ignoring the response: their hash shows the outcome. */
  async #offerAgain(transaction: SignedTransaction): Promise<void> {
    this.#options.onOfferAgain?.(transaction);
    const offered = this.#options.rpc.askOnce('eth_sendRawTransaction', [transaction.raw], hash);
    await offered.catch(atVenueFault(() => undefined));
  }

  /** Trace of a transaction, or null if the read fails. Never throws */
  #traceOf(txHash: string): Promise<Trace | null> {
    return this.#options.chain.trace(txHash).catch(atVenueFault(() => null));
  }
}

/** Request with the value of its order in mUSD, if the gate has given one. */
type ValuedRequest = SendRequest & Readonly<{ worth: Cash | undefined }>;

/** Nonce of a transaction to replace, and the fees required. */
function placeOf(transaction: SignedTransaction): NextNonce {
  const { nonce } = transaction;
  const least: Replacement = { nonce, ...outbidding(feesOf(transaction)) };
  return { nonce, least };
}

type Offer = Readonly<{ raw: string; txHash: string; isFirst: boolean }>;

/** Maps a failure before signed bytes were sent to its outcome. @throws errors that neither venue nor network caused */
function unsent(error: unknown): SendOutcome {
  if (error instanceof StuckWalletError) return { kind: 'stopped', reason: error.message, alarm: true };
  if (error instanceof GasTooDearError)
    return { kind: 'stopped', reason: error.message, code: 'GAS', alarm: true };
  if (error instanceof NotSentError) return { kind: 'stopped', reason: error.message };
  if (error instanceof SafetyError) return { kind: 'refused', reason: error.message, alarm: true };
  if (isVenueFault(error)) return { kind: 'refused', reason: messageOf(error) };
  throw error;
}
