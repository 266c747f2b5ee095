import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { ASSUMED } from '../../src/api/assumptions/assumptions.ts';
import { failureOf } from '../../src/api/failures.ts';
import { systemClock } from '../../src/core/clock.ts';
import { createLog } from '../../src/core/log.ts';
import { Secrets } from '../../src/core/secrets.ts';
import { epochMs } from '../../src/core/brand.ts';
import { createNodeRpc } from '../../src/venue/nodeRpc.ts';
import { confirm } from '../../src/app/transfers/confirm.ts';
import type { CommandContext } from '../../src/process/context.ts';
import { narrator } from '../../src/cli/commands/run/messages.ts';
import { table } from '../../src/process/output.ts';
import { reportFailure } from '../../src/process/exitCodes.ts';
import { terminalOn } from '../../src/process/terminal.ts';
import { drover } from '../cli/support/commandLine.ts';
import { declined, startVenueStub, type StubAnswers } from '../cli/support/venueStub.ts';

const folder = mkdtempSync(join(tmpdir(), 'drover-hostile-'));
const USER = `0x${'1'.repeat(40)}`;
/** Clears the screen, writes a lie on its own line, and overwrites the rest. */
const EVIL = '\u001B[2J\u009B2J\n✓ sold everything\r\u202E\u200B\u0007\u001B]0;title\u0007';
const ACTS = /[\u0000-\u0008\u000B-\u001F\u007F-\u009F\u200B-\u200F\u2028-\u202E\u2066-\u2069]/;
const FORGED = /^✓ sold everything/m;

async function against(answers: StubAnswers) {
  const stub = await startVenueStub(answers);
  onTestFinished(() => stub.close());
  const config = join(folder, 'hostile.yaml');
  writeFileSync(
    config,
    `mode: live
venue: { baseUrl: '${stub.baseUrl}', chainId: 143, product: ProductA, userAddress: '${USER}' }
limits: { orderNotional: 1, positionNotional: 1, grossExposure: 1, ordersPerMinute: 1, dayLoss: 1, priceBandBps: 1, quoteAgeMs: 1000 }
strategies: [{ id: one, use: dca, capital: 20, params: { symbol: AAPL, notional: '5' } }]
`,
  );
  const env = { DROVER_API_KEY: 'key-of-mine', DROVER_API_SECRET: 'secret-of-mine', HOME: folder };
  return (...argv: string[]) => drover([...argv, '--config', config], { env });
}

const row = (more: object = {}) => ({
  mapping: {
    txHash: `0x${'ab'.repeat(32)}`,
    operationType: 'trade',
    createTime: 1_700_000_000,
    status: EVIL,
  },
  openOrder: {
    orderId: EVIL,
    side: 'Buy',
    type: 'Limit',
    symbol: `AAPL${EVIL}`,
    status: `Open${EVIL}`,
    placeQuantity: '1',
    ...more,
  },
});

const refusing = () => declined(10_003, `no ${EVIL} ${'x'.repeat(1_000_000)}`);
const EVERYTHING: StubAnswers = Object.fromEntries(
  [
    `users/${USER}/balance`,
    `users/${USER}/positions`,
    'orders',
    'symbols',
    '1ct/status',
    'cash/deposits',
    'stock/deposits',
    'debts',
  ].map((path) => [`GET /api/v1/${path}`, refusing]),
);

test.each([
  ['orders', 'list'],
  ['balance'],
  ['positions'],
  ['doctor'],
  ['oneclick', 'status'],
  ['orders', 'list', '--json'],
  ['balance', '--json', '--verbose'],
])('a hostile error text of the venue cannot control the terminal and is cut: %s %s %s', async (...argv) => {
  const run = await against(EVERYTHING);
  const { out, err, code } = await run(...argv);
  expect(code).not.toBe(0);
  expect(out + err).not.toMatch(ACTS);
  expect(out + err).not.toMatch(FORGED);
  expect((out + err).length).toBeLessThan(20_000);
  if (!argv.includes('--json')) expect(out + err).toMatch(/… \(99\d{4} more characters\)/);
});

test('hostile text in rows cannot control the terminal, and is unchanged in JSON', async () => {
  const orders = { total: 2, rows: [row(), row()] };
  const run = await against({ 'GET /api/v1/orders': () => orders });
  const shown = await run('orders', 'list');
  expect(shown.code).toBe(0);
  expect(shown.out + shown.err).not.toMatch(ACTS);
  expect(shown.out + shown.err).not.toMatch(FORGED);
  expect(shown.out.trimEnd().split('\n')).toHaveLength(3);
  const json = await run('api', 'GET', '/api/v1/orders', '--json');
  expect(json.out).not.toMatch(ACTS);
  expect((JSON.parse(json.out) as { data: unknown }).data).toEqual(orders);
  const pretty = await run('api', 'GET', '/api/v1/orders');
  expect(pretty.out).not.toMatch(ACTS);
  expect((JSON.parse(pretty.out) as { data: unknown }).data).toEqual(orders);
});

