import { epochMs, type EpochMs } from '../../core/brand.ts';
import { authenticate } from '../routes/authentication.ts';
import { intercept } from '../chain/intercept.ts';
import { inPresentWords, type VenueReply } from '../state/constants.ts';
import { isProcessed, corrupt } from '../faults/corrupt.ts';
import { limited, triggeredRule, type Target } from '../faults/trigger.ts';
import type { MessageRule } from '../state/faultRules.ts';
import { notFound, Refusal, refused, success, unauthorized, splitAt, uuidOf } from '../state/messages.ts';
import { findRoute, type Match } from '../routes/index.ts';
import type {
  Arrival,
  Hex,
  RequestCount,
  State,
  AnnouncedAction,
  Mapping,
  Order,
  Task,
} from '../state/state.ts';
import { schedule, type VenueState, accountOf, createVenueState, orderOfId } from '../state/venueState.ts';
import { hashHex } from '../../core/random.ts';
import { restateOrder, settlementHash } from '../trading/settlement.ts';
import { accept, type RawTransaction } from '../chain/acceptance.ts';
import { mineOperatorCall, mineNext } from '../chain/mining.ts';
import { executeOwn } from '../chain/execute.ts';
import { forget } from '../chain/mempool.ts';
import { runCommand, type Command, addSteps, clearSteps, runStep, type Script } from './commands.ts';
import { announcedAction } from '../trading/corporateActions.ts';
import { digestOf } from '../trading/delegation.ts';
import { close, expire, runMatching } from '../trading/matchingEngine.ts';
import { endFork } from '../chain/reorg.ts';
import { SEND } from '../rpc/methods.ts';
import { truthOf, type Truth } from '../views/truth.ts';

/** Response of the venue, and its delay in ms. Without a response the connection breaks. */
export type Outcome = Readonly<{ reply: VenueReply | null; delayMs: number }>;

const BROKEN: Outcome = { reply: null, delayMs: 0 };

/** Responds to one request, with the faults that it triggers. */
function handleArrival(venue: VenueState, arrival: Arrival, now: EpochMs): Outcome {
  const { request, recovered } = arrival;
  const match = findRoute(request.method, splitAt(request.uri, '?')[0]);
  const endpoint = match?.endpoint ?? 'other';
  const what = `${request.method} ${request.uri} ${request.body}`;
  const target: Target = { on: 'venue', endpoint, what };
  const rule = arrival.again ? null : triggeredRule(venue.state, target, 'message');
  if (rule?.kind === 'lost-request') return BROKEN;
  if (rule?.kind === 'late-request') {
    redeliver(venue, arrival, now + rule.ms);
    return BROKEN;
  }
  const delivery = { request, recovered, match, target, rule };
  const reply = deliver(venue, delivery, now);
  if (rule?.kind === 'lost-response') return BROKEN;
  if (!arrival.again) countOf(venue.state, endpoint).answered++;
  if (rule?.kind === 'delay') return { reply, delayMs: rule.ms };
  if (rule?.kind !== 'duplicate') return { reply, delayMs: 0 };
  if (rule.heard === 'second')
    return { reply: deliver(venue, { ...delivery, rule: null }, now), delayMs: rule.ms };
  redeliver(venue, arrival, now + rule.ms);
  return { reply, delayMs: 0 };
}

/** Delivers the request again at `due`, without a recipient for that response. */
function redeliver({ state }: VenueState, arrival: Arrival, due: number): void {
  schedule(state, { due: epochMs(due), kind: 'arrival', arrival: { ...arrival, again: true } });
}

function countOf({ requests }: State, endpoint: string): RequestCount {
  return (requests[endpoint] ??= { received: 0, accepted: 0, answered: 0 });
}

type Delivery = Omit<Arrival, 'again'> &
  Readonly<{ match: Match | null; target: Target; rule: MessageRule | null }>;

