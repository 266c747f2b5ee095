/**
 * An independent model of the venue's rules, written from its specification alone: which requests are accepted, what
 * each order locks, how it may end, and the resulting balances.
 */
import { AccessRules, type Credentials, type ModelKey, type Scope } from './access.ts';
import { ModelAccount, type Holding } from './account.ts';
import { wadOf } from './amount.ts';
import { sessionAt } from './hours.ts';
import { deadlineFaults } from './deadline.ts';
import { Delegation } from './delegation.ts';
import { moveFaults, type CashToken, type ModelMove, type MoveRequest } from './moves.ts';
import { newOrder, type CancelAttempt, type ModelOrder } from './orderLife.ts';
import { orderFaults, termsOf, type ModelStock, type OrderBody, type OrderTerms } from './orderRules.ts';
import { broken, NOT_FOUND, ON_CHAIN, silent, TRADING_RULE, type Fault } from './verdict.ts';

export interface ModelUser {
  readonly userAddress: string;
  readonly delegated: boolean;
  readonly mayDefer: boolean;
  /** True for an address that may neither sell deferred nor withdraw stock. */
  readonly restricted: boolean;
  /** Opening balances by asset: `mUSD` and stock symbols. */
  readonly holdings: ReadonlyMap<string, Holding>;
}

export interface Genesis extends Scope {
  readonly stocks: readonly ModelStock[];
  readonly cashToken: CashToken;
  readonly users: readonly ModelUser[];
  readonly keys: readonly ModelKey[];
  /** The venue's last price of a stock at an instant (ms), which the model does not predict. */
  readonly quote: (symbol: string, now: number) => bigint;
}

export type Operation =
  | { readonly kind: 'place'; readonly body: OrderBody }
  | { readonly kind: 'calldata'; readonly body: OrderBody }
  | { readonly kind: 'cancel'; readonly orderId: string; readonly deadline: number }
  | { readonly kind: 'order'; readonly orderId: string }
  | { readonly kind: 'transaction'; readonly txHash: string }
  | { readonly kind: 'orders'; readonly page: number; readonly limit: number }
  | { readonly kind: 'balance'; readonly userAddress: string }
  | { readonly kind: 'positions'; readonly userAddress: string }
  | ({ readonly kind: 'move' } & MoveRequest)
  | { readonly kind: 'status' }
  | { readonly kind: 'disable' }
  | { readonly kind: 'prepare'; readonly deadline: number }
  | { readonly kind: 'enable'; readonly deadline: number; readonly signedBy: 'user' | 'other' };

export interface ModelRequest {
  readonly method: 'GET' | 'POST' | 'DELETE';
  readonly credentials: Credentials;
  readonly operation: Operation;
}

/** Longest time (ms) that the indexer takes to show what the chain did. */
export const BACKFILL = 10_000;

const withoutPrefix = (orderId: string) => orderId.toLowerCase().replace(/^0x/, '');

export class ModelVenue {
  readonly access: AccessRules;
  readonly orders = new Map<string, ModelOrder>();
  readonly #accounts: ReadonlyMap<string, ModelAccount>;
  readonly #stocks: ReadonlyMap<string, ModelStock>;
  readonly #delegations: ReadonlyMap<string, Delegation>;
  readonly #mayDefer: ReadonlySet<string>;
  readonly #quote: Genesis['quote'];
  readonly #cashToken: CashToken;
  readonly #byId = new Map<string, ModelOrder>();

