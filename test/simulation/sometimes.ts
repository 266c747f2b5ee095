import { CLIENTS } from '../../src/emulator/state/nodeFace.ts';
import { FACE_COUNTERS, type FaceCounter } from './faces.ts';
import { HELD_COUNTERS, type HeldCounter } from './heldCounters.ts';
import { NIGHT_COUNTERS, type NightCounter } from './nightCounters.ts';
import type { OperatorCommand } from '../../src/domain/operator/command.ts';
import { RESTRAINT_COUNTERS, type RestraintCounter } from './restraint.ts';

/** Events that a campaign must have met at least once: a fault that never happened has tested nothing. */
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
  'crashAtCheckpoint',
  'checkpointResumed',
  'recoveryTwice',
  'restartWithUnknown',
  'restartWithWorking',
  'diskFull',
  'channelHung',
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
  'dividendInTokens',
  'earlyClose',
  'unknownClosure',
  'ownTransaction',
  'walletElsewhere',
  'sameBytesAgain',
  'capReached',
  'foundLater',
  'neverExisted',
  'assumedGone',
  'executedLate',
  'touchedWhileLate',
  'oneClickGone',
  'diskFullAtStart',
  'accountLied',
  'hashHidden',
  'priceLied',
  'fillOffMarket',
] as const;

/** Kinds of emulator rules about single messages. */
const MESSAGE_RULES = [
  'lost-request',
  'late-request',
  'lost-response',
  'duplicate',
  'delay',
  'slow-body',
  'interim',
  'status',
  'html',
  'redirect',
  'body',
  'truncate',
  'edit',
  '429',
  'unauthorized',
  'echo',
  'form',
  'no-hash',
  'other-hash',
] as const;

/** Kinds of emulator rules that a runner in the same process can observe. */
export const VENUE_RULES = [
  ...MESSAGE_RULES,
  'list',
  'unmined',
  'mined-late',
  'revert',
  'settle-late',
  'settle-partly',
  'settle-in-parts',
  'settle-reversed',
  'settle-restated',
  'balance-late',
  'status-late',
  'cancel-race',
  'false-end',
  'false-settlement',
  'false-receipt',
  'false-refusal',
  'false-listing',
  'nested',
  'fill-off-market',
] as const;
export const NODE_RULES = [
  'lost-request',
  'lost-response',
  'delay',
  'status',
  'html',
  'redirect',
  'body',
  'truncate',
  'edit',
  '429',
  'duplicate',
  'busy-node',
] as const;

/** Counts a rule of the emulator triggered by a request to the venue, or to the node. */
export type Struck = `rule ${(typeof VENUE_RULES)[number]}` | `node ${(typeof NODE_RULES)[number]}`;

/** Commands of an operator that a run must have carried out. */
export const CARRIED_OUT = [
  'trade',
  'cancel',
  'flatten',
  'freeze',
  'unfreeze',
  'accept',
  'resolve',
  'acknowledge',
  'order',
  'reload',
  'stop',
] as const satisfies readonly OperatorCommand['kind'][];
type CarriedOut = `did ${(typeof CARRIED_OUT)[number]}`;

/** True for a command that a campaign counts. Transfers have no port here, and few runs find an order to accept. */
export const isCounted = (kind: OperatorCommand['kind']): kind is (typeof CARRIED_OUT)[number] =>
  (CARRIED_OUT as readonly string[]).includes(kind);

/** Situations of an operator. */
const STEERED = [
  'killFile',
  'commandAtStart',
  'commandInOutage',
  'commandTwice',
  'killDuringCommand',
  'resumeRefused',
  'flattenWithUnknownSell',
] as const;

export type Sometimes =
  | (typeof MET)[number]
  | FaceCounter
  | Struck
  | (typeof STEERED)[number]
  | RestraintCounter
  | HeldCounter
  | NightCounter
  | CarriedOut;
export type Counters = Record<Sometimes, number>;

export const SOMETIMES: readonly Sometimes[] = [
  ...MET,
  ...FACE_COUNTERS,
  ...STEERED,
  ...RESTRAINT_COUNTERS,
  ...HELD_COUNTERS,
  ...NIGHT_COUNTERS,
  ...CARRIED_OUT.map((kind) => `did ${kind}` as const),
  ...VENUE_RULES.map((kind) => `rule ${kind}` as const),
  ...NODE_RULES.map((kind) => `node ${kind}` as const),
];

/** Kinds of campaigns: of days, or of sessions with the night between them, in which all phases are traded. */
export type CampaignKind = 'days' | 'nights';

/** What strikes a few sends, whatever the phase, or takes a client that few seeds have: a night has too few sends to meet each. */
const OF_SENDS: readonly Sometimes[] = [
  ...MESSAGE_RULES.map((kind) => `rule ${kind}` as const),
  ...NODE_RULES.map((kind) => `node ${kind}` as const),
  ...CLIENTS.map((client) => `refusal ${client}` as const),
  'rule false-refusal',
  'insufficientRevert',
  'did accept',
];

/** Counters that only one kind of campaign must have met; all others belong to both. */
const ONLY: Readonly<Record<CampaignKind, ReadonlySet<Sometimes>>> = {
  days: new Set(OF_SENDS),
  nights: new Set<Sometimes>(NIGHT_COUNTERS),
};

/** Counters that a kind of campaign must have met. */
export const countersOf = (kind: CampaignKind): readonly Sometimes[] =>
  SOMETIMES.filter((name) => !ONLY[kind === 'days' ? 'nights' : 'days'].has(name));

export const noneYet = (): Counters => Object.fromEntries(SOMETIMES.map((name) => [name, 0])) as Counters;

/** Adds the counts of another tally. */
export function add(to: Counters, other: Counters): void {
  for (const name of SOMETIMES) to[name] += other[name];
}
