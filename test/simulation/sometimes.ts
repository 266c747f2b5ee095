import { FACE_COUNTERS, type FaceCounter } from './faces.ts';

/** What a campaign must have met at least once to be worth anything: a fault that never struck has tested nothing. */
const MET = [
  'requestLost',
  'requestUnsent',
  'responseLostAfterAcceptance',
  'responseLate',
  'requestLate',
  'requestDuplicated',
  'nonceReplay',
  'answerTruncated',
  'answerMalformed',
  'answerHtml',
  'serverError',
  'serverErrorAfterAcceptance',
  'rateLimited',
  'unauthorized',
  'noHash',
  'foreignHash',
  'listShuffled',
  'rowVanished',
  'endlessList',
  'indexerStall',
  'indexerLagBeyondLook',
  'minedLate',
  'deadlineRevert',
  'outOfGas',
  'insufficientRevert',
  'partialFill',
  'fillDuringCancel',
  'cancelLost',
  'crash',
  'crashAtCommit',
  'crashAfterAcceptance',
  'recoveryTwice',
  'restartWithUnknown',
  'restartWithWorking',
  'diskFull',
  'paused',
  'clockSkew',
  'venueClock',
  'busyVenue',
  'slowBlocks',
  'reorg',
  'frozenPrices',
  'foreignOrder',
  'foreignMove',
  'startWaited',
  'delegationOff',
  'delegationWord',
  'keyOff',
  'keyMoved',
  'splitWithOpenOrder',
  'dividend',
  'earlyClose',
  'unknownClosure',
  'ownTransaction',
  'walletElsewhere',
  'sameBytesAgain',
  'capReached',
  'foundLater',
  'neverExisted',
  'assumedGone',
] as const;

/** Kinds of rules of the emulator, as far as a runner in the same process can tell them. */
export const VENUE_RULES = [
  ...([
    'lost-request',
    'late-request',
    'lost-response',
    'duplicate',
    'delay',
    'slow-body',
    'interim',
  ] as const),
  ...(['status', 'html', 'redirect', 'body', 'truncate', 'edit', '429', 'unauthorized', 'echo'] as const),
  ...(['form', 'no-hash', 'other-hash', 'list'] as const),
  ...(['unmined', 'mined-late', 'revert', 'settle-late'] as const),
  ...(['settle-partly', 'settle-in-parts', 'settle-reversed', 'settle-restated'] as const),
  ...(['balance-late', 'status-late', 'cancel-race'] as const),
  ...(['false-end', 'false-settlement', 'false-receipt', 'false-refusal', 'false-listing'] as const),
  'nested',
] as const;
export const NODE_RULES = [
  ...(['lost-request', 'lost-response', 'delay', 'status', 'html', 'redirect', 'body', 'truncate'] as const),
  ...(['edit', '429', 'duplicate', 'busy-node'] as const),
] as const;

/** A rule of the emulator has struck a request to the venue, or to the node. */
export type Struck = `rule ${(typeof VENUE_RULES)[number]}` | `node ${(typeof NODE_RULES)[number]}`;

export type Sometimes = (typeof MET)[number] | FaceCounter | Struck;
export type Counters = Record<Sometimes, number>;

export const SOMETIMES: readonly Sometimes[] = [
  ...MET,
  ...FACE_COUNTERS,
  ...VENUE_RULES.map((kind) => `rule ${kind}` as const),
  ...NODE_RULES.map((kind) => `node ${kind}` as const),
];

export const noneYet = (): Counters => Object.fromEntries(SOMETIMES.map((name) => [name, 0])) as Counters;

/** The other's counts come on top. */
export function add(to: Counters, other: Counters): void {
  for (const name of SOMETIMES) to[name] += other[name];
}
