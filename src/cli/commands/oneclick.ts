import { DELEGATION_ENABLED } from '../../api/adopted.ts';
import { wordsOf } from '../../api/failures.ts';
import { epochSeconds, toIso, toMs, toSeconds } from '../../core/brand.ts';
import { ConfigError, UnauthorizedError, VenueRefusedError } from '../../core/errors.ts';
import type { Address } from '../../domain/instrument.ts';
import { checkDelegation, DELEGATION_MAX_SECONDS, type Delegation } from '../../wallet/delegation.ts';
import { ownWallet, withVenue, type Connection } from '../connect.ts';
import { configOf, stateOverride } from '../config/configFile.ts';
import type { CommandContext } from '../context.ts';
import { EXIT } from '../exitCodes.ts';
import { requireGroup, requireSending } from '../moves/account.ts';
import { sentOnce, type Doubt } from '../moves/sentOnce.ts';
import { toJson } from '../output.ts';

/** What these commands are for, and no other signs. */
const DELEGATION = ['delegation'] as const;

export type EnableOptions = Readonly<{ delegatee?: string; minutes?: number; state?: string }>;

/** `drover oneclick status` */
export function oneClickStatus(_options: object, context: CommandContext): Promise<number> {
  return withVenue(context, async (connection) => {
    await tellStatus(connection, context);
    return EXIT.done;
  });
}

/** `drover oneclick disable`: may always be done. Orders that rest stay where they are. */
export function oneClickDisable(_options: object, context: CommandContext): Promise<number> {
  requireSending(configOf(context), 'less');
  return withVenue(
    context,
    async (connection) => {
      await sentOnce(() => connection.client.oneClickDisable(), doubtOf('disable'));
      return (await tellStatus(connection, context)) ? EXIT.failed : EXIT.done;
    },
    DELEGATION,
  );
}

/** `drover oneclick enable`: prepares, checks every field, signs with the wallet key, enables. */
export function oneClickEnable(options: EnableOptions, context: CommandContext): Promise<number> {
  const loaded = configOf(context, stateOverride(options));
  requireSending(loaded, 'more');
  requireGroup('delegation', loaded);
  return withVenue(
    context,
    async (connection) => {
      const { client, venue } = connection;
      const wallet = await ownWallet(venue, context);
      const delegation = await prepared(connection, options);
      tellDelegation(delegation, context);
      const signature = await wallet.signDelegation(delegation);
      const { deadline } = delegation.message;
      await sentOnce(() => client.oneClickEnable({ body: { signature, deadline } }), doubtOf('enable'));
      return (await tellStatus(connection, context)) ? EXIT.done : EXIT.failed;
    },
    DELEGATION,
  );
}

const doubtOf = (act: 'enable' | 'disable'): Doubt => ({
  what: `POST /api/v1/1ct/${act}`,
  look: '`drover oneclick status`',
});

/** Asks for the typed data, and holds it against the config. @throws {SafetyError} naming what differs */
async function prepared({ client, venue, clock }: Connection, options: EnableOptions): Promise<Delegation> {
  const { minutes = 5, delegatee } = options;
  if (minutes < 1 || minutes * 60 > DELEGATION_MAX_SECONDS)
    throw new ConfigError(`--minutes must be 1 to ${DELEGATION_MAX_SECONDS / 60}`);
  if (delegatee !== undefined && !isAddress(delegatee))
    throw new ConfigError('--delegatee must be an address');
  const deadline = epochSeconds(toSeconds(clock.now()) + minutes * 60);
  const { code, errMsg, data } = await client.call('POST', '/api/v1/1ct/prepare', { body: { deadline } });
  const words = wordsOf(errMsg, client.redact);
  if (code === 401)
    throw new UnauthorizedError(`/1ct/prepare: ${words}. \`drover doctor\` tells what it may be`, {}, 'none');
  if (code !== 200) throw new VenueRefusedError(`/1ct/prepare: ${words} (code ${code})`);
  return checkDelegation(data, {
    ...{ user: venue.userAddress, chainId: venue.chainId, deadline, now: clock.now() },
    ...(venue.oneClickRouter && { verifyingContract: venue.oneClickRouter }),
    ...(delegatee !== undefined && { delegatee }),
  });
}

const isAddress = (text: string): text is Address => /^0x[0-9a-fA-F]{40}$/.test(text);

function tellDelegation({ domain, message }: Delegation, { terminal }: CommandContext): void {
  terminal.err(
    [
      'Signing, so that the venue may send orders for this wallet:',
      `  wallet     ${message.user}`,
      `  delegatee  ${message.delegatee}`,
      `  contract   ${domain.verifyingContract} on chain ${domain.chainId}`,
      `  usable     until ${toIso(toMs(message.deadline))}`,
    ].join('\n'),
  );
}

/** Tells the state of the delegation; whether it is in force. */
async function tellStatus({ client }: Connection, { terminal, json }: CommandContext): Promise<boolean> {
  const { status, delegatee } = await client.oneClickStatus();
  const enabled = status === DELEGATION_ENABLED;
  if (json) terminal.out(toJson({ enabled, status, delegatee: delegatee ?? null }));
  else
    terminal.out(
      `One Click is ${enabled ? 'on' : 'off'} (${status})${delegatee ? `, delegatee ${delegatee}` : ''}`,
    );
  return enabled;
}
