import { channelAddress, heartbeatUrl } from '../config/notifyAddresses.ts';
import { counted } from '../../core/counted.ts';
import type { VenueConfig } from '../config/schema.ts';
import type { Environment } from '../../process/environment.ts';
import { secretOrigin } from '../config/secrets.ts';
import type { VenueClient } from '../../api/client.ts';
import { withoutDoctor, wordsOf } from '../../api/failures.ts';
import type { Clock } from '../../core/clock.ts';
import { closingAfter, DroverError, faultIn, messageOf, UnreachableError } from '../../core/errors.ts';
import { calendarOf } from '../config/fields.ts';
import type { LoadedConfig } from '../config/load.ts';
import { clientFor, clockOf } from '../environment/connect.ts';
import type { CommandContext } from '../../process/context.ts';
import { checkContracts, checkStrategies, checkSessions } from './symbols.ts';
import { checkLog, checkState, checkCalendar, checkConfig, checkLimits } from './offline.ts';
import { fail, findingOf, mistake, ok, type Finding, itemMistake, warn } from './finding.ts';
import {
  checkBalance,
  checkBinding,
  checkClock,
  checkDelegationState,
  checkListOrder,
  checkPermission,
} from './online.ts';
import { checkGas, checkNode, checkWalletCode, checkWalletKey } from './wallet.ts';

/** Largest clock offset in ms: the venue rejects a timestamp that is further off. */
const WINDOW_MS = 45_000;

type Facts = Readonly<{ venue: VenueConfig; env: Environment; offsetMs: number | null }>;

/**
 * Possible causes when the venue responds "unauthorized", as it does to a wrong key, secret, address, time or scope alike.
 * They are derived from local facts; nothing is tried, because each attempt would look like an attack to the venue.
 */
function candidates({ venue, env, offsetMs }: Facts): { detail: string; remedy: string } {
  const key = secretOrigin('apiKey', env, venue);
  const secret = secretOrigin('apiSecret', env, venue);
  return {
    detail: `the venue does not accept the key, and does not say why. ${clockVerdict(offsetMs)}`,
    remedy: [
      'One of these remains; the issuer of the key can say which:',
      `key: is it active and not expired, and are key (${key}) and secret (${secret}) a pair?`,
      'address: is the public address of this machine on the whitelist of the key? An empty whitelist rejects everything',
      `scope: is the key for chain ${venue.chainId} and ${venue.product}, in exactly this spelling? Do not try others here`,
    ].join('\n  '),
  };
}

function clockVerdict(offsetMs: number | null): string {
  if (offsetMs === null) return 'The clock could not be compared: the answer carries no time';
  const seconds = Math.abs(offsetMs) / 1000;
  if (Math.abs(offsetMs) < WINDOW_MS / 2)
    return `It is not the clock: ${seconds} s off, ${WINDOW_MS / 1000} s are allowed`;
  return `It may well be the clock: this one is ${seconds} s ${offsetMs > 0 ? 'behind' : 'ahead'}. Set it by NTP first`;
}

const NO_VENUE_TO_PROBE = mistake('probe', {
  detail: 'nothing was probed: in mode emulator the venue exists only within the run',
  remedy: 'Name a config with a venue of its own (--config FILE)',
});

/** `history`: also check the journal of a run. `probe`: also check what the venue's documentation leaves open. */
export type DiagnoseOptions = Readonly<{ probe?: boolean; history?: boolean }>;

/** Runs all checks in order, skipping those that depend on a check that failed. */
export async function diagnose(
  loaded: LoadedConfig,
  context: CommandContext,
  options: DiagnoseOptions = {},
): Promise<Finding[]> {
  const { venue } = loaded.config;
  const config = checkConfig(loaded, context.cwd);
  const last = [
    checkState(loaded, context.cwd),
    checkLog(loaded, context.cwd),
    checkCalendar(loaded, context.clock),
    checkLimits(loaded),
    checkNotify(loaded, context),
  ];
  if (!venue) {
    const none = ok('venue', 'the emulator comes with the run');
    const unprobed = options.probe ? [NO_VENUE_TO_PROBE] : [];
    return [config, none, ...unprobed, ...(await checkStrategies(loaded, null, context)), ...last];
  }
  const clock = await guarded('venue', () => clockOf(venue, context));
  if ('verdict' in clock) return [config, clock, ...last];
  // /1ct/prepare shows whether the key may write; a probe requests calldata that is never signed.
  const allow = options.probe ? (['delegation', 'calldata'] as const) : (['delegation'] as const);
  return closingAfter(clientFor(venue, context, { clock, allow }), async (client) => {
    const seen = await online({ loaded, venue, client, context, clock }, options);
    const own = [
      await checkNode(loaded, venue, clock),
      ...(await checkWalletCode(venue, clock)),
      ...(await checkGas(loaded, venue, clock)),
      await checkWalletKey(loaded, venue, context),
    ];
    const found = [config, ...seen, ...own, ...last];
    return found.map((finding) => ({ ...finding, detail: withoutDoctor(finding.detail) }));
  });
}

