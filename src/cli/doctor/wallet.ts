import type { Clock } from '../../core/clock.ts';
import { ConfigError, isVenueFault, messageOf, SafetyError } from '../../core/errors.ts';
import { sameAddress } from '../../domain/instrument.ts';
import { labelOfKey } from '../../wallet/keyStore.ts';
import type { LoadedConfig } from '../config/load.ts';
import type { VenueConfig } from '../config/schema.ts';
import { secretOrigin } from '../config/secrets.ts';
import { walletAtHand } from '../connect.ts';
import type { CommandContext } from '../context.ts';
import { keyFolderOf, readKeyFile } from '../keys/keyFolder.ts';
import { needsWallet } from '../run/submission.ts';
import { fail, mistake, ok, warn, type Finding } from './finding.ts';

/** Whether the node of venue.rpcUrl answers, and is of the key's chain. Its path may be a key: only its origin is told. */
export async function checkNode(
  { config: { mode } }: LoadedConfig,
  { rpcUrl, chainId }: VenueConfig,
  clock: Clock,
): Promise<Finding> {
  if (rpcUrl === undefined) return ok('node', 'none is configured, and none is needed');
  const [{ createRpc }, { createChain }] = await Promise.all([
    import('../../wallet/rpc.ts'),
    import('../../wallet/chain.ts'),
  ]);
  const { origin } = new URL(rpcUrl);
  const rpc = createRpc({ url: rpcUrl, clock });
  try {
    const found = await createChain(rpc).chainId();
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

/** Whether the wallet key is that of venue.userAddress. A run that does not sign with it can be without. */
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
