import { existsSync } from 'node:fs';
import { request as httpRequest } from 'node:http';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Random } from '../../src/core/random.ts';
import type { Finding } from './judge.ts';
import type { JournalSide } from './journalSide.ts';
import { STRATEGY_IDS } from './settings.ts';

/** Longest pause between two commands, in ms. */
const PAUSE_MS = 300;
/** Longest wait for an answer before the next command, in ms: a flatten is answered once all is sold. */
const ANSWER_MS = 250;
/** Share of commands that lift what an earlier one has restricted, while something is. */
const LIFTING = 0.6;
/** Share of commands whose id is given a second time. */
const AGAIN = 0.2;
const FIRST_SYMBOLS = ['AAPL', 'NVDA', 'TSLA', 'PLUG', 'SPY'];

type Body = Readonly<Record<string, unknown>>;
type Verb = Readonly<{ verb: string; body: Body; lifted?: Verb }>;
type Reply = Readonly<{ status: number; body: Body }>;

/** A command as its client knows it. `text`: of its answer, null while there is none. */
type Asked = { verb: string; isDone: boolean; text: string | null };

/** Numbers of the commands of a campaign. `unanswered`: the daemon ended before its answer came. */
export type SteeringCounts = Readonly<{ given: number; done: number; refused: number; unanswered: number }>;

/** An operator at the control socket of one state folder: never repeats a command under a new id. */
export class Steering {
  readonly #socket: string;
  readonly #random: Random;
  readonly #name: string;
  readonly #lies: boolean;
  readonly #asked = new Map<string, Asked>();
  /** Commands that lift the restrictions that were set, oldest first. */
  #toLift: Verb[] = [];
  #isStopped = false;

  constructor({
    stateDir,
    random,
    name,
    lies,
  }: {
    stateDir: string;
    random: Random;
    name: string;
    lies: boolean;
  }) {
    this.#socket = join(stateDir, 'control.sock');
    this.#random = random;
    this.#name = name;
    this.#lies = lies;
  }

  /** True when the present daemon was stopped. */
  get isStopped(): boolean {
    return this.#isStopped;
  }

  get counts(): SteeringCounts {
    const all = [...this.#asked.values()];
    return {
      given: all.length,
      done: all.filter(({ isDone }) => isDone).length,
      refused: all.filter(({ isDone, text }) => text !== null && !isDone).length,
      unanswered: all.filter(({ text }) => text === null).length,
    };
  }

  /** Steers one daemon until it has ended. */
  async drive(ended: AbortSignal): Promise<void> {
    this.#isStopped = false;
    const given: Promise<void>[] = [];
    try {
      await this.#askAfterTheLost(ended);
      while (!ended.aborted) {
        await sleep(PAUSE_MS * this.#random.next(), undefined, { signal: ended });
        if (!existsSync(this.#socket)) continue;
        const last = this.#give(this.#next(), ended);
        given.push(last);
        await Promise.race([last, sleep(ANSWER_MS)]);
      }
      await Promise.all(given);
    } catch (error) {
      if (!ended.aborted && !isBroken(error)) throw error;
    }
  }

  /** Compares the answers with a journal. */
  findings({ restraint, broken }: JournalSide): readonly Finding[] {
    const wrong = [...this.#asked].flatMap(([id, { isDone, text }]): string[] => {
      const known = restraint.commands.get(id);
      if (!isDone) return [];
      if (known?.answer?.kind !== 'done')
        return [`${id} was answered (${String(text)}), the journal has no such answer`];
      return known.answer.text === text
        ? []
        : [`${id} was answered ${String(text)}, journaled ${known.answer.text}`];
    });
    return [...wrong, ...broken].map((text) => ({ kind: 'steering', text }));
  }

  /** Asks a new daemon for the outcome of commands that an earlier one has not answered. */
  async #askAfterTheLost(ended: AbortSignal): Promise<void> {
    for (const [id, asked] of this.#asked) {
      if (asked.text !== null || !existsSync(this.#socket)) continue;
      const { status, body } = await this.#send(`/v1/commands/${id}`, ended);
      if (status === 404) asked.text = 'never taken';
      const answer = body['answer'] as Readonly<{ kind: string; text: string }> | null | undefined;
      if (status === 200 && answer) this.#note(asked, answer.kind === 'done', answer.text);
    }
  }

  async #give({ verb, body }: Verb, ended: AbortSignal): Promise<void> {
    const id = `${this.#name}-${this.#asked.size + 1}`;
    const asked: Asked = { verb, isDone: false, text: null };
    this.#asked.set(id, asked);
    if (verb === 'stop') this.#isStopped = true;
    const give = () => this.#send(`/v1/${verb}`, ended, { id, reason: `by hand, ${verb}`, ...body });
    const replies = this.#random.next() < AGAIN ? [give(), give()] : [give()];
    for (const reply of await Promise.all(replies)) this.#take(asked, reply);
  }

  #take(asked: Asked, { status, body }: Reply): void {
    const error = body['error'] as Readonly<{ message?: string }> | undefined;
    if (status === 200) this.#note(asked, true, String(body['text']));
    else if (status >= 400 && status < 500) this.#note(asked, false, error?.message ?? String(status));
  }

  /** Keeps the first answer. */
  #note(asked: Asked, isDone: boolean, text: string): void {
    if (asked.text !== null) return;
    asked.isDone = isDone;
    asked.text = text;
  }

  #next(): Verb {
    const roll = () => this.#random.next();
    const [lifting] = this.#toLift;
    if (lifting && roll() < LIFTING) {
      this.#toLift = this.#toLift.slice(1);
      return lifting;
    }
    const verbs = this.#lies ? VERBS.filter((make) => make !== freeze) : VERBS;
    const said = (verbs[Math.floor(roll() * verbs.length)] ?? cancel)(roll);
    if (said.lifted) this.#toLift.push(said.lifted);
    return said;
  }

