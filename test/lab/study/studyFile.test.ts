import { writeFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { WHOLE, type BookedTrial } from '../../../src/lab/study/studyFile.ts';
import { HEADLINE, type Headline } from '../../../src/lab/trials/headline.ts';
import { freshFile, studyIn } from './stage.ts';

const headline = Object.fromEntries(
  HEADLINE.map((name, index) => [name, index === 0 ? null : index / 3]),
) as Headline;
const trial = (fast: number, outcome: BookedTrial['outcome'] = doneAt(fast)): BookedTrial => ({
  window: WHOLE,
  number: fast,
  params: { fast },
  outcome,
});
const doneAt = (fast: number): BookedTrial['outcome'] => ({
  state: 'done',
  runId: `run ${fast}`,
  objectives: [fast / 3, null],
  why: 'no trade',
  headline,
  trades: 3,
  fees: 1.5,
  returns: Float64Array.of(0.1, -0.1 / 3, 0),
  elapsedMs: 4,
});

describe('a study file', () => {
  test('restores every outcome to the last digit after it is opened again', () => {
    const file = freshFile();
    const trials = [
      trial(1),
      trial(2, { state: 'failed', why: 'it threw' }),
      trial(3, { state: 'stopped', runId: 'run 3', objective: 0.25, elapsedMs: 2 }),
      trial(4, { state: 'crashed', why: 'out of memory' }),
    ];
    const study = studyIn(file);
    study.book(trials);
    study.close();
    const again = studyIn(file, true);
    expect(trials.map(({ params }) => again.outcome(WHOLE, params))).toEqual(
      trials.map(({ outcome }) => outcome),
    );
    expect(again.outcome(0, { fast: 1 })).toBeUndefined();
    expect([again.count(), again.count(WHOLE), again.count(0)]).toEqual([4, 4, 0]);
  });

  test('keeps the first outcome of a trial that is booked twice', () => {
    const study = studyIn(freshFile());
    study.book([trial(1)]);
    study.book([{ ...trial(1), outcome: { state: 'failed', why: 'later' } }]);
    expect(study.outcome(WHOLE, { fast: 1 })?.state).toBe('done');
    expect(study.count()).toBe(1);
  });

  test('is worked on by one process at a time', () => {
    const file = freshFile();
    const study = studyIn(file);
    expect(() => studyIn(file, true)).toThrow(`another drover process works on ${file}: wait`);
    study.close();
    studyIn(file, true).close();
  });

  test('cannot be begun twice, nor resumed if there is none', () => {
    const file = freshFile();
    expect(() => studyIn(file, true)).toThrow('--resume: there is no study in');
    studyIn(file).close();
    expect(() => studyIn(file)).toThrow('already holds this study. Continue it with --resume');
  });

  test('of another study is refused, with what differs', () => {
    const file = freshFile();
    studyIn(file, false, { code: 'a', space: 'one' }).close();
    expect(() => studyIn(file, true, { code: 'b', space: 'one' })).toThrow(
      'is another study: code was a and is b. Name another file by --study',
    );
  });

  test('that is something else is refused', () => {
    const file = freshFile();
    writeFileSync(file, 'my notes, which are longer than nothing');
    expect(() => studyIn(file)).toThrow('is not a study, or is damaged');
  });
});
