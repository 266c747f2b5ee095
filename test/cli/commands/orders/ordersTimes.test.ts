import { afterEach, beforeEach, expect, test } from 'vitest';
import { cwd, env, link, startOneUser } from '../../support/oneUser.ts';
import { drover } from '../../support/commandLine.ts';
import { operation, txHash } from '../../support/movingUser.ts';

const AT_MS = 1_781_530_060_000;

let one: Awaited<ReturnType<typeof startOneUser>>;
beforeEach(async () => {
  one = await startOneUser();
});
afterEach(() => one.venue.close());

const rows = async (...argv: string[]) => {
  const { out } = await drover([...argv, '--json', '--config', 'my.yaml'], { env, cwd });
  return JSON.parse(out) as unknown;
};

test('a time that the venue states in ms is shown as the same instant as one in seconds', async () => {
  one.answers['GET /api/v1/orders'] = () => ({ total: 1, rows: [link(AT_MS)] });
  one.answers['GET /api/v1/cash/deposits'] = () => ({
    total: 1,
    rows: [{ ...operation('success'), createTime: AT_MS }],
  });
  one.answers['GET /api/v1/cash/withdrawals'] = () => ({ total: 0, rows: [] });
  expect(await rows('orders')).toMatchObject([{ at: '2026-06-15T13:27:40Z' }]);
  expect(await rows('cash', 'list')).toMatchObject([{ txHash, at: '2026-06-15T13:27:40Z' }]);
});
