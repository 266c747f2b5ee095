import type { AllowedGroup } from '../../api/allowList.ts';
import type { VenueClient } from '../../api/client.ts';
import { createOperationTransactions, createOrderTransactions } from '../../api/transactions.ts';
import { parseDecimal, price } from '../../core/amount.ts';
import { epochSeconds, toSeconds, type EpochSeconds } from '../../core/brand.ts';
import type { Clock } from '../../core/clock.ts';
import { ConfigError, SafetyError, orClosedAfter } from '../../core/errors.ts';
import type { Address } from '../../domain/instrument.ts';
import type { TransferPort } from '../../domain/transfers/transfer.ts';
import type { TransactionLog } from '../../domain/transfers/transactionLog.ts';
import type { SignedTransaction, Venue } from '../../domain/venue.ts';
import {
  createCalldataOperations,
  withApprovals,
  withTraces,
  type WalletSending,
} from '../../venue/ownTransfers.ts';
import { createCalldataVenue, withChain, type OnUnlinked } from '../../venue/ownOrders.ts';
import type { Wallet } from '../../wallet/account.ts';
import type { Chain } from '../../wallet/chain.ts';
import type { GasLimits } from '../../wallet/gas.ts';
import type { RouterCodec } from '../../wallet/routerAbi.ts';
import type { Sender } from '../../wallet/sender.ts';
import { gasDefaults, WEI_PER_GWEI, type RunConfig } from '../config/schema.ts';
import { policyGroups } from '../config/sections.ts';
import type { LoadedConfig } from '../config/load.ts';
import type { CommandContext } from '../../process/context.ts';
import { createVenue } from '../../api/venue.ts';
import type { Log } from '../../core/log.ts';
import { ownWallet, spenderOf, type Connection } from './connect.ts';
import { holderOf } from './locks.ts';
import { openHeldWallet, type OpenLog } from './walletLog.ts';

/** Ports that send orders and transfers to the chain, for runs and manual commands, and the one that reads the chain. */
export type Submission = Readonly<{
  venue: Venue;
  transferPort: TransferPort;
  /** The chain, which shows the outcome of an order; null if no node is configured. */
  chain: Chain | null;
  close(): Promise<void>;
}>;

/** Reports of the wallet's own transactions for people. */
type WalletReports = Readonly<{
  onUnlinked: OnUnlinked;
  /** Receives each earlier transaction that is submitted to the node again. */
  onOfferAgain: (transaction: SignedTransaction) => void;
}>;

/** Node of a chain, and the wallet that sends through it. */
type WalletParts = Readonly<{
  config: RunConfig;
  clock: Clock;
  chainId: number;
  rpcUrl: string | undefined;
  wallet: () => Promise<Wallet>;
  /** Locks a wallet that others could use to this process, and opens the log of what it signed before. */
  hold: (wallet: Address, chain: Chain) => Promise<OpenLog>;
  /** True for a private chain of this run: nobody else sends there, and it is always the right one. */
  embedded: boolean;
  reports: WalletReports;
}>;

export type SubmissionParts = WalletParts &
  Readonly<{
    client: VenueClient;
    /** Venue that sends by One Click. */
    venue: Venue & TransferPort;
    userAddress: Address;
    router: Address | undefined;
    /** Contract that the wallet gives approvals to. */
    spender: Address | undefined;
  }>;

type VenueUse = Readonly<{
  loaded: LoadedConfig;
  context: CommandContext;
  stateDir: string | undefined;
  log: Log;
  reports: WalletReports;
}>;

/** Parts for the venue of the config, whose wallet this user's other processes may use too. */
export function partsAt(
  { client, clock, venue }: Pick<Connection, 'client' | 'clock' | 'venue'>,
  { loaded, context, stateDir, log, reports }: VenueUse,
): SubmissionParts {
  const { chainId, rpcUrl, router, userAddress } = venue;
  const spender = spenderOf(venue) ?? undefined;
  const holder = holderOf(context, stateDir);
  return {
    config: loaded.config,
    client,
    clock,
    chainId,
    rpcUrl,
    router,
    userAddress,
    spender,
    venue: createVenue(client, { userAddress, spender, log }),
    wallet: () => ownWallet(venue, context),
    hold: (address, chain) =>
      openHeldWallet({ address, chainId, stateDir, holder, rpcUrl: rpcUrl ?? '' }, chain, context),
    embedded: false,
    reports,
  };
}

