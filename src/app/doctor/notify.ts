import { messageOf } from '../../core/errors.ts';
import { counted } from '../../core/counted.ts';
import type { LoadedConfig } from '../config/load.ts';
import { channelAddress, heartbeatUrl } from '../config/notifyAddresses.ts';
import type { CommandContext } from '../../process/context.ts';
import { itemMistake, ok, warn, type Finding } from './finding.ts';

/** Checks that each channel of notifications has an address that can be read. Nothing is sent. */
export function checkNotify({ config: { mode, notify } }: LoadedConfig, context: CommandContext): Finding {
  const { channels, heartbeat } = notify;
  if (channels.length === 0 && !heartbeat)
    return mode === 'live'
      ? warn('notify', {
          detail: 'nobody is told of an alarm',
          remedy: 'Name a channel under notify (docs/notifications.md)',
        })
      : ok('notify', 'no channel is configured');
  const problems = [
    ...channels.flatMap((channel) => problemIn(() => channelAddress(channel, context))),
    ...(heartbeat ? problemIn(() => heartbeatUrl(heartbeat, context)) : []),
  ];
  if (problems.length > 0) return itemMistake('notify', { detail: problems.join('; '), remedy: null });
  const all = `${counted(channels.length, 'channel')}${heartbeat ? ' and a heartbeat' : ''}`;
  return ok('notify', `${all} with an address; \`drover notify test\` sends a message to each`);
}

function problemIn(read: () => unknown): string[] {
  try {
    read();
    return [];
  } catch (error) {
    return [messageOf(error)];
  }
}
