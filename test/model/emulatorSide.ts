import { epochMs } from '../../src/core/brand.ts';
import type { Address, Ticker } from '../../src/domain/instrument.ts';
import { genesis } from '../../src/emulator/state/genesis.ts';
import { balanceOf } from '../../src/emulator/state/ledger.ts';
import { createMachine, type Machine } from '../../src/emulator/machine/machine.ts';
import { priceOf } from '../../src/emulator/state/venueState.ts';
import type { Hex, Order } from '../../src/emulator/state/state.ts';
import { sign } from '../emulator/client.ts';
import { wadOf } from './amount.ts';
import type { Credentials, KeyState } from './access.ts';
import { CASH, inWallet, type Holding } from './account.ts';
import type { OrderBody } from './orderRules.ts';
import type { EndStatus, ReportedEnd } from './settlement.ts';
import type { Answer } from './verdict.ts';
import type { Genesis, Operation } from './venue.ts';

/**
 * The emulator in-process behind signed requests: its responses, the events of its chain, its ledger. The chain is read
 * from its state, so that the model sees each block in its order and need not guess random choices.
 */

const CHAIN_ID = 143;
const PRODUCT = 'ProductA';
const CALLER = '127.0.0.1';
/** Final status words. At any other word the driver stops, because it could not tell a rounded figure from nonsense. */
const ENDS: ReadonlySet<string> = new Set<EndStatus>(['Filled', 'Canceled', 'Expired', 'Rejected']);
const isEnd = (word: string): word is EndStatus => ENDS.has(word);

/** One event of the chain, in the order of its blocks. */
export type ChainStep =
  | { readonly kind: 'mined'; readonly txHash: string; readonly orderId: string; readonly at: number }
  | { readonly kind: 'reverted'; readonly txHash: string; readonly at: number }
  | { readonly kind: 'other'; readonly txHash: string; readonly reverted: boolean; readonly at: number }
  | { readonly kind: 'ended'; readonly orderTxHash: string; readonly end: ReportedEnd };

interface Call {
  readonly method: 'GET' | 'POST' | 'DELETE';
  readonly path: string;
  readonly query?: Record<string, string | number>;
  readonly body?: object;
}

const bodyOf = (body: OrderBody): Record<string, unknown> => ({ ...body });

const callOf = (operation: Operation): Call => {
  switch (operation.kind) {
    case 'place':
      return { method: 'POST', path: '/orders/send', body: bodyOf(operation.body) };
    case 'calldata':
      return { method: 'POST', path: '/orders/calldata', body: bodyOf(operation.body) };
    case 'cancel':
      return {
        method: 'DELETE',
        path: `/orders/${operation.orderId}/send`,
        query: { deadline: operation.deadline },
      };
    case 'order':
      return { method: 'GET', path: `/orders/${operation.orderId}` };
    case 'transaction':
      return { method: 'GET', path: `/orders/tx/${operation.txHash}` };
    case 'orders':
      return { method: 'GET', path: '/orders', query: { page: operation.page, limit: operation.limit } };
    case 'balance':
    case 'positions':
      return { method: 'GET', path: `/users/${operation.userAddress}/${operation.kind}` };
    case 'move':
      return {
        method: 'POST',
        path: `/${operation.move}/send`,
        body: {
          tokenAddress: operation.tokenAddress,
          [operation.move === 'cash/withdrawals' ? 'creditAmount' : 'tokenAmount']: operation.amount,
        },
      };
    case 'status':
      return { method: 'GET', path: '/1ct/status' };
    case 'disable':
      return { method: 'POST', path: '/1ct/disable' };
    case 'prepare':
      return { method: 'POST', path: '/1ct/prepare', body: { deadline: operation.deadline } };
    case 'enable':
      return {
        method: 'POST',
        path: '/1ct/enable',
        body: { signature: `0x${'1b'.repeat(65)}`, deadline: operation.deadline },
      };
  }
};

export const methodOf = (operation: Operation): Call['method'] => callOf(operation).method;

export class EmulatorSide {
  readonly machine: Machine;
  #seen = 0;

  constructor(seed: number, start: number) {
    this.machine = createMachine(genesis({ seed, start: epochMs(start), indexerLagMs: 3000 }));
  }

