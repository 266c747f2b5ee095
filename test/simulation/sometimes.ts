/** What a campaign must have met at least once to be worth anything: a fault that never struck has tested nothing. */
export const SOMETIMES = [
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
  'indexerStall',
  'indexerLagBeyondLook',
  'neverMined',
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
  'foreignOrder',
  'foreignMove',
  'delegationOff',
  'keyOff',
  'splitWithOpenOrder',
  'dividend',
  'earlyClose',
  'foundLater',
  'neverExisted',
  'assumedGone',
] as const;

export type Sometimes = (typeof SOMETIMES)[number];
export type Counters = Record<Sometimes, number>;

export const noneYet = (): Counters => Object.fromEntries(SOMETIMES.map((name) => [name, 0])) as Counters;

/** The other's counts come on top. */
export function add(to: Counters, other: Counters): void {
  for (const name of SOMETIMES) to[name] += other[name];
}
