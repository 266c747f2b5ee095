import { ConfigError } from '../../core/errors.ts';
import type { Http } from '../../ops/notify/delivery.ts';
import type { HeartbeatOptions } from '../../ops/notify/heartbeat.ts';
import { mailSender } from '../../ops/notify/mail.ts';
import type { NotifierChannel } from '../../ops/notify/notifier.ts';
import { httpSender } from '../../ops/notify/senders.ts';
import { settingsOf, type NotifyChannelConfig, type NotifyConfig } from '../config/notify.ts';
import { channelAddress, heartbeatUrl } from '../config/notifyAddresses.ts';
import type { CommandContext } from '../context.ts';

type NotifySource = Readonly<{ config: NotifyConfig; http: Http; context: CommandContext }>;

/**
 * The channels of a config with their senders. Nothing is sent.
 * @throws {ConfigError} when an address is missing or has another form
 */
export const channelsOf = ({ config, http, context }: NotifySource): NotifierChannel[] =>
  config.channels.map((channel) => {
    const address = channelAddress(channel, context);
    const settings = settingsOf(channel);
    if (address.kind === 'email')
      return { settings, sender: mailSender(address, envelopeOf(channel)), bot: null };
    const sender = httpSender(address, { http, clock: context.clock, telegramApi: config.telegramApi });
    const bot =
      address.kind === 'telegram' && channel.commands ? { token: address.token, chat: address.chat } : null;
    return { settings, sender, bot };
  });

function envelopeOf({
  id,
  from,
  to,
}: NotifyChannelConfig): Readonly<{ from: string; to: readonly string[] }> {
  if (from === undefined || to === undefined) throw new ConfigError(`channel ${id} lacks from or to`);
  return { from, to };
}

/** The heartbeat of a config; null without one. @throws as `channelsOf` */
export function heartbeatOf({
  config: { heartbeat },
  context,
}: NotifySource): Pick<HeartbeatOptions, 'url' | 'method' | 'everySeconds'> | null {
  if (!heartbeat) return null;
  const { method, everySeconds } = heartbeat;
  return { url: heartbeatUrl(heartbeat, context), method, everySeconds };
}