  ask(operation: Operation, credentials: Credentials, now: number): Answer {
    const { apiKey, nonce, timestamp: ts, product, signatureValid } = credentials;
    const call = callOf(operation);
    const secret = this.#secretOf(apiKey);
    const client = {
      apiKey,
      secret: signatureValid ? secret : `${secret}0`,
      chainId: String(credentials.chainId),
      product,
    };
    const signed = sign(client, { ...call, path: `/api/v1${call.path}`, ts, nonce });
    const recovered = operation.kind === 'enable' ? this.#recovered(apiKey, operation.signedBy) : null;
    const { reply } = this.machine.handle({ request: { ...signed, ip: CALLER }, recovered }, epochMs(now));
    if (reply === null) throw new Error('the emulator broke the connection without a fault');
    const { code, errMsg, data } = JSON.parse(reply.body) as Omit<Answer, 'status'>;
    return { status: reply.status, code, errMsg, data };
  }

  /** Changes a key as the venue's operator would. */
  changeKey(apiKey: string, state: KeyState, now: number): void {
    const body = {
      apiKey,
      active: state.active,
      unbound: !state.bound,
      expiresAt: state.expiresAt === null ? null : new Date(state.expiresAt).toISOString(),
      ipWhitelist: state.whitelisted ? [CALLER] : [],
    };
    this.machine.command({ kind: 'keys', body }, epochMs(now));
  }

  /** Moves time on to the next task, at most to `until`; returns the instant reached. */
  step(until: number): number {
    const next = Math.min(this.machine.nextDue() ?? until, until);
    this.machine.advance(epochMs(next));
    return next;
  }

  /** Lists the events of the chain since the last call. */
  chain(): readonly ChainStep[] {
    const { mined } = this.machine.state;
    const steps = mined.slice(this.#seen).map((hash) => this.#chainStep(hash));
    this.#seen = mined.length;
    return steps;
  }

  ledger(userAddress: string, asset: string): Holding {
    const [bare = asset, rest] = asset.split(' ', 2);
    const read = (bucket: 'exchange' | 'locked' | 'wallet') =>
      balanceOf(this.machine.state.balances, { holder: userAddress as Address, bucket }, bare as Ticker);
    if (rest !== undefined) return { available: read('wallet'), locked: 0n };
    return { available: read('exchange'), locked: read('locked') };
  }

  debt(userAddress: string, symbol: string): bigint {
    const place = { holder: userAddress as Address, bucket: 'debt' } as const;
    return balanceOf(this.machine.state.balances, place, symbol as Ticker);
  }

  /** Mid price of a stock, to choose limits around it. */
  price(symbol: string, now: number): bigint {
    return this.machine.read((venue, at) => priceOf(venue, symbol as Ticker, at), epochMs(now));
  }

  #chainStep(hash: Hex): ChainStep {
    const { transactions, orders } = this.machine.state;
    const transaction = transactions.findLast((each) => each.hash === hash);
    const at = transaction?.minedAt ?? 0;
    const reverted = (transaction?.receipt?.revert ?? null) !== null;
    const placed = orders.findLast((order) => order.txHash === hash);
    if (placed !== undefined)
      return reverted
        ? { kind: 'reverted', txHash: hash, at }
        : { kind: 'mined', txHash: hash, orderId: placed.orderId, at };
    const settled = orders.findLast((order) => order.settlement?.txHash === hash);
    if (settled !== undefined) return { kind: 'ended', orderTxHash: settled.txHash, end: endOf(settled, at) };
    return { kind: 'other', txHash: hash, reverted, at };
  }

  #secretOf(apiKey: string): string {
    return this.machine.state.keys.find((key) => key.apiKey === apiKey)?.secret ?? 'no such key';
  }

  /** Recovers the wallet that signed a request, and the digest it signed. */
  #recovered(apiKey: string, signedBy: 'user' | 'other') {
    const digest = this.machine.digestFor(apiKey);
    const key = this.machine.state.keys.find((each) => each.apiKey === apiKey);
    if (digest === null || key === undefined) return null;
    const other = this.machine.state.accounts.find((account) => account.userAddress !== key.userAddress);
    const signer = signedBy === 'user' ? key.userAddress : other?.userAddress;
    return signer === undefined ? null : { digest, signer };
  }
}

