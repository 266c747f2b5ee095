import { DELEGATION_ENABLED } from '../../../api/assumptions/venueRules.ts';
import { wordsOf } from '../../../api/failures.ts';
import { epochSeconds, toIso, toMs, toSeconds } from '../../../core/brand.ts';
import { ConfigError, SafetyError, UnauthorizedError, VenueRefusedError } from '../../../core/errors.ts';
import { sameAddress } from '../../../domain/instrument.ts';
import { checkDelegation, DELEGATION_MAX_SECONDS, type Delegation } from '../../../wallet/delegation.ts';
import { ownWallet, withSendingVenue, withVenue, type Connection } from '../../../app/environment/connect.ts';
import { configOf, stateOverride, type LoadedConfig } from '../../../app/config/load.ts';
import type { CommandContext } from '../../../process/context.ts';
import { EXIT } from '../../../process/exitCodes.ts';
import { printResult } from '../../../process/output.ts';
import { InterruptedError } from '../../../process/terminal.ts';
import { requireGroup, requireSending } from '../../../app/transfers/account.ts';
import { sentOnce, type DoubtText } from '../../../app/transfers/walletSends.ts';
import {
  againstDelegatee,
  delegationPin,
  keepDelegation,
  type DelegationPin,
} from '../../../app/environment/pins.ts';

/** Permission groups that only these commands use. */
const DELEGATION = ['delegation'] as const;

export type EnableOptions = Readonly<{
  router?: string;
  delegatee?: string;
  yes?: boolean;
  minutes?: number;
  state?: string;
}>;

/** `drover oneclick status` */
export function oneClickStatus(_options: object, context: CommandContext): Promise<number> {
  const pin = delegationPin(configOf(context));
  return withVenue(context, async (connection) => {
    const { delegatee } = await showStatus(connection, context);
    const why = againstDelegatee(delegatee, pin);
    if (why !== null) context.terminal.err(`${why}: a run sends nothing through it`);
    return EXIT.done;
  });
}

/** `drover oneclick disable`: always possible. Open orders stay open. */
export function oneClickDisable(
  options: Pick<EnableOptions, 'state'>,
  context: CommandContext,
): Promise<number> {
  const loaded = configOf(context, stateOverride(options));
  requireSending(loaded, 'reduces');
  return withSendingVenue({ loaded, context, allow: DELEGATION }, async (connection) => {
    await sentOnce(() => connection.client.oneClickDisable(), doubtOf('disable'));
    return (await showStatus(connection, context)).enabled ? EXIT.failed : EXIT.done;
  });
}

/**
 * `drover oneclick enable`: prepares, checks every field, signs with the wallet key, enables. Contract and delegatee are
 * pinned by config, flag or an earlier confirmation; otherwise a person confirms them.
 */
export function oneClickEnable(options: EnableOptions, context: CommandContext): Promise<number> {
  const loaded = configOf(context, stateOverride(options));
  requireSending(loaded, 'adds');
  requireGroup('delegation', loaded);
  const pin = delegationPin(loaded, options);
  return withSendingVenue({ loaded, context, allow: DELEGATION }, async (connection) => {
    const { client, venue } = connection;
    const wallet = await ownWallet(venue, context);
    const delegation = await prepared(connection, options, pin);
    showDelegation(delegation, context);
    requireKnown(delegation, { pin, options, loaded, context });
    const signature = await wallet.signDelegation(delegation);
    const { deadline } = delegation.message;
    await sentOnce(() => client.oneClickEnable({ body: { signature, deadline } }), doubtOf('enable'));
    const stated = await showStatus(connection, context);
    requireSigned(delegation, stated.delegatee);
    return stated.enabled ? EXIT.done : EXIT.failed;
  });
}

/** @throws {SafetyError} when the venue names a proxy wallet other than the one signed for */
function requireSigned({ message: { delegatee } }: Delegation, stated: string | null): void {
  if (stated === null || sameAddress(stated, delegatee)) return;
  throw new SafetyError(
    `the venue names the delegatee ${stated}, but ${delegatee} was signed for: \`drover oneclick disable\` turns it off. Ask the venue`,
  );
}

