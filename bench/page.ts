import { pageIdle } from './pageIdle.ts';
import { withPage } from './pageOpened.ts';
import { pagePaint, pageSize } from './pagePaint.ts';
import { pageTasks } from './pageTasks.ts';
import type { Result } from './result.ts';

/** Measures the page of a daemon with a year of history, in a browser. */
export const page = (): Promise<Result[]> =>
  withPage(async (opened) => [
    ...pageSize(),
    ...(await pagePaint(opened)),
    ...(await pageTasks(opened)),
    ...(await pageIdle(opened)),
  ]);
