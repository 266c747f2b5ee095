import { ConfigError, DroverError } from '../../core/errors.ts';
import type { Http } from '../../ops/notify/delivery.ts';
import type { HeartbeatOptions } from '../../ops/notify/heartbeat.ts';
import { mailSender } from '../../ops/notify/mail.ts';
import type { NotifierChannel } from '../../ops/notify/notifier.ts';
import { httpSender } from '../../ops/notify/senders.ts';
import { settingsOf, type NotifyChannelConfig, type NotifyConfig } from '../config/notify.ts';
import { addressKey, channelAddress, heartbeatUrl } from '../config/notifyAddresses.ts';
import type { CommandContext } from '../../process/context.ts';

type NotifySource = Readonly<{
  config: NotifyConfig;
  http: Http;
  context: CommandContext;
  /** Receives the error of a channel or heartbeat without an address, which is then skipped. Otherwise it is thrown. */
  onLack?: ((error: DroverError) => void) | undefined;
}>;

/** Result of `open`; null if an address is missing or unusable and the run continues without it. */
function orLack<T>({ onLack }: NotifySource, open: () => T): T | null {
  try {
    return open();
  } catch (error) {
    if (!onLack || !(error instanceof DroverError)) throw error;
    onLack(error);
    return null;
  }
}

/**
 * The channels of a config with their senders. Nothing is sent.
 * @throws {ConfigError} when an address is missing or malformed, unless the source has `onLack`
 */
export const channelsOf = (source: NotifySource): NotifierChannel[] =>
  source.config.channels.flatMap((channel) => orLack(source, () => channelOf(channel, source)) ?? []);

function channelOf(channel: NotifyChannelConfig, { config, http, context }: NotifySource): NotifierChannel {
  const address = channelAddress(channel, context);
  const settings = settingsOf(channel);
  if (address.kind === 'email')
    return { settings, sender: mailSender(address, envelopeOf(channel)), bot: null };
  const place = addressKey(channel, config.channels.indexOf(channel), context.env);
  const { telegramApi } = config;
  const { clock, secrets } = context;
  const sender = httpSender(address, { http, clock, telegramApi, place, secrets });
  const bot =
    address.kind === 'telegram' && channel.commands ? { token: address.token, chat: address.chat } : null;
  return { settings, sender, bot };
}

function envelopeOf({
  id,
  from,
  to,
}: NotifyChannelConfig): Readonly<{ from: string; to: readonly string[] }> {
  if (from === undefined || to === undefined) throw new ConfigError(`channel ${id} lacks from or to`);
  return { from, to };
}

/** The heartbeat of a config; null without one. @throws as `channelsOf` */
export function heartbeatOf(
  source: NotifySource,
): Pick<HeartbeatOptions, 'url' | 'method' | 'everySeconds'> | null {
  const { heartbeat } = source.config;
  if (!heartbeat) return null;
  const url = orLack(source, () => heartbeatUrl(heartbeat, source.context));
  const { method, everySeconds } = heartbeat;
  return url === null ? null : { url, method, everySeconds };
}
