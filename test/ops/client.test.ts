import { createServer, type Server } from 'node:http';
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, expect, test } from 'vitest';
import { NoAnswerError, OutcomeUnknownError } from '../../src/core/errors.ts';
import { DaemonClient } from '../../src/ops/client.ts';

let server: Server | undefined;
let client: DaemonClient | undefined;
afterEach(async () => {
  await client?.close();
  server?.close();
});

/** A client of a daemon that answers everything alike. */
async function answered(body: unknown): Promise<DaemonClient> {
  const socket = join(mkdtempSync(join(tmpdir(), 'drover-')), 'control.sock');
  server = createServer((_request, response) => {
    response.setHeader('content-type', 'application/json').end(JSON.stringify(body));
  });
  await new Promise<void>((resolve) => server?.listen(socket, resolve));
  return (client = new DaemonClient({ socket, client: 'a test' }));
}

test('a command whose answer cannot be understood may have been carried out', async () => {
  const daemon = await answered({ outcome: 'of another version' });
  await expect(daemon.steer('trade', { state: 'halted' })).rejects.toThrow(OutcomeUnknownError);
});

test('a read that cannot be understood is no answer', async () => {
  const daemon = await answered({ of: 'another version' });
  await expect(daemon.status()).rejects.toThrow(NoAnswerError);
});
