import { describe, expect, test } from 'vitest';
import { EXIT } from '../../../src/cli/exitCodes.ts';
import type { CommandContext } from '../../../src/cli/context.ts';
import { handOver } from '../../../src/cli/transfers/manualSends.ts';
import type { DaemonClient } from '../../../src/ops/client.ts';

type Sent = Readonly<Record<string, string>> | null;

/** A daemon that tells at each question the next of these rows. */
function daemonWith(rows: readonly Sent[]) {
  let asked = 0;
  const command = () => {
    const sent = rows[Math.min(asked++, rows.length - 1)];
    const answer = { kind: 'done', text: '', result: {} };
    return Promise.resolve({ id: 'one', answer, progress: { isDone: false }, sent, ended: null });
  };
  const get = () => Promise.resolve({ what: 'Place', facts: [], refusal: null, refused: null, body: {} });
  const steer = () => Promise.resolve({ id: 'one', text: 'under way' });
  return { client: { get, steer, command } as unknown as DaemonClient, asked: () => asked };
}

async function followed(rows: readonly Sent[]) {
  const printed: unknown[] = [];
  const daemon = daemonWith(rows);
  const context = {
    terminal: { err: () => undefined },
    stopSignal: () => new AbortController().signal,
  } as unknown as CommandContext;
  const send = {
    verb: 'orders',
    fields: {},
    print: (row: unknown) => printed.push(row),
    mayRest: true,
  } as const;
  const code = await handOver([send], { yes: true }, { client: daemon.client, context, manual: null });
  return { code, printed, asked: daemon.asked() };
}

describe('a limit order through a daemon', () => {
  test('that has not left yet is followed until there is a row to print', async () => {
    const rows = [null, { state: 'sent' }, { state: 'working' }];
    expect(await followed(rows)).toEqual({ code: EXIT.done, printed: [{ state: 'working' }], asked: 3 });
  });

  test('is printed as waiting while it waits for the open', async () => {
    expect(await followed([{ state: 'waiting' }])).toMatchObject({
      code: EXIT.done,
      printed: [{ state: 'waiting' }],
    });
  });
});
