import { type EpochMs, epochMs } from '../../core/brand.ts';
import type { JournalEventOf } from '../journalEvent.ts';
import type { CommandId } from './restriction.ts';
import type { OperatorRequest, OrderEnd, KnownCommand, OperatorAnswer } from './command.ts';

type CommandJournalEvent = JournalEventOf<'operator' | 'operatorAnswered' | 'flattened'>;

/** Number of restrictions set so far, and of causes of freezes. */
type CountsBefore = Pick<KnownCommand, 'restrictions' | 'freezes'>;

/** Number of latest answered commands that are kept in full. */
const WHOLE_MAX = 10_000;

/** Commands of operators by id, folded from the journal. */
export class OperatorCommands {
  private readonly byId = new Map<CommandId, KnownCommand>();
  /** Flattens that have not ended, oldest first. */
  readonly flattening = new Set<CommandId>();
  private readonly old = new OldCommands();
  /** Answered commands in the order of their answers: the latest, and up to as many older ones. */
  private answered: CommandId[] = [];

  /** Commands, oldest first, without those answered long ago. */
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

  /** Compacts an answered command that is no longer among the latest. */
  #age(id: CommandId | undefined): void {
    const known = id === undefined ? undefined : this.byId.get(id);
    if (known && this.old.take(known)) this.byId.delete(known.request.id);
    if (this.answered.length >= 2 * WHOLE_MAX) this.answered = this.answered.slice(-WHOLE_MAX);
  }

  /** Records an intent created by a command. */
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

  noteEnd(id: CommandId, ended: OrderEnd): void {
    const known = this.byId.get(id);
    if (known?.request.command.kind === 'order') this.byId.set(id, { ...known, ended });
  }
}

/** A command without its id: the request, by whom and why, and its answer. */
type Exchange = Readonly<{ request: Omit<OperatorRequest, 'id'>; answer: OperatorAnswer }>;

/** Maximum number of exchanges that later commands may share: most commands of a program are identical. */
const SHARED_MAX = 1_000;

/**
 * Commands answered long ago: they no longer change, and their ids still get the first answer. Identical commands share
 * all but their ids, because a program that pauses every minute gives half a million per year.
 */
class OldCommands {
  /** Index in `exchanges` by command id. */
  private readonly byId = new Map<CommandId, number>();
  private readonly exchanges: Exchange[] = [];
  /** Indexes of the latest exchanges by their texts. */
  private shared = new Map<string, number>();

  /** Accepts a command; false if more of it must be kept: its orders, what it left, or its transfer. */
  take({ request, answer, isFlattening, ended, intents, left }: KnownCommand): boolean {
    const { id, by, reason, command } = request;
    const isPlain = intents.length === 0 && left.length === 0 && ended === undefined;
    if (!answer || isFlattening || !isPlain || command.kind === 'transfer') return false;
    this.byId.set(id, this.#sharedBy({ request: { by, reason, command }, answer }));
    return true;
  }

  of(id: CommandId): KnownCommand | undefined {
    const exchange = this.exchanges[this.byId.get(id) ?? -1];
    if (!exchange) return undefined;
    const { request, answer } = exchange;
    const before = { at: epochMs(0), restrictions: 0, freezes: 0 };
    return { request: { id, ...request }, answer, isFlattening: false, ...before, intents: [], left: [] };
  }

  /** Index of an identical exchange, or of this one once added. */
  #sharedBy(exchange: Exchange): number {
    const text = JSON.stringify(exchange, (_key, value: unknown) =>
      typeof value === 'bigint' ? `${value}n` : value,
    );
    const known = this.shared.get(text);
    if (known !== undefined) return known;
    if (this.shared.size >= SHARED_MAX) this.shared = new Map();
    this.shared.set(text, this.exchanges.length);
    return this.exchanges.push(exchange) - 1;
  }
}