type Subject = Readonly<{
  loaded: LoadedConfig;
  venue: VenueConfig;
  client: VenueClient;
  context: CommandContext;
  clock: Clock;
}>;

type Check = readonly [name: string, work: () => Promise<Finding | Finding[]>];

async function online({ loaded, venue, client, context, clock: time }: Subject, options: DiagnoseOptions) {
  const { mode } = loaded.config;
  const first = await guarded('venue', () => client.call('GET', '/api/v1/symbols'));
  if ('verdict' in first) return [first];
  const reached = ok('venue', `${venue.baseUrl} answers`);
  const clock = checkClock(client.offsetMs);
  if (first.code === 401) {
    const unknown = candidates({ venue, env: context.env, offsetMs: client.offsetMs });
    return [reached, clock, fail('signed read', unknown)];
  }
  if (first.code !== 200) {
    const detail = `GET /symbols: ${wordsOf(first.errMsg, client.redact)} (code ${first.code})`;
    return [reached, clock, fail('signed read', { detail, remedy: 'Ask the venue what this means' })];
  }
  const probed = async () => {
    const { probe } = await import('./probe.ts');
    return probe({ client, venue, mode, calendar: calendarOf(loaded.config), now: time.now() });
  };
  const dividends = async () => {
    const { checkDividends } = await import('./assumptions/dividends.ts');
    return (await checkDividends({ client, loaded, cwd: context.cwd, now: time.now() })).map(findingOf);
  };
  const read = ok('signed read', `the key reads on chain ${venue.chainId}, ${venue.product}`);
  const checks: readonly Check[] = [
    ['permission', () => checkPermission(client, mode)],
    ['binding', () => checkBinding(client, venue, { mode, now: time.now() })],
    ['one click', () => checkDelegationState(client, loaded)],
    ['balance', () => checkBalance(client, loaded)],
    ['order list', () => checkListOrder(client)],
    ['strategies', () => checkStrategies(loaded, client, context)],
    ['contracts', () => checkContracts(client, loaded)],
    ['sessions', () => checkSessions(client, calendarOf(loaded.config), time.now())],
    ...(options.history ? [['dividends', () => dividends()] satisfies Check] : []),
    ...(options.probe ? [['probe', () => probed()] satisfies Check] : []),
  ];
  const findings: Finding[] = [reached, clock, read];
  for (const [check, work] of checks) findings.push(...[await guarded(check, work)].flat());
  return findings;
}

/** Turns a failure of venue or network into the finding of its check; rethrows anything else, which is a bug. */
async function guarded<T>(check: string, work: () => Promise<T>): Promise<T | Finding> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof DroverError)) throw error;
    const remedy =
      error instanceof UnreachableError
        ? 'Check venue.baseUrl, the network, and whether the venue is up'
        : 'Run it again; if it stays, ask the venue with the text above';
    return fail(check, { detail: messageOf(error), remedy });
  }
}

/** Checks that each notification channel has a readable address. Nothing is sent. */
export function checkNotify({ config: { mode, notify } }: LoadedConfig, context: CommandContext): Finding {
  const { channels, heartbeat } = notify;
  if (channels.length === 0 && !heartbeat)
    return mode === 'live'
      ? warn('notify', {
          detail: 'alarms are not reported to anyone',
          remedy: 'Name a channel under notify (docs/notifications.md)',
        })
      : ok('notify', 'no channel is configured');
  const problems = [
    ...channels.map((channel) => faultIn(DroverError, () => channelAddress(channel, context))),
    heartbeat ? faultIn(DroverError, () => heartbeatUrl(heartbeat, context)) : null,
  ].filter((problem) => problem !== null);
  if (problems.length > 0) return itemMistake('notify', { detail: problems.join('; '), remedy: null });
  const all = `${counted(channels.length, 'channel')}${heartbeat ? ' and a heartbeat' : ''}`;
  return ok('notify', `${all} with an address; \`drover notify test\` sends a message to each`);
}
