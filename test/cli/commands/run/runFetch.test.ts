import { mkdtempSync, writeFileSync } from 'node:fs';
import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { drover } from '../../support/commandLine.ts';

/** Buys once, for the amount at the address. */
const BUYER = `import { defineStrategy } from 'drover/strategy';
import { z } from 'zod';
export default defineStrategy({
  name: 'buyer',
  description: 'Buys by a text.',
  params: z.strictObject({}),
  data: () => ({ quotes: ['AAPL'], fetch: ['size'] }),
  create: ({ state }) => ({
    onQuote({ view, order }) {
      const size = view.fetched('size');
      if (!size || state.done) return;
      state.done = true;
      order.buy('AAPL', { notional: size.text });
    },
  }),
});
`;

const heard: IncomingHttpHeaders[] = [];
const web = createServer(({ headers }, response) => {
  heard.push(headers);
  response.end('123');
});
const cwd = mkdtempSync(join(tmpdir(), 'drover-fetch-'));
const configOf = (fetch: string) =>
  `emulator: { speed: 300 }\nstrategies:\n  - { id: one, use: ./buyer.ts, capital: 1000, ${fetch} }\n`;

beforeAll(async () => {
  await new Promise<void>((resolve) => web.listen(0, '127.0.0.1', resolve));
  const { port } = web.address() as AddressInfo;
  writeFileSync(join(cwd, 'buyer.ts'), BUYER);
  writeFileSync(
    join(cwd, 'run.yaml'),
    configOf(`fetch: { size: { url: 'http://127.0.0.1:${port}/', everySeconds: 10 } }`),
  );
});
afterAll(() => void web.close());

test('a run fetches the text of an address for its strategy, journals it, and replays without the address', async () => {
  const env = { DROVER_API_KEY: 'key-of-a-test', DROVER_API_SECRET: 'secret-of-a-test' };
  const run = ['run', 'run.yaml', '--until', '2026-06-15T09:40', '--state', 'state', '--json'];
  const { code, out } = await drover(run, { cwd, env });
  expect(code).toBe(0);
  expect(JSON.parse(out)).toMatchObject({ orders: { filled: 1 } });
  expect(Object.keys(heard[0] ?? {}).sort()).toEqual(['connection', 'host']);
  web.close();
  web.closeAllConnections();
  const shown = await drover(['journal', 'show', '--kind', 'fetched', '--state', 'state', '--json'], { cwd });
  expect(JSON.parse(shown.out.split('\n')[0] ?? '')).toMatchObject({
    kind: 'fetched',
    name: 'size',
    text: '123',
  });
  const replay = () => drover(['journal', 'replay', '--config', 'run.yaml', '--state', 'state'], { cwd });
  const again = await replay();
  expect(again).toMatchObject({
    code: 0,
    out: expect.stringContaining('the same: 1 order intent') as string,
  });
  writeFileSync(join(cwd, 'buyer.ts'), BUYER.replace('size.text', '"5"'));
  const edited = await replay();
  expect(edited.code).toBe(1);
  expect(edited.out).toMatch(
    /entry \d+ of \S+ differs\n.*\n.*\n {2}code and config of the strategies are .* now/,
  );
});
