import { workerData } from 'node:worker_threads';
import { type ThreadData, errorData } from '../realm/messages.ts';
import { lockRealm } from '../realm/realm.ts';
import { reportMemory, ThreadPort } from './threadPort.ts';
import { ThreadStrategy } from './threadStrategy.ts';

/** Entry of a strategy thread: everything here is set up, and locked, before any strategy code runs. */
const data = workerData as ThreadData;
const port = new ThreadPort(data);
const strategies = new Map<string, ThreadStrategy>();
/** The strategy of the latest task. Nothing remains of an earlier one, because its promises have ended before the next task. */
let latest = '';

reportMemory(data);

process.on('uncaughtException', (error, origin) => {
  port.send({ kind: 'crashed', strategy: latest, thrown: errorData(error) });
  if (origin !== 'unhandledRejection') process.exit(1);
});
lockRealm();

port.listen(({ strategy, task }) => {
  latest = strategy;
  if (task.kind === 'load')
    strategies.set(strategy, new ThreadStrategy({ data, port, strategy, code: task }));
  strategies.get(strategy)?.do(task);
});
