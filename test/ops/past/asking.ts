import { answerTo } from '../../../src/ops/past/answers.ts';
import { JournalKeeper } from '../../../src/ops/past/keptJournal.ts';
import type { Question } from '../../../src/ops/past/question.ts';
import type { PastRun } from '../../../src/ops/past/ownRecords.ts';

/** Response as JSON from a journal that is read for it alone. */
export function answerOnce(question: Question, run: PastRun): string {
  const keeper = new JournalKeeper();
  try {
    return answerTo(question, run, keeper);
  } finally {
    keeper.close();
  }
}
