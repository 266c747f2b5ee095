import { tradingCalendar, type Session } from '../../src/calendar/index.ts';
import { epochMs, type EpochMs } from '../../src/core/brand.ts';
import { seededRandom, type Random } from '../../src/core/random.ts';
import { faceOfClient, type NodeFace } from '../../src/emulator/state/nodeFace.ts';
import { faceOfSeed } from './faces.ts';
import { strategiesFor, type Setup } from './strategies.ts';

const MINUTE = 60_000;

/** What the way between runner and venue can do to a request, and how often: of a send or cancel, and of a read. */
export const NETWORK_FAULTS = [
  'requestLost',
  'requestUnsent',
  'responseLost',
  'responseLate',
  'requestLate',
  'duplicated',
  'truncated',
  'malformed',
  'html',
  'serverError',
  'limited',
  'unauthorized',
  'noHash',
  'otherHash',
  'shuffled',
  'vanished',
] as const;
export type NetworkFault = (typeof NETWORK_FAULTS)[number];
export type Rates = ReadonlyMap<NetworkFault, Readonly<{ send: number; read: number }>>;

/** What the chain can do to a transaction that the venue has taken. */
export const CHAIN_FAULTS = ['neverMined', 'minedLate', 'outOfGas'] as const;

/** How orders reach the chain: by the venue, by it beside a node that is asked, or by the wallet itself. */
export const SUBMISSIONS = ['one-click', 'watched', 'calldata'] as const;
export type Submission = (typeof SUBMISSIONS)[number];
export type ChainFault = (typeof CHAIN_FAULTS)[number];

/** What happens once, or for a while, at some time of the run. */
export const EPISODES = [
  'outage',
  'indexerLag',
  'messages',
  'lists',
  'rows',
  'forms',
  'settling',
  'aftermath',
  'cancelling',
  'reverts',
  'node',
  'blocks',
  'venueClock',
  'rateLimit',
  'reorg',
  'frozenPrices',
  'delegationOff',
  'delegationWord',
  'keyOff',
  'keyMoved',
  'foreignOrder',
  'foreignMove',
  'withdrawal',
  'skew',
  'pause',
  'diskFull',
  'crash',
  'priceJump',
] as const;

/** What venue or node say that is not so, for a while or for ever. */
export const LIES = [
  'falseEnds',
  'falseRefusals',
  'falseReceipts',
  'falseListings',
  'falseSettlements',
  'falseRows',
  'endlessLists',
] as const;

/** What happens at the node, where one is asked: it refuses to answer, and another program sends from the same wallet. */
export const NODE_EPISODES = ['busyNode', 'walletElsewhere'] as const;
export type Episode = (typeof EPISODES | typeof LIES | typeof NODE_EPISODES)[number];

export const ACTIONS = ['forward_split', 'reverse_split', 'cash_dividend', 'spin_off'] as const;

export type Timed = Readonly<{ kind: Episode; at: EpochMs; ms: number }>;
/** Where the process dies next. `nth`: of such points, counted from the start of the process. */
export type CrashPoint = Readonly<{
  point: 'beforeCommit' | 'afterCommit' | 'beforeRequest' | 'afterAcceptance' | 'beforeAnswer';
  of: 'any' | 'send';
  nth: number;
}>;

export type Plan = Readonly<{
  seed: number;
  submission: Submission;
  /** How the node of the chain behaves. */
  face: NodeFace;
  /** Limits of the account that are met every day. */
  tight: boolean;
  /** The venue closes then, New York time, and no calendar has it. */
  closure: string | null;
  /** Faults end well before the close, and then the runner must come to terms with everything. */
  bounded: boolean;
  sessions: readonly Session[];
  start: EpochMs;
  /** From here on nothing goes wrong any more. */
  healAt: EpochMs;
  endAt: EpochMs;
  rates: Rates;
  chain: ReadonlyMap<ChainFault, number>;
  episodes: readonly Timed[];
  /** Of one process after the other. */
  crashes: readonly CrashPoint[];
  /** Whether venue and node say what is not so. */
  lies: boolean;
  strategies: readonly Setup[];
  action: (typeof ACTIONS)[number] | null;
  assumeGoneAfterMs: number | null;
  indexerLagMs: number;
}>;

const DATES = ['2026-06-15', '2026-03-09', '2026-11-02', '2026-08-19', '2027-01-04'];
const EARLY = ['2026-11-27', '2026-12-24'];

const pick = <T>(random: Random, from: readonly T[]): T => from[Math.floor(random.next() * from.length)] as T;
const between = (random: Random, from: number, to: number): number =>
  Math.floor(from + random.next() * (to - from));

/** Where nothing goes wrong. */
const USUAL_FACE = faceOfClient('monad');

/** Whether a campaign has the venue and the node lie. */
const LIES_BY_DEFAULT = true;

/** `faults: false`: nothing goes wrong. `short`: the last hours of a session, and none after it. `lies`: whether venue and node lie. */
export type PlanOptions = Readonly<{ faults?: boolean; short?: boolean; lies?: boolean }>;

