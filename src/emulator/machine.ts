import { epochMs, type EpochMs } from '../core/brand.ts';
import { hashHex } from '../core/random.ts';
import { authenticate, splitAt, type VenueRequest } from './auth.ts';
import { accept, type RawTransaction } from './chain/acceptance.ts';
import { act, mineNext } from './chain/chain.ts';
import { execute } from './chain/execute.ts';
import { waylay } from './chain/waylay.ts';
import { runCommand, type Command } from './commands.ts';
import { actionOf, clearOrders } from './corporateActions.ts';
import { digestOf } from './delegation.ts';
import { expire, runDesk } from './desk.ts';
import { answerInstead, spoil, strike } from './faults.ts';
import { notFound, Refusal } from './refusal.ts';
import { refused, success, unauthorized, uuidOf, type VenueReply } from './reply.ts';
import { findRoute, type Match, type Recovered } from './routes/index.ts';
import type { Hex, RequestCount, State, Task } from './state.ts';
import { truthOf, type Truth } from './truth.ts';
import { accountOf, createWorld, orderOfId, type World } from './world.ts';

/** A request with what only its carrier could work out. */
export type Arrival = Readonly<{ request: VenueRequest; recovered: Recovered | null }>;

/** What leaves the venue, and how much later than usual. Without a reply the connection breaks. */
export type Outcome = Readonly<{ reply: VenueReply | null; delayMs: number }>;

/**
 * The venue as a state machine: no socket, no timer, no clock, no chance of its own. What it does depends on its state,
 * on what it is given and on the times that are given with it, so the same inputs lead to the same state. What happens
 * by itself (blocks, settlements, expiry) happens when time is moved past it, in order, each at its own instant; how
 * many steps lead there makes no difference.
 */
export interface Machine {
  readonly state: State;
  /** Answers one request. Time never runs backwards: an earlier `now` counts as the instant reached. */
  handle(arrival: Arrival, now: EpochMs): Outcome;
  /** Takes a transaction of a user's own wallet into the mempool. @throws {NodeRefusal} */
  accept(transaction: RawTransaction, now: EpochMs): void;
  /** What is to be seen at `now`, by who changes nothing. */
  read<T>(look: (world: World, now: EpochMs) => T, now: EpochMs): T;
  /** Carries out what a test does behind the venue's back. @throws {InvalidValueError} */
  command(command: Command, now: EpochMs): void;
  advance(now: EpochMs): void;
  /** When something happens next by itself. */
  nextDue(): EpochMs | null;
  /** What the wallet of a key has to sign to enable One Click, after `/1ct/prepare`. */
  digestFor(apiKey: string): Hex | null;
  truth(now: EpochMs): Truth;
}

export function createMachine(state: State): Machine {
  const world = createWorld(state);

  const advance = (now: EpochMs): EpochMs => {
    for (let task = state.tasks[0]; task && task.due <= now; task = state.tasks[0]) {
      state.tasks.shift();
      state.now = task.due;
      run(world, task);
    }
    state.now = epochMs(Math.max(state.now, now));
    return state.now;
  };

  return {
    state,
    handle: (arrival, now) => handle(world, arrival, advance(now)),
    accept: (transaction, now) => accept(world, transaction, advance(now)),
    read: (look, now) => look(world, advance(now)),
    command: (command, now) => runCommand(world, command, advance(now)),
    advance,
    nextDue: () => state.tasks[0]?.due ?? null,
    digestFor(apiKey) {
      const key = world.keys.get(apiKey);
      return key ? digestOf(accountOf(world, key.userAddress)) : null;
    },
    truth: (now) => truthOf(world, advance(now)),
  };
}

function run(world: World, task: Task): void {
  switch (task.kind) {
    case 'mine':
      return mineNext(world, task, task.due);
    case 'settle': {
      const { orderId } = task;
      if (orderOfId(world, orderId).settlement !== null) return;
      const hash = hashHex(`settlement ${orderId}`);
      return act(world, { call: { kind: 'settleOrder', orderId }, hash }, task.due);
    }
    case 'settleOperation':
      return endOperation(world, task.operationId, task.due);
    case 'expire':
      return expire(world, orderOfId(world, task.orderId), task.due);
    case 'corporateAction': {
      clearOrders(world, actionOf(world, task.id), task.due);
      const call = { kind: 'corporateAction', id: task.id } as const;
      execute(world, { call, hash: '0x', user: 'venue', emit: () => undefined }, task.due);
      return;
    }
    case 'desk':
      return runDesk(world, task.due);
  }
}

/** What was queued ends, well or not. */
function endOperation(world: World, opId: Hex, at: EpochMs): void {
  const end = world.state.cashier.failing ? 'fail' : 'settle';
  const what = world.operations.get(opId)?.type === 'deposit' ? 'Deposit' : 'Withdrawal';
  act(world, { call: { kind: `${end}${what}`, opId }, hash: hashHex(`settlement ${opId}`) }, at);
}

function handle(world: World, { request, recovered }: Arrival, now: EpochMs): Outcome {
  const [path] = splitAt(request.uri, '?');
  const match = findRoute(request.method, path);
  const endpoint = match ? `${match.route.method} ${match.route.path}` : 'other';
  const rule = strike(world.state, endpoint, request);
  if (rule?.kind === 'lost-request') return { reply: null, delayMs: 0 };
  const count = countOf(world.state, endpoint);
  count.received++;
  const instead = rule ? answerInstead(rule, now) : null;
  const sent = world.state.transactions.length;
  const reply = instead ?? answer(world, { request, recovered, match }, now);
  const transaction = world.state.transactions[sent];
  if (rule && transaction) waylay(world, transaction, rule);
  if (!instead && reply.status === 200) count.accepted++;
  if (rule?.kind === 'lost-response') return { reply: null, delayMs: 0 };
  count.answered++;
  return { reply: rule ? spoil(rule, reply) : reply, delayMs: rule?.kind === 'delay' ? rule.ms : 0 };
}

function countOf({ requests }: State, endpoint: string): RequestCount {
  return (requests[endpoint] ??= { received: 0, accepted: 0, answered: 0 });
}

type Matched = Arrival & Readonly<{ match: Match | null }>;

function answer(world: World, { request, recovered, match }: Matched, now: EpochMs): VenueReply {
  const key = authenticate(world, request, now);
  if (!key) return unauthorized(now);
  const uuid = uuidOf(`${key.apiKey} ${request.headers['x-api-nonce'] ?? ''}`);
  try {
    if (!match) throw notFound(`no endpoint ${request.method} ${splitAt(request.uri, '?')[0].slice(0, 200)}`);
    const query = new URLSearchParams(splitAt(request.uri, '?')[1]);
    const { route, path } = match;
    return success(
      route.handle({ world, now, key, path, query, body: request.body, uuid, recovered }),
      uuid,
      now,
    );
  } catch (error) {
    if (error instanceof Refusal) return refused(error, uuid, now);
    throw error;
  }
}
