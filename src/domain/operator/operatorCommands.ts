import type { EpochMs } from '../../core/brand.ts';
import type { JournalEvent } from '../journalEvent.ts';
import { OldCommands } from './oldCommands.ts';
import type { CommandId } from './restriction.ts';
import type { OperatorRequest, OrderEnd, KnownCommand } from './command.ts';

/** Journal events of commands. */
export type CommandJournalEvent = Extract<
  JournalEvent,
  { kind: 'operator' | 'operatorAnswered' | 'flattened' }
>;

export const isCommandEvent = (fact: JournalEvent): fact is CommandJournalEvent =>
  fact.kind === 'operator' || fact.kind === 'operatorAnswered' || fact.kind === 'flattened';

/** Number of restrictions that have been set so far, and of causes of freezes. */
type CountsBefore = Pick<KnownCommand, 'restrictions' | 'freezes'>;

/** Answered commands of which everything is kept, the latest. */
const WHOLE_MAX = 10_000;

/** Commands of operators by id: a fold over the journal. */
export class OperatorCommands {
  private readonly byId = new Map<CommandId, KnownCommand>();
  /** Flattens that have not ended, oldest first. */
  readonly flattening = new Set<CommandId>();
  private readonly old = new OldCommands();
  /** Answered commands in the order of their answers: the latest, and up to as many older ones. */
  private answered: CommandId[] = [];

  /** Oldest first, without those that are long over. */
  get all(): readonly KnownCommand[] {
    return [...this.byId.values()];
  }

  of(id: CommandId): KnownCommand | undefined {
    return this.byId.get(id) ?? this.old.of(id);
  }

  apply(fact: CommandJournalEvent, at: EpochMs, counts: CountsBefore): void {
    if (fact.kind === 'operator') return this.#begin(fact, at, counts);
    const known = this.byId.get(fact.id);
    if (!known) return;
    const isFlattening =
      known.isFlattening && fact.kind === 'operatorAnswered' && fact.answer.kind === 'done';
    if (!isFlattening) this.flattening.delete(fact.id);
    if (fact.kind === 'flattened') this.byId.set(fact.id, { ...known, isFlattening, left: fact.left ?? [] });
    else {
      this.byId.set(fact.id, { ...known, isFlattening, answer: fact.answer });
      this.answered.push(fact.id);
      this.#age(this.answered[this.answered.length - 1 - WHOLE_MAX]);
    }
  }

  /** Keeps less of an answered command that is no longer among the latest. */
  #age(id: CommandId | undefined): void {
    const known = id === undefined ? undefined : this.byId.get(id);
    if (known && this.old.take(known)) this.byId.delete(known.request.id);
    if (this.answered.length >= 2 * WHOLE_MAX) this.answered = this.answered.slice(-WHOLE_MAX);
  }

  /** Notes an intent that a command has led to. */
  noteIntent(id: CommandId, intentId: string): void {
    const known = this.byId.get(id);
    if (known) this.byId.set(id, { ...known, intents: [...known.intents, intentId] });
  }

  #begin({ id, by, reason, command }: OperatorRequest, at: EpochMs, counts: CountsBefore): void {
    const request = { id, by, reason, command };
    const isFlattening = command.kind === 'flatten';
    const { restrictions, freezes } = counts;
    const begun = { request, answer: null, isFlattening, at, restrictions, freezes };
    this.byId.set(id, { ...begun, intents: [], left: [] });
    if (isFlattening) this.flattening.add(id);
  }

  /** Notes the end of the intent of an order by hand. */
  noteEnd(id: CommandId, ended: OrderEnd): void {
    const known = this.byId.get(id);
    if (known?.request.command.kind === 'order') this.byId.set(id, { ...known, ended });
  }
}
