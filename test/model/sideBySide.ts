/**
 * One run of the model next to the emulator: both receive the same requests, the model sees the emulator's chain block
 * by block, balances are compared after each, and every difference is reported with its step.
 */
import { textOf, WAD } from './amount.ts';
import { calldataDifferences } from './calldata.ts';
import { balanceDifferences, detailDifferences, listDifferences, positionsDifferences } from './details.ts';
import { credentialsOf, EmulatorSide, genesisOf, methodOf, type ChainStep } from './emulatorSide.ts';
import { SOUND_KEY, type KeyState } from './access.ts';
import { mineMove, type ModelMove } from './moves.ts';
import { close, mine, mineCancel, overdue, revert, type ModelOrder } from './orderLife.ts';
import type { ModelStock, OrderBody } from './orderRules.ts';
import {
  NO_PICK,
  type CredentialsDraft,
  type DeadlineDraft,
  type Draft,
  type KeyChange,
  type OrderDraft,
  type Step,
} from './steps.ts';
import type { Tally } from './tally.ts';
import { differenceOf, type Answer } from './verdict.ts';
import { ModelVenue, type Genesis, type ModelRequest, type Operation } from './venue.ts';

/** Draws below this number pick an open order of the same key. */
const OWN_PICKS = 20;
const UNKNOWN_ID = 'ab'.repeat(32);

export class SideBySide {
  readonly #emulator: EmulatorSide;
  readonly #genesis: Genesis;
  readonly #model: ModelVenue;
  readonly #tally: Tally;
  readonly #sent: ModelOrder[] = [];
  readonly #cancels = new Map<string, ModelOrder>();
  readonly #moves = new Map<string, ModelMove>();
  readonly #nonces = new Map<string, string[]>();
  readonly #prepared = new Map<string, number>();
  #now: number;
  #count = 0;

  constructor(options: { seed: number; start: number; tally: Tally }) {
    this.#now = options.start;
    this.#tally = options.tally;
    this.#emulator = new EmulatorSide(options.seed, options.start);
    this.#genesis = genesisOf(this.#emulator, options.start);
    this.#model = new ModelVenue(this.#genesis);
  }

  /** Takes one step on both sides; returns their differences. */
  take(step: Step): readonly string[] {
    if (step.kind === 'wait') return this.#wait(step.ms);
    if (step.kind === 'key') return this.#changeKey(step.key, step.change);
    const operation = this.#operationOf(step.draft, step.credentials);
    const credentials = this.#credentialsOf(step.credentials);
    const request = { method: methodOf(operation), credentials, operation };
    const caught = this.#wait(0);
    const faults = this.#model.faults(request, this.#now);
    const answer = this.#emulator.ask(operation, credentials, this.#now);
    this.#tally.count(operation.kind, faults, answer);
    const difference = differenceOf(answer, faults);
    return [
      ...caught,
      ...(difference === undefined ? [] : [difference]),
      ...this.#after(request, answer),
      ...this.#wait(0),
    ].map((text) => `${new Date(this.#now).toISOString()} ${JSON.stringify(request)}: ${text}`);
  }

  /** Waits for everything to end: after two closes no order may be open. */
  finish(): readonly string[] {
    return this.#wait(5 * 24 * 3_600_000);
  }

  #changeKey(index: number, change: KeyChange): readonly string[] {
    const key = this.#genesis.keys[index];
    if (key === undefined) return [];
    const caught = this.#wait(0);
    const state = keyState(change, this.#now);
    this.#emulator.changeKey(key.apiKey, state, this.#now);
    this.#model.access.change(key.apiKey, state);
    return caught;
  }

