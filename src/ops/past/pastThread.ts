import { parentPort } from 'node:worker_threads';
import { PastAnswers, type PastTask } from './answered.ts';

const answers = new PastAnswers();
parentPort?.on('message', (task: PastTask) => {
  parentPort?.postMessage(answers.to(task));
});