  #send(path: string, signal: AbortSignal, body?: Body): Promise<Reply> {
    const method = body ? 'POST' : 'GET';
    return new Promise((resolve, reject) => {
      const headers = { host: 'localhost', 'content-type': 'application/json' };
      const request = httpRequest({ socketPath: this.#socket, method, path, headers, signal }, (response) => {
        const parts: Buffer[] = [];
        response.on('data', (part: Buffer) => parts.push(part));
        response.on('error', reject);
        response.on('end', () => {
          const text = Buffer.concat(parts).toString();
          resolve({ status: response.statusCode ?? 0, body: (text === '' ? {} : JSON.parse(text)) as Body });
        });
      });
      request.on('error', reject);
      request.end(body && JSON.stringify(body));
    });
  }
}

/** True for the error of a daemon that has ended, or does not listen yet. */
const isBroken = (error: unknown): boolean =>
  error instanceof Error &&
  /ECONN|ENOENT|EPIPE|socket hang up|aborted|JSON/.test(`${error.name} ${error.message}`);

type Roll = () => number;
type Make = (roll: Roll) => Verb;

const symbolOf = (roll: Roll): string => FIRST_SYMBOLS[Math.floor(roll() * FIRST_SYMBOLS.length)] ?? 'AAPL';

const strategyOf = (roll: Roll): string =>
  STRATEGY_IDS[Math.floor(roll() * STRATEGY_IDS.length)] ?? 'guarded';

function scopeOf(roll: Roll): Body {
  const wide = roll();
  if (wide < 0.3) return {};
  const strategy = strategyOf(roll);
  if (wide < 0.6) return { strategy };
  return wide < 0.9 ? { symbol: symbolOf(roll) } : { strategy, symbol: symbolOf(roll) };
}

const restricting =
  (state: 'halted' | 'reducing'): Make =>
  (roll) => {
    const scope = scopeOf(roll);
    const lifted = { verb: 'trade', body: { ...scope, state: 'active' } };
    return { verb: 'trade', body: { ...scope, state, cancel: roll() < 0.5 }, lifted };
  };
const cancel: Make = (roll) => ({ verb: 'cancel', body: scopeOf(roll) });
const flatten: Make = (roll) => {
  const scope = scopeOf(roll);
  return { verb: 'flatten', body: scope, lifted: { verb: 'trade', body: { ...scope, state: 'active' } } };
};
const freeze: Make = (roll) => {
  const symbol = symbolOf(roll);
  return { verb: 'freeze', body: { symbol }, lifted: { verb: 'unfreeze', body: { subject: symbol } } };
};
const order: Make = (roll) => {
  const [symbol, strategy] = [symbolOf(roll), strategyOf(roll)];
  const size =
    roll() < 0.5 ? { side: 'buy', notional: (20 + 80 * roll()).toFixed(2) } : { side: 'sell', shares: 'all' };
  return { verb: 'orders', body: { symbol, strategy, ...size } };
};
const stop: Make = (roll) => ({ verb: roll() < 0.3 ? 'stop' : 'acknowledge', body: {} });
const reload: Make = () => ({ verb: 'reload', body: {} });
const resolve: Make = () => ({ verb: 'resolve', body: { subject: 'nobody-1.1' } });

/** Kinds of commands to draw from, each as often as it stands here. */
const VERBS: readonly Make[] = [
  restricting('halted'),
  restricting('reducing'),
  restricting('halted'),
  cancel,
  cancel,
  flatten,
  freeze,
  order,
  order,
  order,
  stop,
  reload,
  resolve,
];
