import { formatEther, formatGwei } from 'viem/utils';
import type { Clock } from '../../core/clock.ts';
import { atVenueFault, closingAfter, ConfigError, messageOf, SafetyError } from '../../core/errors.ts';
import { sameAddress, type Address } from '../../domain/instrument.ts';
import type { Chain, GasPrices } from '../../wallet/chain.ts';
import type { GasLimits } from '../../wallet/gas.ts';
import { labelOfKey } from '../../wallet/keyStore.ts';
import type { LoadedConfig } from '../config/load.ts';
import type { VenueConfig } from '../config/schema.ts';
import { secretOrigin } from '../config/secrets.ts';
import { walletAtHand } from '../environment/connect.ts';
import type { CommandContext } from '../../process/context.ts';
import { keyFolderOf } from '../../process/files.ts';
import { readKeyFile } from '../keys/keyFolder.ts';
import { gasLimitsOf, needsWallet, nodeOf } from '../environment/submission.ts';
import { fail, mistake, ok, warn, type Finding } from './finding.ts';

/** Calls a node. A failure to respond becomes the finding of the check. */
async function atNode<T>(
  node: Readonly<{ rpcUrl: string; clock: Clock }>,
  work: (chain: Chain) => Promise<T>,
  unanswered: (why: string) => T,
): Promise<T> {
  const { rpc, chain } = await nodeOf(node);
  return closingAfter(rpc, () => work(chain).catch(atVenueFault((error) => unanswered(messageOf(error)))));
}

/** Checks that the node of venue.rpcUrl responds, on the key's chain. Its path may be a key, so only its origin is shown. */
export async function checkNode(
  { config: { mode } }: LoadedConfig,
  { rpcUrl, chainId }: VenueConfig,
  clock: Clock,
): Promise<Finding> {
  if (rpcUrl === undefined) return ok('node', 'none is configured, and none is needed');
  const { origin } = new URL(rpcUrl);
  const ask = async (chain: Chain): Promise<Finding> => {
    const found = await chain.chainId();
    if (found === chainId) return ok('node', `${origin} answers, on chain ${chainId}`);
    return (mode === 'live' ? mistake : warn)('node', {
      detail: `${origin} is of chain ${found}, and venue.chainId is ${chainId}`,
      remedy: `Set venue.rpcUrl to a node of chain ${chainId}, or correct venue.chainId`,
    });
  };
  return atNode({ rpcUrl, clock }, ask, (why) =>
    (mode === 'live' ? fail : warn)('node', {
      detail: `${origin} does not state its chain: ${why}`,
      remedy: 'Check venue.rpcUrl, the key in it where it has one, and whether the node is up',
    }),
  );
}

/**
 * Checks for code that the wallet carries by EIP-7702; no finding without a node. It matters for every submission mode: nodes
 * accept fewer transactions from such a wallet (go-ethereum one pending, Monad none that leaves less than 10 MON).
 */
export async function checkWalletCode(
  { rpcUrl, userAddress }: VenueConfig,
  clock: Clock,
): Promise<readonly Finding[]> {
  if (rpcUrl === undefined) return [];
  const ask = async (chain: Chain): Promise<Finding> => {
    const delegate = await chain.delegate(userAddress);
    if (delegate === null) return ok('wallet code', `${userAddress} carries no code`);
    return warn('wallet code', { detail: meaningOf(userAddress, delegate), remedy: WITHOUT_CODE });
  };
  return [
    await atNode({ rpcUrl, clock }, ask, (why) =>
      unread('wallet code', 'whether the wallet carries code', why),
    ),
  ];
}

const unread = (check: string, what: string, why: string): Finding =>
  warn(check, { detail: `the node does not state ${what}: ${why}`, remedy: null });

/** Compares the wallet's balance with the price of gas; no finding for a run that does not sign. */
export async function checkGas(
  { config }: LoadedConfig,
  venue: VenueConfig,
  clock: Clock,
): Promise<readonly Finding[]> {
  const { rpcUrl, userAddress } = venue;
  if (rpcUrl === undefined || !needsWallet(config)) return [];
  const ask = async (chain: Chain): Promise<Finding> => {
    const [balance, prices] = await Promise.all([chain.balance(userAddress), chain.gasPrices()]);
    return gasFinding(gasLimitsOf(config, venue.chainId), { wallet: userAddress, balance, ...prices });
  };
  return [await atNode({ rpcUrl, clock }, ask, (why) => unread('gas', "the wallet's balance for gas", why))];
}