/** Everything that a seed decides. */
export function planOf(seed: number, options: PlanOptions = {}): Plan {
  const { faults = true, short = false, lies = faults && LIES_BY_DEFAULT } = options;
  const random = seededRandom(`plan ${seed}`);
  const bounded = random.next() < 0.6;
  const early = random.next() < 0.15;
  const date = pick(random, early ? EARLY : DATES);
  const overnight = random.next() < 0.14 && faults && !short;
  const first = tradingCalendar.sessionOn(date);
  if (!first) throw new Error(`${date} has no session`);
  const sessions = overnight ? [first, tradingCalendar.nextSession(first.open)] : [first];
  const last = sessions.at(-1) ?? first;
  const start = epochMs(short ? first.close - 110 * MINUTE : first.open - 5 * MINUTE);
  const healAt = epochMs(
    bounded
      ? last.close - (short ? between(random, 30, 45) : between(random, 45, 90)) * MINUTE
      : last.close + 5 * MINUTE,
  );
  const closes = faults && !short && !early ? random.next() < 0.08 : false;
  const submission = submissionOf(seed);
  const times = { from: start, to: epochMs(Math.min(healAt, last.close)) };
  return {
    seed,
    bounded,
    sessions,
    start,
    healAt,
    submission,
    tight: seed % 3 === 0,
    face: faults ? faceOfSeed(seed) : USUAL_FACE,
    closure: closes ? pick(random, ['12:00', '13:30', '15:00']) : null,
    endAt: epochMs(last.close + 25 * MINUTE),
    rates: faults ? ratesOf(random) : new Map(),
    chain: faults ? chainOf(random) : new Map(),
    episodes: byTime([
      ...(faults ? episodesOf(random, times) : []),
      ...(lies ? liesOf(seed, times) : []),
      ...(faults && submission !== 'one-click' ? nodeEpisodesOf(seed, times) : []),
    ]),
    crashes: faults ? crashesOf(random) : [],
    lies,
    strategies: strategiesFor(seed),
    action: overnight ? pick(random, ACTIONS) : null,
    assumeGoneAfterMs: faults && random.next() < 0.15 ? 5 * MINUTE : null,
    indexerLagMs: pick(random, [1_000, 3_000, 3_000, 10_000]),
  };
}

/** One seed in four has its own transactions, and one in eight asks the node beside the venue. */
const submissionOf = (seed: number): Submission =>
  seed % 4 === 1 ? 'calldata' : seed % 8 === 2 ? 'watched' : 'one-click';

/** Each kind is on in some runs, seldom in one and often in another. */
function ratesOf(random: Random): Rates {
  const rates = new Map<NetworkFault, { send: number; read: number }>();
  for (const fault of NETWORK_FAULTS) {
    const [on, sends, reads] = [random.next() < 0.3, random.next(), random.next()];
    if (on) rates.set(fault, { send: 0.3 * sends ** 2, read: 0.05 * reads ** 3 });
  }
  return rates;
}

function chainOf(random: Random): ReadonlyMap<ChainFault, number> {
  const rates = new Map<ChainFault, number>();
  for (const fault of CHAIN_FAULTS) {
    const [on, often] = [random.next() < 0.25, random.next()];
    if (on) rates.set(fault, 0.2 * often ** 2);
  }
  return rates;
}

/** They strike some sends or answers only, and so last for longer. */
const LONG: ReadonlySet<Episode> = new Set([
  'messages',
  'lists',
  'settling',
  'aftermath',
  'cancelling',
  'reverts',
  'node',
]);

type Span = Readonly<{ from: EpochMs; to: EpochMs }>;

function episodesOf(random: Random, { from, to }: Span): Timed[] {
  const episodes: Timed[] = [];
  for (const kind of EPISODES) {
    const isLong = LONG.has(kind);
    if (random.next() >= (isLong ? 0.3 : 0.18)) continue;
    const count = between(random, 1, 4);
    for (let index = 0; index < count; index++)
      episodes.push({
        kind,
        at: epochMs(between(random, from, to)),
        ms: isLong ? between(random, 20 * MINUTE, 150 * MINUTE) : between(random, MINUTE / 4, 15 * MINUTE),
      });
  }
  return episodes;
}

const byTime = (episodes: readonly Timed[]): readonly Timed[] => episodes.toSorted((a, b) => a.at - b.at);

/** Part of the seeds in which nobody lies. */
const HONEST = 0.4;

/** Drawn beside all else, so that a seed has the same other faults with them and without. */
function liesOf(seed: number, { from, to }: Span): Timed[] {
  const random = seededRandom(`lies ${seed}`);
  if (random.next() < HONEST) return [];
  return LIES.filter(() => random.next() < 0.4).map((kind) => ({
    kind,
    at: epochMs(between(random, from, to)),
    ms: between(random, 10 * MINUTE, 120 * MINUTE),
  }));
}

/** Drawn beside all else, as lies are. */
function nodeEpisodesOf(seed: number, { from, to }: Span): Timed[] {
  const random = seededRandom(`node ${seed}`);
  return NODE_EPISODES.filter(() => random.next() < 0.7).flatMap((kind) =>
    Array.from({ length: between(random, 1, 4) }, () => ({
      kind,
      at: epochMs(between(random, from, to)),
      ms: between(random, MINUTE, 40 * MINUTE),
    })),
  );
}

function crashesOf(random: Random): CrashPoint[] {
  const count = random.next() < 0.5 ? 0 : between(random, 1, 6);
  return Array.from({ length: count }, () => {
    const of = random.next() < 0.6 ? ('send' as const) : ('any' as const);
    const points = [
      'beforeCommit',
      'afterCommit',
      'beforeRequest',
      'afterAcceptance',
      'beforeAnswer',
    ] as const;
    // One in three dies while it is still recovering.
    const most = of === 'send' ? 12 : random.next() < 0.33 ? 8 : 400;
    return { point: pick(random, points), of, nth: between(random, 1, most) };
  });
}
