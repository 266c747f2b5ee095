import { epochMs, type EpochMs } from '../core/brand.ts';
import { hashHex } from '../core/random.ts';
import { restateOrder } from './aftermath.ts';
import { accept, type RawTransaction } from './chain/acceptance.ts';
import { act, mineNext } from './chain/chain.ts';
import { execute } from './chain/execute.ts';
import { forget } from './chain/mempool.ts';
import { waylay } from './chain/waylay.ts';
import { runCommand, type Command } from './commands.ts';
import { actionOf } from './corporateActions.ts';
import { digestOf } from './delegation.ts';
import { close, expire, runDesk } from './desk.ts';
import { giveUp } from './reorg.ts';
import { SEND } from './rpc/methods.ts';
import { addSteps, clearSteps, runStep, type Script } from './script.ts';
import { settlementHash } from './settlement.ts';
import { strike, type MessageRule } from './faults/index.ts';
import { handleArrival, type Arrival, type Outcome } from './handling.ts';
import type { CorporateAction, Hex, Order, State, Task } from './state.ts';
import { truthOf, type Truth } from './truth.ts';
import { accountOf, createWorld, orderOfId, type World } from './world.ts';

export type { Arrival, Outcome } from './handling.ts';

/** A request to the node: the method of its call, of a batch that of the first, and its text. */
export type NodeCall = Readonly<{ method: string; body: string }>;

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
  /** What strikes a request to the node on its way. */
  strikeNode(call: NodeCall, now: EpochMs): MessageRule | null;
  /** Has commands carried out at their instants; null forgets those to come. @throws {InvalidValueError} */
  script(script: Script | null, now: EpochMs): void;
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
    handle: (arrival, now) => handleArrival(world, arrival, advance(now)),
    accept(transaction, now) {
      const at = advance(now);
      const taken = accept(world, transaction, at);
      const target = { on: 'node', endpoint: SEND, what: taken.hash } as const;
      waylay(world, { transaction: taken, target }, at);
    },
    strikeNode: ({ method, body }, now) => {
      advance(now);
      return strike(state, { on: 'node', endpoint: method, what: body }, 'message');
    },
    script(steps, now) {
      const at = advance(now);
      if (steps) addSteps(world, steps, at);
      else clearSteps(world);
    },
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
    case 'forget':
      return forget(world, task.hash);
    case 'settle': {
      const { orderId } = task;
      const order = orderOfId(world, orderId);
      if (order.settlement !== null) return;
      const hash = settlementHash(order);
      return act(world, { call: { kind: 'settleOrder', orderId }, hash }, task.due);
    }
    case 'settleOperation':
      return endOperation(world, task.operationId, task.due);
    case 'expire':
      return expire(world, orderOfId(world, task.orderId), task.due);
    case 'restateOrder':
      return restateOrder(orderOfId(world, task.orderId), task.due);
    case 'payOrder':
    case 'reverseOrder': {
      const { kind, orderId } = task;
      execute(world, { call: { kind, orderId }, hash: '0x', user: 'venue', emit: () => undefined }, task.due);
      return;
    }
    case 'corporateAction': {
      clearOrders(world, actionOf(world, task.id), task.due);
      const call = { kind: 'corporateAction', id: task.id } as const;
      execute(world, { call, hash: '0x', user: 'venue', emit: () => undefined }, task.due);
      return;
    }
    case 'desk':
      return runDesk(world, task.due);
    case 'step':
      return runStep(world, task.id, task.due);
    case 'reorg':
      return giveUp(world, task.due);
    case 'arrival':
      handleArrival(world, task.arrival, task.due);
      return;
  }
}

/** What was queued ends, well or not. */
function endOperation(world: World, opId: Hex, at: EpochMs): void {
  const end = world.state.cashier.failing ? 'fail' : 'settle';
  const what = world.operations.get(opId)?.type === 'deposit' ? 'Deposit' : 'Withdrawal';
  act(world, { call: { kind: `${end}${what}`, opId }, hash: hashHex(`settlement ${opId}`) }, at);
}

/**
 * Ends every order of the stock that is still to settle, with what it has executed: its terms were made for the shares of
 * before. DAY orders have ended at the close, so this meets what was placed since.
 */
function clearOrders(world: World, { symbol }: CorporateAction, at: EpochMs): void {
  const isLive = (order: Order) =>
    order.symbol === symbol && order.minedAt !== null && order.settlement === null;
  for (const order of world.state.orders.filter(isLive)) {
    if (order.closing === null) close(world, order, 'Canceled');
    const { orderId } = order;
    if (order.fate?.kind === 'settle-in-parts') order.fate = null;
    act(world, { call: { kind: 'settleOrder', orderId }, hash: settlementHash(order) }, at);
  }
}
