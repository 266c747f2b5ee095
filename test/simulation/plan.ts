import type { DividendWay } from '../../src/domain/corporateAction.ts';
import { tradingCalendar, type Session } from '../../src/calendar/index.ts';
import { epochMs, type EpochMs } from '../../src/core/brand.ts';
import type { Random } from '../../src/core/random.ts';
import { seededRandom } from '../../src/core/seededRandom.ts';
import { faceOfClient, type NodeFace } from '../../src/emulator/state/nodeFace.ts';
import { checkpointsOf, type CheckpointPlan } from './checkpoints.ts';
import { faceOfSeed } from './faces.ts';
import { tokensOf, type TokenPlan } from './multipliers.ts';
import { wordsOf, type Said } from './operatorPlan.ts';
import { strategiesFor, type Setup } from './strategies.ts';

const MINUTE = 60_000;

/** Faults of the network between runner and venue, with their probabilities: for sends and cancels, and for reads. */
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

/** Faults of the chain with a transaction that the venue has accepted. */
export const CHAIN_FAULTS = ['neverMined', 'minedLate', 'outOfGas'] as const;

/** Way of orders to the chain: through the venue, through it while watching a node, or sent by the wallet itself. */
export const SUBMISSIONS = ['one-click', 'watched', 'calldata'] as const;
export type Submission = (typeof SUBMISSIONS)[number];
export type ChainFault = (typeof CHAIN_FAULTS)[number];

/** An episode that happens once, or for a while, at some time of the run. */
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

/** False statements of venue or node, for a while or for ever. */
export const LIES = [
  'falseEnds',
  'falseRefusals',
  'falseReceipts',
  'falseListings',
  'falseSettlements',
  'falseRows',
  'endlessLists',
  'falseAccounts',
  'hiddenHashes',
  'falsePrices',
  'offMarket',
] as const;

/** Faults of which one run in seven has each. Drawn separately, so that a seed has the same others with and without them. */
export const HARDSHIPS = ['lateExecution', 'lateIndexer', 'oneClickGone', 'diskFullAtStart'] as const;

/** Faults of the node, where one is used: it refuses to answer, and another program sends from the same wallet. */
export const NODE_EPISODES = ['busyNode', 'walletElsewhere'] as const;
export type Episode = (typeof EPISODES | typeof LIES | typeof HARDSHIPS | typeof NODE_EPISODES)[number];

export const ACTIONS = ['forward_split', 'reverse_split', 'cash_dividend', 'spin_off'] as const;

export type Timed = Readonly<{ kind: Episode; at: EpochMs; ms: number }>;
/** Point at which the process dies next. `nth`: counted from the start of the process. */
export type CrashPoint = Readonly<{
  point: 'beforeCommit' | 'afterCommit' | 'beforeRequest' | 'afterAcceptance' | 'beforeAnswer';
  of: 'any' | 'send';
  nth: number;
}>;

export type Plan = Readonly<{
  seed: number;
  submission: Submission;
  /** Behaviour of the chain's node. */
  face: NodeFace;
  /** Limits of the account that are reached every day. */
  tight: boolean;
  /** Time in New York at which the venue closes, against every calendar. */
  closure: string | null;
  /** End of the faults, well before the close: the runner must resolve everything afterwards. */
  bounded: boolean;
  sessions: readonly Session[];
  start: EpochMs;
  /** Time after which nothing goes wrong any more. */
  healAt: EpochMs;
  endAt: EpochMs;
  rates: Rates;
  chain: ReadonlyMap<ChainFault, number>;
  episodes: readonly Timed[];
  /** Words of the operator. */
  words: readonly Said[];
  /** Crash points of one process after the other. */
  crashes: readonly CrashPoint[];
  /** Checkpoints in addition to those at closes. */
  checkpoints: CheckpointPlan | null;
  /** True when venue and node make false statements. */
  lies: boolean;
  /** True when orders also leave outside the regular session. */
  nights: boolean;
  strategies: readonly Setup[];
  action: (typeof ACTIONS)[number] | null;
  /** Dividends in tokens; null where none comes. */
  tokens: TokenPlan | null;
  assumeGoneAfterMs: number | null;
  indexerLagMs: number;
}>;

