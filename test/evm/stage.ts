import { ampleGas } from '../wallet/ampleGas.ts';
import {
  decodeFunctionResult,
  encodeFunctionData,
  parseEventLogs,
  parseTransaction,
  type Hex,
  type RpcLog,
  type TransactionSerializedEIP1559,
} from 'viem';
import { formatLog } from 'viem/utils';
import { onTestFinished } from 'vitest';
import { parseCash, parsePrice, parseShares } from '../../src/core/amount.ts';
import { epochSeconds, toSeconds, type EpochSeconds } from '../../src/core/brand.ts';
import { systemClock } from '../../src/core/clock.ts';
import { ticker, type Address } from '../../src/domain/instrument.ts';
import { memoryTransactionLog } from '../../src/domain/transfers/transactionLog.ts';
import type { OrderTerms, SendGate, SendOutcome, SignedTransaction } from '../../src/domain/venue.ts';
import { walletOf } from '../../src/wallet/account.ts';
import { approvalCall, emptyCall } from '../../src/wallet/ownTransactions.ts';
import { createChain, type Chain } from '../../src/wallet/chain.ts';
import { encodeRouterCall, type RouterCall, orderCall, transferCall } from '../../src/wallet/routerAbi.ts';
import { createNodeRpc } from '../../src/venue/nodeRpc.ts';
import type { GasLimits } from '../../src/wallet/gas.ts';
import { Sender, type WalletCall } from '../../src/wallet/sender.ts';
import { CHAIN_ID, quantity, startAnvil, type Anvil } from './anvil.ts';
import { ledgerAbi, routerBytecode, tokenAbi, tokenBytecode } from './contracts.ts';
import { startRelay, type Intercept } from './relay.ts';

const stock: Address = `0x${'5a'.repeat(20)}`;

export const marketBuy = (notional: string): OrderTerms => ({
  symbol: ticker('AAPL'),
  stock,
  type: 'market',
  side: 'buy',
  notional: parseCash(notional),
});

export const limitBuy = (quantity: string, limit: string): OrderTerms => ({
  symbol: ticker('AAPL'),
  stock,
  type: 'limit',
  side: 'buy',
  quantity: parseShares(quantity),
  price: parsePrice(limit),
});

/** How long an order of these tests may wait. */
export const ORDER_SECONDS = 90;

const GAS: GasLimits = ampleGas;
const WALLET_KEY = `0x${'11'.repeat(32)}`;
/** Wei: 100 of the chain's own money. */
const NATIVE = 10n ** 20n;
/** Raw units of the cash token: 1,000. */
const MINTED = 1_000_000_000n;
const CASH_DECIMALS = 6;

export type Receipt = Readonly<{
  contractAddress: Address;
  status: Hex;
  blockNumber: Hex;
  logs: readonly RpcLog[];
}>;

export type EvmStageOptions = Readonly<{
  /** Stands between the wallet and the node. */
  intercept?: Intercept;
  gas?: Partial<GasLimits>;
  /** How long an order may wait. Default 90. */
  orderSeconds?: number;
}>;

/** A node with the contracts on it, and a wallet that sends to them as the runner does. */
export type EvmStage = Readonly<{
  node: Anvil;
  chain: Chain;
  address: Address;
  token: Address;
  router: Address;
  /** Transactions that became durable before their first byte left. */
  journal: SignedTransaction[];
  send(callFor: (deadline: EpochSeconds) => WalletCall): Promise<SendOutcome>;
  /** Replaces a stuck transaction by an empty one with its nonce. */
  takeBack(stuck: SignedTransaction): Promise<SendOutcome>;
  place(terms: OrderTerms): Promise<SendOutcome>;
  /** Raw units of the cash token. */
  approve(amount: bigint): Promise<SendOutcome>;
  deposit(amount: string): Promise<SendOutcome>;
  callOf(call: RouterCall): WalletCall;
  receipt(txHash: string): Promise<Receipt | null>;
  /** Ids of the orders placed by a transaction. */
  placedBy(txHash: string): Promise<readonly Hex[]>;
  /** Cash of the wallet on the exchange, a wad. */
  cash(): Promise<bigint>;
  /** Allowance of the router in raw units of the cash token. */
  allowance(): Promise<bigint>;
}>;

