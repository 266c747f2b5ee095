import type { EpochMs } from '../../core/brand.ts';
import type { Clock } from '../../core/clock.ts';
import { isVenueFault, OutcomeUnknownError } from '../../core/errors.ts';
import type { OperatorAnswer, OperatorRequest, CommandOf } from '../../domain/operator/command.ts';
import type { RunnerOptions } from './runOptions.ts';
import type { AlarmBook } from '../state/alarms.ts';
import type { CommandAnswer, KernelEvent, VenueLook } from '../state/kernelEvent.ts';
import type { CommandId } from '../../domain/operator/restriction.ts';
import type { OperatorCommands } from '../../domain/operator/operatorCommands.ts';

type PendingOptions = Readonly<{
  /** Commands in the journal. */
  known: Pick<OperatorCommands, 'of'>;
  alarms: AlarmBook;
  take: (event: KernelEvent) => void;
  clock: Clock;
  /** Reads the whole venue once. Resolves to null if the read was incomplete. */
  look: () => Promise<VenueLook | null>;
  /** If only a manual command is running, a failed read ends it. */
  manual?: RunnerOptions['manual'];
  /** Called with an error that ends the run. */
  onFatal: (error: unknown) => void;
}>;

type Waiter = Readonly<{ resolve: (answer: OperatorAnswer) => void; reject: (error: Error) => void }>;

/** Operators waiting for the answers to their commands, and the venue reads that some commands need. */
export class PendingCommands {
  readonly #options: PendingOptions;
  readonly #waiters = new Map<CommandId, Waiter[]>();
  /** Commands waiting for a read that has not begun. */
  #unlooked: CommandId[] = [];
  /** Events that arrived before the run had recovered: the journal accepts nothing until then. */
  readonly #early: KernelEvent[] = [];
  #hasBegun = false;
  #isLooking = false;
  #hasEnded = false;

  constructor(options: PendingOptions) {
    this.#options = options;
  }

  give(request: OperatorRequest): Promise<OperatorAnswer> {
    const { command } = request;
    return command.kind === 'acknowledge' ? this.#acknowledge(request, command) : this.#give(request);
  }

  #give(request: OperatorRequest): Promise<OperatorAnswer> {
    if (this.#hasEnded) return Promise.reject(ended());
    return new Promise((resolve, reject) => {
      this.#waiters.set(request.id, [...(this.#waiters.get(request.id) ?? []), { resolve, reject }]);
      this.hand({ kind: 'operator', ...request });
    });
  }

  /** Handles an event from outside the run, at once or with the run's first step. */
  hand(event: KernelEvent): void {
    const { take, onFatal } = this.#options;
    if (this.#hasEnded) return;
    if (!this.#hasBegun) return void this.#early.push(event);
    try {
      take(event);
    } catch (error) {
      onFatal(error);
    }
  }

  /** Handles the events that arrived before the run had recovered. */
  begin(): void {
    this.#hasBegun = true;
    for (const event of this.#early.splice(0)) this.hand(event);
  }

  /** Adds the alarms that a command matches to it, and marks them acknowledged when it is first answered. */
  async #acknowledge(request: OperatorRequest, command: CommandOf<'acknowledge'>): Promise<OperatorAnswer> {
    const { alarms: book, known } = this.#options;
    const isFirst = known.of(request.id) === undefined;
    const alarms = book.named(command.alarm).map(({ id, text }) => ({ id, text }));
    const answer = await this.#give({ ...request, command: { ...command, alarms } });
    if (isFirst && answer.kind === 'done') book.acknowledge(new Set(alarms.map(({ id }) => id)));
    return answer;
  }

  answered({ id, answer }: CommandAnswer): void {
    for (const { resolve } of this.#waiters.get(id) ?? []) resolve(answer);
    this.#waiters.delete(id);
  }

  /** Reads the venue for a command. One read serves all commands that arrived before it began. */
  look(id: CommandId): void {
    this.#unlooked.push(id);
    if (!this.#isLooking) void this.#lookForAll();
  }

  /** Rejects all waiting commands, and every later one. */
  end(): void {
    this.#hasEnded = true;
    for (const waiters of this.#waiters.values()) for (const { reject } of waiters) reject(ended());
    this.#waiters.clear();
  }

  async #lookForAll(): Promise<void> {
    const { clock, onFatal } = this.#options;
    this.#isLooking = true;
    try {
      while (this.#unlooked.length > 0 && !this.#hasEnded) {
        const ids = this.#unlooked.splice(0);
        const asked = clock.now();
        const look = await this.#lookOnce();
        this.#looked(ids, { asked, look });
      }
    } catch (error) {
      onFatal(error);
    }
    this.#isLooking = false;
  }

  #looked(ids: readonly CommandId[], seen: Readonly<{ asked: EpochMs; look: VenueLook | null }>): void {
    if (this.#hasEnded) return;
    for (const id of ids) this.#options.take({ kind: 'lookedAtAll', id, ...seen });
  }

  async #lookOnce(): Promise<VenueLook | null> {
    try {
      return await this.#options.look();
    } catch (error) {
      if (isVenueFault(error) && !this.#options.manual) return null;
      throw error;
    }
  }
}

const ended = (): OutcomeUnknownError =>
  new OutcomeUnknownError(
    'the run has ended: what became of the command is in its journal (`drover status`)',
  );