const DATES = ['2026-06-15', '2026-03-09', '2026-11-02', '2026-08-19', '2027-01-04'];
const EARLY = ['2026-11-27', '2026-12-24'];
/** Session before one that closes early, on the next day: no night and session after it take less time. */
const EVE = '2026-12-23';

/** Short runs that continue over the night, each with the next corporate action: of seeds whose runner holds orders. */
const isNight = (seed: number): boolean => seed % 50 === 13;
/** Short runs with a closure that no calendar knows. */
const isClosed = (seed: number): boolean => seed % 25 === 19;

const pick = <T>(random: Random, from: readonly T[]): T => from[Math.floor(random.next() * from.length)] as T;
const between = (random: Random, from: number, to: number): number =>
  Math.floor(from + random.next() * (to - from));

/** A network without faults. */
const USUAL_FACE = faceOfClient('monad');

/** True when a campaign has venue and node make false statements. */
const LIES_BY_DEFAULT = true;

/**
 * `faults: false`: no faults. `short`: only the last hours of a session. `lies`: false statements of venue and node.
 * `operator`: somebody steers the run, by default if there are faults. `nights`: a session and the night before the next,
 * in which all phases are traded.
 */
export type PlanOptions = Readonly<{
  faults?: boolean;
  short?: boolean;
  lies?: boolean;
  operator?: boolean;
  nights?: boolean;
}>;

/** How the venue pays: dividends in tokens, what a company that was split off is worth in cash. */
export const dividendsOf = ({ action }: Pick<Plan, 'action'>): DividendWay =>
  action === 'cash_dividend' ? 'tokens' : 'cash';

/** Everything that a seed determines. */
export function planOf(seed: number, options: PlanOptions = {}): Plan {
  const { nights = false } = options;
  const { faults = true, short = false, lies = faults && LIES_BY_DEFAULT, operator = faults } = options;
  const random = seededRandom(`plan ${seed}`);
  const bounded = random.next() < 0.6;
  const early = random.next() < 0.15;
  const isShortNight = faults && short && isNight(seed);
  const date = isShortNight ? EVE : pick(random, early ? EARLY : DATES);
  const overnight = (random.next() < 0.14 && faults && !short) || isShortNight || nights;
  const first = tradingCalendar.sessionOn(date);
  if (!first) throw new Error(`${date} has no session`);
  const sessions = overnight ? [first, tradingCalendar.nextSession(first.open)] : [first];
  const last = sessions.at(-1) ?? first;
  const start = epochMs(short || nights ? first.close - 110 * MINUTE : first.open - 5 * MINUTE);
  const healAt = epochMs(
    bounded
      ? last.close - (short ? between(random, 30, 45) : between(random, 45, 90)) * MINUTE
      : last.close + 5 * MINUTE,
  );
  const submission = submissionOf(seed);
  const times = { from: start, to: epochMs(Math.min(healAt, last.close)) };
  const drawn = {
    seed,
    bounded,
    sessions,
    start,
    healAt,
    submission,
    tight: seed % 3 === 0,
    face: faults ? faceOfSeed(seed) : USUAL_FACE,
    closure: faults ? closureOf(random, { seed, early, short }) : null,
    endAt: epochMs(last.close + 25 * MINUTE),
    rates: faults ? ratesOf(random) : new Map(),
    chain: faults ? chainOf(random) : new Map(),
    episodes: byTime([
      ...(faults ? episodesOf(random, times) : []),
      ...(lies ? liesOf(seed, times) : []),
      ...(faults ? hardshipsOf(seed, times) : []),
      ...(faults && submission !== 'one-click' ? nodeEpisodesOf(seed, times) : []),
    ]),
    words: operator && !isShortNight ? wordsOf(seed, times) : [],
    crashes: faults ? crashesOf(random) : [],
    checkpoints: checkpointsOf(seed, faults),
    lies,
    nights,
    strategies: strategiesFor(seed, nights),
    action: nights
      ? nightActionOf({ seed, faults, submission })
      : overnight
        ? actionOf(random, { seed, short })
        : null,
    assumeGoneAfterMs: faults && random.next() < 0.15 ? 5 * MINUTE : null,
    indexerLagMs: pick(random, [1_000, 3_000, 3_000, 10_000]),
  };
  return { ...drawn, tokens: dividendsOf(drawn) === 'tokens' ? tokensOf(drawn) : null };
}

