import { EventEmitter } from 'node:events';
import type { ServerResponse } from 'node:http';
import { expect, test } from 'vitest';
import { Secrets } from '../../../src/core/secrets.ts';
import { epochMs } from '../../../src/core/brand.ts';
import type { EngineContext } from '../../../src/engine/state/engineContext.ts';
import { EventStream } from '../../../src/ops/control/events.ts';
import type { DaemonEvent } from '../../../src/ops/daemon.ts';

/** A response that takes nothing: all that is written waits. */
class StuckResponse extends EventEmitter {
  text = '';
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
  }
  destroy(): void {
    this.emit('close');
  }
}

test('a slow reader is dropped with the number of the last entry that it can read', async () => {
  const timers: (() => void)[] = [];
  const heard: ((event: DaemonEvent) => void)[] = [];
  const stream = new EventStream({
    daemon: {
      context: { market: { instruments: new Map() } } as unknown as EngineContext,
      subscribe: (listener) => {
        heard.push(listener);
        return () => undefined;
      },
    },
    pages: { after: () => [] },
    host: {
      after: (_ms, run) => {
        timers.push(run);
        return () => void timers.splice(timers.indexOf(run), 1);
      },
      turn: () => Promise.resolve(),
    },
    secrets: new Secrets(),
  });
  const response = new StuckResponse();
  stream.add(response as unknown as ServerResponse, 0);
  for (let seq = 1; stream.readers > 0 && seq < 100; seq++) {
    const fact = { kind: 'denied', method: 'GET', path: 'x'.repeat(100_000), group: null } as const;
    heard[0]?.({ kind: 'committed', first: seq, entries: [{ at: epochMs(0), fact }] });
    timers.at(-1)?.();
  }
  const ids = [...response.text.matchAll(/^id: (\d+)$/gm)].map(([, id]) => Number(id));
  expect(stream.readers).toBe(0);
  expect(response.text).toMatch(new RegExp(`event: dropped\\ndata: \\{"after":${ids.at(-1)}\\}\\n\\n$`));
});
