import { describe, expect, test } from 'vitest';
import { seededRandom } from '../../../src/core/seededRandom.ts';
import { evidenceOf, type Evidence } from '../../../src/lab/significance/evidence.ts';
import { verdict, type Verdict } from '../../../src/lab/significance/verdict.ts';
import { crossings } from './crossings.ts';

const deflated = { probability: 0.97, ratio: 0.1, bar: 0.04, trials: 400, independent: 120, variance: 0.001 };
const superior = { realityCheck: 0.01, superiorAbility: 0.008, draws: 1_000, blockLength: 2 };
const overfitting = {
  probability: 0.12,
  lossProbability: 0.03,
  logits: new Float64Array(12_870),
  inSample: new Float64Array(12_870),
  outOfSample: new Float64Array(12_870),
  slope: -0.4,
  blocks: 16,
  sessions: 2_512,
};
const plateau = { score: 0.87, neighbours: [1], centre: 3, edges: [], text: 'the best set is on a plateau' };
const entries = { probability: 0.004, gain: 2, randomGain: 0.3, entries: 60 };
const outOfSample = { sessions: 1_260, ratio: 0.07, aboveHalf: 0.8 };

const GOOD: Evidence = {
  trials: 400,
  unknown: 0,
  sessions: 2_520,
  trades: 60,
  marksPerYear: 252,
  isOverBenchmark: true,
  deflated,
  superior,
  overfitting,
  plateau,
  entries,
  outOfSample,
};

const toldBy = ({ verdict: answer, reasons }: Verdict) => ({
  verdict: answer,
  speaks: reasons.map(({ speaks }) => speaks),
  why: reasons.map(({ text }) => text),
});

test('a result supported by every test gets a yes, with a sentence for each test', () =>
  expect(toldBy(verdict(GOOD))).toEqual({
    verdict: 'yes',
    speaks: ['for', 'for', 'for', 'for', 'for', 'for'],
    why: [
      'Yes: of 400 parameter sets the best is better than luck explains: deflated Sharpe 97 %.',
      'Where no set is better than holding the same exposure, the best looks this good in fewer than 1 of 100 studies.',
      'The best set of one half of the sessions lost in the other half in 3 % of 12,870 splits (below the median of all sets in 12 %).',
      'In 1,260 sessions out of sample, unseen by any choice, the yearly Sharpe ratio over holding the same exposure was 1.11, after 1.59 in sample.',
      'Random entries with the same holding times gain as much in fewer than 1 of 100 draws.',
      'The best set is on a plateau.',
    ],
  }));

describe('a single failing test', () => {
  test.each<[string, Partial<Evidence>, string]>([
    [
      'no',
      { deflated: { ...deflated, probability: 0.41 } },
      'of 400 parameter sets the best is what luck alone would give: deflated Sharpe 41 %',
    ],
    [
      'unclear',
      { deflated: { ...deflated, probability: 0.7 } },
      'of 400 parameter sets the best is hardly better than luck explains: deflated Sharpe 70 %',
    ],
    [
      'unclear',
      { deflated: { reason: 'the volatility is 0' } },
      'luck cannot be judged: the volatility is 0',
    ],
    [
      'no',
      { superior: { ...superior, superiorAbility: 0.34 } },
      'where no set is better than holding the same exposure, the best looks this good in 34 of 100 studies',
    ],
    [
      'unclear',
      { superior: { ...superior, superiorAbility: 0.04 } },
      'where no set is better than holding the same exposure, the best looks this good in 4 of 100 studies',
    ],
    [
      'no',
      { overfitting: { ...overfitting, lossProbability: 0.48, probability: 0.62 } },
      'the best set of one half of the sessions lost in the other half in 48 % of 12,870 splits (below the median of all sets in 62 %)',
    ],
    [
      'unclear',
      { overfitting: { ...overfitting, lossProbability: 0.2 } },
      'the best set of one half of the sessions lost in the other half in 20 % of 12,870 splits (below the median of all sets in 12 %)',
    ],
    [
      'unclear',
      { overfitting: { reason: '60 sessions, but it needs 80' } },
      'overfitting cannot be judged: 60 sessions, but it needs 80',
    ],
    [
      'no',
      { entries: { ...entries, probability: 0.55 } },
      'random entries with the same holding times gain as much in 55 of 100 draws',
    ],
    [
      'unclear',
      { entries: { ...entries, probability: 0.1 } },
      'random entries with the same holding times gain as much in 10 of 100 draws',
    ],
    [
      'no',
      { outOfSample: { sessions: 1_260, ratio: -0.05, aboveHalf: 0.01 } },
      'in 1,260 sessions out of sample, unseen by any choice, the yearly Sharpe ratio over holding the same exposure was -0.79, after 1.59 in sample',
    ],
    [
      'unclear',
      { outOfSample: { sessions: 60, ratio: -0.01, aboveHalf: 0.3 } },
      'in 60 sessions out of sample, unseen by any choice, the yearly Sharpe ratio over holding the same exposure was -0.16, after 1.59 in sample',
    ],
    ['unclear', { outOfSample: null }, 'nothing was checked out of sample: use --walk-forward 2y/6m'],
    [
      'no',
      { deflated: { ...deflated, ratio: -0.01 } },
      'even the best of 400 parameter sets did no better than holding the same exposure',
    ],
    [
      'no',
      { deflated: { ...deflated, ratio: 0 }, isOverBenchmark: false, trials: 1 },
      'the one parameter set did no better than cash',
    ],
    [
      'no',
      { deflated: { ...deflated, probability: 0.41 }, unknown: 60 },
      'of 400 parameter sets the best is what luck alone would give: deflated Sharpe 41 % (60 sets without returns, such as stopped or failed ones, are counted, but not in the spread)',
    ],
    [
      'no',
      { overfitting: { ...overfitting, lossProbability: 0.48 }, unknown: 60 },
      'the best set of one half of the sessions lost in the other half in 48 % of 12,870 splits of the 340 sets that ran to the end (below the median of all sets in 12 %)',
    ],
    [
      'unclear',
      { outOfSample: { sessions: 1_260, ratio: 0.0245, aboveHalf: 0.25 } },
      'in 1,260 sessions out of sample, unseen by any choice, the yearly Sharpe ratio over holding the same exposure was 0.39, after 1.59 in sample',
    ],
    [
      'unclear',
      { outOfSample: { reason: 'the volatility is 0' } },
      'what came out of sample cannot be judged: the volatility is 0',
    ],
    [
      'unclear',
      { plateau: { ...plateau, score: 0.1, text: 'the best set is a lonely peak' } },
      'the best set is a lonely peak',
    ],
    ['unclear', { sessions: 200 }, '200 sessions are less than a year'],
    ['unclear', { trades: 1 }, 'the best set is based on only 1 trade'],
    [
      'unclear',
      { isOverBenchmark: false },
      'results were compared with cash alone, where a rising market looks like skill: give a benchmark',
    ],
  ])('gives the verdict %s: %o', (answer, changed, sentence) => {
    const { verdict: given, why, speaks } = toldBy(verdict({ ...GOOD, ...changed }));
    expect(given).toBe(answer);
    expect(why[0]).toBe(`${answer === 'no' ? 'No' : 'Unclear'}: ${sentence}.`);
    expect(speaks[0]).toBe(answer === 'no' ? 'against' : 'unclear');
    expect(why.length).toBeGreaterThanOrEqual(5);
  });
});