/** Action of a night; in short runs each kind in turn. */
const actionOf = (random: Random, { seed, short }: Readonly<{ seed: number; short: boolean }>) =>
  short ? (ACTIONS[Math.floor(seed / 50) % ACTIONS.length] ?? null) : pick(random, ACTIONS);

/** Share of nights with an action, where a node is used and elsewhere, and of the former's that are dividends in tokens at least. */
const [NODE_ACTIONS, OTHER_ACTIONS, DIVIDENDS] = [0.6, 0.2, 0.7];

/** Action of a night in which all phases are traded, drawn separately: often a dividend where a node shows multipliers. */
function nightActionOf({
  seed,
  faults,
  submission,
}: Pick<Plan, 'seed' | 'submission'> & { faults: boolean }) {
  const random = seededRandom(`night action ${seed}`);
  const isAtNode = submission !== 'one-click';
  if (!faults || random.next() >= (isAtNode ? NODE_ACTIONS : OTHER_ACTIONS)) return null;
  return isAtNode && random.next() < DIVIDENDS ? 'cash_dividend' : pick(random, ACTIONS);
}

/** Time in New York at which the venue closes, against every calendar: in the last hours of a session where a run has only these. */
function closureOf(
  random: Random,
  { seed, early, short }: Readonly<{ seed: number; early: boolean; short: boolean }>,
): string | null {
  if (!short) return !early && random.next() < 0.08 ? pick(random, ['12:00', '13:30', '15:00']) : null;
  return isClosed(seed) ? (early ? '12:00' : '15:00') : null;
}

/** Way of orders: one seed in four sends its own transactions, one in eight reads the node in addition to the venue. */
const submissionOf = (seed: number): Submission =>
  seed % 4 === 1 ? 'calldata' : seed % 8 === 2 ? 'watched' : 'one-click';

/** Probabilities: each kind is on in some runs only, rarely in one and often in another. */
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

/** Kinds that affect only some sends or responses, and therefore last longer. */
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

/** Share of seeds without false statements. */
const HONEST = 0.4;

/** Draws false statements separately, so that a seed has the same other faults with and without them. */
function liesOf(seed: number, { from, to }: Span): Timed[] {
  const random = seededRandom(`lies ${seed}`);
  if (random.next() < HONEST) return [];
  return LIES.filter(() => random.next() < 0.4).map((kind) => ({
    kind,
    at: epochMs(between(random, from, to)),
    ms: between(random, 10 * MINUTE, 120 * MINUTE),
  }));
}

/** An indexer that is late for longer than an order stays unanswered. */
const LATE_INDEXER_MS = 11 * MINUTE;

function hardshipsOf(seed: number, { from, to }: Span): Timed[] {
  const random = seededRandom(`hardships ${seed}`);
  const kinds = HARDSHIPS.filter(() => random.next() < 1 / 7);
  return kinds.map((kind) => {
    const [share, ms] = [random.next(), between(random, MINUTE, 40 * MINUTE)];
    // Gone for good: the second half of a run is enough to see that.
    if (kind === 'oneClickGone')
      return { kind, at: epochMs(Math.floor(to - ((to - from) / 2) * share)), ms: to - from };
    const at = epochMs(Math.floor(from + (to - from) * share));
    return { kind, at, ms: kind === 'lateIndexer' ? LATE_INDEXER_MS + ms : ms };
  });
}

/** Drawn separately, like the false statements. */
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
