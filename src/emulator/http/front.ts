import { recoverAddress } from 'viem/utils';
import type { EpochMs } from '../../core/brand.ts';
import type { Clock } from '../../core/clock.ts';
import { chanceOf } from '../../core/seededRandom.ts';
import { VirtualClock } from '../../core/virtualClock.ts';
import type { Input, Machine } from '../machine/machine.ts';
import type { VenueRequest } from '../state/messages.ts';
import type { RecoveredSigner } from '../state/state.ts';
import type { VenueReply } from '../state/constants.ts';

/** Latency to the venue and back, in virtual ms. 0 and 0 for none. */
export type Latency = Readonly<{ minMs: number; maxMs: number }>;

type LatencyInput = Readonly<{ latency: Latency; seed: number; what: string }>;

/**
 * Latency of a request. Depends only on the request and its instant, not on the order in which sockets are read. It
 * keeps its fraction, so that two requests hardly ever arrive at the same instant.
 */
export const latencyMs = ({ latency: { minMs, maxMs }, seed, what }: LatencyInput, now: EpochMs): number =>
  minMs + (maxMs - minMs) * chanceOf(`${seed} trip ${now} ${what}`);

/** Lets time pass, even while the caller holds the clock under this key. */
export async function pass(clock: Clock, key: string, ms: number): Promise<void> {
  if (ms <= 0) return;
  const sleep = () => clock.sleep(ms);
  await (clock instanceof VirtualClock ? clock.suspend(key, sleep) : sleep());
}

export type FrontOptions = Readonly<{
  machine: Machine;
  clock: Clock;
  latency: Latency;
  /** Stores an input durably before it takes effect. */
  keep: (input: Input) => void;
}>;

/** Responds to a request after its latency; null breaks the connection instead. */
export type Front = (request: VenueRequest) => Promise<VenueReply | null>;

/** Creates the single entry for requests of the HTTP server and of callers in this process. */
export function createFront({ machine, clock, latency, keep }: FrontOptions): Front {
  return async (request) => {
    if (clock instanceof VirtualClock) clock.touch();
    const { method, uri, headers, body } = request;
    const key = headers['x-api-nonce'] ?? '';
    const onTheWayMs = latencyMs(
      { latency, seed: machine.state.seed, what: `${method} ${uri} ${body}` },
      clock.now(),
    );
    await pass(clock, key, onTheWayMs / 2);
    const recovered = uri === ENABLE ? await recover(machine, request) : null;
    const at = clock.now();
    const arrival = { request: kept(request), recovered };
    keep({ at, kind: 'request', arrival });
    const { reply, delayMs } = machine.handle(arrival, at);
    await pass(clock, key, onTheWayMs / 2 + delayMs);
    return reply;
  };
}

/** Keeps only the parts of a request that the venue reads. */
function kept({ method, uri, headers: all, body, ip }: VenueRequest): VenueRequest {
  const headers: Record<string, string | undefined> = {};
  for (const name of Object.keys(all)) if (name.startsWith('x-api-')) headers[name] = all[name];
  return { method, uri, headers, body, ip };
}

const ENABLE = '/api/v1/1ct/enable';

/** Recovers the signer of the payload prepared for this request's key; null if that fails. */
async function recover(machine: Machine, request: VenueRequest): Promise<RecoveredSigner | null> {
  const digest = machine.digestFor(request.headers['x-api-key'] ?? '');
  const signature = /"signature"\s*:\s*"(0x[0-9a-fA-F]{130})"/.exec(request.body)?.[1];
  if (!digest || !signature) return null;
  try {
    return { digest, signer: await recoverAddress({ hash: digest, signature: `0x${signature.slice(2)}` }) };
  } catch {
    return null;
  }
}
