import { describe, expect, test } from 'vitest';
import { seededRandom } from '../../../src/core/seededRandom.ts';
import { evidenceOf, type Evidence, type Study } from '../../../src/lab/significance/evidence.ts';
import { activeReturns, sharpeOf } from '../../../src/lab/significance/trialReturns.ts';
import { verdict } from '../../../src/lab/significance/verdict.ts';
import { probabilityAbove, sharpeEstimateOf } from '../../../src/statistics/sharpeTests.ts';
import { crossings } from './crossings.ts';

const STUDY = crossings({ seed: 7, sessions: 504, drift: 0.5, trend: 0.15 });
const gather = (changed: Partial<Study> = {}) =>
  evidenceOf({ ...STUDY, ...changed }, { random: seededRandom(1), draws: 100 });

const whyOf = (evidence: Evidence) => verdict(evidence).reasons.map(({ text }) => text);

describe('the evidence of a study', () => {
  test('is the same for the same seed', () => expect(gather()).toEqual(gather()));

  test('counts its trials, or takes a given count', () => {
    expect(gather()).toMatchObject({ trials: 100, sessions: 504, marksPerYear: 252, isOverBenchmark: true });
    const more = gather({ trialCount: 5_000 });
    expect(more).toMatchObject({ trials: 5_000, deflated: { trials: 5_000 } });
    expect(whyOf(more).join(' ')).toMatch(/of 5,000 parameter sets/i);
  });

  test('uses returns above the same exposure to the benchmark, and above the risk-free rate', () => {
    const { trials, chosen, benchmark } = STUDY;
    const returns = trials[chosen]?.returns ?? new Float64Array();
    const { deflated } = gather({ riskFree: 0.0001 });
    expect(deflated).toMatchObject({
      ratio: sharpeOf(activeReturns(returns, { riskFree: 0.0001, benchmark })),
    });
    expect(gather({ benchmark: null })).toMatchObject({
      isOverBenchmark: false,
      deflated: { ratio: sharpeOf(returns) },
    });
  });

  test('has no entry test and no out-of-sample part if these are not given', () =>
    expect(gather({ holding: null, outOfSample: null })).toMatchObject({ entries: null, outOfSample: null }));

  test('compares the Sharpe ratio out of sample with half of that in sample', () => {
    const later = crossings({ seed: 8, sessions: 252, drift: 0.5, trend: 0 });
    const [returns, benchmark] = [later.trials[0]?.returns ?? new Float64Array(), later.benchmark];
    const { outOfSample, deflated } = gather({ outOfSample: { returns, benchmark } });
    const estimate = sharpeEstimateOf(activeReturns(returns, { benchmark }));
    if ('reason' in estimate || 'reason' in deflated) throw new Error('no Sharpe ratio');
    expect(outOfSample).toEqual({
      sessions: 252,
      ratio: estimate.ratio,
      aboveHalf: probabilityAbove(estimate, deflated.ratio / 2),
    });
  });

  test('has a Sharpe ratio below 0 if it is ruined out of sample', () => {
    const benchmark = STUDY.benchmark?.slice(0, 252) ?? null;
    const { outOfSample } = gather({ outOfSample: { returns: Float64Array.of(0.1, -0.4, -1), benchmark } });
    expect(outOfSample).toMatchObject({ sessions: 252 });
    expect(outOfSample && 'ratio' in outOfSample ? outOfSample.ratio : NaN).toBeLessThan(0);
  });

  test('is refused for returns of different lengths', () => {
    const [first, ...rest] = STUDY.trials;
    const short = { params: {}, returns: (first?.returns ?? new Float64Array()).slice(1) };
    expect(() => gather({ trials: [...rest, short] })).toThrow('trial 99 has 503 sessions, others 504');
    expect(() => gather({ benchmark: new Float64Array(3) })).toThrow(
      'the benchmark has 3 sessions, the trial 504',
    );
  });
});

test('a study without trades is unclear, and says why', () => {
  const idle = {
    ...STUDY,
    trials: STUDY.trials.map(({ params }) => ({ params, returns: new Float64Array(504) })),
    trades: 0,
  };
  const evidence = evidenceOf(idle, { random: seededRandom(1), draws: 10 });
  expect(verdict(evidence)).toMatchObject({ verdict: 'unclear' });
  expect(whyOf(evidence)[0]).toBe('Unclear: luck cannot be judged: the volatility is 0.');
});

test('a study that only rose with its market gets a no, though it beats cash', () => {
  const rising = crossings({ seed: 3, sessions: 2_520, drift: 2, trend: 0 });
  const outOfSample = rising.outOfSample && { ...rising.outOfSample, benchmark: null };
  const cash = evidenceOf(
    { ...rising, benchmark: null, holding: null, outOfSample },
    { random: seededRandom(1), draws: 200 },
  );
  expect(cash).toMatchObject({ superior: { superiorAbility: 1 / 201 } });
  expect(verdict(cash).verdict).toBe('unclear');
  expect(verdict(evidenceOf(rising, { random: seededRandom(1), draws: 200 })).verdict).toBe('no');
});
