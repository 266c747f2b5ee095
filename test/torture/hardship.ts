import { type FaultRule, BUSY } from '../../src/emulator/state/faultRules.ts';
import type { Random } from '../../src/core/random.ts';
import type { NodeFace } from '../../src/emulator/state/nodeFace.ts';
import { drawFace, READS_OF_A_SEND } from '../simulation/faces.ts';
import { drawLies, lieName } from './lies.ts';
import type { Submission } from './settings.ts';

type Draw = Readonly<{ chance: () => number; upTo: (most: number) => number }>;
/** `at`: endpoint where it applies. `alsoOf`: method by which a wallet's own transaction meets it as well. */
type Kind = Readonly<{ name: string; rule: (draw: Draw) => object; at?: string; alsoOf?: 'node' }>;

const SEND = 'POST /api/v1/orders/send';
const LIST = 'GET /api/v1/orders';
const LISTS = ['shuffle', 'shift', 'repeat', 'vanish'] as const;
const CANCEL = 'DELETE /api/v1/orders/{orderId}/send';

/** Conditions of a fault, for sends or for everything: reads that fail too often would stop the trading to be tested. */
const somewhere = ({ chance }: Draw): object => {
  const where = chance();
  if (where < 0.5) return { endpoint: SEND, probability: 0.1 + 0.5 * chance() };
  if (where < 0.65) return { endpoint: CANCEL, probability: 0.1 + 0.7 * chance() };
  return { probability: 0.02 + 0.13 * chance() };
};

const kinds: readonly Kind[] = [
  { name: 'lost-request', rule: () => ({}), alsoOf: 'node' },
  { name: 'lost-response', rule: () => ({}), alsoOf: 'node' },
  { name: 'lost-response', rule: () => ({}), alsoOf: 'node' },
  { name: 'late-request', rule: ({ upTo }) => ({ ms: 1 + upTo(60_000) }) },
  {
    name: 'duplicate',
    rule: ({ chance }) => ({ heard: chance() < 0.5 ? 'first' : 'second' }),
    alsoOf: 'node',
  },
  { name: 'delay', rule: ({ upTo }) => ({ ms: 1 + upTo(60_000) }), alsoOf: 'node' },
  { name: 'slow-body', rule: ({ upTo }) => ({ ms: 1 + upTo(60_000) }) },
  { name: 'interim', rule: () => ({}) },
  { name: 'status', rule: ({ chance }) => ({ status: 502, processed: chance() < 0.5 }), alsoOf: 'node' },
  { name: 'html', rule: ({ chance }) => ({ processed: chance() < 0.5 }), alsoOf: 'node' },
  { name: 'redirect', rule: () => ({ location: 'https://elsewhere.example/' }), alsoOf: 'node' },
  { name: 'body', rule: ({ chance }) => ({ text: '{', processed: chance() < 0.5 }), alsoOf: 'node' },
  { name: 'truncate', rule: ({ upTo }) => ({ bytes: upTo(120) }), alsoOf: 'node' },
  { name: '429', rule: ({ chance }) => (chance() < 0.5 ? { retryAfter: '2' } : {}), alsoOf: 'node' },
  { name: 'unauthorized', rule: () => ({}) },
  { name: 'echo', rule: () => ({}) },
  { name: 'no-hash', rule: () => ({}), at: SEND },
  { name: 'other-hash', rule: () => ({}), at: SEND },
  {
    name: 'list',
    rule: ({ chance, upTo }) => ({
      how: LISTS[upTo(LISTS.length)] ?? 'vanish',
      rows: chance() < 0.5 ? 1 : 3,
    }),
    at: LIST,
  },
  { name: 'unmined', rule: () => ({}), at: SEND, alsoOf: 'node' },
  { name: 'mined-late', rule: ({ upTo }) => ({ ms: 1 + upTo(90_000) }), at: SEND, alsoOf: 'node' },
  { name: 'revert', rule: () => ({ cause: 'paused' }), at: SEND, alsoOf: 'node' },
  { name: 'settle-late', rule: ({ upTo }) => ({ ms: 1 + upTo(300_000) }), at: SEND, alsoOf: 'node' },
  { name: 'settle-partly', rule: ({ chance }) => ({ share: chance() }), at: SEND, alsoOf: 'node' },
  {
    name: 'settle-in-parts',
    rule: ({ upTo }) => ({ parts: 2 + upTo(3), everyMs: 1 + upTo(60_000) }),
    at: SEND,
    alsoOf: 'node',
  },
  { name: 'balance-late', rule: ({ upTo }) => ({ ms: 1 + upTo(25_000) }), at: SEND, alsoOf: 'node' },
  { name: 'status-late', rule: ({ upTo }) => ({ ms: 1 + upTo(300_000) }), at: SEND, alsoOf: 'node' },
  { name: 'cancel-race', rule: ({ upTo }) => ({ filled: upTo(3) / 2 }), at: CANCEL, alsoOf: 'node' },
];

