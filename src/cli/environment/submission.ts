import type { AllowedGroup } from '../../api/allowList.ts';
import type { VenueClient } from '../../api/client.ts';
import { createOperationTransactions, createOrderTransactions } from '../../api/transactions.ts';
import { epochSeconds, toSeconds } from '../../core/brand.ts';
import type { Clock } from '../../core/clock.ts';
import { SafetyError } from '../../core/errors.ts';
import type { Log } from '../../core/log.ts';
import type { Address } from '../../domain/instrument.ts';
import type { TransferPort } from '../../domain/transfers/transfer.ts';
import type { TransactionLog } from '../../domain/transfers/transactionLog.ts';
import type { Venue } from '../../domain/venue.ts';
import {
  createCalldataOperations,
  withApprovals,
  withTraces,
  type WalletSending,
} from '../../venue/ownTransfers.ts';
import { createCalldataVenue, withChain } from '../../venue/ownOrders.ts';
import type { Wallet } from '../../wallet/account.ts';
import type { Chain } from '../../wallet/chain.ts';
import type { Rpc } from '../../wallet/rpc.ts';
import type { GasLimits } from '../../wallet/gas.ts';
import { WEI_PER_GWEI, type RunConfig } from '../config/schema.ts';
import { policyGroups } from '../config/sections.ts';
import type { OpenLog } from './walletLog.ts';

/** How a run's orders and operations reach the chain, and what of the chain it can read. */
export type Submission = Readonly<{
  venue: Venue;
  operations: TransferPort;
  /** True when what became of an order can be asked of the chain. */
  readsChain: boolean;
  close(): Promise<void>;
}>;

export type SubmissionParts = Readonly<{
  config: RunConfig;
  client: VenueClient;
  /** Sends by One Click. */
  venue: Venue & TransferPort;
  userAddress: Address;
  clock: Clock;
  log: Log;
  chainId: number;
  rpcUrl: string | undefined;
  router: Address | undefined;
  /** The contract that the wallet approves. */
  spender: Address | undefined;
  wallet: () => Promise<Wallet>;
  /** Keeps a wallet to this process, where others could send for it, and knows what it has signed before. */
  hold: (wallet: Address, chain: Chain) => Promise<OpenLog>;
  /** The chain is this run's own: nobody else sends there, and it is the right one. */
  embedded: boolean;
}>;

/** All that the key may sign beside orders: what the config names, and what its way of sending and its policies need. */
export const groupsFor = (config: RunConfig): readonly AllowedGroup[] => {
  const { submission, signing } = config;
  const forSending = submission === 'calldata' ? (['calldata', 'record'] as const) : policyGroups(config);
  return [...new Set([...signing.allow, ...forSending])];
};

/**
 * The venue with the config's way of sending.
 * @throws {SafetyError} when the node is of another chain, a contract is not pinned, or another process sends for the wallet
 */
export async function openSubmission(parts: SubmissionParts): Promise<Submission> {
  const { config, venue, rpcUrl, clock } = parts;
  const isOneClick = config.submission === 'one-click';
  if (rpcUrl === undefined && needsWallet(config))
    throw new SafetyError(
      `${isOneClick ? 'treasury.approve' : 'submission: calldata'} sends by a node of the chain: set venue.rpcUrl`,
    );
  if (rpcUrl === undefined)
    return { venue, operations: venue, readsChain: false, close: () => Promise.resolve() };
  const [{ createRpc }, { createChain }] = await Promise.all([
    import('../../wallet/rpc.ts'),
    import('../../wallet/chain.ts'),
  ]);
  const rpc = createRpc({ url: rpcUrl, clock });
  const chain = createChain(rpc);
  if (!parts.embedded) await requireChain(chain, parts.chainId);
  if (!needsWallet(config)) {
    const seen = { venue: withChain(venue, chain), operations: withTraces(venue, chain) };
    return { ...seen, readsChain: true, close: () => rpc.close() };
  }
  const wallet = await parts.wallet();
  const held = await parts.hold(wallet.address, chain);
  return {
    ...(await ownSending(parts, { rpc, chain, wallet, signed: held.log })),
    readsChain: true,
    async close() {
      await rpc.close();
      held.close();
    },
  };
}

/** True when a run sends transactions of the wallet's own: all of them, or approvals alone. */
export const needsWallet = ({ submission, treasury }: RunConfig): boolean =>
  submission === 'calldata' || treasury.approve !== undefined;

type Tools = Readonly<{ rpc: Rpc; chain: Chain; wallet: Wallet; signed: TransactionLog }>;

async function ownSending(
  parts: SubmissionParts,
  { rpc, chain, wallet, signed }: Tools,
): Promise<Pick<Submission, 'venue' | 'operations'>> {
  const [{ Sender }, { routerCodec }] = await Promise.all([
    import('../../wallet/sender.ts'),
    import('../../wallet/routerAbi.ts'),
  ]);
  const { config, client, venue, clock, log, chainId, router, userAddress } = parts;
  const codec = routerCodec(parts.embedded ? {} : config.venue?.assumptions?.functions);
  const sender = new Sender({
    wallet,
    rpc,
    chain,
    clock,
    gas: gasLimitsOf(config),
    log: signed,
    codec,
    onOfferAgain: ({ nonce, txHash }) =>
      log.warn({ nonce, txHash }, 'a transaction that the node had lost is offered again'),
  });
  const deadline = () => epochSeconds(toSeconds(clock.now()) + config.orders.deadlineSeconds);
  const sending = { sender, chain, chainId, deadline };
  const approving = (port: TransferPort) => withAutoApproval(port, { ...parts, sending });
  if (config.submission === 'one-click')
    return { venue: withChain(venue, chain), operations: approving(withTraces(venue, chain, sender)) };
  if (router === undefined)
    throw new SafetyError('submission: calldata signs for one contract only: set venue.router');
  const common = { sender, chain, chainId, router, codec, log };
  const operations = createCalldataOperations({
    ...sending,
    port: venue,
    router,
    codec,
    log,
    transactions: createOperationTransactions(client, userAddress),
  });
  return {
    venue: createCalldataVenue({ ...common, venue, transactions: createOrderTransactions(client) }),
    operations: approving(operations),
  };
}

type ApprovalParts = Pick<SubmissionParts, 'config' | 'spender'> & Readonly<{ sending: WalletSending }>;

function withAutoApproval(port: TransferPort, { config, spender, sending }: ApprovalParts): TransferPort {
  if (config.treasury.approve === undefined) return port;
  if (spender === undefined)
    throw new SafetyError('treasury.approve approves one contract only: set venue.router, or venue.spender');
  return withApprovals(port, { ...sending, spender });
}

/** A number of gwei within the schema's limits has its wei exactly, once the last bit's error is rounded away. */
export const gasLimitsOf = ({ gas }: RunConfig): GasLimits => ({
  maxFeePerGas: BigInt(Math.round(gas.maxFeePerGasGwei * WEI_PER_GWEI)),
  gasMax: BigInt(gas.limit),
  marginPercent: gas.marginPercent,
});

/** @throws {SafetyError} when the node is of another chain */
export async function requireChain(chain: Chain, chainId: number): Promise<void> {
  const found = await chain.chainId();
  if (found !== chainId)
    throw new SafetyError(`the node of venue.rpcUrl is on chain ${found}, and venue.chainId is ${chainId}`);
}
