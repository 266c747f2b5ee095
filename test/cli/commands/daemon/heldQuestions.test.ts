import { beforeEach, expect, test, vi } from 'vitest';
import type { DaemonClient } from '../../../../src/ops/client.ts';
import { findDaemon } from '../../../../src/app/environment/daemons.ts';
import { drover, typing } from '../../support/commandLine.ts';
import { HOLDING, QUIET } from './statuses.ts';

vi.mock('../../../../src/app/environment/daemons.ts', () => ({ findDaemon: vi.fn() }));

type Voice = Pick<DaemonClient, 'steer' | 'command' | 'status' | 'close'>;
const steer = vi.fn<DaemonClient['steer']>();
const status = vi.fn<DaemonClient['status']>();
const client: Voice = {
  steer,
  status,
  command: () =>
    Promise.resolve({
      id: 'c-1',
      by: 'ana',
      reason: '',
      done: true,
      answer: null,
      sent: null,
      ended: null,
      progress: { isDone: true, cancelled: 0, sold: 0, left: [] },
    }),
  close: () => Promise.resolve(),
};

beforeEach(() => {
  vi.resetAllMocks();
  vi.mocked(findDaemon).mockResolvedValue({ stateDir: '/srv/state', client: client as DaemonClient });
  steer.mockResolvedValue({ id: 'c-1', done: true, text: 'done', result: {} });
  status.mockResolvedValue(HOLDING);
});

const on = ['--state', '/srv/state'];
const given = () => steer.mock.calls.map(([verb, body]) => [verb, body]);

test('pause names the held orders that cannot sell under a halt, and needs --yes without a terminal', async () => {
  const { code, err } = await drover(['pause', ...on]);
  expect([code, given()]).toEqual([2, []]);
  expect(err).toContain('a halt stops 2 orders that this bot holds');
  expect(err).toContain('\n  stop at 95 of all AAPL (guard) of trend (trend-4)\n');
  expect(err).toContain('trading was not halted. Pass --yes to halt without asking, or use `drover reduce');
  expect((await drover(['pause', '--yes', ...on])).code).toBe(0);
  expect(given()).toMatchObject([['trade', { state: 'halted' }]]);
});

test('pause --cancel says that the held orders end', async () => {
  const { code, err } = await drover(['pause', '--cancel', ...on]);
  expect([code, given()]).toEqual([2, []]);
  expect(err).toMatch(
    /a halt with --cancel ends 2 orders that this bot holds: after `.*resume.*`, too, nothing sells/,
  );
  expect(err).toContain('without --cancel they stay');
});

test.each([
  ['y', 0, ['halted']],
  ['r', 0, ['reducing']],
  ['', 130, []],
])('pause with held orders acts on the answer %j', async (answer, code, states) => {
  const keyboard = typing(answer);
  expect((await drover(['pause', ...on], { keyboard })).code).toBe(code);
  expect(given().map(([, body]) => (body as { state: string }).state)).toEqual(states);
  expect(keyboard.asked).toHaveLength(1);
});

test('pause of a stock asks only about its held orders; `halt` and `reduce` never ask', async () => {
  expect((await drover(['pause', '--symbol', 'MSFT', ...on])).code).toBe(0);
  const halt = await drover(['halt', '--reason', 'the news', ...on]);
  expect([halt.code, halt.err]).toEqual([0, expect.stringContaining('trend-7')]);
  expect((await drover(['reduce', ...on])).code).toBe(0);
  expect(given()).toHaveLength(3);
});

test('pause halts without a question if the status of the run cannot be read', async () => {
  status.mockRejectedValue(new Error('cannot be read'));
  expect((await drover(['pause', ...on])).code).toBe(0);
  expect(given()).toMatchObject([['trade', { state: 'halted' }]]);
});

test('cancel of a held order that protects a position says so and asks', async () => {
  const { code, err } = await drover(['cancel', 'trend-4', ...on]);
  expect([code, given()]).toEqual([2, []]);
  expect(err).toContain('Cancel, and end 1 order that this bot holds');
  expect(err).toContain('then  nothing sells what it protects');
  expect(err).not.toContain('trend-7');
  expect((await drover(['cancel', 'trend-4', '--yes', ...on])).code).toBe(0);
  expect(given()).toMatchObject([['cancel', { orders: ['trend-4'] }]]);
});

test.each(['trend-5.1', '0xaa', '0xbb', 'bb'])(
  'cancel of the order of a leg, named %s, names the held order that it belongs to',
  async (name) => {
    const [first] = HOLDING.heldOrders;
    if (!first) throw new Error('nothing is held');
    const children = [
      { id: 'trend-5', leg: 'take profit', filled: '0', txHash: '0xaa', venueId: '0xbb' },
      { id: 'trend-6', leg: 'second take profit', filled: '0', txHash: null, venueId: null },
    ];
    status.mockResolvedValue({ ...HOLDING, heldOrders: [{ ...first, children }] });
    const { code, err } = await drover(['cancel', name, ...on]);
    expect([code, err]).toEqual([2, expect.stringContaining('(trend-4)')]);
  },
);

test('cancel of other orders asks nothing', async () => {
  expect((await drover(['cancel', 'dca-3', ...on])).code).toBe(0);
  status.mockResolvedValue(QUIET);
  expect((await drover(['cancel', ...on])).code).toBe(0);
  expect(given()).toHaveLength(2);
});

test('flatten lists the held orders that it ends', async () => {
  const { err } = await drover(['flatten', ...on]);
  expect(err).toContain('end   stop at 95 of all AAPL (guard) of trend (trend-4)');
});

test('stop names the held orders that are not watched until the next start', async () => {
  const { out, err } = await drover(['stop', '--timeout', '0', '--json', ...on]);
  expect(JSON.parse(out)).toMatchObject({ stopping: true, unwatched: ['trend-4', 'trend-7'] });
  expect(err).toContain('nobody watches 2 orders from the end of the run until the next start');
  expect(err).toContain('(trend-7): its stop was touched');
});