/** A stage whose wallet has 1,000 of the cash token and 100 of the chain's own money. */
export async function openStage(options: EvmStageOptions = {}): Promise<EvmStage> {
  const { intercept, gas, orderSeconds = ORDER_SECONDS } = options;
  const node = await startAnvil();
  const { token, router } = await deploy(node);
  const wallet = walletOf(WALLET_KEY);
  const { address } = wallet;
  await node.ask('anvil_setBalance', address, quantity(NATIVE));
  await transact(node, {
    to: token,
    data: encodeFunctionData({ abi: tokenAbi, functionName: 'mint', args: [address, MINTED] }),
  });
  const url = intercept ? await startRelay(node.url, intercept) : node.url;
  const rpc = createNodeRpc({ url, clock: systemClock });
  onTestFinished(() => rpc.close());
  const chain = createChain(rpc);
  const log = memoryTransactionLog();
  const sender = new Sender({ wallet, rpc, chain, clock: systemClock, gas: { ...GAS, ...gas }, log });
  const journal: SignedTransaction[] = [];
  const gate = gateInto(journal, orderSeconds);
  const send: EvmStage['send'] = (callFor) =>
    sender.send({ gate, callFor: async (deadline) => callFor(deadline) });
  const nothing = { chainId: CHAIN_ID, ...emptyCall(address) };
  const callOf = (call: RouterCall): WalletCall => ({
    chainId: CHAIN_ID,
    to: router,
    data: encodeRouterCall(call),
  });
  const receipt = (txHash: string) => node.ask<Receipt | null>('eth_getTransactionReceipt', txHash);
  const read = (to: Address, data: Hex) => node.ask<Hex>('eth_call', { to, data }, 'latest');
  return {
    node,
    chain,
    address,
    token,
    router,
    journal,
    send,
    takeBack: (replaces) => sender.send({ gate, callFor: () => Promise.resolve(nothing), replaces }),
    callOf,
    receipt,
    place: (terms) => send((deadline) => callOf(orderCall(terms, { deadline }))),
    approve: (amount) => send(() => approvalCall({ chainId: CHAIN_ID, token, spender: router, amount })),
    deposit: (amount) =>
      send(() =>
        callOf(transferCall({ kind: 'cashDeposit', token, amount: parseCash(amount) }, CASH_DECIMALS)),
      ),
    async placedBy(txHash) {
      const logs = ((await receipt(txHash))?.logs ?? []).map((log) => formatLog(log));
      const placed = parseEventLogs({ abi: ledgerAbi, eventName: 'OrderPlaced', logs });
      return placed.map(({ args }) => args.orderId);
    },
    async cash() {
      const call = { abi: ledgerAbi, functionName: 'cash', args: [address] } as const;
      const data = await read(router, encodeFunctionData(call));
      return decodeFunctionResult({ ...call, data });
    },
    async allowance() {
      const call = { abi: tokenAbi, functionName: 'allowance', args: [address, router] } as const;
      const data = await read(token, encodeFunctionData(call));
      return decodeFunctionResult({ ...call, data });
    },
  };
}

/** A stage whose wallet has deposited 1,000, with an empty journal. */
export async function openFundedStage(options: EvmStageOptions = {}): Promise<EvmStage> {
  const stage = await openStage(options);
  await stage.approve(MINTED);
  await stage.node.mine();
  await stage.deposit('1000');
  await stage.node.mine();
  stage.journal.length = 0;
  return stage;
}

/** The hash under which the node has accepted a transaction. @throws when it has not */
export function hashOf(outcome: SendOutcome): string {
  if (outcome.kind !== 'accepted') throw new Error(`not accepted: ${JSON.stringify(outcome)}`);
  return outcome.txHash;
}

/** Nonces of the signed transactions, in order. */
export const noncesOf = ({ journal }: EvmStage): number[] =>
  journal.map(({ raw }) => parseTransaction(raw as TransactionSerializedEIP1559).nonce ?? 0);

/** Opens for every send, and records its commits. */
const gateInto = (journal: SignedTransaction[], orderSeconds: number): SendGate => ({
  open: (prepared) => ({
    deadline: prepared ?? epochSeconds(toSeconds(systemClock.now()) + orderSeconds),
  }),
  commit(request) {
    if (!('raw' in request)) throw new Error('a wallet sends transactions');
    journal.push(request);
  },
});

export async function deploy(node: Anvil): Promise<Readonly<{ token: Address; router: Address }>> {
  const token = await transact(node, { data: tokenBytecode });
  const router = await transact(node, { data: routerBytecode });
  return { token: token.contractAddress, router: router.contractAddress };
}

/** Sends from an account whose key the node has. */
export async function transact(
  node: Anvil,
  transaction: Readonly<{ to?: Address; data: Hex }>,
): Promise<Receipt> {
  const [from] = await node.ask<readonly Address[]>('eth_accounts');
  const hash = await node.ask<Hex>('eth_sendTransaction', { from, ...transaction });
  await node.mine();
  const receipt = await node.ask<Receipt | null>('eth_getTransactionReceipt', hash);
  if (receipt?.status !== '0x1') throw new Error(`the node has not done ${hash}`);
  return receipt;
}
