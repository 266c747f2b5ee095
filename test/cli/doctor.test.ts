import { afterEach, beforeEach, expect, test } from 'vitest';
import { link, startOneUser } from './support/oneUser.ts';
import { declined } from './support/venueStub.ts';

let one: Awaited<ReturnType<typeof startOneUser>>;
beforeEach(async () => {
  one = await startOneUser();
});
afterEach(() => one.venue.close());

const verdicts = (out: string) =>
  Object.fromEntries(
    (JSON.parse(out) as { check: string; verdict: string }[]).map(({ check, verdict }) => [check, verdict]),
  );

test('doctor goes through everything', async () => {
  one.writeConfig('', { mode: 'live' });
  const { code, out } = await one.run('doctor', '--probe', '--json');
  expect(code).toBe(0);
  expect(verdicts(out)).toMatchObject({
    ...{ config: 'ok', venue: 'ok', clock: 'ok', 'signed read': 'ok', permission: 'ok', binding: 'ok' },
    ...{
      'one click': 'ok',
      balance: 'ok',
      'order list': 'ok',
      strategies: 'ok',
      symbols: 'ok',
      limits: 'ok',
    },
    ...{ 'probe /api/v1/orders': 'ok', 'probe /api/v1/symbols': 'ok' },
  });
});

test('doctor needs no more than a read key when nothing will be sent', async () => {
  const { code } = await one.run('doctor');
  expect(code).toBe(0);
  expect(one.sent().filter((request) => !request.startsWith('GET'))).toEqual([]);
});

test('doctor tells a key that may only read, delegation that is off, and a symbol that is not there', async () => {
  one.writeConfig('', { mode: 'live', symbol: 'NOPE' });
  one.delegation.enabled = false;
  one.answers['POST /api/v1/1ct/prepare'] = () => declined(401, 'unauthorized');
  const { code, out } = await one.run('doctor', '--json');
  expect(code).toBe(3);
  expect(verdicts(out)).toMatchObject({
    permission: 'fail',
    'one click': 'fail',
    symbols: 'fail',
    binding: 'ok',
  });
});

test('doctor lists what is left when the venue only says unauthorized', async () => {
  one.answers['GET /api/v1/symbols'] = () => declined(401, 'unauthorized');
  const { code, out } = await one.run('doctor');
  expect(code).toBe(3);
  expect(out).toMatch(
    /fail +signed read .*does not accept the key, and does not say why\. It is not the clock/,
  );
  expect(out).toContain('key (env DROVER_API_KEY) and secret (env DROVER_API_SECRET)');
  expect(out).toContain('whitelist');
  expect(out).toContain('chain 143 and ProductA, in this very case');
  expect(one.venue.requests).toHaveLength(1);
});

test('doctor sees a list that is not newest first', async () => {
  one.answers['GET /api/v1/orders'] = () => ({ total: 2, rows: [link(1_781_530_000), link(1_781_530_060)] });
  expect(verdicts((await one.run('doctor', '--json')).out)['order list']).toBe('fail');
});

test('doctor --probe names unknown fields and words', async () => {
  one.answers['GET /api/v1/orders'] = () => ({
    total: 1,
    rows: [{ ...link(1_781_530_000), status: 'Parked', colour: 'red' }],
  });
  const { out } = await one.run('doctor', '--probe', '--json');
  const found = (JSON.parse(out) as { check: string; detail: string }[]).find(
    ({ check }) => check === 'probe /api/v1/orders',
  );
  expect(found?.detail).toBe('unknown field rows[].colour; unknown word "Parked" in status');
});

test('doctor tells a venue that is not there', async () => {
  await one.venue.close();
  const { code, out } = await one.run('doctor', '--json');
  expect([code, verdicts(out)]).toMatchObject([3, { venue: 'fail', config: 'ok', limits: 'ok' }]);
});
