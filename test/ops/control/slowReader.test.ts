import { EventEmitter } from 'node:events';
import type { ServerResponse } from 'node:http';
import { expect, test } from 'vitest';
import { Secrets } from '../../../src/core/secrets.ts';
import { epochMs } from '../../../src/core/brand.ts';
import type { EngineContext } from '../../../src/engine/state/engineContext.ts';
import { EventStream } from '../../../src/ops/control/events.ts';
import type { DaemonEvent } from '../../../src/ops/daemon.ts';

/** A response that accepts nothing: everything written waits. */
class StuckResponse extends EventEmitter {
  text = '';
  hasEnded = false;
  writableNeedDrain = false;
  get writableLength(): number {
    return this.text.length;
  }
  writeHead(): void {
    this.text = '';
  }
  write(chunk: Buffer | string): boolean {
    this.text += chunk.toString();
    return false;
  }
  end(chunk = ''): void {
    this.text += chunk;
    this.hasEnded = true;
  }
  destroy(): void {
    this.emit('close');
  }
}

/** A stream over a daemon and a clock that a test moves: `waits` are the timers with their times in ms. */
function stuckStream() {
  const waits: Readonly<{ ms: number; run: () => void }>[] = [];
  const heard: ((event: DaemonEvent) => void)[] = [];
  const stream = new EventStream({
    daemon: {
      context: { market: { instruments: new Map() } } as unknown as EngineContext,
      subscribe: (listener) => {
        heard.push(listener);
        return () => undefined;
      },
    },
    pages: { after: () => ({ lines: [], isEnd: true }), turn: () => Promise.resolve() },
    host: {
      after(ms, run) {
        const wait = { ms, run };
        waits.push(wait);
        return () => void waits.splice(waits.indexOf(wait), 1);
      },
    },
    secrets: new Secrets(),
  });
  const response = new StuckResponse();
  stream.add(response as unknown as ServerResponse, 0, { door: 'socket' });
  return { stream, response, waits, heard };
}

test('a slow event reader is dropped with the number of the last entry sent to it', () => {
  const { stream, response, waits, heard } = stuckStream();
  for (let seq = 1; stream.readers > 0 && seq < 100; seq++) {
    const fact = { kind: 'denied', method: 'GET', path: 'x'.repeat(100_000), group: null } as const;
    heard[0]?.({ kind: 'committed', first: seq, entries: [{ at: epochMs(0), fact }] });
    waits.at(-1)?.run();
  }
  const ids = [...response.text.matchAll(/^id: (\d+)$/gm)].map(([, id]) => Number(id));
  expect(stream.readers).toBe(0);
  expect(response.text).toMatch(new RegExp(`event: dropped\\ndata: \\{"after":${ids.at(-1)}\\}\\n\\n$`));
});

test('an event reader that takes nothing between two pings is dropped; one that takes something stays', () => {
  const { stream, response, waits } = stuckStream();
  const ping = () => waits.find(({ ms }) => ms === 15_000)?.run();
  response.writableNeedDrain = true;
  ping();
  response.emit('drain');
  ping();
  expect(stream.readers).toBe(1);
  ping();
  expect(stream.readers).toBe(0);
  expect(response.text).toContain('event: dropped');
});

test('the event stream of a page ends with its session', () => {
  const { stream } = stuckStream();
  const ends = new Set<() => void>();
  const session = {
    id: 'x',
    role: 'read',
    via: 'code',
    path: '/',
    isSecure: false,
    issued: epochMs(0),
    expires: epochMs(5_000),
    atEnd(run: () => void) {
      ends.add(run);
      return () => ends.delete(run);
    },
  } as const;
  const [page, gone] = [new StuckResponse(), new StuckResponse()];
  for (const response of [page, gone])
    stream.add(response as unknown as ServerResponse, 0, { door: 'tcp', session });
  gone.destroy();
  expect(ends.size).toBe(1);
  for (const end of ends) end();
  expect([page.hasEnded, gone.hasEnded]).toEqual([true, false]);
});