const endOf = (order: Order, at: number): ReportedEnd => {
  const { settlement, word, filled } = order;
  if (settlement === null || !isEnd(word)) throw new Error(`an order was settled with the word "${word}"`);
  const { price, pay, receive, mintFee, protocolFee } = settlement;
  return { status: word, filled, price, pay, receive, mintFee, protocolFee, at };
};

interface SymbolRow {
  readonly symbol: string;
  readonly contractAddress: string;
  readonly tradable: boolean;
  readonly fractionable: boolean;
  readonly overnightTradable: boolean;
  readonly fractionalEhEnabled: boolean;
}

interface TokenRow {
  readonly isStock: boolean;
  readonly symbol: string;
  readonly address: string;
  readonly decimals: number;
  readonly walletBalance: string;
  readonly stockSymbol: string | null;
  readonly exchangeBalance: string;
}

/** Reads the model's opening state through the venue's own endpoints: stocks, balances, delegations. */
export const genesisOf = (emulator: EmulatorSide, now: number): Genesis => {
  const { keys, accounts } = emulator.machine.state;
  let count = 0;
  const read = (apiKey: string, operation: Operation): unknown =>
    emulator.ask(
      operation,
      credentialsOf(apiKey, now, `ffffffff-0000-4000-8000-${String(count++).padStart(12, '0')}`),
      now,
    ).data;
  const cashTokens: TokenRow[] = [];
  const holding = (text: string): Holding => ({ available: wadOf(text) ?? 0n, locked: 0n });
  const users = accounts.map(({ userAddress, delegation, deferredSell }) => {
    const apiKey = keys.find((key) => key.userAddress === userAddress)?.apiKey ?? '';
    const balance = read(apiKey, { kind: 'balance', userAddress }) as {
      mUsdBalance: string;
      tokenBalances: TokenRow[];
    };
    const tokens = balance.tokenBalances.flatMap((token) => [
      ...(token.stockSymbol === null ? [] : [[token.stockSymbol, holding(token.exchangeBalance)] as const]),
      [inWallet(token.stockSymbol ?? token.symbol), holding(token.walletBalance)] as const,
    ]);
    cashTokens.push(...balance.tokenBalances.filter(({ isStock }) => !isStock));
    return {
      userAddress,
      delegated: delegation.status === 'enable',
      mayDefer: deferredSell.whitelisted && !deferredSell.restricted,
      restricted: deferredSell.restricted,
      holdings: new Map([[CASH, holding(balance.mUsdBalance)] as const, ...tokens]),
    };
  });
  const [cashToken] = cashTokens;
  if (cashToken === undefined) throw new Error('the emulator lists no cash token');
  return {
    chainId: CHAIN_ID,
    product: PRODUCT,
    users,
    keys,
    stocks: stocksOf(emulator, now),
    cashToken,
    quote: (symbol, at) => emulator.price(symbol, at),
  };
};

export const credentialsOf = (apiKey: string, timestamp: number, nonce: string): Credentials => ({
  apiKey,
  signatureValid: true,
  chainId: CHAIN_ID,
  product: PRODUCT,
  timestamp,
  nonce,
});

const stocksOf = (emulator: EmulatorSide, now: number): Genesis['stocks'] => {
  const key = emulator.machine.state.keys[0];
  if (key === undefined) throw new Error('the emulator has no key');
  const nonce = 'ffffffff-0000-4000-8000-ffffffffffff';
  const signed = sign(key, { method: 'GET', path: '/api/v1/symbols', ts: now, nonce });
  const { reply } = emulator.machine.handle(
    { request: { ...signed, ip: CALLER }, recovered: null },
    epochMs(now),
  );
  const { data } = JSON.parse(reply?.body ?? '{"data":[]}') as { data: SymbolRow[] };
  return data.map((row) => ({
    symbol: row.symbol,
    address: row.contractAddress,
    tradable: row.tradable,
    fractionable: row.fractionable,
    fractionalExtendedHours: row.fractionalEhEnabled,
    overnight: row.overnightTradable,
  }));
};
