import { beforeEach, expect, test, vi } from 'vitest';
import { ordersCommand } from '../../../../src/cli/commands/orders/orders.ts';
import { ordersCancel } from '../../../../src/cli/commands/orders/cancel.ts';
import type { CommandContext } from '../../../../src/process/context.ts';
import { withVenue } from '../../../../src/app/environment/connect.ts';
import { withCarrier, withDaemon, type Carrier } from '../../../../src/app/transfers/manualSends.ts';
import type { DaemonClient } from '../../../../src/ops/client.ts';
import { HOLDING } from '../daemon/statuses.ts';

vi.mock('../../../../src/app/environment/connect.ts', () => ({ withVenue: vi.fn() }));
vi.mock('../../../../src/app/transfers/manualSends.ts', () => ({
  withDaemon: vi.fn(),
  withCarrier: vi.fn(),
  followCancel: vi.fn(),
}));

const status = vi.fn<DaemonClient['status']>();
const daemon = { status } as unknown as DaemonClient;
let [out, err] = ['', ''];
const contextWith = (json: boolean) =>
  ({
    json,
    terminal: { out: (text: string) => (out += `${text}\n`), err: (text: string) => (err += `${text}\n`) },
    keyboard: { present: false },
  }) as unknown as CommandContext;

beforeEach(() => {
  [out, err] = ['', ''];
  status.mockResolvedValue(HOLDING);
  vi.mocked(withVenue).mockResolvedValue({ total: 0, rows: [] });
  vi.mocked(withDaemon).mockImplementation((_flags, _context, work) => work(daemon));
});

test('orders lists the held orders of the run, which the venue does not know', async () => {
  await ordersCommand({}, contextWith(false));
  expect(out).toContain('no orders\n\nheld orders: 2');
  expect(out).toContain('stop at 95 of all AAPL (guard)');
});

test('orders --json lists only the orders of the venue', async () => {
  await ordersCommand({}, contextWith(true));
  expect(JSON.parse(out)).toEqual([]);
  expect(err).toContain('held orders: 2');
});

test('orders lists the orders of the venue when the run cannot be reached', async () => {
  vi.mocked(withDaemon).mockRejectedValue(new Error('several daemons'));
  await ordersCommand({}, contextWith(false));
  expect(out).toBe('no orders\n');
});

test('a manual cancel says which held order ends with it', async () => {
  vi.mocked(withCarrier).mockImplementation((_use, context, work) =>
    work({ client: daemon, context, manual: null }),
  );
  await expect(ordersCancel({ order: 'trend-7' }, contextWith(false))).rejects.toThrow(
    'there is no terminal',
  );
  expect(err).toContain('ends     bracket: buy 2 SPY of trend (trend-7)');
});

test('a manual cancel without a run says which held order ends with it', async () => {
  const order = {
    id: 'trend-7.1',
    intentId: 'trend-8',
    strategyId: 'trend',
    terms: { symbol: 'SPY', side: 'sell', type: 'limit', quantity: 2n, price: 3n },
    state: { kind: 'working', venueId: '0xbb', txHash: '0xaa' },
    cancel: { kind: 'none' },
    plannedAt: 0,
  };
  const parent = {
    order: {
      id: 'trend-7',
      symbol: 'SPY',
      reason: '',
      terms: { kind: 'stop', side: 'sell', quantity: 'all', limit: null, stop: 95n * 10n ** 18n },
    },
  };
  const accountState = {
    byTx: new Map(),
    byVenueId: new Map([['bb', order.id]]),
    orders: new Map([[order.id, order]]),
    synthetics: { parentOf: () => 'trend-7', live: new Map([['trend-7', parent]]) },
  };
  const manual = { accountState, client: daemon, isDelegated: () => true } as unknown as Carrier['manual'];
  vi.mocked(withCarrier).mockImplementation((_use, context, work) =>
    work({ client: daemon, context, manual }),
  );
  await expect(ordersCancel({ order: '0xbb' }, contextWith(false))).rejects.toThrow('there is no terminal');
  expect(err).toMatch(/ends +.*SPY.* of trend \(trend-7\)/);
});
