import { readFileSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import type { OpenedPage } from './pageOpened.ts';
import type { Result } from './result.ts';

/** Time in ms for which processor use is measured with a view, and without any. */
const MEASURED_MS = 20_000;
/** Time in ms after which a view has loaded its data. */
const SETTLED_MS = 5_000;
/** Length in ms of a tick in which Linux counts processor time. */
const TICK_MS = 10;

/** Measures the processor time that an open page costs the daemon, view by view, against the same daemon without a page just before. Linux only. */
export async function pageIdle(opened: OpenedPage): Promise<Result[]> {
  if (process.platform !== 'linux') return [];
  const results: Result[] = [];
  for (const view of opened.views) {
    const alone = await shareOf(opened);
    const context = await opened.browser.newContext({ storageState: opened.session });
    const page = await context.newPage();
    await page.goto(`${opened.url}/#/${view}`);
    await pause(SETTLED_MS);
    const share = await shareOf(opened);
    await context.close();
    const ratio = { vs: 'a daemon without a page', x: share / alone };
    const unit = `% of a core more for the view ${view} left open`;
    results.push({ name: `page-idle-${view}`, value: share - alone, unit, ratio });
  }
  return results;
}

/** Percent of a core that the daemon uses. */
async function shareOf({ daemon: { run } }: OpenedPage): Promise<number> {
  const from = ticksOf(run.pid);
  await pause(MEASURED_MS);
  return (((ticksOf(run.pid) - from) * TICK_MS) / MEASURED_MS) * 100;
}

/** Processor time of a process so far, in ticks, over all its threads. */
function ticksOf(pid: number | undefined): number {
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
  // Fields after the name, which may have spaces: user and system time are the 12th and 13th.
  const [user = 0, system = 0] = stat
    .slice(stat.lastIndexOf(')') + 2)
    .split(' ')
    .slice(11, 13)
    .map(Number);
  return user + system;
}
