import { counted } from '../../core/counted.ts';
import type { Missing } from '../../statistics/figures.ts';
import type { Evidence } from './evidence.ts';
import { PLATEAU_MIN } from './plateau.ts';

/** Reason for a verdict, as a sentence. */
export type Reason = Readonly<{ speaks: 'against' | 'unclear' | 'for'; text: string }>;

/** Answer to whether the result of a study can be believed, with its reasons, worst first. */
export type Verdict = Readonly<{ verdict: 'yes' | 'unclear' | 'no'; reasons: readonly Reason[] }>;

/**
 * Thresholds of a value: at `good` or better it speaks for the result, at `bad` or worse against it, and in between it
 * leaves doubt. If `good` is the larger one, higher is better.
 */
type Bounds = Readonly<{ good: number; bad: number }>;

/**
 * Thresholds, set so that of studies without any skill at most 3 in 100 get a yes and at least 90 a no, and that a true
 * annual Sharpe ratio of 1.5 over ten years gets a yes almost 9 times in 10 (measured in `docs/believing.md`).
 */
const BOUNDS = {
  /** Probability that the true Sharpe ratio exceeds the best expected by luck. */
  deflatedSharpe: { good: 0.9, bad: 0.5 },
  /** Probability of a best set this good if none beats the standard. */
  superiorAbility: { good: 0.015, bad: 0.05 },
  /** Fraction of splits in which the best of one half lost in the other. */
  lossProbability: { good: 0.15, bad: 0.3 },
  /** Probability that random entries gain as much. It ignores how many sets were tried, so only failing it counts. */
  entries: { good: 0.05, bad: 0.2 },
  /** Probability that the true Sharpe ratio out of sample exceeds half of the one in sample. */
  outOfSample: { good: 0.2, bad: 0.05 },
  /** Ratio out of sample over that in sample, after Pardo's walk-forward efficiency. A low one leaves doubt. */
  efficiency: { good: 0.25, bad: -Infinity },
  /** Median of the neighbours over the best. A lonely peak leaves doubt, whatever its height. */
  plateau: { good: PLATEAU_MIN, bad: 0 },
  years: { good: 1, bad: 0 },
  trades: { good: 5, bad: 0 },
  /** 1 if returns are measured against a benchmark. */
  benchmark: { good: 1, bad: 0 },
} as const satisfies Readonly<Record<string, Bounds>>;

type Grade = 'good' | 'weak' | 'bad';

/** Result of one rule, as a sentence without a capital and a full stop. */
type Finding = Readonly<{ grade: Grade; text: string }>;

/** Rule of the verdict; null if it does not apply, or has no result. */
type Rule = (evidence: Evidence) => Finding | null;

/** Rules, most significant first. */
const RULES: readonly Rule[] = [
  /** Deflated Sharpe ratio. */
  ({ deflated, trials, unknown, isOverBenchmark }) => {
    if ('reason' in deflated) return doubt('luck', deflated);
    const { probability, ratio } = deflated;
    if (ratio <= 0)
      return finding('bad', `${evenBestOf(trials)} did no better than ${standard(isOverBenchmark)}`);
    const share = `deflated Sharpe ${percent(probability)}${withoutReturns(unknown)}`;
    return finding(gradeOf(probability, BOUNDS.deflatedSharpe), {
      good: `${bestOf(trials)} is better than luck explains: ${share}`,
      weak: `${bestOf(trials)} is hardly better than luck explains: ${share}`,
      bad: `${bestOf(trials)} is what luck alone would give: ${share}`,
    });
  },
  /** Hansen's test. */
  ({ superior, isOverBenchmark }) => {
    if ('reason' in superior) return null;
    const { superiorAbility } = superior;
    return finding(
      gradeOf(superiorAbility, BOUNDS.superiorAbility),
      `where no set is better than ${standard(isOverBenchmark)}, the best looks this good in ` +
        `${inHundred(superiorAbility)} studies`,
    );
  },
  /** Loss in the other half. */
  ({ overfitting, trials, unknown }) => {
    if ('reason' in overfitting) return trials > 1 ? doubt('overfitting', overfitting) : null;
    const { lossProbability, probability, logits } = overfitting;
    const ofSets = unknown > 0 ? ` of the ${counted(trials - unknown, 'set')} that ran to the end` : '';
    return finding(
      gradeOf(lossProbability, BOUNDS.lossProbability),
      `the best set of one half of the sessions lost in the other half in ${percent(lossProbability)} of ` +
        `${counted(logits.length, 'split')}${ofSets} (below the median of all sets in ${percent(probability)})`,
    );
  },
  /** Walk-forward. */
  ({ outOfSample, deflated, marksPerYear, isOverBenchmark }) => {
    if (outOfSample === null)
      return finding('weak', 'nothing was checked out of sample: use --walk-forward 2y/6m');
    if ('reason' in deflated) return null;
    if ('reason' in outOfSample) return doubt('what came out of sample', outOfSample);
    const { aboveHalf, ratio, sessions } = outOfSample;
    const grade = gradeOf(aboveHalf, BOUNDS.outOfSample);
    const isEnough = ratio > 0 && gradeOf(ratio / deflated.ratio, BOUNDS.efficiency) === 'good';
    const yearly = (value: number) => (value * Math.sqrt(marksPerYear)).toFixed(2);
    return finding(
      grade === 'good' && !isEnough ? 'weak' : grade,
      `in ${counted(sessions, 'session')} out of sample, unseen by any choice, the yearly Sharpe ratio over ` +
        `${standard(isOverBenchmark)} was ${yearly(ratio)}, after ${yearly(deflated.ratio)} in sample`,
    );
  },
  /** Permutation of entries. */
  ({ entries }) => {
    if (entries === null || 'reason' in entries) return null;
    const { probability } = entries;
    return finding(
      gradeOf(probability, BOUNDS.entries),
      `random entries with the same holding times gain as much in ${inHundred(probability)} draws`,
    );
  },
  ({ plateau }) =>
    'reason' in plateau ? null : finding(gradeOf(plateau.score, BOUNDS.plateau), plateau.text),
  ({ sessions, marksPerYear }) =>
    unlessGood(
      gradeOf(sessions / marksPerYear, BOUNDS.years),
      `${counted(sessions, 'session')} are less than a year`,
    ),
  ({ trades }) =>
    unlessGood(gradeOf(trades, BOUNDS.trades), `the best set is based on only ${counted(trades, 'trade')}`),
  ({ isOverBenchmark }) =>
    unlessGood(
      gradeOf(isOverBenchmark ? 1 : 0, BOUNDS.benchmark),
      'results were compared with cash alone, where a rising market looks like skill: give a benchmark',
    ),
];

