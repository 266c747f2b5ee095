import { mkdtempSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { VERSION } from '../../../../src/core/version.ts';
import { drover } from '../../support/commandLine.ts';
import { QUIET } from './statuses.ts';

const folder = mkdtempSync(join(tmpdir(), 'drover-fleet-'));
const servers: Server[] = [];

/** Address of a daemon that responds with a status, or never if null. */
async function daemon(status: object | null): Promise<string> {
  const server = createServer((_request, response) => {
    if (status) response.setHeader('content-type', 'application/json').end(JSON.stringify(status));
  });
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

describe('drover status of several daemons', () => {
  beforeAll(async () => {
    writeFileSync(join(folder, 'token'), 'a token of thirty-two characters', { mode: 0o600 });
    const urls = {
      well: await daemon({ ...QUIET, version: VERSION }),
      older: await daemon({ ...QUIET, version: '0.0.1' }),
      stuck: await daemon(null),
    };
    const listed = Object.entries(urls).map(
      ([name, url]) => `  - { name: ${name}, url: ${url}, tokenFile: token }`,
    );
    const list = (lines: readonly string[]) =>
      `daemons:\n${lines.join('\n')}\n  - { name: dead, state: nowhere }\n`;
    writeFileSync(join(folder, 'fleet.yaml'), list(listed));
    writeFileSync(join(folder, 'quick.yaml'), list(listed.slice(0, 2)));
  });
  afterAll(() => {
    for (const server of servers) server.closeAllConnections();
    for (const server of servers) server.close();
  });

  const status = (...argv: string[]) => drover(['status', ...argv], { cwd: folder });

  test('lists each daemon with its faults, worst first, and waits at most 3 s for each', async () => {
    const { code, out } = await status('--fleet', 'fleet.yaml');
    expect(code).toBe(1);
    const [head, ...lines] = out.trim().split('\n');
    expect(head).toMatch(/account equity +strategies today/);
    expect(lines.map((line) => line.split(/ {2,}/)[0])).toEqual(['dead', 'stuck', 'older', 'well']);
    expect(lines[0]).toContain('no daemon runs on its state folder');
    expect(lines[1]).toContain('no answer within 3 s');
    expect(lines[2]).toContain('another version');
    expect(lines[3]).toMatch(/active +6,512\.30 +3\.10 +0 +0 +0 .* nothing$/);
  });

  test('gives the whole statuses with --json', async () => {
    const { out } = await status('--fleet', 'quick.yaml', '--json');
    const { daemons } = JSON.parse(out) as {
      daemons: { name: string; faults: string[]; status: typeof QUIET | null }[];
    };
    expect(daemons.map(({ name, faults }) => [name, ...faults])).toEqual([
      ['dead', 'no answer'],
      ['older', 'another version'],
      ['well'],
    ]);
    expect(daemons[2]?.status?.equity).toBe(QUIET.equity);
  });

  test('says with --all that no daemon of this user runs', async () => {
    expect(await status('--all')).toMatchObject({
      code: 0,
      out: 'no daemon of this user runs; --fleet FILE names others\n',
    });
  });

  test.each([
    [['--all', '--watch'], '--watch is for one daemon'],
    [['--fleet', 'fleet.yaml', '--state', 'x'], '--state is for one daemon'],
    [['--fleet', 'none.yaml'], 'none.yaml'],
  ])('refuses %j', async (argv, why) => {
    const { code, err } = await status(...argv);
    expect([code, err]).toEqual([2, expect.stringContaining(why)]);
  });
});
