import { epochMs } from '../../core/brand.ts';
import type { KnownCommand, OperatorAnswer, OperatorRequest } from './command.ts';
import type { CommandId } from './restriction.ts';

/** Everything of a command but its id: what was asked for, by whom and why, and its answer. */
type Exchange = Readonly<{ request: Omit<OperatorRequest, 'id'>; answer: OperatorAnswer }>;

/** Most exchanges that later commands may share: most commands of a program are alike. */
const SHARED_MAX = 1_000;

/**
 * Commands that are long over: nothing of them can change any more, and the same id still gets the first answer. Commands that
 * are alike share all but their ids, because a program that pauses each minute gives half a million in a year.
 */
export class OldCommands {
  /** Place of each in `exchanges`. */
  private readonly byId = new Map<CommandId, number>();
  private readonly exchanges: Exchange[] = [];
  /** Places of the latest by their texts. */
  private shared = new Map<string, number>();

  /** Takes a command; false for one of which more is to be kept: its orders, what it left, or its transfer. */
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

  /** Place of the equal exchange that others have already, or of this one. */
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