const WORST_FIRST: readonly Grade[] = ['bad', 'weak', 'good'];
const VERDICTS = { bad: 'no', weak: 'unclear', good: 'yes' } as const;
const SPEAKS = { bad: 'against', weak: 'unclear', good: 'for' } as const;

/** Verdict on a study by the rules: no if one speaks against it, unclear if one leaves doubt, otherwise yes. */
export function verdict(evidence: Evidence): Verdict {
  const findings = RULES.flatMap((rule) => rule(evidence) ?? []);
  const ordered = WORST_FIRST.flatMap((grade) => findings.filter((found) => found.grade === grade));
  const answer = VERDICTS[ordered[0]?.grade ?? 'weak'];
  return {
    verdict: answer,
    reasons: ordered.map(({ grade, text }, index) => ({
      speaks: SPEAKS[grade],
      text: index === 0 ? `${capital(answer)}: ${text}.` : `${capital(text)}.`,
    })),
  };
}

function gradeOf(value: number, { good, bad }: Bounds): Grade {
  const sign = good > bad ? 1 : -1;
  if (sign * value >= sign * good) return 'good';
  return sign * value < sign * bad ? 'bad' : 'weak';
}

const finding = (grade: Grade, text: string | Readonly<Record<Grade, string>>): Finding => ({
  grade,
  text: typeof text === 'string' ? text : text[grade],
});

const unlessGood = (grade: Grade, text: string): Finding | null =>
  grade === 'good' ? null : { grade, text };

const doubt = (name: string, { reason }: Missing): Finding => ({
  grade: 'weak',
  text: `${name} cannot be judged: ${reason}`,
});

const capital = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);

const bestOf = (trials: number): string =>
  trials === 1 ? 'the one parameter set' : `of ${counted(trials, 'parameter set')} the best`;

const evenBestOf = (trials: number): string =>
  trials === 1 ? 'the one parameter set' : `even the best of ${counted(trials, 'parameter set')}`;

const standard = (isOverBenchmark: boolean): string =>
  isOverBenchmark ? 'holding the same exposure' : 'cash';

/** Sets that count as tried although their returns are unknown. */
const withoutReturns = (unknown: number): string =>
  unknown === 0
    ? ''
    : ` (${counted(unknown, 'set')} without returns, such as stopped or failed ones, are counted, but not in the spread)`;

/** Percentage that never reads as certain or impossible. */
function percent(share: number): string {
  if (share > 0.99) return 'over 99 %';
  return share < 0.01 ? 'under 1 %' : `${Math.round(share * 100)} %`;
}

const inHundred = (share: number): string =>
  share < 0.01 ? 'fewer than 1 of 100' : `${Math.round(share * 100)} of 100`;
