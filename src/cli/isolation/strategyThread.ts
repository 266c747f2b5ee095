import { workerData } from 'node:worker_threads';
import { type ThreadData, errorData } from './messages.ts';
import { lockRealm } from './realm.ts';
import { reportMemory, ThreadPort } from './threadPort.ts';
import { ThreadStrategy } from './threadStrategy.ts';

/** The thread of one strategy: everything here is ready, and locked, before any of the strategy's code runs. */
const data = workerData as ThreadData;
const port = new ThreadPort(data);

reportMemory(data);

process.on('uncaughtException', (error) => {
  port.send({ kind: 'crashed', thrown: errorData(error) });
  process.exit(1);
});
lockRealm();

const strategy = new ThreadStrategy({ data, port });
port.listen((task) => strategy.do(task));
