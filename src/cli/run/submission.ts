import { mkdirSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import type { AllowedGroup } from '../../api/allowList.ts';
import type { VenueClient } from '../../api/client.ts';
import { createOrderTransactions } from '../../api/orderTransactions.ts';
import type { Clock } from '../../core/clock.ts';
import { SafetyError } from '../../core/errors.ts';
import type { Log } from '../../core/log.ts';
import type { Address } from '../../domain/instrument.ts';
import type { Venue } from '../../domain/venue.ts';
import { createCalldataVenue } from '../../engine/calldataVenue.ts';
import { withChain } from '../../engine/chainVenue.ts';
import { holdLock } from '../../store/lock.ts';
import type { Wallet } from '../../wallet/account.ts';
import type { Chain } from '../../wallet/chain.ts';
import type { Rpc } from '../../wallet/rpc.ts';
import type { GasLimits } from '../../wallet/sender.ts';
import type { RunConfig } from '../config/schema.ts';
import { policyGroups } from '../config/treasury.ts';

/** How a run's orders reach the chain, and what of the chain it can read. */
export type Submission = Readonly<{
  venue: Venue;
  /** Whether what became of an order can be asked of the chain. */
  readsChain: boolean;
  close(): Promise<void>;
}>;

export type SubmissionParts = Readonly<{
  config: RunConfig;
  client: VenueClient;
  /** Sends by One Click. */
  venue: Venue;
  clock: Clock;
  log: Log;
  chainId: number;
  rpcUrl: string | undefined;
  router: Address | undefined;
  wallet: () => Promise<Wallet>;
  /** The chain is this run's own: nobody else sends there, and it is the right one. */
  embedded: boolean;
}>;

/** All that the key may sign beside orders: what the config names, and what its way of sending and its policies need. */
export const groupsFor = (config: RunConfig): readonly AllowedGroup[] => {
  const { submission, signing } = config;
  const forSending: readonly AllowedGroup[] = submission === 'calldata' ? ['calldata', 'record'] : [];
  return [...new Set([...signing.allow, ...forSending, ...policyGroups(config)])];
};

/**
 * The venue with the config's way of sending.
 * @throws {SafetyError} when the node is of another chain, no router is pinned, or another process sends for the wallet
 */
export async function openSubmission(parts: SubmissionParts): Promise<Submission> {
  const { config, venue, rpcUrl, clock } = parts;
  if (rpcUrl === undefined && config.submission === 'calldata')
    throw new SafetyError('submission: calldata sends by a node of the chain: set venue.rpcUrl');
  if (rpcUrl === undefined) return { venue, readsChain: false, close: () => Promise.resolve() };
  const [{ createRpc }, { createChain }] = await Promise.all([
    import('../../wallet/rpc.ts'),
    import('../../wallet/chain.ts'),
  ]);
  const rpc = createRpc({ url: rpcUrl, clock });
  const chain = createChain(rpc);
  if (!parts.embedded) await requireChain(chain, parts.chainId);
  if (config.submission === 'one-click')
    return { venue: withChain(venue, chain), readsChain: true, close: () => rpc.close() };
  const wallet = await parts.wallet();
  const release = parts.embedded ? () => undefined : holdWallet(wallet.address);
  return {
    venue: await calldataVenue(parts, { rpc, chain, wallet }),
    readsChain: true,
    async close() {
      await rpc.close();
      release();
    },
  };
}

type Tools = Readonly<{ rpc: Rpc; chain: Chain; wallet: Wallet }>;

async function calldataVenue(parts: SubmissionParts, { rpc, chain, wallet }: Tools): Promise<Venue> {
  const { Sender } = await import('../../wallet/sender.ts');
  const { config, client, venue, clock, log, chainId, router } = parts;
  if (router === undefined)
    throw new SafetyError('submission: calldata signs for one contract only: set venue.router');
  const sender = new Sender({ wallet, rpc, chain, clock, gas: gasLimitsOf(config) });
  const transactions = createOrderTransactions(client);
  return createCalldataVenue({ venue, transactions, sender, chain, chainId, router, log });
}

const WEI_PER_GWEI = 10n ** 9n;

export const gasLimitsOf = ({ gas }: RunConfig): GasLimits => ({
  maxFeePerGas: BigInt(gas.maxFeePerGasGwei) * WEI_PER_GWEI,
  gasMax: BigInt(gas.limit),
  marginPercent: gas.marginPercent,
});

/** @throws {SafetyError} when the node is of another chain */
export async function requireChain(chain: Chain, chainId: number): Promise<void> {
  const found = await chain.chainId();
  if (found !== chainId)
    throw new SafetyError(`the node of venue.rpcUrl is on chain ${found}, and venue.chainId is ${chainId}`);
}

/** Keeps a wallet to this process, on this machine: two that send for it would take each other's places. */
export function holdWallet(address: Address): () => void {
  const folder = join(homedir(), '.drover');
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  return holdLock(join(folder, `wallet-${address.toLowerCase()}.sqlite`), `the wallet ${address}`);
}