type ConfirmationParts = Readonly<{
  pin: DelegationPin;
  options: EnableOptions;
  loaded: LoadedConfig;
  context: CommandContext;
}>;

/**
 * Asks a person to confirm contract and delegatee if either is known only from the venue, and pins both.
 * @throws {SafetyError} when nobody is there, or --yes was given
 * @throws {InterruptedError} when the answer is not yes
 */
function requireKnown(delegation: Delegation, { pin, options, loaded, context }: ConfirmationParts): void {
  const { terminal, keyboard } = context;
  const contract = delegation.domain.verifyingContract;
  const { delegatee } = delegation.message;
  const isKnown = pin.contract !== undefined && pin.delegatee !== undefined;
  const write = `as oneClickRouter and delegatee into the venue section of ${loaded.file}, from what the venue publishes, not from here`;
  if (!isKnown && (options.yes === true || !keyboard.present))
    throw new SafetyError(
      `nothing was signed: contract and delegatee are known only from the venue, and ${options.yes ? '--yes does not confirm them' : 'nobody is here to confirm them'}. ` +
        `It named the contract ${shownBeside(contract, pin.contract?.address)} and the delegatee ${shownBeside(delegatee, pin.delegatee?.address)}. ` +
        `Write both ${write}`,
    );
  if (
    !isKnown &&
    keyboard.ask('Compare both with what the venue publishes. To sign for them, type yes: ') !== 'yes'
  )
    throw new InterruptedError('nothing was signed');
  keepDelegation(loaded, { contract, delegatee });
  if (loaded.config.venue?.oneClickRouter === undefined || loaded.config.venue.delegatee === undefined)
    terminal.err(
      `${loaded.config.state === undefined ? 'No state folder keeps them: write' : 'Pinned in the state folder. Write'} both ${write}`,
    );
}

/** An address from the venue next to the expected one. */
const shownBeside = (address: string, expected: string | undefined): string =>
  `${address} (${expected === undefined ? 'none is pinned' : `pinned: ${expected}`})`;

const doubtOf = (act: 'enable' | 'disable'): DoubtText => ({
  what: `POST /api/v1/1ct/${act}`,
  look: '`drover oneclick status`',
});

/** Requests the typed data, and compares it with the config. @throws {SafetyError} naming the difference */
async function prepared(
  { client, venue, clock }: Connection,
  { minutes = 5 }: EnableOptions,
  { contract, delegatee }: DelegationPin,
): Promise<Delegation> {
  if (minutes < 1 || minutes * 60 > DELEGATION_MAX_SECONDS)
    throw new ConfigError(`--minutes must be 1 to ${DELEGATION_MAX_SECONDS / 60}`);
  const deadline = epochSeconds(toSeconds(clock.now()) + minutes * 60);
  const { code, errMsg, data } = await client.call('POST', '/api/v1/1ct/prepare', { body: { deadline } });
  const words = wordsOf(errMsg, client.redact);
  if (code === 401)
    throw new UnauthorizedError(
      `/1ct/prepare: ${words}. \`drover doctor\` shows what may be wrong`,
      {},
      'none',
    );
  if (code !== 200) throw new VenueRefusedError(`/1ct/prepare: ${words} (code ${code})`);
  return checkDelegation(data, {
    user: venue.userAddress,
    chainId: venue.chainId,
    deadline,
    now: clock.now(),
    ...(contract && { verifyingContract: contract }),
    ...(delegatee && { delegatee }),
  });
}

function showDelegation({ domain, message }: Delegation, { terminal }: CommandContext): void {
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

/** Prints the state of the delegation: whether it is active, and for whom. */
async function showStatus(
  { client }: Connection,
  context: CommandContext,
): Promise<Readonly<{ enabled: boolean; delegatee: string | null }>> {
  const { status, delegatee = null } = await client.oneClickStatus();
  const enabled = status === DELEGATION_ENABLED;
  const delegateeText = delegatee ? `, delegatee ${delegatee}` : '';
  printResult(
    context,
    { enabled, status, delegatee },
    `One Click is ${enabled ? 'on' : 'off'} (${status})${delegateeText}`,
  );
  return { enabled, delegatee };
}
