import type { EpochMs } from '../../src/core/brand.ts';
import type { JournalEntry, JournalEvent } from '../../src/domain/journalEvent.ts';
import type { OperatorAnswer, OperatorCommand } from '../../src/domain/operator/command.ts';
import { covers } from '../../src/domain/operator/tradingState.ts';
import type { Counters } from './sometimes.ts';
import type { CommandId, Restriction, Scope } from '../../src/domain/operator/restriction.ts';

type Of<K extends JournalEvent['kind']> = Extract<JournalEvent, { kind: K }>;

/** A restriction in force, with its number in the journal. `command`: flatten in whose step it was recorded. */
type Standing = Readonly<{
  state: Restriction['state'];
  cause: Restriction['cause'];
  scope: Scope;
  since: number;
  command: CommandId | null;
}>;

/** A command according to the journal. `since`: its number in the journal. */
type Given = { command: OperatorCommand; at: EpochMs; since: number; answer: OperatorAnswer | null };

/** An order as planned, with its number in the journal. */
type Planned = Readonly<{
  strategyId: string;
  symbol: string;
  side: 'buy' | 'sell';
  intentId: string;
  since: number;
}>;

export type RestraintParts = Readonly<{
  accuse: (detail: string) => void;
  /** Counters of what occurred, if they are needed. */
  sometimes: Pick<Counters, RestraintCounter>;
}>;

export const RESTRAINT_COUNTERS = [
  'haltBetweenAwaitAndSent',
  'sentWhileReducing',
  'sentByFlatten',
  'flattened',
  'handOrderSent',
  'handOrderFilled',
] as const;
export type RestraintCounter = (typeof RESTRAINT_COUNTERS)[number];

/**
 * Reads a journal in its order, with a memory of its own, and notes where it sends what an operator has stopped, or does
 * a command more or less than once.
 */
export class Restraint {
  readonly commands = new Map<string, Given>();
  readonly #parts: RestraintParts;
  readonly #standing = new Map<string, Standing>();
  readonly #planned = new Map<string, Planned>();
  readonly #commandOf = new Map<string, CommandId>();
  readonly #ended = new Set<string>();
  #number = 0;
  /** Command that is being carried out: the journal has it, and not yet its answer in the same step. */
  #present: CommandId | null = null;

  constructor(parts: RestraintParts) {
    this.#parts = parts;
  }

