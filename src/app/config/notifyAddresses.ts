import { ConfigError, messageOf } from '../../core/errors.ts';
import { readAddress, safeUrl, secretParts, urlParts, type Address } from '../../ops/notify/addresses.ts';
import type { SecretsContext } from '../keys/keyFolder.ts';
import { placeOfVariable, type GivenSecret } from '../keys/credentials.ts';
import { NOTIFY_PREFIX, type Environment } from '../../process/environment.ts';
import type { NotifyChannelConfig, NotifyConfig } from './notify.ts';
import { findSecret, placeOf, type SecretPlaces } from './secrets.ts';

type Place = Readonly<{ id: string; addressFile?: string | undefined; addressName?: string | undefined }>;

/** Environment variable of an address, which is also the name of its credential. */
const variableOf = (id: string): string => `${NOTIFY_PREFIX}${id.toUpperCase().replaceAll('-', '_')}`;

/**
 * Address of a channel from the environment, a systemd credential, a file or the key store; masked from now on, whole and in parts.
 * @throws {ConfigError} when it is not set or malformed; the message does not quote it
 * @throws {SafetyError} when others can read or change its file
 */
export function channelAddress(channel: NotifyChannelConfig, source: SecretsContext): Address {
  const { text, where } = addressText(channel, source);
  try {
    const address = readAddress(channel.kind, text);
    for (const part of secretParts(address)) source.secrets.register(part);
    return address;
  } catch (error) {
    throw new ConfigError(`the address of channel ${channel.id} (${where}): ${messageOf(error)}`);
  }
}

/** URL of the heartbeat, masked. @throws as `channelAddress` */
export function heartbeatUrl(
  heartbeat: NonNullable<NotifyConfig['heartbeat']>,
  source: SecretsContext,
): string {
  const { text, where } = addressText({ ...heartbeat, id: 'heartbeat' }, source);
  const url = safeUrl(text);
  if (url === null) throw new ConfigError(`the address of the heartbeat (${where}): it must be an https URL`);
  for (const part of urlParts(url.href)) source.secrets.register(part);
  return url.href;
}

function placesOf({ id, addressFile, addressName }: Place): SecretPlaces {
  return { variable: variableOf(id), file: addressFile, stored: addressName, kind: 'secret' };
}

/** Source of an address, worded as by `placeOf`. */
export const addressOrigin = (place: Place, env: Environment): string | null => placeOf(placesOf(place), env);

/** Place, in words, where the address of channel `index` of the config is edited. */
export function addressKey({ id, addressFile, addressName }: Place, index: number, env: Environment): string {
  const of = `address of notify.channels[${index}], ${id}`;
  if (placeOfVariable(variableOf(id), env) !== null) return `${variableOf(id)} (${of})`;
  return addressFile === undefined
    ? `the key ${addressName ?? ''} (${of})`
    : `the text in ${addressFile} (${of})`;
}

/** Channels and heartbeat of a config, each with the place of its address. */
export const addressPlaces = ({ channels, heartbeat }: NotifyConfig): readonly Place[] => [
  ...channels,
  ...(heartbeat ? [{ ...heartbeat, id: 'heartbeat' }] : []),
];

function addressText(place: Place, source: SecretsContext): GivenSecret {
  const places = placesOf(place);
  const found = findSecret(places, source);
  if (found) return found;
  const { variable } = places;
  throw new ConfigError(
    `there is no address for ${place.id}. Set ${variable} in the environment or as a systemd credential, or name a file by addressFile or a key of ` +
      '`drover keys` by addressName. Nothing was sent',
    { variable },
  );
}