/** Reports of a run, written to its log as warnings. */
export const loggedReports = (log: Log): WalletReports => ({
  onUnlinked: (txHash, why) =>
    log.warn({ txHash, why }, 'a transaction could not be linked to the key; trying later'),
  onOfferAgain: ({ nonce, txHash }) =>
    log.warn({ nonce, txHash }, 'rebroadcast: the node had dropped this transaction'),
});

/** All permissions of the key beyond orders: those in the config, and those that its submission mode and policies need. */
export const groupsFor = (config: RunConfig): readonly AllowedGroup[] => {
  const { submission, signing } = config;
  const forSending = submission === 'calldata' ? (['calldata', 'record'] as const) : policyGroups(config);
  return [...new Set([...signing.allow, ...forSending])];
};

type ChainParts = Pick<WalletParts, 'clock' | 'chainId' | 'rpcUrl' | 'embedded'>;

/**
 * Opens the chain of the config's venue through its node.
 * @throws {ConfigError} when no node is named
 * @throws {SafetyError} when the node is of another chain
 */
export async function openChain(parts: ChainParts): Promise<{ chain: Chain; close: () => Promise<void> }> {
  const { rpc, chain } = await nodeOf(parts);
  await orClosedAfter(rpc, async () => {
    await requireChain(chain, parts);
  });
  return { chain, close: () => rpc.close() };
}

/** Node of a chain. The caller must close `rpc`. @throws {ConfigError} if none is configured */
export async function nodeOf({
  clock,
  rpcUrl: url = missing('venue.rpcUrl'),
}: Pick<ChainParts, 'clock' | 'rpcUrl'>) {
  const [{ createNodeRpc }, { createChain }] = await Promise.all([
    import('../../venue/nodeRpc.ts'),
    import('../../wallet/chain.ts'),
  ]);
  const rpc = createNodeRpc({ url, clock });
  return { rpc, chain: createChain(rpc) };
}

/** @throws {ConfigError} */
export function missing(field: string): never {
  throw new ConfigError(`this needs ${field}: set it in the config`, { field });
}

/** The wallet of the config with its node, held by this process until closed. `log`: what the wallet signed before. */
export type OwnWallet = Readonly<{
  sender: Sender;
  chain: Chain;
  log: TransactionLog;
  codec: RouterCodec;
  close(): Promise<void>;
}>;

/**
 * Opens the config's wallet for sending its own transactions.
 * @throws {SafetyError} when the node is of another chain, the key of another wallet, or another process sends for it
 */
export async function openWallet(parts: WalletParts): Promise<OwnWallet> {
  const { config, clock, embedded, reports } = parts;
  const wallet = await parts.wallet();
  const { rpc, chain } = await nodeOf(parts);
  const closing: (() => unknown)[] = [() => rpc.close()];
  const close = async () => {
    for (const each of closing.splice(0).reverse()) await each();
  };
  return orClosedAfter({ close }, async () => {
    // Before the node is called: another process may be sending for the wallet.
    const held = await parts.hold(wallet.address, chain);
    closing.push(() => held.close());
    await requireChain(chain, parts);
    const [{ Sender: WalletSender }, { routerCodec }] = await Promise.all([
      import('../../wallet/sender.ts'),
      import('../../wallet/routerAbi.ts'),
    ]);
    const codec = routerCodec(embedded ? {} : config.venue?.assumptions?.functions);
    const { log } = held;
    const gas = gasLimitsOf(config, parts.chainId);
    const { onOfferAgain } = reports;
    const sender = new WalletSender({ wallet, rpc, chain, clock, gas, log, codec, onOfferAgain });
    return { sender, chain, log, codec, close };
  });
}

/**
 * The venue with the submission mode of the config.
 * @throws {SafetyError} when the node is of another chain, a contract is not pinned, or another process sends for the wallet
 */