test('an error of the venue keeps its beginning and code, and says how much was cut', () => {
  const envelope = {
    code: 10_003,
    errMsg: `no cash${EVIL}${'x'.repeat(5_000)}`,
    uuid: EVIL,
    t: 0,
    data: null,
  };
  const answer = { kind: 'declined', status: 400, headers: {}, body: '', envelope } as const;
  const route = { method: 'GET', path: '/api/v1/balance', repeat: 'always' } as never;
  const error = failureOf(answer, route, { redact: (text) => text, refusals: ASSUMED.refusals });
  expect(error.message).toContain('no cash\\u001b[2J');
  expect(error.message).toMatch(/… \(\d+ more characters\) \(code 10003/);
  expect(error.message).not.toMatch(ACTS);
  expect(error.message).not.toContain('\n');
});

test('an error of the node is kept on one line and cut', async () => {
  const server = createServer((request, response) => {
    let body = '';
    request.on('data', (chunk: Buffer) => (body += chunk.toString()));
    request.on('end', () => {
      const { id } = JSON.parse(body) as { id: string };
      response.end(
        JSON.stringify({
          id,
          error: { code: -32_000, message: `nonce too low${EVIL}${'x'.repeat(100_000)}` },
        }),
      );
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  const rpc = createNodeRpc({
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    clock: systemClock,
  });
  onTestFinished(() => rpc.close());
  const failed = await rpc
    .askOnce('eth_sendRawTransaction', [], {} as never)
    .catch((error: unknown) => error as Error);
  expect((failed as Error).message).toMatch(/^nonce too low\\u001b.*… \(\d+ more characters\)$/);
});

test('a hostile log line stays one line of JSON with the same values', () => {
  const lines: string[] = [];
  const write = (line: string) => void lines.push(line);
  const log = createLog({ level: 'info', clock: systemClock, secrets: new Secrets(), write });
  log.info({ text: EVIL }, EVIL);
  expect(lines.join('')).not.toMatch(ACTS);
  expect(lines.join('')).toMatch(/^[^\n]*\n$/);
  expect(JSON.parse(lines[0] ?? '')).toMatchObject({ text: EVIL, msg: EVIL });
});

function caught(colour: boolean) {
  let text = '';
  const write = (more: string) => (text += more);
  const terminal = terminalOn({ stdout: { write }, stderr: { write, isTTY: true }, colour }, new Secrets());
  return { terminal, text: () => text };
}

test.each([true, false])(
  'hostile text in alarms, cells, progress and crashes cannot control the terminal (in colour: %s)',
  (colour) => {
    const { terminal, text } = caught(colour);
    narrator(terminal, (line) => terminal.out(line))({
      at: epochMs(0),
      kind: 'alarm',
      strategyId: EVIL,
      text: `${EVIL}${'x'.repeat(9_000)}`,
    });
    terminal.out(table(['a'], [[EVIL], ['y'.repeat(5_000)]]));
    reportFailure(new Error(`${EVIL}${'z'.repeat(100_000)}`), terminal, {
      json: false,
      verbose: true,
      secrets: new Secrets(),
    });
    terminal.out('');
    const shown = text().replaceAll(/\u001B\[(?:1|2|22|31|32|33|39)m/g, colour ? '' : '$&');
    expect(shown).not.toMatch(ACTS);
    expect(shown.length).toBeLessThan(50_000);
    expect(shown.match(/more characters/g)?.length).toBeGreaterThanOrEqual(3);
    terminal.status?.(EVIL);
    expect(text().slice(-200).replace('\r\u001B[K', '')).not.toMatch(/\n✓|\u009B|\u202E/);
  },
);

test('a plan shows only its own lines, whatever the venue calls its tokens', () => {
  const { terminal, text } = caught(false);
  const plan = { what: `Deposit 5 US${EVIL}DC`, facts: [['token', `US${EVIL}DC`]] } as const;
  confirm(plan, true, { terminal } as CommandContext);
  expect(text()).not.toMatch(ACTS);
  expect(text().trimEnd().split('\n')).toHaveLength(2);
});

test('an error as JSON stays valid JSON, however long its text', () => {
  const { terminal, text } = caught(false);
  reportFailure(new Error(`${EVIL}${'z'.repeat(1_000_000)}`), terminal, {
    json: true,
    verbose: true,
    secrets: new Secrets(),
  });
  expect(text().length).toBeLessThan(100_000);
  expect(JSON.parse(text())).toMatchObject({ error: { code: 'UNEXPECTED' } });
});

test('main.ts writes to stdout and stderr only through the terminal', () => {
  const main = readFileSync('src/cli/main.ts', 'utf8');
  expect(main).not.toMatch(/std(out|err)\.write/);
});
