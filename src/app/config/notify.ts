import { z } from 'zod';
import { treeOf, type Tree } from '../../core/nesting.ts';
import { CHANNEL_KINDS } from '../../ops/notify/addresses.ts';
import type { ChannelSettings } from '../../ops/notify/channel.ts';
import { MESSAGE_KINDS } from '../../ops/notify/message.ts';
import { isZone } from '../../ops/notify/quietHours.ts';
import { baseUrl, filePath } from './fields.ts';
import type { Problem } from './problems.ts';

const HOUR_MINUTES = 60;

const timeOfDay = z
  .string()
  .regex(/^([01]\d|2[0-3]):[0-5]\d$/, 'must be a time of day such as 22:00')
  .transform((text) => Number(text.slice(0, 2)) * HOUR_MINUTES + Number(text.slice(3)));

const quiet = z.strictObject({
  from: timeOfDay.describe('Beginning, such as 22:00.'),
  to: timeOfDay.describe('End, such as 07:00. Messages that waited are then sent together.'),
  zone: z
    .string()
    .refine(isZone, 'must be a time zone such as Europe/Berlin')
    .default('America/New_York')
    .describe('Time zone of both times.'),
  exceptAlarms: z.boolean().default(true).describe('Alarms come at any hour.'),
});

const digest = z.strictObject({
  over: z.int().min(1).max(100).default(5).describe('Number of messages sent one by one within `seconds`.'),
  seconds: z.int().min(1).max(3_600).default(60).describe('Length of the counting window, in seconds.'),
});

const addressFile = () =>
  filePath()
    .optional()
    .describe(
      'File with the address, readable by you alone. Environment and systemd credential take precedence.',
    );
const addressName = () =>
  z
    .string()
    .optional()
    .describe('Name of the address in the key store (`drover keys import NAME --secret`).');

const mailbox = () => z.email('must be an e-mail address, such as me@host.example');

const channel = z.strictObject({
  id: z
    .string()
    .regex(/^[a-z0-9][a-z0-9-]{0,29}$/, 'must be lower-case letters, digits and hyphens, at most 30')
    .refine((id) => id !== 'heartbeat', 'must not be heartbeat')
    .describe('Name of the channel. Its address is in DROVER_NOTIFY_ID, such as DROVER_NOTIFY_PHONE.'),
  kind: z.enum(CHANNEL_KINDS).describe('Service that carries the messages.'),
  hears: z
    .array(z.enum(MESSAGE_KINDS))
    .min(1, 'must have at least one entry')
    .max(MESSAGE_KINDS.length)
    .default(['alarm', 'daySummary'])
    .describe(
      'Message kinds to send. `alarm`: alarms and their all-clear; `fill`: orders that filled; `orderEnd`: orders that ended without a fill; `stateChange`: halts, freezes, stops and starts; `daySummary`: after each close.',
    ),
  quiet: quiet.optional().describe('Hours in which the channel is silent.'),
  digest: digest.prefault({}).describe('Combine messages when more than `over` arrive within `seconds`.'),
  addressFile: addressFile(),
  addressName: addressName(),
  commands: z
    .boolean()
    .default(false)
    .describe('Telegram: the chat may ask /status, and order /pause, /halt and /ack.'),
  from: mailbox().optional().describe('E-mail: sender.'),
  to: z.array(mailbox()).min(1).max(20).optional().describe('E-mail: receivers.'),
});

const heartbeat = z.strictObject({
  everySeconds: z
    .int()
    .min(10)
    .max(3_600)
    .default(60)
    .describe('How often the address is requested, in seconds.'),
  method: z.enum(['GET', 'POST']).default('GET').describe('Method of the request.'),
  addressFile: addressFile(),
  addressName: addressName(),
});

/** Section `notify` of a config. */
export const notifySection = z.strictObject({
  name: z
    .string()
    .regex(/^[\x21-\x7e][\x20-\x7e]{0,39}$/, 'must be at most 40 printable characters')
    .optional()
    .describe('Name of this run in messages. Default: its mode.'),
  channels: z.array(channel).max(20).default([]).describe('Channels.'),
  repeatMinutes: z
    .int()
    .min(1)
    .max(1_440)
    .default(30)
    .describe('Minutes after which an unacknowledged alarm is sent again.'),
  downMinutes: z
    .int()
    .min(1)
    .max(1_440)
    .default(5)
    .describe('Minutes of failures after which the other channels report that a channel is down.'),
  telegramApi: baseUrl()
    .default('https://api.telegram.org')
    .describe("Telegram's own service, or your own Bot API server."),
  heartbeat: heartbeat
    .optional()
    .describe(
      'An address (DROVER_NOTIFY_HEARTBEAT) that is requested while the run is ready, so that an outside service notices when it is not.',
    ),
});

export type NotifyConfig = Readonly<z.output<typeof notifySection>>;
export type NotifyChannelConfig = NotifyConfig['channels'][number];

export const settingsOf = ({
  id,
  hears,
  quiet: hours,
  digest: pace,
}: NotifyChannelConfig): ChannelSettings => ({
  id,
  hears,
  quiet: hours ?? null,
  digest: pace,
});

/** Problems between values of the section. Reads unchecked values, so that all problems are shown together. */
export function notifyProblems(section: Tree): Problem[] {
  const { channels } = section;
  if (!Array.isArray(channels)) return [];
  const trees = channels.map(treeOf);
  return trees.flatMap((each, index) => {
    const first = trees.findIndex(({ id }) => id === each['id']);
    const path = ['notify', 'channels', index];
    return [
      ...(first < index && each['id'] !== undefined
        ? [
            {
              path: [...path, 'id'],
              problem: `is also the id of notify.channels[${first}]`,
              remedy: 'Rename one',
            },
          ]
        : []),
      ...channelProblems(each).map(({ key, ...problem }) => ({ path: [...path, key], ...problem })),
    ];
  });
}

type KeyProblem = Readonly<{ key: string; problem: string; remedy: string }>;

function channelProblems({ kind, ...channelTree }: Tree): KeyProblem[] {
  const missing = ['from', 'to']
    .filter((key) => kind === 'email' && channelTree[key] === undefined)
    .map((key) => ({ key, problem: 'is missing, and kind: email needs it', remedy: 'Add it' }));
  const idle = ['from', 'to']
    .filter((key) => kind !== 'email' && channelTree[key] !== undefined)
    .map((key) => ({ key, problem: 'is only for kind: email', remedy: 'Remove it' }));
  const commands =
    channelTree['commands'] === true && kind !== 'telegram'
      ? [{ key: 'commands', problem: 'is only for kind: telegram', remedy: 'Remove it' }]
      : [];
  return [...missing, ...idle, ...commands];
}
