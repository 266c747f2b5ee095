import { writeFileSync } from 'node:fs';
import type { ServerResponse } from 'node:http';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { service } from '../ops/notify/services.ts';
import { freshDir, start } from './cli.ts';

const LONG_MS = 120_000;

/** Messages by their ids, in the order in which they were taken. */
const idsIn = (bodies: readonly string[]): string[] =>
  bodies.flatMap((body) => (JSON.parse(body) as { messages: { id: string }[] }).messages.map(({ id }) => id));

test(
  'a daemon killed between queueing and sending has reported everything once it runs again',
  { timeout: LONG_MS },
  async () => {
    let hangs = true;
    const hanging: ServerResponse[] = [];
    const taken: string[] = [];
    const web = await service(({ body }, response) => {
      if (hangs) return void hanging.push(response);
      taken.push(body);
      response.writeHead(204).end();
    });
    const state = freshDir();
    const file = join(state, '..', `${state.split('/').pop() ?? ''}.yaml`);
    writeFileSync(
      file,
      `state: ${state}
emulator: { start: '2026-06-15T09:33', speed: 60 }
strategies: [{ id: steady, use: dca, capital: 1000, params: { symbol: SPY, notional: 50, at: '09:35' } }]
notify:
  channels: [{ id: hook, kind: webhook, hears: [alarm, fill, orderEnd, stateChange, daySummary] }]
`,
    );
    const env = { DROVER_NOTIFY_HOOK: `${web.url}/hook#a-signing-key-of-this-test` };
    const killed = start(['run', file], env);
    await killed.line(/bought .* SPY/);
    while (hanging.length === 0) await new Promise((resolve) => setTimeout(resolve, 50));
    killed.child.kill('SIGKILL');
    expect((await killed.done).signal).toBe('SIGKILL');
    for (const response of hanging) response.destroy();
    hangs = false;
    const next = start(['run', file], env);
    while (!taken.join().includes('steady bought')) await new Promise((resolve) => setTimeout(resolve, 50));
    next.child.kill('SIGTERM');
    const { code, err, out } = await next.done;
    await web.close();
    expect([code, `${err}${out}`]).toEqual([0, expect.not.stringContaining('a-signing-key')]);
    const ids = idsIn(taken);
    expect(ids).toEqual([...new Set(ids)]);
    const all = taken.join('\n');
    for (const title of ['Run started', 'Fill', 'Run ended']) expect(all).toContain(title);
    expect(all.match(/steady bought/g)?.length ?? 0).toBeGreaterThan(0);
    expect(ids.filter((id) => id.startsWith('j')).length).toBeGreaterThanOrEqual(4);
  },
);
