import { describe, expect, test } from 'vitest';
import { ALLOWED_GROUPS, denialOf, type AllowedGroup } from '../../src/api/allowList.ts';
import type { Method } from '../../src/api/endpoint.ts';
import { ConfigError, NotSentError, SafetyError } from '../../src/core/errors.ts';
import { createLog } from '../../src/core/log.ts';
import { Secrets } from '../../src/core/secrets.ts';
import { VirtualClock } from '../../src/core/virtualClock.ts';
import { clientOver, reply, start } from './fakeTransport.ts';
import { specified } from './specified.ts';

const NONE: ReadonlySet<AllowedGroup> = new Set();
const EVERY: ReadonlySet<AllowedGroup> = new Set(ALLOWED_GROUPS);
const orderId = `0x${'cd'.repeat(32)}`;
const hash = `0x${'ab'.repeat(32)}`;
const token = `0x${'1'.repeat(40)}` as const;
const filled = (path: string) => `/api/v1${path.replace(/\{\w+\}/, orderId)}`;

describe('the list of allowed calls', () => {
  test.each(specified)('requires for $method $path: $group', ({ method, path, group }) => {
    const target = { method, path: filled(path) };
    expect(denialOf(target, NONE)?.group ?? null).toBe(group);
    if (group !== null) {
      expect(denialOf(target, new Set([group]))).toBeNull();
      const others = ALLOWED_GROUPS.filter((other) => other !== group);
      expect(denialOf(target, new Set(others))?.group).toBe(group);
    }
  });

  test.each([
    ['POST', '/api/v1/cash/withdrawals'],
    ['DELETE', '/api/v1/cash/withdrawals/send'],
    ['POST', '/api/v1/orders/send/more'],
    ['DELETE', '/api/v1/orders/with-deposit/send'],
    ['POST', `/api/v1/orders/${orderId}/send`],
  ])('requires the group unlisted for %s %s, a write the list does not contain', (method, path) => {
    expect(denialOf({ method, path }, NONE)?.group).toBe('unlisted');
    expect(denialOf({ method, path }, new Set(['unlisted']))).toBeNull();
  });

  test.each([
    ['GET', '/api/v1/prices/AAPL/../../1ct/disable'],
    ['GET', '/api/v1/prices/./AAPL'],
    ['POST', '/api/v1/orders/../cash/withdrawals/send'],
    ['POST', '/api/v1/orders/send/..'],
    ['POST', '/api/v1/cash%2Fwithdrawals/send'],
    ['POST', '/api/v1/cash/withdrawals/%73end'],
    ['POST', '/api/v1/orders/%2e%2e/cash/withdrawals/send'],
    ['GET', '/api/v1/prices/AAPL%2F..%2F..%2F1ct%2Fdisable'],
    ['GET', '/api/v1/prices/AAPL%0d%0a'],
    ['GET', '/api/v1/prices/AAPL\n'],
    ['POST', '/api/v1//cash/withdrawals/send'],
    ['POST', '/api/v1/cash/withdrawals/send/'],
    ['POST', '/api/v1/cash\\withdrawals/send'],
    ['POST', '/api/v1/cash/withdrawals/send;a=b'],
    ['POST', '/api/v1/orders/send?x'],
    ['POST', '/api/v1/orders/send#x'],
    ['POST', '/API/v1/orders/send'],
    ['POST', '/cash/withdrawals/send'],
    ['POST', '/api/v1/orders/ſend'],
    ['POST', '/api/v1/Cash/Withdrawals/SEND'],
    ['POST', '/api/v1/ORDERS/send'],
    ['DELETE', `/api/v1/orders/${orderId}/SEND`],
    ['post', '/api/v1/orders/send'],
    ['get', '/api/v1/symbols'],
    ['PUT', '/api/v1/orders/send'],
  ])('refuses %s %s whatever groups are allowed', (method, path) => {
    expect(denialOf({ method, path }, EVERY)).toMatchObject({ group: null });
  });
});