  #wait(ms: number): readonly string[] {
    const until = this.#now + ms;
    const differences: string[] = [];
    do {
      this.#now = this.#emulator.step(until);
      const steps = this.#emulator.chain();
      differences.push(...steps.flatMap((each) => this.#follow(each)));
      if (steps.length > 0) differences.push(...this.#ledgerDifferences());
    } while (this.#now < until && differences.length === 0);
    const late = this.#sent.flatMap((order) =>
      overdue(order, this.#now).map((text) => `${order.txHash} ${text}`),
    );
    return [...differences, ...late].map((text) => `${new Date(this.#now).toISOString()} ${text}`);
  }

  #follow(step: ChainStep): readonly string[] {
    if (step.kind === 'other') {
      const moved = this.#moves.get(step.txHash);
      if (moved !== undefined) return this.#moved(moved, step.reverted);
      const order = this.#cancels.get(step.txHash);
      return order === undefined ? [] : mineCancel(order, step.reverted, step.at);
    }
    const hash = step.kind === 'ended' ? step.orderTxHash : step.txHash;
    const order = this.#model.orders.get(hash);
    if (order === undefined) return [`${hash} ${step.kind} without a request that the model accepted`];
    const account = this.#model.account(order.userAddress);
    const name = (text: string) => `${hash} (${describe(order)}): ${text}`;
    switch (step.kind) {
      case 'mined':
        this.#tally.chain(step.kind);
        this.#model.identify(order, step.orderId);
        return mine(order, account, step.at).map(name);
      case 'reverted':
        this.#tally.chain(step.kind);
        return revert(order, account, step.at).map(name);
      case 'ended':
        this.#tally.chain(
          step.end.filled > 0n && step.end.status !== 'Filled' ? 'partly filled' : step.end.status,
        );
        return close(order, account, step.end).map(name);
    }
  }

  #moved(move: ModelMove, reverted: boolean): readonly string[] {
    const user = this.#genesis.users.find(({ userAddress }) => userAddress === move.userAddress);
    const { cashToken: token } = this.#genesis;
    this.#tally.chain(`${move.kind} ${reverted ? 'reverted' : 'mined'}`);
    return mineMove(move, this.#model.account(move.userAddress), {
      token,
      restricted: user?.restricted === true,
      reverted,
    });
  }

  #ledgerDifferences(): readonly string[] {
    return this.#genesis.users.flatMap(({ userAddress }) => {
      const account = this.#model.account(userAddress);
      const holdings = account.assets().flatMap((asset) => {
        const [expected, found] = [account.holding(asset), this.#emulator.ledger(userAddress, asset)];
        if (found.available === expected.available && found.locked === expected.locked) return [];
        const text = (holding: typeof found) =>
          `${textOf(holding.available)} + ${textOf(holding.locked)} locked`;
        return [`${userAddress} holds ${text(found)} of ${asset}, expected ${text(expected)}`];
      });
      const debts = [...account.debts].flatMap(([symbol, expected]) => {
        const found = this.#emulator.debt(userAddress, symbol);
        return found === expected
          ? []
          : [`${userAddress} owes ${textOf(found)} ${symbol}, expected ${textOf(expected)}`];
      });
      return [...holdings, ...debts];
    });
  }

  /** Applies an accepted request to the model, and compares what it read with the model. */
  #after(request: ModelRequest, answer: Answer): readonly string[] {
    const { operation, credentials } = request;
    const key = this.#model.access.keyOf(credentials.apiKey);
    if (answer.code === 401 || key === undefined) return [];
    this.#model.access.pass(credentials, this.#now);
    this.#nonces.set(key.apiKey, [credentials.nonce, ...(this.#nonces.get(key.apiKey) ?? [])].slice(0, 4));
    if (answer.code !== 200) return [];
    const delegation = this.#model.delegation(key.userAddress);
    switch (operation.kind) {
      case 'place': {
        this.#sent.push(this.#model.accepted(key, operation.body, hashIn(answer)));
        return [];
      }
      case 'move':
        this.#moves.set(hashIn(answer), this.#model.acceptedMove(key, operation));
        return [];
      case 'cancel': {
        const order = this.#model.orderById(operation.orderId);
        if (order === undefined) return ['a cancel of no order was accepted'];
        order.cancel = {
          txHash: hashIn(answer),
          deadline: operation.deadline,
          minedAt: null,
          reverted: false,
        };
        this.#cancels.set(hashIn(answer), order);
        return [];
      }
      case 'prepare':
        this.#prepared.set(key.userAddress, operation.deadline);
        delegation.prepare(operation.deadline);
        return [];
      case 'enable':
        delegation.enable();
        return [];
      case 'disable':
        delegation.disable();
        return [];
      default:
        return this.#readDifferences(operation, answer, key.apiKey);
    }
  }

  #readDifferences(operation: Operation, answer: Answer, apiKey: string): readonly string[] {
    switch (operation.kind) {
      case 'calldata':
        return calldataDifferences(answer.data, this.#model.terms(operation.body));
      case 'balance':
        return balanceDifferences(answer.data, this.#model.account(operation.userAddress));
      case 'positions':
        return positionsDifferences(answer.data, this.#model.account(operation.userAddress));
      case 'orders':
        return listDifferences(
          answer.data,
          this.#sent.filter((order) => order.apiKey === apiKey),
          operation,
        );
      case 'order':
      case 'transaction': {
        const order =
          operation.kind === 'order'
            ? this.#model.orderById(operation.orderId)
            : this.#model.orders.get(operation.txHash);
        return order === undefined ? [] : detailDifferences(answer.data, order, this.#now);
      }
      case 'status': {
        const user = this.#model.access.keyOf(apiKey)?.userAddress ?? '';
        const expected = this.#model.delegation(user).enabled ? 'enable' : 'disabled';
        const { status } = answer.data as { status: string };
        return status === expected ? [] : [`delegation is "${status}", expected "${expected}"`];
      }
      default:
        return [];
    }
  }

  #credentialsOf(draft: CredentialsDraft) {
    const apiKey = this.#genesis.keys[draft.key]?.apiKey ?? 'f'.repeat(32);
    const fresh = `00000000-0000-4000-8000-${String(this.#count++).padStart(12, '0')}`;
    const reused = draft.reused === undefined ? undefined : this.#nonces.get(apiKey)?.[draft.reused];
    return {
      ...credentialsOf(apiKey, this.#now + draft.drift, reused ?? fresh),
      signatureValid: draft.signatureValid,
      chainId: draft.chainId,
      product: draft.product,
    };
  }

  #deadlineOf(draft: DeadlineDraft): number | undefined {
    return 'exactly' in draft ? draft.exactly : Math.floor(this.#now / 1000) + draft.inSeconds;
  }

  #operationOf(draft: Draft, { key }: CredentialsDraft): Operation {
    switch (draft.kind) {
      case 'place':
      case 'calldata':
        return { kind: draft.kind, body: this.#bodyOf(draft.order) };
      case 'cancel': {
        const orderId = (this.#picked(draft.pick, key)?.orderId ?? UNKNOWN_ID).replace(/^0x/, '');
        const deadline = this.#deadlineOf(draft.deadline) ?? 0;
        return { kind: 'cancel', orderId: draft.prefixed ? `0x${orderId}` : orderId, deadline };
      }
      case 'order':
        return { kind: 'order', orderId: this.#picked(draft.pick, key)?.orderId ?? `0x${UNKNOWN_ID}` };
      case 'transaction':
        return { kind: 'transaction', txHash: this.#picked(draft.pick, key)?.txHash ?? `0x${UNKNOWN_ID}` };
      case 'balance':
      case 'positions': {
        const own = this.#genesis.keys[key]?.userAddress;
        const users = this.#genesis.users.map((user) => user.userAddress);
        const userAddress = draft.account === 0 ? users.at(-1) : own;
        return { kind: draft.kind, userAddress: userAddress ?? users.join('').slice(0, 42) };
      }
      case 'move': {
        const { move, amount, asset } = draft;
        return { kind: 'move', move, amount, tokenAddress: this.#tokenAt(asset) };
      }
      case 'prepare':
        return { kind: 'prepare', deadline: this.#deadlineOf(draft.deadline) ?? 0 };
      case 'enable': {
        const user = this.#genesis.keys[key]?.userAddress ?? '';
        const prepared = this.#prepared.get(user) ?? Math.floor(this.#now / 1000) + 60;
        return {
          kind: 'enable',
          deadline: prepared + (draft.sameDeadline ? 0 : 1),
          signedBy: draft.signedBy,
        };
      }
      default:
        return draft;
    }
  }

  #tokenAt(asset: string): string {
    if (asset === 'cash') return this.#genesis.cashToken.address;
    return this.#genesis.stocks.find(({ symbol }) => symbol === asset)?.address ?? `0x${'34'.repeat(20)}`;
  }

  /** Picks an order, counted from the newest: mostly an open one of the same key, else any, and now and then none. */
  #picked(pick: number, key: number): ModelOrder | undefined {
    const apiKey = this.#genesis.keys[key]?.apiKey;
    const own = this.#sent.filter((order) => order.apiKey === apiKey && order.state === 'open');
    const among = pick < OWN_PICKS && own.length > 0 ? own : this.#sent;
    return pick === NO_PICK ? undefined : among.at(-1 - (pick % Math.max(among.length, 1)));
  }

  #bodyOf(draft: OrderDraft): OrderBody {
    const { stocks } = this.#genesis;
    // A few stocks, so that orders meet balances and each other; the special ones now and then.
    const listed = draft.stock < 60 ? stocks.filter(isHeld) : stocks;
    const stock = listed[draft.stock % listed.length];
    if (stock === undefined) throw new Error('the emulator lists no stock');
    const market = draft.type === 'Market';
    const whole: Record<string, unknown> = {
      stockAddress: draft.address ?? stock.address,
      side: draft.side,
      type: draft.type,
      ...(market && draft.side === 'Buy' ? { notional: draft.notional } : { quantity: draft.quantity }),
      ...(market ? {} : { price: this.#limitOf(stock, draft), timeInForce: draft.timeInForce }),
      deadline: this.#deadlineOf(draft.deadline),
      deferred: draft.deferred,
      gasLimit: draft.gasLimit,
    };
    return Object.fromEntries(
      Object.entries(whole).filter(([name, value]) => name !== draft.omitted && value !== undefined),
    );
  }

  #limitOf(stock: ModelStock, draft: OrderDraft): string {
    const middle = this.#emulator.price(stock.symbol, this.#now);
    const raw = (middle * BigInt(10_000 + draft.limitBps)) / 10_000n;
    const tick = raw < WAD ? WAD / 10_000n : WAD / 100n;
    const text = textOf(raw - (raw % tick));
    return draft.limitSuffix === ''
      ? text
      : `${text.includes('.') ? text : `${text}.00`}${draft.limitSuffix}`;
  }
}

const keyState = (change: KeyChange, now: number): KeyState => {
  if (typeof change === 'object') return { ...SOUND_KEY, expiresAt: now + change.expiresIn };
  return {
    ...SOUND_KEY,
    active: change !== 'inactive',
    whitelisted: change !== 'off the whitelist',
    bound: change !== 'unbound',
  };
};

const isHeld = ({ symbol }: ModelStock) => symbol === 'AAPL' || symbol === 'MSFT' || symbol === 'SPY';

const hashIn = (answer: Answer): string => {
  const { txHash } = answer.data as { txHash?: unknown };
  if (typeof txHash !== 'string') throw new Error('a send was accepted without a txHash');
  return txHash;
};

const describe = ({ terms }: ModelOrder): string =>
  `${terms.side} ${terms.type} ${terms.stock.symbol} ${textOf(terms.quantity)}/${textOf(terms.notional)} at ${textOf(terms.price)}`;
