import { messageOf } from '../../core/errors.ts';
import { answerTo, type PastRun } from './answers.ts';
import { NothingFound, type Question } from './question.ts';

/** Task of the thread, and its answer. */
export type PastTask = Readonly<{ question: Question; run: PastRun }>;
export type PastAnswer = Readonly<{ json: string } | { problem: string; isAbsence: boolean }>;

/** Answer to a task, its failure in words. */
export function answered({ question, run }: PastTask): PastAnswer {
  try {
    return { json: answerTo(question, run) };
  } catch (error) {
    return { problem: messageOf(error), isAbsence: error instanceof NothingFound };
  }
}
