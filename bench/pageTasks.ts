import { once } from 'node:events';
import { createServer, request, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { setTimeout as pause } from 'node:timers/promises';
import type { OpenedPage } from './pageOpened.ts';
import type { Result } from './result.ts';

/** Open orders that each change once a second; changes per burst, and the time between two bursts in ms. */
const OPEN = 100;
const BURST = 5;
const BURST_MS = 50;
/** Time in ms in which a view settles, and in which its tasks are watched. */
const SETTLED_MS = 5_000;
const WATCHED_MS = 10_000;

/** Measures the longest task of each view while 100 orders change a second. */
export async function pageTasks(opened: OpenedPage): Promise<Result[]> {
  const venue = await withChanges(opened.url);
  const results: Result[] = [];
  try {
    for (const view of opened.views) {
      const value = await longestTask(opened, `${venue.url}/#/${view}`);
      const unit = `ms, the longest task of the view ${view} while 100 orders change a second`;
      results.push({ name: `page-task-${view}`, value, unit });
    }
  } finally {
    venue.close();
  }
  return results;
}

/** Event of a trace. `dur`: µs. */
type TraceEvent = Readonly<{
  name: string;
  pid: number;
  tid: number;
  dur?: number;
  args?: Readonly<{ name?: string }>;
}>;

/** Longest task in ms on the main thread of a page. */
async function longestTask({ browser, session }: OpenedPage, address: string): Promise<number> {
  const context = await browser.newContext({ storageState: session });
  const page = await context.newPage();
  await page.goto(address);
  await page.getByText('Connected').waitFor();
  await pause(SETTLED_MS);
  await browser.startTracing(page, {
    categories: ['toplevel', 'disabled-by-default-devtools.timeline', '__metadata'],
  });
  await pause(WATCHED_MS);
  const trace = JSON.parse((await browser.stopTracing()).toString()) as Readonly<{
    traceEvents: readonly TraceEvent[];
  }>;
  await context.close();
  const threadOf = ({ pid, tid }: TraceEvent) => `${pid} ${tid}`;
  const main = new Set(
    trace.traceEvents
      .filter(({ name, args }) => name === 'thread_name' && args?.name === 'CrRendererMain')
      .map(threadOf),
  );
  const tasks = trace.traceEvents.filter((event) => /RunTask$/.test(event.name) && main.has(threadOf(event)));
  if (tasks.length === 0) throw new Error('the trace has no task of the page');
  return Math.max(...tasks.map(({ dur = 0 }) => dur)) / 1_000;
}

/** A proxy in front of a daemon that adds order changes to its events, and the orders to its status. */
async function withChanges(target: string): Promise<Readonly<{ url: string; close: () => void }>> {
  const changes = new OrderChanges();
  const server = createServer((incoming, answer) => {
    const url = new URL(incoming.url ?? '/', target);
    const asked = request(url, { method: incoming.method, headers: incoming.headers, agent: false });
    asked.on('response', (got) => void changes.pass(got, answer, url.pathname));
    asked.on('error', () => answer.destroy());
    answer.on('close', () => asked.destroy());
    incoming.pipe(asked);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    close() {
      server.close();
      server.closeAllConnections();
    },
  };
}

/** Open orders that keep changing. */
class OrderChanges {
  #count = 0;

  async pass(got: IncomingMessage, answer: ServerResponse, path: string): Promise<void> {
    const { 'content-length': _, ...headers } = got.headers;
    answer.writeHead(got.statusCode ?? 502, path === '/v1/status' ? headers : got.headers);
    if (path === '/v1/status') {
      const status = JSON.parse(await text(got)) as object;
      answer.end(JSON.stringify({ ...status, orders: this.#orders() }));
      return;
    }
    if (path === '/v1/events') this.#follow(answer);
    got.on('error', () => answer.destroy()).pipe(answer);
  }

  #follow(answer: ServerResponse): void {
    const timer = setInterval(() => {
      const burst = Array.from({ length: BURST }, () => this.#change());
      answer.write(burst.map((entry) => `event: entry\ndata: ${JSON.stringify(entry)}\n\n`).join(''));
    }, BURST_MS);
    answer.on('close', () => clearInterval(timer));
  }

  #change(): object {
    this.#count++;
    const report = {
      status: 'open',
      rawStatus: 'New',
      createdAt: 0,
      terms: null,
      locked: null,
      settlement: null,
    };
    const event = { kind: 'reported', report };
    return {
      seq: 0,
      at: new Date().toISOString(),
      kind: 'order',
      id: `bench-${this.#count % OPEN}.1`,
      event,
    };
  }

  #orders(): object[] {
    return Array.from({ length: OPEN }, (_, index) => {
      const status = (this.#count + index) % 2 === 0 ? 'working' : 'acknowledged';
      const text = `buy ${index + 1}.5 SPY at ${500 + ((this.#count + index) % 50)}.25, ${status}`;
      const of = { strategy: 'bench', symbol: 'SPY', side: 'buy', type: 'limit', ageMs: 1_000 * index };
      return { id: `bench-${index}.1`, ...of, status, text, reason: 'a rung of the ladder', tag: null };
    });
  }
}