const OWN_SEND = 'eth_sendRawTransaction';
const LAGS_MS = [15_000, 60_000, 300_000];
/** Share of runs in which the indexer lags. */
const LAG_CHANCE = 0.3;
/** Share of runs with own transactions in which the node is busy. */
const BUSY_CHANCE = 0.4;
const KINDS_MAX = 4;
/** Longest life after the first line; a false statement has consequences only after a while. */
const LIFE_MS = 2_500;
const LIFE_UNDER_LIES_MS = 7_000;

/** Faults of the venue and of the daemon in one run. Times are real ms. */
export type Hardship = Readonly<{
  rules: readonly FaultRule[];
  /** The false statements among them. */
  lies: readonly FaultRule[];
  indexerLagMs: number | null;
  /** Behaviour of the chain's node; null where none is used. */
  face: NodeFace | null;
  names: readonly string[];
  /** True when faults are in force before the daemon starts. */
  fromStart: boolean;
  /** Time of the kill: usually after the first line, else after the start of the process. */
  kill: Readonly<{ after: 'process' | 'line'; ms: number }>;
  /** Length of a pause, and its time after the first line. */
  stop: Readonly<{ afterMs: number; forMs: number; killedStill: boolean }> | null;
}>;

/** Few kinds of faults in each run: together they would hide each other. */
export function drawHardship(
  random: Random,
  { submission, lies }: Readonly<{ submission: Submission; lies: boolean }>,
): Hardship {
  const chance = () => random.next();
  const upTo = (most: number) => Math.floor(random.next() * most);
  const drawn = Array.from({ length: upTo(KINDS_MAX + 1) }, () => kinds[upTo(kinds.length)]).filter(
    (kind) => kind !== undefined,
  );
  const rules = drawn.map(({ name, rule, at, alsoOf }) => {
    const own = submission === 'calldata' && alsoOf === 'node' && chance() < 0.6;
    const there =
      at === undefined ? somewhere({ chance, upTo }) : { endpoint: at, probability: 0.1 + 0.5 * chance() };
    const where = own ? { on: 'node', endpoint: OWN_SEND, probability: 0.1 + 0.5 * chance() } : there;
    return { kind: name, ...where, ...rule({ chance, upTo }) } as FaultRule;
  });
  const indexerLagMs = chance() < LAG_CHANCE ? (LAGS_MS[upTo(LAGS_MS.length)] ?? null) : null;
  const names = new Set(drawn.map(({ name }) => name));
  if (indexerLagMs !== null) names.add('lag');
  const face = submission === 'calldata' ? drawFace(random) : null;
  const busy = face && chance() < BUSY_CHANCE ? [busyRule({ chance, upTo })] : [];
  if (face) names.add('calldata').add(`node of ${face.client}`);
  if (busy.length > 0) names.add('busy-node');
  const isEarly = chance() < 0.2;
  const told = lies ? drawLies(random, submission) : [];
  for (const rule of told) names.add(lieName(rule));
  return {
    rules: [...told, ...rules, ...busy],
    lies: told,
    indexerLagMs,
    face,
    names: [...names],
    fromStart: chance() < 0.25,
    kill: isEarly
      ? { after: 'process', ms: upTo(1_500) }
      : { after: 'line', ms: 100 + upTo(lies ? LIFE_UNDER_LIES_MS : LIFE_MS) },
    stop: isEarly || chance() > 0.3 ? null : drawStop({ chance, upTo }),
  };
}

/** Has the node refuse one of the requests of a send. */
const busyRule = ({ chance, upTo }: Draw): FaultRule => ({
  kind: 'busy-node',
  on: 'node',
  endpoint: READS_OF_A_SEND[upTo(READS_OF_A_SEND.length)],
  why: BUSY[upTo(BUSY.length)] ?? 'overloaded',
  processed: chance() < 0.3,
  probability: 0.1 + 0.4 * chance(),
});

const drawStop = ({ chance, upTo }: Draw): Hardship['stop'] => ({
  afterMs: upTo(1_200),
  forMs: 100 + upTo(1_500),
  killedStill: chance() < 0.3,
});
