import { parentPort } from 'node:worker_threads';
import { answered, type PastTask } from './answered.ts';

parentPort?.on('message', (task: PastTask) => {
  parentPort?.postMessage(answered(task));
});
