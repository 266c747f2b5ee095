import { effect, signal } from '@preact/signals';
import type { CommandState as Lookup } from '../../ops/model/commandState.ts';
import { ApiError } from '../connection/api.ts';
import type { Connection, EntryView } from '../connection/connection.ts';
import type { Cancel } from '../connection/surroundings.ts';
import type { Action } from './action.ts';

/** Mode and account of the run that a person decided about: a daemon with others refuses the command. */
export type Addressee = Readonly<{ mode: string; account: string }>;

/** A command as given. `id`: its own, so that it can be resent and is still carried out only once. */
export type CommandParts = Readonly<{ id: string; action: Action; reason: string; addressee: Addressee }>;

/**
 * Progress of a command. `unknown`: it may have arrived. `waiting`: the daemon has it, but the journal has no response yet.
 * `working`: the response is in the journal, and orders are still being cancelled or sold. `confirmed`, `refused`: finished.
 */
export type CommandState = Readonly<{
  kind: 'sending' | 'waiting' | 'unknown' | 'working' | 'confirmed' | 'refused';
  text: string;
}>;

/** Daemon that a command is for. */
export type Receiver = Pick<Connection, 'link' | 'status' | 'onEntry' | 'get' | 'post'>;

type Answer = NonNullable<Lookup['answer']>;

const AWAITED = 'The daemon has it; the answer is not in the journal yet.';
const NEVER_SEEN =
  'The daemon has not received it so far. It can be sent again under the same id, and is carried out at most once.';
const SENT: CommandState = { kind: 'sending', text: 'Sent: no answer yet.' };

/** A command from this page, from sending until the journal shows its end. It never gets a second id. */
export class Command {
  readonly parts: CommandParts;
  readonly state = signal(SENT);
  readonly #daemon: Receiver;
  /** True once an attempt may or may not have arrived: a refusal of a later one then proves nothing about it. */
  #isInDoubt = false;
  #unwatch: Cancel = () => undefined;

  constructor(parts: CommandParts, daemon: Receiver) {
    this.parts = parts;
    this.#daemon = daemon;
  }

  get isOver(): boolean {
    const { kind } = this.state.value;
    return kind === 'confirmed' || kind === 'refused';
  }

  /** Sends it, and follows it until it has finished. */
  async begin(): Promise<void> {
    const unlisten = this.#daemon.onEntry((entry) => this.#take(entry));
    const unlook = effect(() => {
      const isConnected = this.#daemon.link.value.kind === 'connected';
      // Any change may have ended it.
      if (isConnected && this.#daemon.status.value !== null) this.#lookAgain();
    });
    this.#unwatch = () => {
      unlisten();
      unlook();
    };
    await this.send();
  }

  /** Sends it, for the first time or again, under its id. */
  async send(): Promise<void> {
    const { id, action, reason, addressee } = this.parts;
    this.#set(SENT);
    try {
      const body = { ...action.body, id, reason };
      const { done } = await this.#daemon.post<{ done: boolean }>(`v1/${action.verb}`, body, addressee);
      if (done) this.#set({ kind: 'waiting', text: AWAITED });
      else await this.lookUp();
    } catch (error) {
      await this.#fail(error);
    }
  }

  async #fail(error: unknown): Promise<void> {
    const text = error instanceof Error ? error.message : 'no answer has come';
    if (!this.#isInDoubt && isRefusal(error)) {
      this.#set({ kind: 'refused', text });
      return;
    }
    this.#isInDoubt = true;
    this.#set({ kind: 'unknown', text: `Unknown whether it was carried out: ${text}` });
    await this.lookUp();
  }

  /** Queries the daemon for its outcome. */
  async lookUp(): Promise<void> {
    try {
      this.#set(stateOf(await this.#daemon.get<Lookup>(`v1/commands/${this.parts.id}`)));
    } catch (error) {
      if (error instanceof ApiError && error.status === 404) {
        this.#isInDoubt = true;
        this.#set({ kind: 'unknown', text: NEVER_SEEN });
      }
    }
  }

  #lookAgain(): void {
    if (['unknown', 'waiting', 'working'].includes(this.state.peek().kind)) void this.lookUp();
  }

  #take(entry: EntryView): void {
    if (entry['id'] !== this.parts.id) return;
    if (entry.kind === 'operator') this.#set({ kind: 'waiting', text: AWAITED });
    if (entry.kind === 'operatorAnswered') this.#answer(entry['answer'] as Answer);
    if (entry.kind === 'flattened') void this.lookUp();
  }

  #answer({ kind, text }: Answer): void {
    if (kind === 'refused') this.#set({ kind: 'refused', text });
    else if (moves(this.parts.action)) {
      this.#set({ kind: 'working', text });
      void this.lookUp();
    } else this.#set({ kind: 'confirmed', text });
  }

  /** Sets a state, unless the command has finished: a result from the journal stays. */
  #set(state: CommandState): void {
    const before = this.state.peek().kind;
    if (before === 'confirmed' || before === 'refused') return;
    // The journal has its response, so later messages cannot know less.
    if (before === 'working' && !['working', 'confirmed', 'refused'].includes(state.kind)) return;
    this.state.value = state;
    if (state.kind === 'confirmed' || state.kind === 'refused') this.#unwatch();
  }
}

/** True for a command that continues after its response: orders are cancelled or sold. */
const moves = ({ verb, body }: Action): boolean =>
  verb === 'cancel' || verb === 'flatten' || (verb === 'trade' && body['cancel'] === true);

/** Codes of refusals that are not client errors, but after which nothing was done either. */
const NOT_DONE = ['UNREACHABLE', 'STARTING'];

/** True if the daemon, or a gateway that never reached it, reports that nothing was done. */
const isRefusal = (error: unknown): boolean =>
  error instanceof ApiError &&
  (NOT_DONE.includes(error.code) ||
    (error.status >= 400 && error.status < 500 && !['TIMEOUT', 'UNREADABLE'].includes(error.code)));

function stateOf({ answer, progress }: Lookup): CommandState {
  if (answer === null) return { kind: 'waiting', text: AWAITED };
  if (answer.kind === 'refused') return { kind: 'refused', text: answer.text };
  const { isDone, cancelled, sold, left } = progress;
  const counts = [
    [cancelled, 'cancelled'],
    [sold, 'sold'],
    [left.length, 'left'],
  ] as const;
  const moved = counts.flatMap(([count, what]) => (count === 0 ? [] : [`${count} ${what}`])).join(', ');
  const text = moved === '' ? answer.text : `${answer.text} (${moved})`;
  return { kind: isDone ? 'confirmed' : 'working', text };
}