/** Balance of a wallet and prices of gas, in wei. */
type GasMeans = GasPrices & Readonly<{ wallet: Address; balance: bigint }>;

function gasFinding(
  { maxFeePerGas, gasMax, perTransaction, perDay, percentOfOrder, nativePrice }: GasLimits,
  { wallet, balance, baseFee, tip }: GasMeans,
): Finding {
  const price = baseFee + tip;
  if (price > maxFeePerGas)
    return warn('gas', {
      detail:
        `a unit of gas costs ${formatGwei(price)} gwei now (base fee ${formatGwei(baseFee)}, tip ${formatGwei(tip)}), and ` +
        `gas.maxFeePerGasGwei allows ${formatGwei(maxFeePerGas)}: nothing is sent until it costs less`,
      remedy: 'Wait, or raise gas.maxFeePerGasGwei',
    });
  const signed = price + baseFee < maxFeePerGas ? price + baseFee : maxFeePerGas;
  const most = signed * gasMax < perTransaction ? signed * gasMax : perTransaction;
  if (balance < most)
    return warn('gas', {
      detail: `${wallet} holds ${formatEther(balance)} for gas, and one transaction within gas.limit and gas.perTransaction may cost ${formatEther(most)}`,
      remedy:
        "Send the chain's own money to the wallet: a node refuses transactions that the wallet could not pay for",
    });
  const million = formatEther(price * 1_000_000n);
  const detail =
    `${wallet} holds ${formatEther(balance)} for gas; 1000000 gas cost ${million} now (base fee ${formatGwei(baseFee)} gwei, tip ${formatGwei(tip)}). ` +
    `At most ${formatEther(perTransaction)} a transaction, ${formatEther(perDay)} a day`;
  if (nativePrice !== null) return ok('gas', `${detail}, and ${percentOfOrder} % of an order`);
  return warn('gas', {
    detail: `${detail}. Gas is not compared with the value of an order, because no price of the chain's own token is known`,
    remedy: `Set gas.nativePrice, in mUSD: an order whose gas costs more than ${percentOfOrder} % of it is then refused`,
  });
}

const meaningOf = (wallet: Address, delegate: Address): string =>
  `${wallet} carries the code of ${delegate} (EIP-7702): that contract may move everything in the wallet, and use its nonces. ` +
  'Nodes may take only one waiting transaction from it at a time, and Monad reverts one that leaves it less than 10 MON';

const WITHOUT_CODE =
  "If you do not know that contract, stop trading and move the funds. To remove the code, use the wallet's own program; or trade with a wallet that carries none";

/** Checks that the wallet key is that of venue.userAddress. Optional for a run that does not sign with it. */
export async function checkWalletKey(
  { config }: LoadedConfig,
  venue: VenueConfig,
  context: CommandContext,
): Promise<Finding> {
  const isNeeded = needsWallet(config);
  const origin = secretOrigin('walletKey', context.env, venue);
  if (origin === null && !isNeeded) return ok('wallet key', 'none is configured, and a run needs none');
  const trouble = isNeeded && config.mode === 'live' ? mistake : warn;
  try {
    const address = await addressOfKey(venue, context);
    const detail = `${origin} is the key of ${address}`;
    if (sameAddress(address, venue.userAddress)) return ok('wallet key', detail);
    return trouble('wallet key', {
      detail: `${detail}, and venue.userAddress is ${venue.userAddress}`,
      remedy: 'Name the key of that wallet, or correct venue.userAddress',
    });
  } catch (error) {
    if (!(error instanceof ConfigError) && !(error instanceof SafetyError)) throw error;
    return trouble('wallet key', { detail: messageOf(error), remedy: null });
  }
}

/** Address of the wallet key. That of a stored key is read without its password, as nobody may be there to type it. */
async function addressOfKey(venue: VenueConfig, context: CommandContext): Promise<string> {
  const { walletKeyName: name } = venue;
  if (name === undefined || secretOrigin('walletKey', context.env, venue) !== `key store ${name}`)
    return (await walletAtHand(venue, context)).address;
  const label = labelOfKey(readKeyFile(keyFolderOf(context.env), name));
  if (label?.kind === 'wallet' && label.address !== null) return label.address;
  throw new ConfigError(`the key ${name} is not a wallet key. \`drover keys list\` lists all keys`);
}
