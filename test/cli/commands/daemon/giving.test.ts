import { beforeEach, expect, test, vi } from 'vitest';
import { NoAnswerError, OutcomeUnknownError, SafetyError } from '../../../../src/core/errors.ts';
import type { DaemonClient } from '../../../../src/ops/client.ts';
import { findDaemon } from '../../../../src/app/environment/daemons.ts';
import { drover } from '../../support/commandLine.ts';
import { BUSY, QUIET } from './statuses.ts';

vi.mock('../../../../src/app/environment/daemons.ts', () => ({ findDaemon: vi.fn() }));

type Voice = Pick<DaemonClient, 'steer' | 'command' | 'status' | 'close'>;
const steer = vi.fn<DaemonClient['steer']>();
const command = vi.fn<DaemonClient['command']>();
const status = vi.fn<DaemonClient['status']>();

const taken = { id: 'c-1', done: true, text: '2 orders are cancelled', result: { state: 'halted' } };
const after = (left: readonly string[]) => ({
  id: 'c-1',
  by: 'ana',
  reason: '',
  done: true,
  answer: null,
  sent: null,
  ended: null,
  progress: { isDone: left.length === 0, cancelled: 2, sold: 0, left: [...left] },
});

beforeEach(() => {
  vi.resetAllMocks();
  const client: Voice = { steer, command, status, close: () => Promise.resolve() };
  vi.mocked(findDaemon).mockResolvedValue({ stateDir: '/srv/state', client: client as DaemonClient });
  steer.mockResolvedValue(taken);
  command.mockResolvedValue(after([]));
  status.mockResolvedValue(QUIET);
});

const cancel = (...more: string[]) => drover(['cancel', '--state', '/srv/state', ...more]);

test('a command is sent to the daemon once, and polled until nothing is left to do', async () => {
  command.mockResolvedValueOnce(after(['a-1'])).mockResolvedValueOnce(after([]));
  const { code, out } = await cancel('--json');
  expect([code, JSON.parse(out)]).toEqual([0, { state: 'halted', cancelled: 2, sold: 0, left: [] }]);
  expect([steer.mock.calls.length, command.mock.calls.length]).toEqual([1, 2]);
});

test('a command that is not done within --timeout names what is left, with exit 1', async () => {
  command.mockResolvedValue(after(['a-1: sell 3 AAPL']));
  const { code, out } = await cancel('--timeout', '0');
  expect([code, out]).toEqual([1, expect.stringContaining('the run continues with it')]);
  expect(out).toContain('\n  a-1: sell 3 AAPL');
});

test('a command without a response is unknown, and never sent again', async () => {
  steer.mockRejectedValue(new OutcomeUnknownError('unknown whether it was carried out: see `drover status`'));
  const lost = await cancel();
  expect([lost.code, lost.err]).toEqual([3, expect.stringContaining('see `drover status')]);
  steer.mockResolvedValue({ ...taken, done: false });
  const late = await cancel();
  expect([late.code, late.err]).toEqual([
    3,
    expect.stringContaining('has no answer yet: its outcome is unknown'),
  ]);
  expect(steer).toHaveBeenCalledTimes(2);
});

test('a command refused by a safety rule ends with exit 4', async () => {
  steer.mockRejectedValue(new SafetyError('ledger and venue differ'));
  expect(await cancel()).toEqual({ code: 4, out: '', err: 'drover: ledger and venue differ\n' });
});

test('a command interrupted while it waits says that the run continues it', async () => {
  command.mockResolvedValue(after(['a-1']));
  const ended = new AbortController();
  setTimeout(() => ended.abort(), 50);
  const { code, err } = await drover(['cancel', '--state', '/srv/state'], { signal: ended.signal });
  expect([code, err]).toEqual([130, expect.stringContaining('the command continues')]);
});

test.each([
  ['pause'],
  ['flatten', '--yes'],
  ['stop', '--timeout', '0'],
  ['freeze', 'AAPL', '--reason', 'x'],
  ['accept', 'mUSD', '--reason', 'x', '--yes'],
])('%s does not steer a live run that --state did not name', async (...argv) => {
  status.mockResolvedValue({ ...QUIET, mode: 'live' });
  const { code, err } = await drover(argv);
  expect([code, err]).toEqual([2, expect.stringContaining('name it with --state /srv/state')]);
  expect(steer).not.toHaveBeenCalled();
});

test('stop waits for the end of the run', async () => {
  const found = await findDaemon({}, {} as never);
  vi.mocked(findDaemon)
    .mockResolvedValueOnce(found)
    .mockResolvedValueOnce(found)
    .mockResolvedValue({ stateDir: '/srv/state', client: null });
  const { code, out } = await drover(['stop', '--state', '/srv/state', '--json']);
  expect([code, JSON.parse(out)]).toEqual([0, { stopping: true, ended: true }]);
});

test('stop does not consider a run ended just because it fails to respond', async () => {
  status.mockRejectedValue(new NoAnswerError('the daemon did not answer: Headers Timeout Error'));
  const { code, out } = await drover(['stop', '--state', '/srv/state', '--timeout', '1', '--json']);
  expect([code, JSON.parse(out)]).toEqual([1, { stopping: true, ended: false }]);
});

test('accept and resolve without --yes change nothing', async () => {
  steer.mockResolvedValue({ ...taken, result: { adopted: false } });
  await drover(['accept', 'mUSD', '--reason', 'x', '--state', '/srv/state']);
  expect(steer.mock.calls).toEqual([['accept', { asset: 'mUSD', reason: 'x', preview: true }]]);
  status.mockResolvedValue(BUSY);
  const { code, out } = await drover(['orders', 'resolve', 'dca-3', '--state', '/srv/state', '--json']);
  expect([code, JSON.parse(out)]).toMatchObject([0, { order: 'dca-3', resolved: false }]);
  expect(steer).toHaveBeenCalledTimes(1);
});
