import { ConfigError } from '../../../core/errors.ts';
import { systemRandom } from '../../../core/random.ts';
import { suggest } from '../../../core/suggest.ts';
import { attempt, ATTEMPT_MS, type Delivery } from '../../../ops/notify/delivery.ts';
import { beat } from '../../../ops/notify/heartbeat.ts';
import { openHttp } from '../../../ops/notify/http.ts';
import { parcelOf } from '../../../ops/notify/message.ts';
import type { NotifierChannel } from '../../../ops/notify/notifier.ts';
import { configOf } from '../../../app/config/load.ts';
import type { CommandContext } from '../../../process/context.ts';
import { channelsOf, heartbeatOf } from '../../../app/environment/notify.ts';
import { EXIT } from '../../../process/exitCodes.ts';
import { printResult } from '../../../process/output.ts';

const HEARTBEAT = 'heartbeat';

type Result = Readonly<{ channel: string; ok: boolean; reason: string | null }>;

/**
 * `drover notify test [CHANNEL]`: sends a test message through each channel now, regardless of its filters and quiet hours. Exit 3 if
 * one did not accept it.
 */
export async function notifyTest(
  { channel }: Readonly<{ channel?: string }>,
  context: CommandContext,
): Promise<number> {
  const { config, file } = configOf(context);
  const { notify, mode } = config;
  const ids = [...notify.channels.map(({ id }) => id), ...(notify.heartbeat ? [HEARTBEAT] : [])];
  if (ids.length === 0)
    throw new ConfigError(`${file}: notify has no channels. Add some; docs/notifications.md shows how`, {
      file,
    });
  if (channel !== undefined && !ids.includes(channel)) throw unknownChannel(channel, ids);
  const wanted = (id: string) => channel === undefined || channel === id;
  const { http, close } = openHttp();
  const source = { config: notify, http, context };
  const channels = channelsOf(source).filter(({ settings }) => wanted(settings.id));
  const heartbeat = wanted(HEARTBEAT) ? heartbeatOf(source) : null;
  const stop = new AbortController().signal;
  try {
    const results = await Promise.all([
      ...channels.map(async (each) =>
        resultOf(each.settings.id, await send(each, notify.name ?? mode, context)),
      ),
      ...(heartbeat
        ? [beat({ ...heartbeat, http, clock: context.clock }, stop).then((done) => resultOf(HEARTBEAT, done))]
        : []),
    ]);
    const lines = results.map((each) => `${each.channel}: ${each.reason ?? 'ok'}`);
    printResult(context, { channels: results }, lines.join('\n'));
    return results.every(({ ok }) => ok) ? EXIT.done : EXIT.venue;
  } finally {
    for (const { sender } of channels) sender.close();
    await close();
  }
}

function send(
  { sender }: Pick<NotifierChannel, 'sender'>,
  run: string,
  { clock }: CommandContext,
): Promise<Delivery> {
  const message = {
    id: `test-${systemRandom.uuid()}`,
    at: clock.now(),
    kind: 'stateChange',
    title: 'Test',
    text: 'This channel works. `drover notify test` has sent this; nothing has happened',
  } as const;
  const parcel = parcelOf([message], { run, limit: sender.limit });
  const limits = { clock, ms: ATTEMPT_MS, stop: new AbortController().signal };
  return attempt((signal) => sender.send(parcel, signal), limits);
}

const resultOf = (channel: string, delivery: Delivery): Result => ({
  channel,
  ok: delivery.ok,
  reason: delivery.ok ? null : delivery.reason,
});

function unknownChannel(channel: string, ids: readonly string[]): ConfigError {
  const suggestion = suggest(channel, ids);
  return new ConfigError(
    `there is no channel ${channel}.${suggestion === undefined ? '' : ` Did you mean ${suggestion}?`} Configured are ${ids.join(', ')}. Nothing was sent`,
    { channel },
  );
}
