import { request } from 'undici';
import { z } from 'zod';
import { existsSync } from 'node:fs';
import { epochMs, type EpochMs } from '../../core/brand.ts';
import { machine, afterOn, sleepOn, type Cancel, type Clock, type Host } from '../../core/clock.ts';
import { messageOf, UnreachableError, ConfigError, SafetyError, closingAfter } from '../../core/errors.ts';
import { TimerQueue } from '../../core/virtualClock.ts';
import { venueOf, type LoadedConfig, configOf } from '../config/load.ts';
import type { CommandContext } from '../../process/context.ts';
import { readSecret, secretOrigin } from '../config/secrets.ts';
import { withState } from './journal.ts';
import { holdKey, holderOf } from './locks.ts';
import type { AllowedGroup } from '../../api/allowList.ts';
import { createVenueClient, type VenueClient, type VenueClientOptions } from '../../api/client.ts';
import { readOnly, type Transport } from '../../api/transport.ts';
import { createUndiciTransport } from '../../api/undiciTransport.ts';
import { assumptionsIn } from '../config/sections.ts';
import { sameAddress, type Address } from '../../domain/instrument.ts';
import type { Wallet } from '../../wallet/account.ts';
import type { VenueConfig } from '../config/schema.ts';

/** Clock reading of an emulator, from its control port. */
export type ClockReading = Readonly<{ now: EpochMs; speed: number }>;

/** Longest real time, in ms, between two readings of the followed clock while a timer waits. */
const LOOK_MS = 50;

const reading = z.object({ now: z.iso.datetime({ offset: true }), speed: z.number().min(0) });

/** Reads the clock of an emulator. @throws {UnreachableError} */
export async function readClock(controlUrl: string): Promise<ClockReading> {
  const url = `${controlUrl}/clock`;
  try {
    const { body } = await request(url, { headersTimeout: 5_000, bodyTimeout: 5_000 });
    const { now, speed } = reading.parse(await body.json());
    return { now: epochMs(Date.parse(now)), speed };
  } catch (error) {
    throw new UnreachableError(
      `no clock to follow at ${url}: ${messageOf(error)}. Start \`drover emulator\`, and set venue.controlUrl as it says`,
      {},
      { cause: error },
    );
  }
}

/**
 * The clock of an emulator in another process. Between two readings it continues at the emulator's speed; a timer runs
 * only when a reading has reached its time, because the emulator stands still while it works.
 */
export class FollowedClock implements Clock {
  readonly #read: () => Promise<ClockReading>;
  readonly #host: Host;
  readonly #timers = new TimerQueue();
  #anchor: ClockReading & { readonly real: number };
  #latest = 0;
  #looking = false;

  private constructor(first: ClockReading, read: () => Promise<ClockReading>, host: Host) {
    this.#read = read;
    this.#host = host;
    this.#anchor = { ...first, real: host.monotonic() };
  }

  /** @throws {UnreachableError} when there is no clock */
  static async start(read: () => Promise<ClockReading>, host: Host = machine): Promise<FollowedClock> {
    return new FollowedClock(await read(), read, host);
  }

  now(): EpochMs {
    return epochMs(Math.floor(this.monotonic()));
  }

  monotonic(): number {
    const { now, speed, real } = this.#anchor;
    this.#latest = Math.max(this.#latest, now + (this.#host.monotonic() - real) * speed);
    return this.#latest;
  }

