import { Worker } from 'node:worker_threads';

type Handler = (message: unknown) => void;

/** Name of Node's own handler for what arrives from a thread beside our lines to it: its output, its errors, its end. */
const HANDLER = Object.getOwnPropertySymbols(Worker.prototype).find(
  ({ description }) => description === 'kOnMessage',
);

/**
 * Keeps forged messages of a thread from ending the process: Node trusts its own channel to each thread, throws in the main
 * thread for what it does not know there, and emits errors that nobody hears for output that cannot be.
 */
export function shieldFrom(worker: Worker, onForged: () => void): void {
  for (const output of [worker.stdout, worker.stderr]) output.on('error', onForged);
  const handle: unknown = HANDLER && Reflect.get(worker, HANDLER);
  if (!HANDLER || typeof handle !== 'function') return;
  const handleSafely: Handler = (message) => {
    try {
      (handle as Handler).call(worker, message);
    } catch {
      onForged();
    }
  };
  Object.defineProperty(worker, HANDLER, { value: handleSafely });
}