export async function openSubmission(parts: SubmissionParts): Promise<Submission> {
  const { config, venue, rpcUrl } = parts;
  if (needsWallet(config)) {
    if (rpcUrl === undefined)
      throw new SafetyError(
        `${config.submission === 'calldata' ? 'submission: calldata' : 'treasury.approve'} sends through a node of the chain: set venue.rpcUrl`,
      );
    const own = await openWallet(parts);
    return orClosedAfter(own, () => ({
      ...ownSending(parts, own),
      chain: own.chain,
      close: () => own.close(),
    }));
  }
  if (rpcUrl === undefined)
    return { venue, transferPort: venue, chain: null, close: () => Promise.resolve() };
  const { chain, close } = await openChain(parts);
  return { venue: withChain(venue, chain), transferPort: withTraces(venue, chain), chain, close };
}

/** True when a run sends the wallet's own transactions: all orders, or only approvals. */
export const needsWallet = ({ submission, treasury }: RunConfig): boolean =>
  submission === 'calldata' || treasury.approve !== undefined;

function ownSending(
  parts: SubmissionParts,
  { sender, chain, codec }: OwnWallet,
): Pick<Submission, 'venue' | 'transferPort'> {
  const { config, client, venue, clock, chainId, router, userAddress, reports } = parts;
  const deadline = () => deadlineAt(config, clock);
  const sending = { sender, chain, chainId, deadline };
  const approving = (port: TransferPort) => withAutoApproval(port, { ...parts, sending });
  if (config.submission === 'one-click')
    return { venue: withChain(venue, chain), transferPort: approving(withTraces(venue, chain, sender)) };
  if (router === undefined)
    throw new SafetyError('submission: calldata signs for one contract only: set venue.router');
  const { onUnlinked } = reports;
  const common = { ...sending, router, codec, onUnlinked };
  const transactions = createOperationTransactions(client, userAddress);
  return {
    venue: createCalldataVenue({ ...common, venue, transactions: createOrderTransactions(client) }),
    transferPort: approving(createCalldataOperations({ ...common, port: venue, transactions })),
  };
}

/** Deadline in seconds for sends at this moment, and for submitting them to a node. */
export const deadlineAt = ({ orders }: RunConfig, clock: Pick<Clock, 'now'>): EpochSeconds =>
  epochSeconds(toSeconds(clock.now()) + orders.deadlineSeconds);

type ApprovalParts = Pick<SubmissionParts, 'config' | 'spender' | 'venue'> &
  Readonly<{ sending: WalletSending }>;

function withAutoApproval(
  port: TransferPort,
  { config, spender, venue, sending }: ApprovalParts,
): TransferPort {
  if (config.treasury.approve === undefined) return port;
  if (spender === undefined)
    throw new SafetyError('treasury.approve approves one contract only: set venue.router, or venue.spender');
  return withApprovals(port, { ...sending, spender, venue });
}

/** Gas limits from the config, otherwise the chain's defaults. A number of gwei becomes exact wei, with the floating-point error rounded away. */
export const gasLimitsOf = ({ gas }: Pick<RunConfig, 'gas'>, chainId: number): GasLimits => ({
  maxFeePerGas: BigInt(Math.round(gas.maxFeePerGasGwei * WEI_PER_GWEI)),
  gasMax: BigInt(gas.limit),
  marginPercent: gas.marginPercent,
  perTransaction: gas.perTransaction ?? parseDecimal(gasDefaults(chainId).perTransaction),
  perDay: gas.perDay ?? parseDecimal(gasDefaults(chainId).perDay),
  percentOfOrder: gas.percentOfOrder ?? gasDefaults(chainId).percentOfOrder,
  nativePrice: gas.nativePrice === undefined ? null : price(gas.nativePrice),
});

/** @throws {SafetyError} when the node is of another chain */
async function requireChain(chain: Chain, { chainId, embedded }: ChainParts): Promise<void> {
  const found = embedded ? chainId : await chain.chainId();
  if (found !== chainId)
    throw new SafetyError(`the node of venue.rpcUrl is on chain ${found}, and venue.chainId is ${chainId}`);
}