  constructor(genesis: Genesis) {
    this.#quote = genesis.quote;
    this.#cashToken = genesis.cashToken;
    this.access = new AccessRules(genesis.keys, genesis);
    this.#stocks = new Map(genesis.stocks.map((stock) => [stock.address.toLowerCase(), stock]));
    this.#accounts = new Map(
      genesis.users.map((user) => [user.userAddress.toLowerCase(), new ModelAccount(user.holdings)]),
    );
    this.#delegations = new Map(
      genesis.users.map((user) => [user.userAddress.toLowerCase(), new Delegation(user.delegated)]),
    );
    this.#mayDefer = new Set(
      genesis.users.filter((user) => user.mayDefer).map((user) => user.userAddress.toLowerCase()),
    );
  }

  account(userAddress: string): ModelAccount {
    const account = this.#accounts.get(userAddress.toLowerCase());
    if (account === undefined) throw new Error(`the model has no account ${userAddress}`);
    return account;
  }

  /** Lists the rules that a request breaks at an instant (ms). Authentication comes first and hides everything else. */
  faults(request: ModelRequest, now: number): readonly Fault[] {
    const denied = this.access.faults(request.method, request.credentials, now);
    if (denied.some((fault) => fault.sure)) return denied;
    const { apiKey } = request.credentials;
    const unbound = this.access.stateOf(apiKey).bound ? [] : [silent('key that is bound to no user')];
    return [...denied, ...unbound, ...this.#operationFaults(request, now)];
  }

  /** Reads the terms of an order's body that breaks no sure rule. */
  terms(body: OrderBody): OrderTerms {
    return termsOf(body, this.#stocks);
  }

  /** Registers an order that the venue accepted. */
  accepted(key: ModelKey, body: OrderBody, txHash: string): ModelOrder {
    const { apiKey, userAddress } = key;
    const order = newOrder({ txHash, apiKey, userAddress, terms: this.terms(body) });
    this.orders.set(txHash, order);
    return order;
  }

  /** Reads a move that the venue accepted. */
  acceptedMove(key: ModelKey, request: MoveRequest): ModelMove {
    const asset = this.#assetAt(request.tokenAddress);
    const amount = wadOf(request.amount);
    if (asset === undefined || amount === undefined) throw new Error('a faulty move was accepted');
    return { kind: request.move, asset, amount, userAddress: key.userAddress };
  }

  #assetAt(address: string): string | undefined {
    if (address.toLowerCase() === this.#cashToken.address.toLowerCase()) return this.#cashToken.symbol;
    return this.#stocks.get(address.toLowerCase())?.symbol;
  }

  /** Links an order to the id that its transaction was mined with. */
  identify(order: ModelOrder, orderId: string): void {
    order.orderId = orderId;
    this.#byId.set(withoutPrefix(orderId), order);
  }

  orderById(orderId: string): ModelOrder | undefined {
    return this.#byId.get(withoutPrefix(orderId));
  }

  delegation(userAddress: string): Delegation {
    const delegation = this.#delegations.get(userAddress.toLowerCase());
    if (delegation === undefined) throw new Error(`the model has no account ${userAddress}`);
    return delegation;
  }

  #operationFaults(request: ModelRequest, now: number): readonly Fault[] {
    const { operation, credentials } = request;
    const user = this.access.keyOf(credentials.apiKey)?.userAddress ?? '';
    const mayDefer = this.#mayDefer.has(user.toLowerCase());
    const quote = (symbol: string) => this.#quote(symbol, now);
    const moment = { now, session: sessionAt(now), stocks: this.#stocks, mayDefer, quote };
    switch (operation.kind) {
      case 'place':
        return [...orderFaults(operation.body, moment), ...this.#sendFaults(credentials.apiKey)];
      case 'move':
        return [
          ...moveFaults(operation, this.#assetAt(operation.tokenAddress), this.#cashToken),
          ...this.#sendFaults(credentials.apiKey),
        ];
      case 'calldata':
        return orderFaults(operation.body, moment);
      case 'cancel':
        return [
          ...this.#cancelFaults(operation, credentials.apiKey, now),
          ...this.#sendFaults(credentials.apiKey),
        ];
      case 'order':
        return this.#lookupFaults(this.orderById(operation.orderId), credentials.apiKey, now);
      case 'transaction':
        return this.#lookupFaults(this.orders.get(operation.txHash), credentials.apiKey, now);
      case 'balance':
      case 'positions':
        return operation.userAddress.toLowerCase() === user.toLowerCase()
          ? []
          : [silent('account of another user')];
      case 'orders':
      case 'status':
      case 'disable':
        return [];
      case 'prepare':
        return deadlineFaults(operation.deadline, now);
      case 'enable':
        return this.delegation(user).enableFaults(operation, now);
    }
  }

  #sendFaults(apiKey: string): readonly Fault[] {
    const user = this.access.keyOf(apiKey)?.userAddress ?? '';
    return this.access.stateOf(apiKey).bound
      ? this.delegation(user).sendFaults()
      : [broken('send with a key that is bound to no user', [ON_CHAIN, TRADING_RULE])];
  }

  #lookupFaults(order: ModelOrder | undefined, apiKey: string, now: number): readonly Fault[] {
    if (order === undefined) return [broken('no such order', [NOT_FOUND])];
    if (order.apiKey !== apiKey) return [broken('order of another key', [NOT_FOUND, TRADING_RULE])];
    return order.minedAt === null || now - order.minedAt < BACKFILL
      ? [silent('order not backfilled yet')]
      : [];
  }

  #cancelFaults(
    cancel: { orderId: string; deadline: number },
    apiKey: string,
    now: number,
  ): readonly Fault[] {
    const order = this.orderById(cancel.orderId);
    const faults = [...this.#lookupFaults(order, apiKey, now), ...deadlineFaults(cancel.deadline, now)];
    if (order === undefined) return faults;
    if (order.terms.type === 'Market') faults.push(broken('cancel of a market order', [TRADING_RULE]));
    if (order.end !== null && now - order.end.at < BACKFILL)
      faults.push(silent('cancel of an order that ended just now'));
    else if (order.state !== 'open')
      faults.push(broken('cancel of an order that is not open', [TRADING_RULE]));
    return [...faults, ...pendingCancelFaults(order.cancel, now)];
  }
}

const pendingCancelFaults = (cancel: CancelAttempt | null, now: number): readonly Fault[] => {
  if (cancel === null) return [];
  const pending = broken('cancel of an order already canceling', [TRADING_RULE]);
  if (cancel.minedAt === null)
    return now <= cancel.deadline * 1000 ? [pending] : [silent('cancel after one that was not mined')];
  if (!cancel.reverted) return [pending];
  return [silent('cancel after one that reverted')];
};
