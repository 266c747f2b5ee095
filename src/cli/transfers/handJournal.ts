import type { Clock } from '../../core/clock.ts';
import { ConfigError, DroverError, SafetyError } from '../../core/errors.ts';
import { systemRandom } from '../../core/random.ts';
import type { AccountState } from '../../domain/account/accountState.ts';
import type { Journal, JournalEntry } from '../../domain/journalEvent.ts';
import type { Refusal } from '../../domain/operator/command.ts';
import type { SendGate, SendOutcome } from '../../domain/venue.ts';
import type { Kernel } from '../../engine/kernel/kernel.ts';
import type { KernelEvent } from '../../engine/state/kernelEvent.ts';
import type { LoadedConfig } from '../config/load.ts';
import { heldJournal, requireTrusted } from '../environment/journal.ts';
import { dormantKernel } from '../environment/operatorSession.ts';
import { claimState } from '../environment/ownership.ts';
import { userName } from '../userName.ts';
import type { CommandId } from '../../domain/operator/restriction.ts';

/** One send, behind a gate. */
export type Send = (gate: SendGate) => Promise<SendOutcome>;

/** A send by hand in the journal of a run that has ended. */
export type JournaledSend = Readonly<{
  /** The same send, journaled: planned before it is sent, its request durable before the first byte. */
  through: (send: Send) => Send;
  /** Notes how it has ended, as far as the venue shows it; the next start looks for the rest. */
  followed: () => Promise<void>;
  close: () => void;
}>;

type Opening = Readonly<{ loaded: LoadedConfig; clock: Clock }>;

/** The journal of a run that has ended, while a command sends by hand. */
export class HandJournal {
  readonly kernel: Kernel;
  readonly clock: Clock;
  readonly #journal: Journal;
  #pending: JournalEntry[] = [];

  private constructor(journal: Journal, kernel: Kernel, clock: Clock) {
    this.#journal = journal;
    this.kernel = kernel;
    this.clock = clock;
  }

  /**
   * Opens the journal of the config's state; null where there is none, or where it does not follow what is sent, which `begin` says by
   * null too. The caller holds the folder. A journal whose `begin` throws is closed, and nothing is written.
   * @throws {ConfigError} when the folder is of another mode or another account
   */
  static async open<T>(
    { loaded, clock }: Opening,
    follows: (accountState: AccountState) => boolean,
    begin: (journal: HandJournal) => Promise<T | null>,
  ): Promise<T | null> {
    const journal = heldJournal(loaded);
    const { state: stateDir } = loaded.config;
    if (!journal || stateDir === undefined) return null;
    try {
      claimState(loaded, stateDir);
      requireTrusted({ loaded, stateDir });
      const kernel = dormantKernel(loaded.config);
      kernel.recover(journal.entries());
      if (follows(kernel.context.accountState)) {
        const begun = await begin(new HandJournal(journal, kernel, clock));
        if (begun !== null) return begun;
      }
    } catch (error) {
      journal.close();
      throw error;
    }
    journal.close();
    return null;
  }

  /** Passes an event to the kernel. Its entries are written with the next commit. */
  readonly take = (event: KernelEvent): void => {
    this.#pending.push(...this.kernel.handle(event, this.clock.now()).facts);
  };

  /** The latest entry of a kind that waits to be written. */
  pending<K extends JournalEntry['fact']['kind']>(
    kind: K,
  ): Extract<JournalEntry['fact'], { kind: K }> | null {
    const isOf = (fact: JournalEntry['fact']): fact is Extract<JournalEntry['fact'], { kind: K }> =>
      fact.kind === kind;
    return this.#pending.map(({ fact }) => fact).findLast(isOf) ?? null;
  }

  /** @throws {JournalError} when they cannot be written */
  commit(): void {
    if (this.#pending.length === 0) return;
    this.#journal.commit(this.#pending);
    this.#pending = [];
  }

  /** Commits what has happened already: where that fails the request is in the journal, and the next start looks for its outcome. */
  commitLater(): void {
    try {
      this.commit();
    } catch (error) {
      if (!(error instanceof DroverError)) throw error;
    }
  }

  /** Reads how a send has ended, as far as the venue shows it, and commits that; the next start looks for the rest. */
  async follow(read: () => Promise<void>): Promise<void> {
    try {
      await read();
      this.commit();
    } catch (error) {
      if (!(error instanceof DroverError)) throw error;
    }
  }

  close(): void {
    this.#journal.close();
  }
}

/** Id and author of a command by hand. */
export const byHand = (): Readonly<{ id: CommandId; by: string }> => ({
  id: systemRandom.uuid() as CommandId,
  by: userName(),
});

/** The error of a command that is refused. */
export const refusalError = ({ because, text }: Refusal): DroverError =>
  because === 'usage' ? new ConfigError(text) : new SafetyError(text);