describe('a client with allowed groups', () => {
  const withdrawal = { body: { tokenAddress: token, creditAmount: '5' } } as const;
  const sent = () => reply({ uuid: 'u', txHash: hash });

  test('denies other calls, typed or raw: reported, logged, counted and not sent', async () => {
    const lines: string[] = [];
    const clock = new VirtualClock({ start });
    const log = createLog({
      level: 'warn',
      clock,
      secrets: new Secrets(),
      write: (line) => void lines.push(line),
    });
    const told: unknown[] = [];
    const { client, sent: left } = clientOver(sent, { log, onDenied: (call) => void told.push(call) });

    const denied = await client.cashWithdrawalSend(withdrawal).catch((error: unknown) => error);
    expect(denied).toBeInstanceOf(SafetyError);
    expect(denied).toMatchObject({
      effect: 'none',
      message:
        "POST /api/v1/cash/withdrawals/send was not sent: 'withdrawals' is switched off. " +
        'Add it to the config (signing: { allow: [withdrawals] }), ' +
        "pass allow: ['withdrawals'] to createVenueClient, or --allow withdrawals to `drover api`",
      details: { method: 'POST', path: '/api/v1/cash/withdrawals/send', group: 'withdrawals' },
    });
    await expect(client.call('POST', '/api/v1/1ct/disable')).rejects.toThrow(SafetyError);
    await expect(client.call('GET', '/api/v1/prices/AAPL/../../1ct/disable')).rejects.toThrow(SafetyError);
    await expect(client.orderRecordTx({ body: { txHash: hash } })).rejects.toThrow(/allow: \['record'\]/);

    expect(client.denied).toBe(4);
    expect(told).toMatchObject([
      { method: 'POST', path: '/api/v1/cash/withdrawals/send', group: 'withdrawals' },
      { method: 'POST', path: '/api/v1/1ct/disable', group: 'delegation' },
      { method: 'GET', group: null },
      { method: 'POST', path: '/api/v1/orders/tx', group: 'record' },
    ]);
    expect(client.requests.total).toBe(0);
    expect(left).toEqual([]);
    expect(lines).toHaveLength(4);
    expect(JSON.parse(lines[0] ?? '')).toMatchObject({ level: 50, group: 'withdrawals', method: 'POST' });
  });

  test('sends calls of an allowed group, and order calls', async () => {
    const { client, sent: left } = clientOver(sent, { allow: ['withdrawals'] });

    await client.cashWithdrawalSend(withdrawal);
    await client.orderCancelSend({ path: { orderId }, query: { deadline: 1_700_000_060 } });
    expect(left.map(({ uri }) => uri)).toEqual([
      '/api/v1/cash/withdrawals/send',
      `/api/v1/orders/${orderId}/send?deadline=1700000060`,
    ]);
    expect(client.denied).toBe(0);
  });

  test('refuses a method in lower case, even if the method in upper case is allowed', async () => {
    const { client, sent: left } = clientOver(sent, { allow: ALLOWED_GROUPS });

    await expect(client.call('post' as Method, '/api/v1/cash/withdrawals/send')).rejects.toThrow(SafetyError);
    expect(left).toEqual([]);
  });

  test('is not changed by later changes to the list it was given', async () => {
    const allow: AllowedGroup[] = [];
    const { client } = clientOver(sent, { allow });

    allow.push('withdrawals');
    await expect(client.cashWithdrawalSend(withdrawal)).rejects.toThrow(SafetyError);
  });

  test('refuses a symbol that would change the path', async () => {
    const { client, sent: left } = clientOver(sent);

    for (const symbol of ['AAPL/../../1ct/disable?x=', 'A\r\nB', 'A%2FB', '', 'A B'])
      await expect(client.prices({ path: { symbol } })).rejects.toThrow(NotSentError);
    await expect(client.prices({ path: { symbol: '..' } })).rejects.toThrow(SafetyError);
    expect(left).toEqual([]);
  });

  test('withholds the signature in the dry run of a denied call', () => {
    const { client } = clientOver(sent);

    const { headers, url } = client.dryRun('POST', '/api/v1/cash/withdrawals/send');
    expect(url).toContain('/cash/withdrawals/send');
    expect(headers['x-api-sign']).toBe('(withheld)');
    expect(client.denied).toBe(0);
  });

  test('is not created with an unknown group', () => {
    expect(() => clientOver(sent, { allow: ['everything' as AllowedGroup] })).toThrow(ConfigError);
  });
});
