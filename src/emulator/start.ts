import type { FastifyInstance } from 'fastify';
import { z } from 'zod';
import type { Address } from '../domain/instrument.ts';
import { toIso, type EpochMs } from '../core/brand.ts';
import { cashToken, CHAIN_ID, contracts, PRODUCT } from './state/constants.ts';
import type { Machine } from './machine/machine.ts';
import { listedStocks } from './market/listings.ts';
import type { ApiKey } from './state/state.ts';
import type { Clock } from '../core/clock.ts';
import { isLoopbackHost } from '../core/loopback.ts';
import { ConfigError, InvalidValueError, orClosedAfter } from '../core/errors.ts';
import { silentLog, type Log } from '../core/log.ts';
import { VirtualClock } from '../core/virtualClock.ts';
import { parseCommand } from './machine/commands.ts';
import { createControlServer } from './http/control.ts';
import { openFront, openMachine, openRpcFront, type KeptMachine, type VenueOptions } from './emulator.ts';
import type { Latency } from './http/front.ts';
import { createRpcServer, createVenueServer, listen } from './http/server.ts';

/** Addresses, contracts, accounts and keys of the emulator: everything a client needs. Printed as one JSON line. */
export type EmulatorInfo = Readonly<{
  baseUrl: string;
  controlUrl: string;
  /** URL of the chain's node. */
  rpcUrl: string;
  chainId: number;
  product: string;
  now: string;
  cashToken: Readonly<{ address: string; symbol: string; decimals: number }>;
  contracts: Readonly<Record<keyof typeof contracts, string>>;
  symbols: readonly Readonly<{ symbol: string; contractAddress: string }>[];
  accounts: readonly AccountInfo[];
}>;

export type AccountInfo = Readonly<{
  userAddress: Address;
  privateKey: string;
  /** `enable` or `disabled`. */
  oneClick: string;
  /** Proxy wallet that sends for One Click. */
  delegatee: Address;
  keys: readonly Pick<ApiKey, 'apiKey' | 'secret' | 'access'>[];
}>;

type Urls = Pick<EmulatorInfo, 'baseUrl' | 'controlUrl' | 'rpcUrl'>;

export const infoOf = ({ state }: Machine, urls: Urls, now: EpochMs): EmulatorInfo => ({
  ...urls,
  chainId: CHAIN_ID,
  product: PRODUCT,
  now: toIso(now),
  cashToken,
  contracts,
  symbols: listedStocks(state.stocks).map(({ listing: { symbol, address } }) => ({
    symbol,
    contractAddress: address,
  })),
  accounts: state.accounts.map(({ userAddress, privateKey, delegation }) => ({
    userAddress,
    privateKey,
    oneClick: delegation.status,
    delegatee: delegation.delegatee,
    keys: state.keys
      .filter((key) => key.userAddress === userAddress)
      .map(({ apiKey, secret, access }) => ({ apiKey, secret, access })),
  })),
});

export type EmulatorOptions = VenueOptions &
  Readonly<{
    /** Port of the venue. Default 0, a free one. */
    port?: number;
    /** Host of venue and node. Default 127.0.0.1. The control port always listens there. */
    host?: string;
    controlPort?: number;
    /** Port of the chain's node. Default 0, a free one. */
    rpcPort?: number;
    /** Clock of the venue. By default the emulator has its own. */
    clock?: Clock;
    /** Speed of its own clock as a multiple of real time; with 0 it moves only through the control port. Default 1. */
    speed?: number;
    /** Default 15 to 60 ms; none at a speed of 0, where time does not pass by itself. */
    latency?: Latency;
    /** A fault plan as for `POST /faults`, active from the start. By default the stored one stays active. */
    faults?: unknown;
    log?: Log;
  }>;

export type Emulator = Readonly<{ info: EmulatorInfo; close(): Promise<void> }>;

const LOOPBACK = '127.0.0.1';
const NO_LATENCY: Latency = { minMs: 0, maxMs: 0 };

/**
 * Starts the venue on this machine, over HTTP, with its control port.
 * @throws {ConfigError} when a port is taken, a value or a fault is invalid, or an option contradicts the state
 * directory
 * @throws {SafetyError} when another process uses the state directory
 */
export async function startEmulator(options: EmulatorOptions = {}): Promise<Emulator> {
  const { speed = 1 } = options;
  if (!(speed >= 0)) throw new ConfigError(`speed ${speed} is not a number of times real time`);
  const kept = openMachine(options, options.clock?.now());
  const { clock, stop } = options.clock
    ? { clock: options.clock, stop: () => undefined }
    : ownClock(kept, speed);
  const servers: FastifyInstance[] = [];
  const close = async () => {
    await Promise.all(servers.map((server) => server.close()));
    stop();
    kept.machine.advance(clock.now());
    kept.close();
  };
  return orClosedAfter({ close }, async () => {
    if (options.faults !== undefined) setFaults(kept, options.faults, clock.now());
    const info = await serve({ kept, clock, options }, servers);
    const { baseUrl, controlUrl, rpcUrl } = info;
    options.log?.info({ baseUrl, controlUrl, rpcUrl }, 'the emulator listens');
    return { info, close };
  });
}

type Parts = Readonly<{ kept: KeptMachine; clock: Clock; options: EmulatorOptions }>;

async function serve({ kept, clock, options }: Parts, servers: FastifyInstance[]): Promise<EmulatorInfo> {
  const { host = LOOPBACK, port = 0, controlPort = 0, rpcPort = 0, log = silentLog } = options;
  const face = { clock, ...latencyOf(options) };
  const isLocal = isLoopbackHost(host);
  const venue = createVenueServer({
    front: openFront(kept, face),
    clock,
    isLocal,
    log,
    offsetMs: () => kept.machine.state.clockOffsetMs,
  });
  const node = createRpcServer({ front: openRpcFront(kept, face), clock, isLocal, log });
  const control = createControlServer({ ...kept, clock });
  servers.push(venue, node, control);
  const baseUrl = await listen(venue, { host, port, option: 'port' });
  const rpcUrl = await listen(node, { host, port: rpcPort, option: 'rpcPort' });
  const controlUrl = await listen(control, { host: LOOPBACK, port: controlPort, option: 'controlPort' });
  return infoOf(kept.machine, { baseUrl, controlUrl, rpcUrl }, clock.now());
}

/** Activates the fault plan of the options. @throws {ConfigError} naming what is wrong with it */
function setFaults({ machine, keep }: KeptMachine, plan: unknown, at: EpochMs): void {
  try {
    const command = parseCommand('faults', plan);
    machine.command(command, at);
    keep({ at, kind: 'command', command });
  } catch (error) {
    if (!(error instanceof z.ZodError || error instanceof InvalidValueError)) throw error;
    throw new ConfigError(`faults: ${error instanceof z.ZodError ? z.prettifyError(error) : error.message}`);
  }
}

function latencyOf({ latency, clock, speed }: EmulatorOptions): { latency?: Latency } {
  if (latency) return { latency };
  return !clock && speed === 0 ? { latency: NO_LATENCY } : {};
}

function ownClock({ machine }: KeptMachine, speed: number): { clock: Clock; stop: () => void } {
  const clock = new VirtualClock({ start: machine.state.now, pace: speed });
  if (speed > 0) void clock.run();
  return { clock, stop: () => clock.stop() };
}