  at(when: EpochMs, run: () => void): Cancel {
    const cancel = this.#timers.add(when, run);
    if (!this.#looking) void this.#look();
    return cancel;
  }

  after(ms: number, run: () => void): Cancel {
    return afterOn(this, ms, run);
  }

  sleep(ms: number, signal?: AbortSignal): Promise<void> {
    return sleepOn(this, ms, signal);
  }

  /** Does nothing: the emulator stands still by itself. */
  hold(): Cancel {
    return () => undefined;
  }

  /** Reads the emulator's time repeatedly while a timer waits. */
  async #look(): Promise<void> {
    this.#looking = true;
    for (let next = this.#timers.next(); next !== undefined; next = this.#timers.next()) {
      await new Promise<void>((resolve) => this.#host.after(this.#realMsUntil(next), resolve));
      const seen = await this.#read().catch(() => this.#extrapolated());
      this.#anchor = { ...seen, real: this.#host.monotonic() };
      while ((this.#timers.next() ?? Infinity) <= seen.now) this.#timers.fireNext();
    }
    this.#looking = false;
  }

  /** Reading for an emulator that does not respond: time continues as before, so that waits still time out. */
  #extrapolated(): ClockReading {
    return { now: this.now(), speed: this.#anchor.speed };
  }

  #realMsUntil(due: EpochMs): number {
    const { speed } = this.#anchor;
    return speed === 0 ? LOOK_MS : Math.min(LOOK_MS, Math.max(0, (due - this.monotonic()) / speed));
  }
}

type KeyUse = Readonly<{ loaded: LoadedConfig; state?: string | undefined; context: CommandContext }>;

/**
 * Holds the API key of the config until `work` ends. `state`: the state folder, as named in the errors of others.
 * @throws {LockHeldError} naming the run or command that holds it; nothing was sent
 */
export async function withHeldKey<T>({ loaded, state, context }: KeyUse, work: () => Promise<T>): Promise<T> {
  const venue = venueOf(loaded);
  const apiKey = readSecret('apiKey', venue, context);
  const use = { apiKey, baseUrl: venue.baseUrl, holder: holderOf(context, state) };
  return closingAfter({ close: holdKey(use, context) }, work);
}

/**
 * Holds the state folder (if it exists) and API key of the config until `work` ends, for a command that sends by hand. A run using
 * either would not know what this command sends.
 * @throws {LockHeldError} naming the run or command that holds one of them; nothing was sent
 */
function asSoleSender<T>(loaded: LoadedConfig, context: CommandContext, work: () => Promise<T>): Promise<T> {
  const { state } = loaded.config;
  const withKey = () => withHeldKey({ loaded, state, context }, work);
  return state !== undefined && existsSync(state)
    ? withState({ stateDir: state, holder: holderOf(context, state) }, withKey)
    : withKey();
}

/** The venue in a command's config, and everything needed to connect to it. */
export type Connection = Readonly<{
  client: VenueClient;
  venue: VenueConfig;
  clock: Clock;
  loaded: LoadedConfig;
  context: CommandContext;
}>;

/** The contract that takes tokens out of the wallet, if the config names it. */
export const spenderOf = ({ spender, router }: VenueConfig): Address | null => spender ?? router ?? null;

/** A connection that may send: no other process uses its state folder or API key. Only `withSendingVenue` makes one. */
export type SendingConnection = Connection & Readonly<{ sole: true }>;

/** The machine's clock, or with `clock: follow` the emulator's. @throws {UnreachableError} */
export async function clockOf({ clock, controlUrl }: VenueConfig, context: CommandContext): Promise<Clock> {
  return clock === 'follow' && controlUrl !== undefined
    ? FollowedClock.start(() => readClock(controlUrl))
    : context.clock;
}

/**
 * A client for the venue, with the key from the environment or its file.
 * @throws {ConfigError} when no key is set
 * @throws {SafetyError} when its file is open to others, or TLS is not verified in this process
 */
export function clientFor(
  venue: VenueConfig,
  context: CommandContext,
  more: Pick<VenueClientOptions, 'clock' | 'log' | 'allow' | 'onDenied' | 'access' | 'transport'> = {},
): VenueClient {
  if (context.env['NODE_TLS_REJECT_UNAUTHORIZED'] === '0')
    throw new SafetyError(
      'NODE_TLS_REJECT_UNAUTHORIZED=0 would give the key to any server that answers. Unset it; NODE_EXTRA_CA_CERTS adds a certificate',
    );
  const { baseUrl, chainId, product, requestsPerMinute } = venue;
  return createVenueClient({
    baseUrl,
    chainId,
    product,
    requestsPerMinute,
    assumptions: assumptionsIn(venue),
    apiKey: readSecret('apiKey', venue, context),
    secret: readSecret('apiSecret', venue, context),
    secrets: context.secrets,
    ...more,
  });
}

/**
 * The wallet in the config, with its key from the environment, its file or the key store.
 * @throws {ConfigError} when no key is set
 * @throws {SafetyError} when the key is not that of the wallet in the config
 */
export async function ownWallet(venue: VenueConfig, context: CommandContext): Promise<Wallet> {
  const wallet = await walletAtHand(venue, context);
  if (sameAddress(wallet.address, venue.userAddress)) return wallet;
  throw new SafetyError(
    `nothing was signed: the wallet key is that of ${wallet.address}, and venue.userAddress is ${venue.userAddress}`,
  );
}

/** The wallet of the available key, whatever its address. @throws {ConfigError} naming the source, when there is no valid key */
export async function walletAtHand(venue: VenueConfig, context: CommandContext): Promise<Wallet> {
  const { walletOf } = await import('../../wallet/account.ts');
  const key = readSecret('walletKey', venue, context);
  try {
    return walletOf(key);
  } catch (error) {
    const origin = secretOrigin('walletKey', context.env, venue);
    throw new ConfigError(`${origin}: ${messageOf(error)}`, { origin }, { cause: error });
  }
}

/**
 * Connects to the venue of the command's config until `work` ends, with read requests only. Commands that send use
 * `withSendingVenue`.
 */
export const withVenue = <T>(
  context: CommandContext,
  work: (connection: Connection) => Promise<T>,
): Promise<T> => connected({ loaded: configOf(context), context, allow: [], through: readOnly }, work);

/** `allow`: groups of requests beyond trading. */
type SendingUse = Readonly<{
  loaded: LoadedConfig;
  context: CommandContext;
  allow: readonly AllowedGroup[];
}>;

/**
 * The only way to the venue for commands that send by hand: this process alone holds state folder and API key meanwhile. For the
 * config of a dry run only reads are allowed.
 * @throws {LockHeldError} when a run or another command holds one of them; nothing was sent
 */
export function withSendingVenue<T>(
  use: SendingUse,
  work: (connection: SendingConnection) => Promise<T>,
): Promise<T> {
  const { loaded, context } = use;
  const through = loaded.config.mode === 'dry-run' ? readOnly : (transport: Transport) => transport;
  return asSoleSender(loaded, context, () =>
    connected({ ...use, through }, (connection) => work({ ...connection, sole: true })),
  );
}

async function connected<T>(
  { loaded, context, allow, through }: SendingUse & Readonly<{ through: typeof readOnly }>,
  work: (connection: Connection) => Promise<T>,
): Promise<T> {
  const venue = venueOf(loaded);
  const clock = await clockOf(venue, context);
  const { baseUrl } = venue;
  const transport = through(createUndiciTransport({ baseUrl, clock }));
  return closingAfter(clientFor(venue, context, { clock, allow, transport }), (client) =>
    work({ client, venue, clock, loaded, context }),
  );
}
