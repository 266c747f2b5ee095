import type { Page, Request } from 'playwright-core';
import { systemClock } from '../../src/core/clock.ts';

/** Time in ms without a request after which a page counts as quiet, and the time between two checks. */
const QUIET_MS = 500;
const LOOK_MS = 50;

/** Returns a function that waits until a page sends no more requests, except for the endless stream of events. */
export function quietOf(page: Page): () => Promise<void> {
  const open = new Set<Request>();
  let endedAt = systemClock.monotonic();
  const isOf = (request: Request) => !request.url().includes('/v1/events');
  page.on('request', (request) => {
    if (isOf(request)) open.add(request);
  });
  const end = (request: Request) => {
    if (open.delete(request)) endedAt = systemClock.monotonic();
  };
  page.on('requestfinished', end);
  page.on('requestfailed', end);
  return async () => {
    endedAt = systemClock.monotonic();
    while (open.size > 0 || systemClock.monotonic() - endedAt < QUIET_MS) await systemClock.sleep(LOOK_MS);
  };
}