test('reasons come worst first, and equal ones in the order of the table', () => {
  const { verdict: given, why } = toldBy(
    verdict({
      ...GOOD,
      trades: 3,
      deflated: { ...deflated, probability: 0.8 },
      superior: { ...superior, superiorAbility: 0.4 },
      entries: { ...entries, probability: 0.9 },
    }),
  );
  expect(given).toBe('no');
  expect(why.map((sentence) => sentence.slice(0, 20))).toEqual([
    'No: where no set is ',
    'Random entries with ',
    'Of 400 parameter set',
    'The best set is base',
    'The best set of one ',
    'In 1,260 sessions ou',
    'The best set is on a',
  ]);
});

test('missing evidence is not judged, and without sessions out of sample there is no yes', () => {
  const bare: Evidence = {
    ...GOOD,
    trials: 1,
    overfitting: { reason: 'one trial: nothing was chosen' },
    plateau: { reason: 'no trial is beside the best one' },
    entries: null,
  };
  expect(verdict(bare)).toMatchObject({ verdict: 'yes' });
  expect(toldBy(verdict(bare)).why).toHaveLength(3);
  expect(toldBy(verdict({ ...bare, outOfSample: null }))).toMatchObject({
    verdict: 'unclear',
    speaks: ['unclear', 'for', 'for'],
  });
});

test('60 weekly marks count as more than a year', () =>
  expect(verdict({ ...GOOD, sessions: 60, marksPerYear: 52 }).verdict).toBe('yes'));

describe('the verdict on studies of 100 crossings of averages', () => {
  const judged = (count: number, market: Omit<Parameters<typeof crossings>[0], 'seed'>) =>
    Array.from({ length: count }, (_, seed) => {
      const evidence = evidenceOf(crossings({ ...market, seed: seed * 104_729 }), {
        random: seededRandom(seed),
        draws: 200,
      });
      return { evidence, ...verdict(evidence) };
    });
  /** The best of the crossings has a yearly Sharpe ratio of 1.5 before costs, over 400 years of this market. */
  const TREND = { sessions: 2_520, drift: 0.4, trend: 0.205 };
  const shareOf = (answers: readonly Readonly<{ verdict: string }>[], answer: string) =>
    answers.filter((one) => one.verdict === answer).length;

  test('is never yes on noise in four calm markets', () => {
    const answers = [0, 0.4, 0.7, 1].flatMap((drift) => judged(1, { sessions: 1_008, drift, trend: 0 }));
    expect(shareOf(answers, 'yes')).toBe(0);
    expect(shareOf(answers, 'no')).toBeGreaterThanOrEqual(3);
  });

  test('is yes on a trend over ten years', () => {
    const [answer] = judged(1, TREND);
    expect(answer?.verdict).toBe('yes');
  });

  const noise = 'is yes on at most 3 % and no on at least 90 % of noise, in any drift, calm or wild';
  test(noise, { tags: ['long'] }, () => {
    const answers = [0, 0.4, 0.7, 1].flatMap((drift) =>
      [false, true].flatMap((isFat) => judged(13, { sessions: 1_008, drift, trend: 0, isFat })),
    );
    expect(answers).toHaveLength(104);
    expect(shareOf(answers, 'yes')).toBeLessThanOrEqual(3);
    expect(shareOf(answers, 'no')).toBeGreaterThanOrEqual(94);
  });

  test(
    'is mostly yes on 30 trends over ten years, and at least 27 have a plateau',
    { tags: ['long'] },
    () => {
      const answers = judged(30, TREND);
      const plateaus = answers.filter(
        ({ evidence }) => 'score' in evidence.plateau && evidence.plateau.score >= 0.6,
      );
      expect(plateaus.length).toBeGreaterThanOrEqual(27);
      expect(shareOf(answers, 'yes')).toBeGreaterThanOrEqual(24);
    },
  );
});
