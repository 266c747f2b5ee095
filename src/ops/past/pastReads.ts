import { existsSync } from 'node:fs';
import { Worker } from 'node:worker_threads';
import type { Cancel, Host } from '../../core/clock.ts';
import { messageOf } from '../../core/errors.ts';
import { RefusedRequest } from '../control/request.ts';
import type { PastAnswer, PastAnswers, PastTask } from './answered.ts';
import type { Question } from './question.ts';
import type { PastRun } from './ownRecords.ts';

/** Maximum number of queued questions. */
const WAITING_MAX = 8;
/** Time limit for one answer, and the time after which an idle thread ends, in ms. */
const ANSWER_MS = 10_000;
const IDLE_MS = 60_000;
/** Maximum memory of the thread, in MB. */
const MEMORY_MB = 512;

/** Answers questions about a run's history that take too long for its event loop. */
export interface PastReads {
  /** Answer as JSON. @throws {RefusedRequest} for a missing object, too many questions, or one that takes too long */
  ask(question: Question): Promise<string>;
  close(): void;
}

/** A thread that processes tasks one after the other. */
export type PastWorker = Readonly<{
  post(task: PastTask): void;
  onAnswer(listener: (answer: PastAnswer) => void): void;
  onEnd(listener: (why: string) => void): void;
  end(): void;
}>;

/** Path of the thread's file beside this one; absent if the program runs from source. */
const BUILT = new URL('pastThread.js', import.meta.url);

/** Starts the thread; when run from source, answers in this thread, which is slower but equally correct. */
export function startPastWorker(): PastWorker {
  return existsSync(BUILT) ? inOwnThread() : inThisThread();
}

function inOwnThread(): PastWorker {
  const worker = new Worker(BUILT, {
    env: {},
    argv: [],
    execArgv: [],
    resourceLimits: { maxOldGenerationSizeMb: MEMORY_MB },
  });
  worker.unref();
  return {
    post: (task) => worker.postMessage(task),
    onAnswer: (listener) => void worker.on('message', listener),
    onEnd(listener) {
      worker.on('error', (error) => listener(messageOf(error)));
      worker.on('exit', () => listener('its thread ended'));
    },
    end: () => void worker.terminate(),
  };
}

function inThisThread(): PastWorker {
  let isEnded = false;
  let answers: PastAnswers | null = null;
  let answerListener: (answer: PastAnswer) => void = () => undefined;
  return {
    post(task) {
      void import('./answered.ts').then((module) => {
        if (isEnded) return;
        answers ??= new module.PastAnswers();
        answerListener(answers.to(task));
      });
    },
    onAnswer: (listener) => void (answerListener = listener),
    onEnd: () => undefined,
    end() {
      isEnded = true;
      answers?.close();
    },
  };
}

type PendingQuestion = Readonly<{
  question: Question;
  resolve: (json: string) => void;
  reject: (error: Error) => void;
}>;

/** Passes questions one by one to a thread, which starts with the first and ends after a minute without any. */
export class ThreadedPastReads implements PastReads {
  readonly #run: PastRun;
  readonly #host: Pick<Host, 'after'>;
  readonly #start: () => PastWorker;
  readonly #waiting: PendingQuestion[] = [];
  #worker: PastWorker | null = null;
  #asked: PendingQuestion | null = null;
  #cancel: Cancel = () => undefined;

  constructor(run: PastRun, host: Pick<Host, 'after'>, start: () => PastWorker = startPastWorker) {
    this.#run = run;
    this.#host = host;
    this.#start = start;
  }

  ask(question: Question): Promise<string> {
    if (this.#waiting.length >= WAITING_MAX)
      throw new RefusedRequest('RATE', 'too many requests about the past are waiting: ask again in a second');
    return new Promise((resolve, reject) => {
      this.#waiting.push({ question, resolve, reject });
      this.#next();
    });
  }

  close(): void {
    const ending = new RefusedRequest('STARTING', 'the run is ending');
    for (const { reject } of this.#waiting.splice(0)) reject(ending);
    this.#end(ending);
  }

  #next(): void {
    if (this.#asked) return;
    const next = this.#waiting.shift();
    this.#cancel();
    if (!next) {
      this.#cancel = this.#host.after(IDLE_MS, () => this.#end(null));
      return;
    }
    this.#asked = next;
    this.#cancel = this.#host.after(ANSWER_MS, () => this.#end(tooLong()));
    this.#worker ??= this.#begin();
    this.#worker.post({ question: next.question, run: this.#run });
  }

  #begin(): PastWorker {
    const worker = this.#start();
    worker.onAnswer((answer) => {
      if (this.#worker === worker) this.#settle(answer);
    });
    worker.onEnd((why) => {
      if (this.#worker === worker) this.#end(failed(why));
    });
    return worker;
  }

  #settle(answer: PastAnswer): void {
    const asked = this.#asked;
    this.#asked = null;
    if ('json' in answer) asked?.resolve(answer.json);
    else
      asked?.reject(
        answer.isAbsence ? new RefusedRequest('NOT_FOUND', answer.problem) : failed(answer.problem),
      );
    this.#next();
  }

  /** Ends the thread; pending questions are refused. */
  #end(refusal: RefusedRequest | null): void {
    this.#cancel();
    this.#worker?.end();
    this.#worker = null;
    const asked = this.#asked;
    this.#asked = null;
    if (refusal) asked?.reject(refusal);
    if (this.#waiting.length > 0) this.#next();
  }
}

const tooLong = () =>
  new RefusedRequest(
    'TIMEOUT',
    `reading this took more than ${ANSWER_MS / 1_000} s: ask for less, or use the commands report, compare and journal show`,
  );
const failed = (why: string) => new RefusedRequest('INTERNAL', `this could not be read: ${why}`);