/** Processes a request, and corrupts its response if a rule says so. */
function deliver(venue: VenueState, delivery: Delivery, now: EpochMs): VenueReply {
  const { state } = venue;
  const { request, rule, target } = delivery;
  const count = countOf(state, target.endpoint);
  count.received++;
  const venueNow = epochMs(now + state.clockOffsetMs);
  const refusal = limited(state, now);
  if (refusal) return refusal;
  const isOwn = ({ apiKey }: Mapping) => apiKey === request.headers['x-api-key'];
  const hashBefore = (rule?.kind === 'other-hash' && state.mappings.findLast(isOwn)?.txHash) || null;
  const seed = `${state.seed} ${now} ${target.what}`;
  const corruption = { request, now: venueNow, hashBefore, seed };
  if (rule && !isProcessed(rule)) return corrupt(rule, unauthorized(venueNow), corruption);
  const sent = state.transactions.length;
  const reply = inPresentWords(answer(venue, delivery, { now, venueNow }), state.constants);
  const transaction = state.transactions[sent];
  if (transaction) intercept(venue, { transaction, target }, now);
  if (reply.status === 200) count.accepted++;
  return rule ? corrupt(rule, reply, corruption) : reply;
}

/** `now` by the chain's clock, `venueNow` by the venue's. */
type Times = Readonly<{ now: EpochMs; venueNow: EpochMs }>;

function answer(venue: VenueState, delivery: Delivery, { now, venueNow }: Times): VenueReply {
  const { request, recovered, match, rule } = delivery;
  const key = authenticate(venue, request, venueNow);
  if (!key) return unauthorized(venueNow);
  const uuid = uuidOf(`${key.apiKey} ${request.headers['x-api-nonce'] ?? ''}`);
  try {
    if (!match) throw notFound(`no endpoint ${request.method} ${splitAt(request.uri, '?')[0].slice(0, 200)}`);
    const query = new URLSearchParams(splitAt(request.uri, '?')[1]);
    const { handle, path } = match;
    const disorder = rule?.kind === 'list' ? rule : null;
    const context = { venue, now, key, path, query, body: request.body, uuid, recovered, disorder };
    return success(handle(context), uuid, venueNow);
  } catch (error) {
    if (error instanceof Refusal) return refused(error, uuid, venueNow);
    throw error;
  }
}

/** A request to the node: the method of its (first) call, and its text. */
type NodeCall = Readonly<{ method: string; body: string }>;

/**
 * The venue as a state machine without sockets, timers, clock or randomness of its own: the same inputs at the same
 * times lead to the same state. Blocks, settlements and expiries happen when time moves past them, in order, each at
 * its own instant; the number of steps makes no difference.
 */
export interface Machine {
  readonly state: State;
  /** Responds to one request. Time never runs backwards: an earlier `now` counts as the instant already reached. */
  handle(arrival: Arrival, now: EpochMs): Outcome;
  /** Adds a transaction of a user's own wallet to the mempool. @throws {NodeRefusal} */
  accept(transaction: RawTransaction, now: EpochMs): void;
  /** Reads the state as of `now`; `look` must not change it. */
  read<T>(look: (venue: VenueState, now: EpochMs) => T, now: EpochMs): T;
  /** The fault that a request to the node triggers, or null. */
  nodeFault(call: NodeCall, now: EpochMs): MessageRule | null;
  /** Schedules commands at their instants; null cancels those scheduled. @throws {InvalidValueError} */
  script(script: Script | null, now: EpochMs): void;
  /** Runs a command of a test. @throws {InvalidValueError} */
  command(command: Command, now: EpochMs): void;
  advance(now: EpochMs): void;
  /** Instant of the next scheduled task. */
  nextDue(): EpochMs | null;
  /** Digest that the wallet of a key must sign to enable One Click, after `/1ct/prepare`. */
  digestFor(apiKey: string): Hex | null;
  truth(now: EpochMs): Truth;
}

export function createMachine(state: State): Machine {
  const venue = createVenueState(state);

  const advance = (now: EpochMs): EpochMs => {
    for (let task = state.tasks[0]; task && task.due <= now; task = state.tasks[0]) {
      state.tasks.shift();
      state.now = task.due;
      run(venue, task);
    }
    state.now = epochMs(Math.max(state.now, now));
    return state.now;
  };

  return {
    state,
    handle: (arrival, now) => handleArrival(venue, arrival, advance(now)),
    accept(transaction, now) {
      const at = advance(now);
      const taken = accept(venue, transaction, at);
      const target = { on: 'node', endpoint: SEND, what: taken.hash } as const;
      intercept(venue, { transaction: taken, target }, at);
    },
    nodeFault: ({ method, body }, now) => {
      advance(now);
      return triggeredRule(state, { on: 'node', endpoint: method, what: body }, 'message');
    },
    script(steps, now) {
      const at = advance(now);
      if (steps) addSteps(venue, steps, at);
      else clearSteps(venue);
    },
    read: (look, now) => look(venue, advance(now)),
    command: (command, now) => runCommand(venue, command, advance(now)),
    advance,
    nextDue: () => state.tasks[0]?.due ?? null,
    digestFor(apiKey) {
      const key = venue.keys.get(apiKey);
      return key ? digestOf(accountOf(venue, key.userAddress)) : null;
    },
    truth: (now) => truthOf(venue, advance(now)),
  };
}