  /** Restrictions in force. */
  get standing(): readonly Standing[] {
    return [...this.#standing.values()];
  }

  /** Reads the next entry. */
  read({ at, fact }: JournalEntry): void {
    this.#number++;
    switch (fact.kind) {
      case 'operator':
        return this.#given(fact, at);
      case 'operatorAnswered':
        return this.#answered(fact);
      case 'flattened':
        return this.#flattened(fact);
      case 'restricted':
        return this.#restricted(fact);
      case 'restrictionLifted':
        return this.#lifted(fact);
      case 'released':
        return this.#released(fact);
      case 'intentCreated':
        if (fact.intent.command !== undefined) this.#wanted(fact.intent.id, fact.intent.command);
        return;
      case 'planned':
        return this.#plannedAs(fact);
      case 'order':
        return this.#moved(fact);
      default:
        return;
    }
  }

  #given({ id, command }: Of<'operator'>, at: EpochMs): void {
    if (this.commands.has(id)) this.#parts.accuse(`the command ${id} is taken a second time`);
    this.commands.set(id, { command, at, since: this.#number, answer: null });
    this.#present = id;
  }

  #answered({ id, answer }: Of<'operatorAnswered'>): void {
    const given = this.commands.get(id);
    if (!given) return this.#parts.accuse(`${id} is answered, and was never given`);
    if (given.answer) this.#parts.accuse(`${id} is answered a second time`);
    given.answer = answer;
    if (this.#present === id) this.#present = null;
  }

  #flattened({ id }: Of<'flattened'>): void {
    if (this.commands.get(id)?.command.kind !== 'flatten')
      this.#parts.accuse(`${id} is no flatten, and ends as one`);
    if (this.#ended.has(id)) this.#parts.accuse(`the flatten ${id} ends a second time`);
    this.#ended.add(id);
    this.#parts.sometimes.flattened++;
  }

  #restricted({ state, cause, scope }: Of<'restricted'>): void {
    const command = this.#present;
    this.#standing.set(keyOf({ cause, scope }), { state, cause, scope, since: this.#number, command });
  }

  #lifted({ cause, scope }: Of<'restrictionLifted'>): void {
    const key = keyOf({ cause, scope });
    if (!this.#standing.delete(key)) this.#parts.accuse(`a restriction is lifted that was not there: ${key}`);
    if (!this.#isPending(({ kind }) => kind === 'trade' || kind === 'unfreeze'))
      this.#parts.accuse(`a restriction is lifted without a word to resume: ${key}`);
  }

  /** Checks that a freeze ends only by a command about its symbol, or by the one cause that ends by itself. */
  #released({ symbol, over }: Of<'released'>): void {
    if (over !== undefined) return;
    const isAbout = (command: OperatorCommand) =>
      (command.kind === 'unfreeze' && command.subject === symbol) ||
      (command.kind === 'accept' && command.asset === symbol);
    if (!this.#isPending(isAbout)) this.#parts.accuse(`${symbol} is released without a word about it`);
  }

  /** True when a command without an answer is of this kind. */
  #isPending(isOne: (command: OperatorCommand) => boolean): boolean {
    return [...this.commands.values()].some(({ command, answer }) => answer === null && isOne(command));
  }

  #wanted(intentId: string, id: CommandId): void {
    const isHand = this.commands.get(id)?.command.kind === 'order';
    if (isHand && [...this.#commandOf.values()].includes(id))
      this.#parts.accuse(`the command ${id} has a second intent: ${intentId}`);
    this.#commandOf.set(intentId, id);
  }

  #plannedAs({ order: { id, strategyId, intentId, terms } }: Of<'planned'>): void {
    const { symbol, side } = terms;
    this.#planned.set(id, { strategyId, symbol, side, intentId, since: this.#number });
  }

  #moved({ id, event }: Of<'order'>): void {
    const order = this.#planned.get(id);
    if (!order) return;
    const { sometimes } = this.#parts;
    const kind = this.commands.get(this.#commandOf.get(order.intentId) ?? '')?.command.kind;
    if (event.kind === 'abandoned' && this.#over(order).some(({ since }) => since > order.since))
      sometimes.haltBetweenAwaitAndSent++;
    if (kind === 'order' && event.kind === 'reported' && event.report.status === 'filled')
      sometimes.handOrderFilled++;
    if (event.kind !== 'sent') return;
    if (kind === 'flatten') sometimes.sentByFlatten++;
    if (kind === 'order') sometimes.handOrderSent++;
    this.#sent(id, order);
  }

  /** Checks a placement against every restriction in force. */
  #sent(id: string, order: Planned): void {
    for (const { state, cause, scope, since, command } of this.#over(order)) {
      const isSell = order.side === 'sell';
      if (state === 'reducing' && isSell) this.#parts.sometimes.sentWhileReducing++;
      if (isSell && (state === 'reducing' || this.#isFlattening(order, { since, command }))) continue;
      const range = JSON.stringify(scope);
      this.#parts.accuse(
        `order ${id}, a ${order.side} of ${order.symbol}, is sent while trading of ${range} is ${state} (${cause})`,
      );
    }
  }

  /** Restrictions that cover an order. */
  #over({ strategyId, symbol }: Planned): readonly Standing[] {
    if (this.#standing.size === 0) return [];
    const trade = { strategyId, symbol: symbol as never };
    return [...this.#standing.values()].filter(({ scope }) => covers(scope, trade));
  }

  /** True for an order of a flatten that has not ended, and that began at or after a restriction. */
  #isFlattening({ intentId }: Planned, { since, command }: Pick<Standing, 'since' | 'command'>): boolean {
    const id = this.#commandOf.get(intentId);
    const given = id === undefined ? undefined : this.commands.get(id);
    if (!id || given?.command.kind !== 'flatten' || this.#ended.has(id)) return false;
    return command === id || given.since > since;
  }
}

const keyOf = ({ cause, scope }: Pick<Standing, 'cause' | 'scope'>): string =>
  [cause, scope.strategyId ?? 'all', scope.symbol ?? 'all'].join(' ');
