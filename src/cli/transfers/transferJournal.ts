import { DroverError, InvariantError, SafetyError } from '../../core/errors.ts';
import type { MoveTerms, Transfer, TransferId, TransferPort } from '../../domain/transfers/transfer.ts';
import { listTransfers } from '../../engine/runtime/sweep.ts';
import { againstBooks } from '../../engine/treasury/byHand.ts';
import type { Clock } from '../../core/clock.ts';
import type { LoadedConfig } from '../config/load.ts';
import { byHand, HandJournal, type JournaledSend, type Send } from './handJournal.ts';

/** Transfer by hand. `reason`: for the journal; `seen`: debt and stock in the wallet before a repayment. */
type HandTransfer = Readonly<{ terms: MoveTerms; reason: string; seen: Transfer['seen'] }>;
type Parts = Readonly<{ loaded: LoadedConfig; clock: Clock; port: TransferPort }>;

/**
 * Opens the journal of the config's state for a transfer that is sent without a run; null where there is none, or no run has read the
 * wallet yet. The caller holds the folder. What earlier ones have come to is read first.
 * @throws {SafetyError} when the books speak against the transfer; nothing was written or sent
 * @throws {ConfigError} when the folder is of another mode or another account
 */
export const openTransferJournal = (
  transfer: HandTransfer,
  { port, ...parts }: Parts,
): Promise<TransferJournal | null> =>
  HandJournal.open(
    parts,
    ({ transfers }) => transfers.opened.wallet,
    async (journal) => {
      const opened = new TransferJournal(transfer, journal, port);
      await opened.begin();
      return opened;
    },
  );

/** A transfer by hand in the journal of a run that has ended. The next start follows it as its own. */
export class TransferJournal implements JournaledSend {
  readonly #transfer: HandTransfer;
  readonly #journal: HandJournal;
  readonly #port: TransferPort;

  constructor(transfer: HandTransfer, journal: HandJournal, port: TransferPort) {
    this.#transfer = transfer;
    this.#journal = journal;
    this.#port = port;
  }

  /** Reads what became of transfers under way. @throws {SafetyError} when the books speak against this one */
  async begin(): Promise<void> {
    this.#journal.take({ kind: 'recovered' });
    await this.#list();
    const why = againstBooks(this.#transfer.terms, this.#journal.kernel.context.accountState);
    if (why !== null) throw new SafetyError(`${why}. Nothing was sent`);
  }

  through(send: Send): Send {
    return async (gate) => {
      const id = this.#plan();
      const outcome = await send({
        ...gate,
        commit: (request) => {
          this.#journal.take({ kind: 'operationSent', id, request });
          this.#journal.commit();
          gate.commit(request);
        },
      }).catch((error: unknown) => {
        this.#abandon(id, error);
        throw error;
      });
      this.#journal.take({ kind: 'operated', id, outcome });
      this.#journal.commitLater();
      return outcome;
    };
  }

  followed(): Promise<void> {
    return this.#journal.follow(() => this.#list());
  }

  close(): void {
    this.#journal.close();
  }

  #plan(): TransferId {
    const { terms, reason, seen } = this.#transfer;
    const command = { kind: 'transfer', terms } as const;
    this.#journal.take({ kind: 'sendAlone', ...byHand(), reason, command, seen });
    const planned = this.#journal.pending('transferPlanned');
    if (!planned) throw new InvariantError('a transfer by hand is planned');
    this.#journal.commit();
    return planned.transfer.id;
  }

  /** Notes that nothing was sent, where the gate has stopped it. A request that could not be journaled is left to the next start. */
  #abandon(id: TransferId, error: unknown): void {
    const { state } = this.#journal.kernel.context.accountState.transfers.of(id);
    if (state.kind !== 'planned' || !(error instanceof DroverError)) return;
    this.#journal.take({ kind: 'operated', id, outcome: { kind: 'stopped', reason: error.message } });
    this.#journal.commitLater();
  }

  async #list(): Promise<void> {
    const { kernel, clock, take } = this.#journal;
    await listTransfers({ kernel, port: this.#port, clock, take });
  }
}
