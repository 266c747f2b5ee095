import { signal } from '@preact/signals';
import { describe, expect, test } from 'vitest';
import type { Status } from '../../src/ops/model/status.ts';
import { ApiError } from '../../src/page/connection/api.ts';
import type { EntryView, Link } from '../../src/page/connection/connection.ts';
import { Command, type Receiver } from '../../src/page/steering/command.ts';

type Posted = Readonly<{ path: string; body: unknown; meant: unknown }>;
const DONE = { isDone: true, cancelled: 0, sold: 0, left: [] };
const settle = () => new Promise((resolve) => setImmediate(resolve));

/** A daemon that responds as a test says. */
class Daemon implements Receiver {
  readonly link = signal<Link>({ kind: 'connected' });
  readonly status = signal<Status | null>({} as Status);
  readonly posted: Posted[] = [];
  /** Responses to commands, in turn. */
  answers: unknown[] = [];
  /** Its knowledge of the command; null for none. */
  known: unknown = null;
  readonly #listeners = new Set<(entry: EntryView) => void>();

  readonly onEntry = (listener: (entry: EntryView) => void) => {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  };

  async get<T>(path: string): Promise<T> {
    if (path !== 'v1/commands/id-1') throw new Error(path);
    if (this.known === null) throw new ApiError('no such command', { status: 404, code: 'NOT_FOUND' });
    return this.known as T;
  }

  async post<T>(path: string, body: unknown, meant?: unknown): Promise<T> {
    this.posted.push({ path, body, meant });
    const answer = this.answers.shift();
    if (answer instanceof Error) throw answer;
    return answer as T;
  }

  write(entry: Record<string, unknown> & Readonly<{ kind: string }>): void {
    for (const listener of this.#listeners) listener({ seq: 1, at: '', ...entry });
  }
}

const addressee = { mode: 'dry-run', account: 'a' };

async function given(
  answers: unknown[],
  { verb = 'trade', known = null }: Readonly<{ verb?: string; known?: unknown }> = {},
) {
  const daemon = new Daemon();
  daemon.answers = answers;
  daemon.known = known;
  const action = { verb, body: { state: 'halted' } };
  const command = new Command({ id: 'id-1', action, reason: 'why', addressee }, daemon);
  await command.begin();
  await settle();
  return { daemon, command };
}

const lost = () => new ApiError('The daemon does not answer.', { status: 0, code: 'NO_ANSWER' });
const answered = (answer: object) => ({ kind: 'operatorAnswered', id: 'id-1', answer });

describe('a command of the page', () => {
  test('is done only once the journal confirms it, whatever the response was', async () => {
    const { daemon, command } = await given([{ done: true }]);
    expect(command.state.value.kind).toBe('waiting');
    daemon.write({ ...answered({ kind: 'done', text: 'not mine' }), id: 'id-2' });
    expect(command.state.value.kind).toBe('waiting');
    daemon.write(answered({ kind: 'done', text: 'halted' }));
    expect(command.state.value).toEqual({ kind: 'confirmed', text: 'halted' });
    expect(daemon.posted).toEqual([
      { path: 'v1/trade', body: { state: 'halted', id: 'id-1', reason: 'why' }, meant: addressee },
    ]);
  });

  test.each([
    ['no response', lost()],
    ['an unknown outcome', new ApiError('the run ended', { status: 503, code: 'UNKNOWN' })],
    [
      'a response of another program',
      new ApiError('The daemon answered 400 without giving a reason.', { status: 400, code: 'UNREADABLE' }),
    ],
  ])('is unknown after %s, and sent again only by the user, with the same id', async (_, error) => {
    const { daemon, command } = await given([error]);
    expect(command.state.value.kind).toBe('unknown');
    daemon.status.value = {} as Status;
    await settle();
    expect([command.state.value.kind, daemon.posted.length]).toEqual(['unknown', 1]);
    await command.send();
    expect(daemon.posted.map(({ body }) => (body as { id: string }).id)).toEqual(['id-1', 'id-1']);
  });

  test('is confirmed after a reconnect by what the daemon knows', async () => {
    const { daemon, command } = await given([lost()]);
    daemon.known = { answer: { kind: 'done', text: 'halted' }, progress: DONE };
    daemon.link.value = { kind: 'connected' };
    await settle();
    expect(command.state.value).toEqual({ kind: 'confirmed', text: 'halted' });
  });

  test('counts as refused if nothing was done, unless an earlier send is unknown', async () => {
    const refused = () => new ApiError('too many', { status: 429, code: 'RATE' });
    const first = await given([refused()]);
    expect(first.command.state.value).toEqual({ kind: 'refused', text: 'too many' });
    const later = await given([lost(), refused()]);
    await later.command.send();
    expect(later.command.state.value.kind).toBe('unknown');
  });

  test('waits while its response is late', async () => {
    const { command } = await given([{ done: false }], {
      known: { answer: null, progress: { ...DONE, isDone: false } },
    });
    expect(command.state.value.kind).toBe('waiting');
  });

  test('is under way until its sales are done', async () => {
    const selling = { answer: { kind: 'done', text: 'selling' }, progress: { ...DONE, isDone: false } };
    const { daemon, command } = await given([{ done: true }], { verb: 'flatten', known: selling });
    daemon.write(answered({ kind: 'done', text: 'selling' }));
    await settle();
    expect(command.state.value).toEqual({ kind: 'working', text: 'selling' });
    daemon.known = { answer: { kind: 'done', text: 'selling' }, progress: { ...DONE, sold: 2 } };
    daemon.write({ kind: 'flattened', id: 'id-1' });
    await settle();
    expect(command.state.value).toEqual({ kind: 'confirmed', text: 'selling (2 sold)' });
  });
});
