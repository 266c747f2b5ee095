import type { Random } from '../../src/core/random.ts';
import { seededRandom } from '../../src/core/seededRandom.ts';
import { BUSY } from '../../src/emulator/state/faultRules.ts';
import { CLIENTS, faceOfClient, type Client, type NodeFace } from '../../src/emulator/state/nodeFace.ts';

/** Share of nodes that are Monad's, the chain of the venue; the rest are of any client. */
const MONAD_PART = 0.3;
/**
 * Clients in turn: Monad four times, each other once. Drawn at random, some would be too rare for any run to meet their
 * refusals.
 */
const TURNS = CLIENTS.filter((client) => client !== 'monad').flatMap((client, index): Client[] =>
  index % 2 === 0 ? ['monad', client] : [client],
);
/** Share of seeds in which a client keeps its default behaviour. */
const PLAIN_PART = 0.3;

/**
 * Behaviour of the chain's node in the run of a seed. Drawn separately, so that a seed has the same faults with any
 * node. Clients take turns among the seeds that send their own transactions, one in four.
 */
export const faceOfSeed = (seed: number): NodeFace =>
  drawFace(seededRandom(`face ${seed}`), TURNS[Math.floor(seed / 4) % TURNS.length]);

/** Any possible behaviour of a node. `client`: instead of the one drawn. */
export function drawFace(random: Random, client?: Client): NodeFace {
  const among = <T>(from: readonly T[]): T => from[Math.floor(random.next() * from.length)] as T;
  const drawnClient = random.next() < MONAD_PART ? 'monad' : among(CLIENTS);
  const usual = faceOfClient(client ?? drawnClient);
  const isPlain = random.next() < PLAIN_PART;
  const drawn: NodeFace = {
    client: usual.client,
    countsWaiting: random.next() < 0.6,
    showsWaiting: random.next() < 0.6,
    charges: among(['used', 'limit']),
    reverts: among(['text', 'custom', 'bare']),
    replacementPercent: among([0, 10]),
    expiryMs: among([null, null, 15_000, 60_000, 300_000]),
    baseFeePeak: among([1, 1, 2, 6, 16]),
  };
  return isPlain ? usual : drawn;
}

/** Methods whose answers a send needs. */
export const READS_OF_A_SEND = [
  'eth_getTransactionCount',
  'eth_estimateGas',
  'eth_getBlockByNumber',
  'eth_getTransactionReceipt',
  'eth_call',
  'eth_sendRawTransaction',
] as const;

/** Behaviours of a node that have shown in a run. */
export const FACE_COUNTERS = [
  'waitingUncounted',
  'waitingHidden',
  'waitingForgotten',
  'limitCharged',
  'baseFeeMoved',
  'revertText',
  'revertCustom',
  'revertBare',
  'replacedByTenth',
  'replacedByAny',
  ...CLIENTS.map((client) => `refusal ${client}` as const),
  ...BUSY.map((why) => `busy ${why}` as const),
] as const;
export type FaceCounter = (typeof FACE_COUNTERS)[number];
