/**
 * An independent model of the venue's rules, written from its specification alone: which requests are accepted, what each order
 * locks, how it may end, and what balances follow.
 */
import { AccessRules, type Credentials, type ModelKey, type Scope } from './access.js';
import { ModelAccount, type Holding } from './account.js';
import { sessionAt } from './hours.js';
import { newOrder, type ModelOrder } from './orderLife.js';
import { MAX_DEADLINE, orderFaults, termsOf, type ModelStock, type OrderBody } from './orderRules.js';
import { broken, NOT_FOUND, ON_CHAIN, silent, TRADING_RULE, VALIDATION, type Fault } from './verdict.js';

export interface ModelUser {
  readonly userAddress: string;
  readonly delegated: boolean;
  /** Opening balances by asset: `mUSD` and stock symbols. */
  readonly holdings: ReadonlyMap<string, Holding>;
}

export interface Genesis extends Scope {
  readonly stocks: readonly ModelStock[];
  readonly users: readonly ModelUser[];
  readonly keys: readonly ModelKey[];
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
  | { readonly kind: 'status' }
  | { readonly kind: 'disable' };

export interface ModelRequest {
  readonly method: 'GET' | 'POST' | 'DELETE';
  readonly credentials: Credentials;
  readonly operation: Operation;
}

const withoutPrefix = (orderId: string) => orderId.toLowerCase().replace(/^0x/, '');

export class ModelVenue {
  readonly access: AccessRules;
  readonly orders = new Map<string, ModelOrder>();
  readonly #accounts: ReadonlyMap<string, ModelAccount>;
  readonly #stocks: ReadonlyMap<string, ModelStock>;
  readonly #delegated: Set<string>;
  readonly #byId = new Map<string, ModelOrder>();

  constructor(genesis: Genesis) {
    this.access = new AccessRules(genesis.keys, genesis);
    this.#stocks = new Map(genesis.stocks.map((stock) => [stock.address.toLowerCase(), stock]));
    this.#accounts = new Map(
      genesis.users.map((user) => [user.userAddress.toLowerCase(), new ModelAccount(user.holdings)]),
    );
    this.#delegated = new Set(
      genesis.users.filter((user) => user.delegated).map((user) => user.userAddress.toLowerCase()),
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
    return [...denied, ...this.#operationFaults(request, now)];
  }

  /** Registers an order that the venue accepted. */
  accepted(key: ModelKey, body: OrderBody, txHash: string): ModelOrder {
    const { apiKey, userAddress } = key;
    const order = newOrder({ txHash, apiKey, userAddress, terms: termsOf(body, this.#stocks) });
    this.orders.set(txHash, order);
    return order;
  }

  /** Links an order to the id that its transaction was mined with. */
  identify(order: ModelOrder, orderId: string): void {
    order.orderId = orderId;
    this.#byId.set(withoutPrefix(orderId), order);
  }

  orderById(orderId: string): ModelOrder | undefined {
    return this.#byId.get(withoutPrefix(orderId));
  }

  disable(userAddress: string): void {
    this.#delegated.delete(userAddress.toLowerCase());
  }

  isDelegated(userAddress: string): boolean {
    return this.#delegated.has(userAddress.toLowerCase());
  }

  #operationFaults(request: ModelRequest, now: number): readonly Fault[] {
    const { operation, credentials } = request;
    const user = this.access.keyOf(credentials.apiKey)?.userAddress ?? '';
    const moment = { now, session: sessionAt(now), stocks: this.#stocks };
    switch (operation.kind) {
      case 'place':
        return [...orderFaults(operation.body, moment), ...this.#delegationFaults(user)];
      case 'calldata':
        return orderFaults(operation.body, moment);
      case 'cancel':
        return [...this.#cancelFaults(operation, credentials.apiKey, now), ...this.#delegationFaults(user)];
      case 'order':
        return this.#lookupFaults(this.orderById(operation.orderId), credentials.apiKey);
      case 'transaction':
        return this.#lookupFaults(this.orders.get(operation.txHash), credentials.apiKey);
      case 'balance':
      case 'positions':
        return operation.userAddress.toLowerCase() === user.toLowerCase()
          ? []
          : [silent('account of another user')];
      case 'orders':
      case 'status':
      case 'disable':
        return [];
    }
  }

  #delegationFaults(userAddress: string): readonly Fault[] {
    return this.isDelegated(userAddress) ? [] : [broken('delegation not enabled', [ON_CHAIN, TRADING_RULE])];
  }

  #lookupFaults(order: ModelOrder | undefined, apiKey: string): readonly Fault[] {
    if (order === undefined) return [broken('no such order', [NOT_FOUND])];
    return order.apiKey === apiKey ? [] : [broken('order of another key', [NOT_FOUND, TRADING_RULE])];
  }

  #cancelFaults(
    cancel: { orderId: string; deadline: number },
    apiKey: string,
    now: number,
  ): readonly Fault[] {
    const order = this.orderById(cancel.orderId);
    const { deadline } = cancel;
    const faults: Fault[] = [...this.#lookupFaults(order, apiKey)];
    if (deadline > MAX_DEADLINE) faults.push(broken('deadline over its maximum', [VALIDATION]));
    else if (deadline * 1000 + 1000 <= now)
      faults.push(broken('deadline expired', [VALIDATION, TRADING_RULE]));
    else if (deadline * 1000 <= now) faults.push(silent('deadline within the current second'));
    if (order === undefined) return faults;
    if (order.terms.type === 'Market') faults.push(broken('cancel of a market order', [TRADING_RULE]));
    if (order.state !== 'open')
      faults.push(broken('cancel of an order that is not open', [TRADING_RULE, NOT_FOUND]));
    if (order.cancelAccepted) faults.push(broken('cancel of an order already canceling', [TRADING_RULE]));
    return faults;
  }
}
