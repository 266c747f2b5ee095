import { recoverAddress } from 'viem/utils';
import type { EpochMs } from '../core/brand.ts';
import type { Clock } from '../core/clock.ts';
import { chanceOf } from '../core/random.ts';
import { VirtualClock } from '../core/virtualClock.ts';
import type { VenueRequest } from './auth.ts';
import type { Input } from './inputs.ts';
import type { Machine } from './machine.ts';
import type { VenueReply } from './reply.ts';
import type { Recovered } from './routes/index.ts';

/** Time on the way to the venue and back, in virtual ms. 0 and 0 for none. */
export type Latency = Readonly<{ minMs: number; maxMs: number }>;

export type FrontOptions = Readonly<{
  machine: Machine;
  clock: Clock;
  latency: Latency;
  /** Makes an input durable before it is acted upon. */
  keep: (input: Input) => void;
}>;

/** Answers a request after its time on the way; null when the connection breaks instead. */
export type Front = (request: VenueRequest) => Promise<VenueReply | null>;

/** The one way in: the server and a caller in this process both come through here. */
export function createFront({ machine, clock, latency, keep }: FrontOptions): Front {
  return async (request) => {
    if (clock instanceof VirtualClock) clock.touch();
    const trip = tripMs({ request, latency, seed: machine.state.seed }, clock.now());
    await pass(clock, request, trip / 2);
    const recovered = await recover(machine, request);
    const at = clock.now();
    const arrival = { request: kept(request), recovered };
    keep({ at, kind: 'request', arrival });
    const { reply, delayMs } = machine.handle(arrival, at);
    await pass(clock, request, trip / 2 + delayMs);
    return reply;
  };
}

/** Of what the venue reads of a request. */
const kept = ({ headers, ...request }: VenueRequest): VenueRequest => ({
  ...request,
  headers: Object.fromEntries(Object.entries(headers).filter(([name]) => name.startsWith('x-api-'))),
});

type Trip = Readonly<{ request: VenueRequest; latency: Latency; seed: number }>;

/**
 * Depends on the request and its instant alone, so that the order in which sockets are read changes nothing. Keeps its
 * fraction, so that two requests hardly ever arrive at one instant.
 */
function tripMs({ request: { method, uri, body }, latency, seed }: Trip, now: EpochMs): number {
  const { minMs, maxMs } = latency;
  return minMs + (maxMs - minMs) * chanceOf(`${seed} trip ${now} ${method} ${uri} ${body}`);
}

/** Lets time pass, also while the caller holds the clock for this very request. */
async function pass(clock: Clock, { headers }: VenueRequest, ms: number): Promise<void> {
  if (ms <= 0) return;
  const sleep = () => clock.sleep(ms);
  await (clock instanceof VirtualClock ? clock.suspend(headers['x-api-nonce'] ?? '', sleep) : sleep());
}

const ENABLE = '/api/v1/1ct/enable';

/** Who signed the payload that was prepared for the key of this request. */
async function recover(machine: Machine, request: VenueRequest): Promise<Recovered | null> {
  if (request.uri !== ENABLE) return null;
  const digest = machine.digestFor(request.headers['x-api-key'] ?? '');
  const signature = /"signature"\s*:\s*"(0x[0-9a-fA-F]{130})"/.exec(request.body)?.[1];
  if (!digest || !signature) return null;
  try {
    return { digest, signer: await recoverAddress({ hash: digest, signature: `0x${signature.slice(2)}` }) };
  } catch {
    return null;
  }
}