function run(venue: VenueState, task: Task): void {
  switch (task.kind) {
    case 'mine':
      return mineNext(venue, task, task.due);
    case 'forget':
      return forget(venue, task.hash);
    case 'settle': {
      const { orderId } = task;
      const order = orderOfId(venue, orderId);
      if (order.settlement !== null) return;
      const hash = settlementHash(order);
      return mineOperatorCall(venue, { call: { kind: 'settleOrder', orderId }, hash }, task.due);
    }
    case 'settleOperation':
      return endOperation(venue, task.operationId, task.due);
    case 'expire':
      return expire(venue, orderOfId(venue, task.orderId), task.due);
    case 'restateOrder':
      return restateOrder(orderOfId(venue, task.orderId), task.due);
    case 'payOrder':
    case 'reverseOrder': {
      const { kind, orderId } = task;
      executeOwn(venue, { kind, orderId }, task.due);
      return;
    }
    case 'corporateAction': {
      clearOrders(venue, announcedAction(venue, task.id), task.due);
      executeOwn(venue, { kind: 'corporateAction', id: task.id }, task.due);
      return;
    }
    case 'desk':
      return runMatching(venue, task.due);
    case 'step':
      return runStep(venue, task.id, task.due);
    case 'reorg':
      return endFork(venue, task.due);
    case 'arrival':
      handleArrival(venue, task.arrival, task.due);
      return;
  }
}

/** Ends a queued operation: settled, or failed while the cashier fails. */
function endOperation(venue: VenueState, opId: Hex, at: EpochMs): void {
  const end = venue.state.cashier.failing ? 'fail' : 'settle';
  const what = venue.operations.get(opId)?.type === 'deposit' ? 'Deposit' : 'Withdrawal';
  mineOperatorCall(venue, { call: { kind: `${end}${what}`, opId }, hash: hashHex(`settlement ${opId}`) }, at);
}

/**
 * Settles every live order of the stock with what it has executed so far, because its terms refer to the old shares.
 * DAY orders ended at the close, so only later orders are affected.
 */
function clearOrders(venue: VenueState, { symbol }: AnnouncedAction, at: EpochMs): void {
  const isLive = (order: Order) =>
    order.symbol === symbol && order.minedAt !== null && order.settlement === null;
  for (const order of venue.state.orders.filter(isLive)) {
    if (order.closing === null) close(venue, order, 'Canceled');
    const { orderId } = order;
    if (order.fate?.kind === 'settle-in-parts') order.fate = null;
    mineOperatorCall(venue, { call: { kind: 'settleOrder', orderId }, hash: settlementHash(order) }, at);
  }
}

/** Every input of the machine. Its state is the initial one plus these, in order. */
export type Input = Readonly<
  { at: EpochMs } & (
    | { kind: 'request'; arrival: Arrival }
    | { kind: 'transaction'; transaction: RawTransaction }
    | { kind: 'command'; command: Command }
    /** Null cancels the scheduled steps. */
    | { kind: 'script'; script: Script | null }
    /** A request to the node while rules for the node are active. */
    | { kind: 'node'; call: NodeCall }
    | { kind: 'tick' }
  )
>;

/**
 * Applies a stored input. Errors are ignored: they were reported to the original caller, and must not prevent a
 * directory from being opened.
 */
export function replay(machine: Machine, input: Input): void {
  try {
    give(machine, input);
  } catch {
    // As above.
  }
}

function give(machine: Machine, input: Input): void {
  switch (input.kind) {
    case 'request':
      machine.handle(input.arrival, input.at);
      return;
    case 'transaction':
      machine.accept(input.transaction, input.at);
      return;
    case 'command':
      machine.command(input.command, input.at);
      return;
    case 'script':
      machine.script(input.script, input.at);
      return;
    case 'node':
      machine.nodeFault(input.call, input.at);
      return;
    case 'tick':
      machine.advance(input.at);
      return;
  }
}
