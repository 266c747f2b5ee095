import { formatGwei, keccak256 } from 'viem/utils';
import { z } from 'zod';
import type { EpochSeconds } from '../core/brand.ts';
import type { Clock } from '../core/clock.ts';
import {
  isVenueFault,
  messageOf,
  NoAnswerError,
  NotSentError,
  SafetyError,
  UnreachableError,
  VenueRefusedError,
} from '../core/errors.ts';
import type { Address } from '../domain/instrument.ts';
import type { SendGate, SendOutcome, SignedTransaction } from '../domain/venue.ts';
import type { Wallet } from './account.ts';
import type { Chain, Trace } from './chain.ts';
import type { CheckedCall } from './checkCalldata.ts';
import { standingOf } from './offer.ts';
import { revertCause } from './revert.ts';
import type { Rpc } from './rpc.ts';

/** Most that a transaction may cost. */
export type GasLimits = Readonly<{
  /** Wei. Above it nothing is sent. */
  maxFeePerGas: bigint;
  /** Gas of one transaction. Above it nothing is sent. */
  gasMax: bigint;
  /** What is added to the chain's estimate, in percent. */
  marginPercent: number;
}>;

export type SenderOptions = Readonly<{
  wallet: Pick<Wallet, 'address' | 'signTransaction'>;
  rpc: Pick<Rpc, 'askOnce' | 'ready'>;
  chain: Chain;
  clock: Clock;
  gas: GasLimits;
}>;

/** What is called, on which chain, and with what. */
export type WalletCall = Omit<CheckedCall, 'kind'>;

export type SendRequest = Readonly<{
  gate: SendGate;
  /** Gives the call for a deadline, checked. What it throws ends the send with nothing signed. */
  callFor: (deadline: EpochSeconds) => Promise<WalletCall>;
}>;

/** Times that the same bytes are offered to the node, as long as no answer says what became of them. */
const OFFERS_MAX = 3;
const BACK_OFF_MS = 1_000;

/** Time that a transaction needs to be mined: so long before its deadline a node without an answer is asked no more. */
const MINING_MS = 30_000;

const hash = z.string().regex(/^0x[0-9a-fA-F]{64}$/, 'not a hash');

/**
 * The only one who sends for a wallet: one transaction after the other, so that each has a place in the wallet's row of
 * its own. A transaction is prepared, estimated and signed first; then the gate is asked again, its bytes are made
 * durable, and they leave in the same step.
 *
 * Without an answer the same bytes are offered again: a chain takes them once, however often they come. That ends with
 * the deadline, and with this process: whoever finds them in the journal later only looks for them by their hash. A
 * transaction is never signed a second time for the same order.
 */
export class Sender {
  readonly #options: SenderOptions;
  #last: Promise<unknown> = Promise.resolve();

  constructor(options: SenderOptions) {
    this.#options = options;
  }

  get address(): Address {
    return this.#options.wallet.address;
  }

  /** Never throws for what the venue, the node or the network does. */
  send(request: SendRequest): Promise<SendOutcome> {
    const sending = this.#last.then(() => this.#send(request));
    this.#last = sending.catch(() => undefined);
    return sending;
  }

