import { messageOf } from '../../core/errors.ts';
import { answerTo } from './answers.ts';
import { JournalKeeper } from './keptJournal.ts';
import { NothingFound, type Question } from './question.ts';
import type { PastRun } from './ownRecords.ts';

/** Task of the thread, and its response. */
export type PastTask = Readonly<{ question: Question; run: PastRun }>;
export type PastAnswer = Readonly<{ json: string } | { problem: string; isAbsence: boolean }>;

/** Processes tasks one after the other, and keeps their journal open. */
export class PastAnswers {
  readonly #keeper = new JournalKeeper();

  /** Response to a task; a failure as text. After a failure the journal is reopened. */
  to({ question, run }: PastTask): PastAnswer {
    try {
      return { json: answerTo(question, run, this.#keeper) };
    } catch (error) {
      const isAbsence = error instanceof NothingFound;
      if (!isAbsence) this.close();
      return { problem: messageOf(error), isAbsence };
    }
  }

  close(): void {
    this.#keeper.close();
  }
}
