import type { FaultRule } from '../../src/emulator/faults/index.ts';
import type { Random } from '../../src/core/random.ts';

type Draw = Readonly<{ chance: () => number; upTo: (most: number) => number }>;
type Kind = Readonly<{ name: string; rule: (draw: Draw) => object }>;

const SEND = 'POST /api/v1/orders/send';
const CANCEL = 'DELETE /api/v1/orders/{orderId}/send';

/** A fault of a send, or of anything: reads that fail too often leave nothing to torture. */
const somewhere = ({ chance }: Draw): object => {
  const where = chance();
  if (where < 0.5) return { endpoint: SEND, probability: 0.1 + 0.5 * chance() };
  if (where < 0.65) return { endpoint: CANCEL, probability: 0.1 + 0.7 * chance() };
  return { probability: 0.02 + 0.13 * chance() };
};

const kinds: readonly Kind[] = [
  { name: 'lost-request', rule: () => ({}) },
  { name: 'lost-response', rule: () => ({}) },
  { name: 'lost-response', rule: () => ({}) },
  { name: 'delay', rule: ({ upTo }) => ({ ms: 1 + upTo(60_000) }) },
  { name: 'status', rule: ({ chance }) => ({ status: 502, processed: chance() < 0.5 }) },
  { name: 'html', rule: ({ chance }) => ({ processed: chance() < 0.5 }) },
  { name: 'truncate', rule: ({ upTo }) => ({ bytes: upTo(120) }) },
  { name: '429', rule: ({ chance }) => (chance() < 0.5 ? { retryAfter: '2' } : {}) },
  { name: 'unauthorized', rule: () => ({}) },
  { name: 'no-hash', rule: () => ({}) },
];

const LAGS_MS = [15_000, 60_000, 300_000];
/** Part of the runs in which the indexer lags. */
const LAG_CHANCE = 0.3;
const KINDS_MAX = 4;

/** What the venue does to one run, and what is done to the daemon. Times are real ms. */
export type Hardship = Readonly<{
  rules: readonly FaultRule[];
  indexerLagMs: number | null;
  names: readonly string[];
  /** Whether faults are there from before the start of the daemon on. */
  fromStart: boolean;
  /** When it is killed: after its first line as a rule, else after its process has begun. */
  kill: Readonly<{ after: 'process' | 'line'; ms: number }>;
  /** It is held still for so long, so long after its first line. */
  stop: Readonly<{ afterMs: number; forMs: number; killedStill: boolean }> | null;
}>;

/** Each run has a few kinds of faults only: together they would hide each other. */
export function drawHardship(random: Random): Hardship {
  const chance = () => random.next();
  const upTo = (most: number) => Math.floor(random.next() * most);
  const drawn = Array.from({ length: upTo(KINDS_MAX + 1) }, () => kinds[upTo(kinds.length)]).filter(
    (kind) => kind !== undefined,
  );
  const rules = drawn.map(({ name, rule }) => {
    const where = name === 'no-hash' ? { endpoint: SEND, probability: 0.5 } : somewhere({ chance, upTo });
    return { kind: name, ...where, ...rule({ chance, upTo }) } as FaultRule;
  });
  const indexerLagMs = chance() < LAG_CHANCE ? (LAGS_MS[upTo(LAGS_MS.length)] ?? null) : null;
  const names = new Set(drawn.map(({ name }) => name));
  if (indexerLagMs !== null) names.add('lag');
  const isEarly = chance() < 0.2;
  return {
    ...{ rules, indexerLagMs, names: [...names], fromStart: chance() < 0.25 },
    kill: isEarly ? { after: 'process', ms: upTo(1_500) } : { after: 'line', ms: 100 + upTo(2_500) },
    stop: isEarly || chance() > 0.3 ? null : drawStop({ chance, upTo }),
  };
}

const drawStop = ({ chance, upTo }: Draw): Hardship['stop'] => ({
  ...{ afterMs: upTo(1_200), forMs: 100 + upTo(1_500), killedStill: chance() < 0.3 },
});