  async #send({ gate, callFor }: SendRequest): Promise<SendOutcome> {
    await this.#options.rpc.ready();
    const opened = gate.open();
    if ('stop' in opened) return { kind: 'stopped', reason: opened.stop };
    const { deadline } = opened;
    let transaction: SignedTransaction;
    try {
      transaction = await this.#signInTime(await callFor(deadline), gate, deadline);
    } catch (error) {
      return unsent(error);
    }
    const standing = gate.open(deadline);
    if ('stop' in standing) return { kind: 'stopped', reason: standing.stop };
    gate.commit(transaction);
    return this.#offer(transaction, deadline);
  }

  /**
   * Asks the node again until it says what a signature needs.
   * @throws the last failure when the order could no longer be mined in time, {NotSentError} once the gate is shut
   */
  async #signInTime(call: WalletCall, gate: SendGate, deadline: EpochSeconds): Promise<SignedTransaction> {
    const { clock } = this.#options;
    for (;;) {
      try {
        return await this.#sign(call);
      } catch (error) {
        const isTooLate = clock.now() + BACK_OFF_MS > deadline * 1000 - MINING_MS;
        if (!(error instanceof NoAnswerError) || isTooLate) throw error;
      }
      const standing = gate.open(deadline);
      if ('stop' in standing) throw new NotSentError(standing.stop);
      await clock.sleep(BACK_OFF_MS);
    }
  }

  async #sign({ chainId, to, data }: WalletCall): Promise<SignedTransaction> {
    const { chain, wallet } = this.#options;
    const [nonce, fees, gas] = await Promise.all([
      chain.transactionCount(wallet.address),
      this.#fees(),
      this.#gas({ from: wallet.address, to, data }),
    ]);
    const raw = await wallet.signTransaction({ chainId, to, data, nonce, gas, ...fees });
    return { chainId, to, nonce, raw, txHash: keccak256(raw) };
  }

  /** Twice the base fee, so that it stays minable while that rises, within the limit. */
  async #fees() {
    const { maxFeePerGas: most } = this.#options.gas;
    const { baseFee, tip } = await this.#options.chain.gasPrices();
    if (baseFee + tip > most)
      throw new VenueRefusedError(
        `a unit of gas costs ${formatGwei(baseFee + tip)} gwei now (base fee ${formatGwei(baseFee)}, tip ${formatGwei(tip)}), and gas.maxFeePerGasGwei allows ${formatGwei(most)}`,
      );
    const wanted = baseFee * 2n + tip;
    return { maxFeePerGas: wanted < most ? wanted : most, maxPriorityFeePerGas: tip };
  }

  async #gas(trial: Parameters<Chain['estimateGas']>[0]): Promise<bigint> {
    const { gasMax, marginPercent } = this.#options.gas;
    const estimate = await this.#options.chain.estimateGas(trial).catch((error: unknown) => {
      if (!(error instanceof VenueRefusedError)) throw error;
      throw new VenueRefusedError(`it would revert on chain, ${revertCause(error)}`);
    });
    const gas = (estimate * BigInt(100 + marginPercent)) / 100n;
    if (gas <= gasMax) return gas;
    throw new VenueRefusedError(`it needs ${gas} gas, and gas.limit allows ${gasMax}`);
  }

  async #offer({ raw, txHash }: SignedTransaction, deadline: EpochSeconds): Promise<SendOutcome> {
    const { clock } = this.#options;
    for (let tried = 1; ; tried++) {
      const outcome = await this.#offerOnce({ raw, txHash, isFirst: tried === 1 });
      const isOver = tried === OFFERS_MAX || clock.now() >= deadline * 1000;
      if (outcome.kind !== 'unknown' || isOver) return outcome;
      await clock.sleep(BACK_OFF_MS);
    }
  }

  async #offerOnce({ raw, txHash, isFirst }: Offer): Promise<SendOutcome> {
    const { rpc } = this.#options;
    try {
      const taken = await rpc.askOnce('eth_sendRawTransaction', [raw], hash);
      if (taken.toLowerCase() === txHash) return { kind: 'accepted', txHash };
      return { kind: 'unknown', reason: `the node calls the transaction ${taken}, not ${txHash}` };
    } catch (error) {
      if (!isVenueFault(error)) throw error;
      const standing = error instanceof VenueRefusedError ? standingOf(error.message) : 'unclear';
      if (standing === 'taken') return { kind: 'accepted', txHash };
      const reason = messageOf(error);
      // Bytes that have left before may be anywhere, whatever this node says of them now.
      if (isFirst && error instanceof UnreachableError) return { kind: 'refused', reason, unsent: true };
      if (isFirst && standing === 'never') return { kind: 'refused', reason };
      const trace = await this.#traceOf(txHash);
      if (trace && trace.kind !== 'absent') return { kind: 'accepted', txHash };
      const isReplaced = isFirst && standing === 'nonceUsed' && trace !== null;
      return { kind: isReplaced ? 'refused' : 'unknown', reason };
    }
  }

  /** @throws nothing: a question that fails is answered by null */
  async #traceOf(txHash: string): Promise<Trace | null> {
    return this.#options.chain.trace(txHash).catch((error: unknown) => {
      if (isVenueFault(error)) return null;
      throw error;
    });
  }
}

type Offer = Readonly<{ raw: string; txHash: string; isFirst: boolean }>;

/** Nothing that was signed has left. @throws what is neither the venue's nor the network's doing */
function unsent(error: unknown): SendOutcome {
  if (error instanceof NotSentError) return { kind: 'stopped', reason: error.message };
  if (error instanceof SafetyError) return { kind: 'refused', reason: error.message, alarm: true };
  if (isVenueFault(error)) return { kind: 'refused', reason: messageOf(error) };
  throw error;
}
