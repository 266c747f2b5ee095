import { formatEther, formatGwei } from 'viem/utils';
import type { Clock } from '../../core/clock.ts';
import { ConfigError, isVenueFault, messageOf, SafetyError } from '../../core/errors.ts';
import { sameAddress, type Address } from '../../domain/instrument.ts';
import type { Chain, GasPrices } from '../../wallet/chain.ts';
import type { GasLimits } from '../../wallet/gas.ts';
import { labelOfKey } from '../../wallet/keyStore.ts';
import type { Rpc } from '../../wallet/rpc.ts';
import type { LoadedConfig } from '../config/load.ts';
import type { VenueConfig } from '../config/schema.ts';
import { secretOrigin } from '../config/secrets.ts';
import { walletAtHand } from '../environment/connect.ts';
import type { CommandContext } from '../context.ts';
import { keyFolderOf, readKeyFile } from '../keys/keyFolder.ts';
import { gasLimitsOf, needsWallet } from '../environment/submission.ts';
import { fail, mistake, ok, warn, type Finding } from './finding.ts';

async function nodeAt(url: string, clock: Clock): Promise<Readonly<{ rpc: Rpc; chain: Chain }>> {
  const [{ createRpc }, { createChain }] = await Promise.all([
    import('../../wallet/rpc.ts'),
    import('../../wallet/chain.ts'),
  ]);
  const rpc = createRpc({ url, clock });
  return { rpc, chain: createChain(rpc) };
}

/** Checks that the node of venue.rpcUrl answers, on the key's chain. Its path may be a key: only its origin is shown. */
export async function checkNode(
  { config: { mode } }: LoadedConfig,
  { rpcUrl, chainId }: VenueConfig,
  clock: Clock,
): Promise<Finding> {
  if (rpcUrl === undefined) return ok('node', 'none is configured, and none is needed');
  const { origin } = new URL(rpcUrl);
  const { rpc, chain } = await nodeAt(rpcUrl, clock);
  try {
    const found = await chain.chainId();
    if (found === chainId) return ok('node', `${origin} answers, and is of chain ${chainId}`);
    return (mode === 'live' ? mistake : warn)('node', {
      detail: `${origin} is of chain ${found}, and venue.chainId is ${chainId}`,
      remedy: `Set venue.rpcUrl to a node of chain ${chainId}, or correct venue.chainId`,
    });
  } catch (error) {
    if (!isVenueFault(error)) throw error;
    return (mode === 'live' ? fail : warn)('node', {
      detail: `${origin} does not say of which chain it is: ${messageOf(error)}`,
      remedy: 'Check venue.rpcUrl, the key in it where it has one, and whether the node is up',
    });
  } finally {
    await rpc.close();
  }
}

/**
 * Code that the wallet carries by EIP-7702; no finding without a node. It is the wallet's whichever way orders leave, and
 * nodes take less from such a wallet: go-ethereum one waiting transaction, Monad none that leaves it less than 10 MON.
 */
export async function checkWalletCode(
  { rpcUrl, userAddress }: VenueConfig,
  clock: Clock,
): Promise<readonly Finding[]> {
  if (rpcUrl === undefined) return [];
  const { rpc, chain } = await nodeAt(rpcUrl, clock);
  try {
    const delegate = await chain.delegate(userAddress);
    if (delegate === null) return [ok('wallet code', `${userAddress} carries no code`)];
    return [warn('wallet code', { detail: meaningOf(userAddress, delegate), remedy: WITHOUT_CODE })];
  } catch (error) {
    if (!isVenueFault(error)) throw error;
    const detail = `the node does not say whether the wallet carries code: ${messageOf(error)}`;
    return [warn('wallet code', { detail, remedy: null })];
  } finally {
    await rpc.close();
  }
}

/** Compares the wallet's balance with the price of gas; no finding for a run that does not sign. */
export async function checkGas(
  { config }: LoadedConfig,
  venue: VenueConfig,
  clock: Clock,
): Promise<readonly Finding[]> {
  const { rpcUrl, userAddress } = venue;
  if (rpcUrl === undefined || !needsWallet(config)) return [];
  const { rpc, chain } = await nodeAt(rpcUrl, clock);
  try {
    const [balance, prices] = await Promise.all([chain.balance(userAddress), chain.gasPrices()]);
    return [gasFinding(gasLimitsOf(config), { wallet: userAddress, balance, ...prices })];
  } catch (error) {
    if (!isVenueFault(error)) throw error;
    const detail = `the node does not say what the wallet has for gas: ${messageOf(error)}`;
    return [warn('gas', { detail, remedy: null })];
  } finally {
    await rpc.close();
  }
}

/** Wei. */
type GasMeans = GasPrices & Readonly<{ wallet: Address; balance: bigint }>;

function gasFinding(
  { maxFeePerGas, gasMax }: GasLimits,
  { wallet, balance, baseFee, tip }: GasMeans,
): Finding {
  const price = baseFee + tip;
  if (price > maxFeePerGas)
    return warn('gas', {
      detail:
        `a unit of gas costs ${formatGwei(price)} gwei now (base fee ${formatGwei(baseFee)}, tip ${formatGwei(tip)}), and ` +
        `gas.maxFeePerGasGwei allows ${formatGwei(maxFeePerGas)}: nothing is sent while it does`,
      remedy: 'Wait, or raise gas.maxFeePerGasGwei',
    });
  const signed = price + baseFee < maxFeePerGas ? price + baseFee : maxFeePerGas;
  const most = signed * gasMax;
  if (balance < most)
    return warn('gas', {
      detail: `${wallet} holds ${formatEther(balance)} for gas, and one transaction of gas.limit may cost ${formatEther(most)}`,
      remedy: "Send the chain's own money to the wallet: a node refuses what it could not pay for",
    });
  const million = formatEther(price * 1_000_000n);
  return ok(
    'gas',
    `${wallet} holds ${formatEther(balance)} for gas; 1000000 gas cost ${million} now (base fee ${formatGwei(baseFee)} gwei, tip ${formatGwei(tip)})`,
  );
}

const meaningOf = (wallet: Address, delegate: Address): string =>
  `${wallet} carries the code of ${delegate} (EIP-7702): that contract may move all that the wallet holds, and use its nonces. ` +
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

/** A stored key says it without its password, which nobody may be there to type. */
async function addressOfKey(venue: VenueConfig, context: CommandContext): Promise<string> {
  const { walletKeyName: name } = venue;
  if (name === undefined || secretOrigin('walletKey', context.env, venue) !== `key store ${name}`)
    return (await walletAtHand(venue, context)).address;
  const label = labelOfKey(readKeyFile(keyFolderOf(context.env), name));
  if (label?.kind === 'wallet' && label.address !== null) return label.address;
  throw new ConfigError(`the key ${name} is no wallet key. \`drover keys list\` names those there are`);
}
