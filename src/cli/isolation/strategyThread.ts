import { workerData } from 'node:worker_threads';
import { type ThreadData, errorData } from './messages.ts';
import { consoleOn, restrictGlobals, loadModules } from './threadGlobals.ts';
import { reportMemory, ThreadPort } from './threadPort.ts';
import { ThreadStrategy } from './threadStrategy.ts';

/** The thread of one strategy: everything here is ready before any of the strategy's code runs. */
const data = workerData as ThreadData;
const port = new ThreadPort(data);
const modules = await loadModules(data);

reportMemory(data);

const end = process.exit.bind(process);
process.on('uncaughtException', (error) => {
  port.send({ kind: 'crashed', thrown: errorData(error) });
  end(1);
});
restrictGlobals({
  console: consoleOn((text) => port.print(text)),
  kept: data.globals,
  keepsProcess: data.modules.includes('process'),
  exit: (code) => {
    port.send({ kind: 'exited', code });
    end(code);
  },
});

const strategy = new ThreadStrategy({ data, port, modules });
port.listen((task) => strategy.do(task));
