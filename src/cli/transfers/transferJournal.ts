import { userInfo } from 'node:os';
import type { Clock } from '../../core/clock.ts';
import { DroverError, InvariantError, SafetyError } from '../../core/errors.ts';
import { systemRandom } from '../../core/random.ts';
import type { Journal, JournalEntry } from '../../domain/journalEvent.ts';
import type { CommandId } from '../../domain/operator/command.ts';
import type { MoveTerms, Transfer, TransferId, TransferPort } from '../../domain/transfers/transfer.ts';
import type { SendGate, SendOutcome } from '../../domain/venue.ts';
import type { Kernel } from '../../engine/kernel/kernel.ts';
import { listTransfers } from '../../engine/runtime/sweep.ts';
import type { KernelEvent } from '../../engine/state/kernelEvent.ts';
import { againstBooks } from '../../engine/treasury/byHand.ts';
import type { LoadedConfig } from '../config/load.ts';
import { heldJournal, requireTrusted } from '../environment/journal.ts';
import { dormantKernel } from '../environment/operatorSession.ts';
import { claimState } from '../environment/ownership.ts';

type Send = (gate: SendGate) => Promise<SendOutcome>;

/** Transfer by hand. `reason`: for the journal; `seen`: debt and stock in the wallet before a repayment. */
type HandTransfer = Readonly<{ terms: MoveTerms; reason: string; seen: Transfer['seen'] }>;
type Parts = Readonly<{ loaded: LoadedConfig; clock: Clock; port: TransferPort }>;

/**
 * Opens the journal of the config's state for a transfer that is sent without a run; null where there is none, or no run has read the
 * wallet yet. The caller holds the folder. What earlier ones have come to is read first.
 * @throws {SafetyError} when the books speak against the transfer; nothing was written or sent
 * @throws {ConfigError} when the folder is of another mode or another account
 */
export async function openTransferJournal(
  transfer: HandTransfer,
  { loaded, ...parts }: Parts,
): Promise<TransferJournal | null> {
  const journal = await heldJournal(loaded);
  const { state: stateDir } = loaded.config;
  if (!journal || stateDir === undefined) return null;
  try {
    claimState(loaded, stateDir);
    requireTrusted({ loaded, stateDir });
    const kernel = dormantKernel();
    kernel.recover(journal.entries());
    if (kernel.context.accountState.transfers.opened.wallet) {
      const opened = new TransferJournal(transfer, { ...parts, journal, kernel });
      await opened.begin();
      return opened;
    }
  } catch (error) {
    journal.close();
    throw error;
  }
  journal.close();
  return null;
}

type JournalParts = Omit<Parts, 'loaded'> & Readonly<{ journal: Journal; kernel: Kernel }>;

/**
 * A transfer by hand in the journal of a run that has ended: planned before it is sent, the request durable before its first byte.
 * The next start follows it as its own.
 */
export class TransferJournal {
  readonly #transfer: HandTransfer;
  readonly #parts: JournalParts;
  #pending: JournalEntry[] = [];

  constructor(transfer: HandTransfer, parts: JournalParts) {
    this.#transfer = transfer;
    this.#parts = parts;
  }

  /** Reads what became of transfers under way. @throws {SafetyError} when the books speak against this one */
  async begin(): Promise<void> {
    this.#take({ kind: 'recovered' });
    await this.#list();
    const why = againstBooks(this.#transfer.terms, this.#parts.kernel.context.accountState);
    if (why !== null) throw new SafetyError(`${why}. Nothing was sent`);
  }

  /** The same send, journaled. */
  through(send: Send): Send {
    return async (gate) => {
      const id = this.#plan();
      const outcome = await send({
        ...gate,
        commit: (request) => {
          this.#take({ kind: 'operationSent', id, request });
          this.#commit();
          gate.commit(request);
        },
      }).catch((error: unknown) => {
        this.#abandon(id, error);
        throw error;
      });
      this.#take({ kind: 'operated', id, outcome });
      this.#commitLater();
      return outcome;
    };
  }

  /** Notes how it has ended, as far as the venue shows it; the next start looks for the rest. */
  async followed(): Promise<void> {
    try {
      await this.#list();
      this.#commit();
    } catch (error) {
      if (!(error instanceof DroverError)) throw error;
    }
  }

  close(): void {
    this.#parts.journal.close();
  }

  #plan(): TransferId {
    const { terms, reason, seen } = this.#transfer;
    const id = systemRandom.uuid() as CommandId;
    const command = { kind: 'transfer', terms } as const;
    this.#take({ kind: 'transferAlone', id, by: userInfo().username, reason, command, seen });
    const planned = this.#pending.findLast(({ fact }) => fact.kind === 'transferPlanned');
    if (planned?.fact.kind !== 'transferPlanned') throw new InvariantError('a transfer by hand is planned');
    this.#commit();
    return planned.fact.transfer.id;
  }

  /** Notes that nothing was sent, where the gate has stopped it. A request that could not be journaled is left to the next start. */
  #abandon(id: TransferId, error: unknown): void {
    const { state } = this.#parts.kernel.context.accountState.transfers.of(id);
    if (state.kind !== 'planned' || !(error instanceof DroverError)) return;
    this.#take({ kind: 'operated', id, outcome: { kind: 'stopped', reason: error.message } });
    this.#commitLater();
  }

  async #list(): Promise<void> {
    const { kernel, port, clock } = this.#parts;
    await listTransfers({ kernel, port, clock, take: (event) => this.#take(event) });
  }

  #take(event: KernelEvent): void {
    const { kernel, clock } = this.#parts;
    this.#pending.push(...kernel.handle(event, clock.now()).facts);
  }

  /** @throws {JournalError} when they cannot be written */
  #commit(): void {
    if (this.#pending.length === 0) return;
    this.#parts.journal.commit(this.#pending);
    this.#pending = [];
  }

  /** Commits what has happened already: where that fails the request is in the journal, and the next start looks for its outcome. */
  #commitLater(): void {
    try {
      this.#commit();
    } catch (error) {
      if (!(error instanceof DroverError)) throw error;
    }
  }
}
