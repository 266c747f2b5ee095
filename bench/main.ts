import { armed } from './armed.ts';
import { backtest } from './backtest.ts';
import { client } from './client.ts';
import { columns } from './columns.ts';
import { day } from './day.ts';
import { journal } from './journal.ts';
import { kernel } from './kernel.ts';
import { lots } from './lots.ts';
import { lab } from './lab.ts';
import { keep } from './history.ts';
import { lineOf, type Benchmark, type Result } from './result.ts';
import { page } from './page.ts';
import { notify } from './notify.ts';
import { queue } from './queue.ts';
import { sse } from './sse.ts';
import { report } from './report.ts';
import { reportBeside } from './reportBeside.ts';
import { metrics, status } from './status.ts';
import { scale } from './scale.ts';
import { sign } from './sign.ts';
import { simulation } from './simulation.ts';
import { start } from './start.ts';
import { tracking } from './tracking.ts';
import { walks } from './walks.ts';
import { worker } from './worker.ts';

const benchmarks: Readonly<Record<string, Benchmark>> = {
  client,
  sign,
  tracking,
  day,
  journal,
  kernel,
  report,
  'report-beside': reportBeside,
  lots,
  status,
  metrics,
  notify,
  sse,
  page,
  simulation,
  scale,
  start,
  backtest,
  columns,
  queue,
  lab,
  armed,
  worker,
  walks,
};

const asked = process.argv.slice(2).filter((argument) => argument !== '--json' && argument !== '--keep');
// npm takes an option for itself unless `--` precedes it, and passes it on in the environment.
const json = process.argv.includes('--json') || process.env['npm_config_json'] === 'true';

const unknown = asked.filter((name) => !Object.hasOwn(benchmarks, name));
if (unknown.length > 0) {
  console.error(`no benchmark ${unknown.join(', ')}: there is ${Object.keys(benchmarks).join(', ')}`);
  process.exit(2);
}
const results: Result[] = [];
for (const [name, run] of Object.entries(benchmarks)) {
  if (asked.length > 0 && !asked.includes(name)) continue;
  // No benchmark pays for the garbage of the one before.
  globalThis.gc?.();
  for (const result of await run()) {
    results.push(result);
    console.log(json ? JSON.stringify(result) : lineOf(result));
  }
}
if (process.argv.includes('--keep')) keep(results);
