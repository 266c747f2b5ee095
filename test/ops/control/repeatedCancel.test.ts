import { expect, test } from 'vitest';
import { Secrets } from '../../../src/core/secrets.ts';
import { commandRoutesOf } from '../../../src/ops/control/commandRoutes.ts';
import type { Call, Reply } from '../../../src/ops/control/route.ts';
import { limitBuy } from '../../domain/orders.ts';
import { MINUTE, Stage } from '../../engine/stage.ts';

const caller = { role: 'operate', by: 'ann', money: true, door: 'socket', way: 'socket' } as const;

test('a cancel of an external order by its venue id, repeated after its end, gets its first answer again', async () => {
  const stage = await new Stage({ hooks: {} }).play(MINUTE);
  const { txHash, orderId } = stage.venue.foreign(limitBuy('1', '50'));
  await stage.pass(2 * MINUTE);
  const { context } = stage.runner.kernel;
  const daemon = {
    context,
    command: (request) => stage.runner.command(request),
    progress: (id) => stage.runner.progress(id),
    refusal: () => null,
  } satisfies Parameters<typeof commandRoutesOf>[0]['daemon'];
  const routes = commandRoutesOf({ daemon, clock: stage.clock, secrets: new Secrets() });
  const route = routes.find(({ path }) => path === '/v1/cancel');
  const call: Call = { caller, params: {}, query: {}, body: { id: 'cancel-0001', orders: [orderId] } };
  const cancel = () => route?.handle(call) as Promise<Reply>;
  const first = await cancel();
  expect(first).toMatchObject({ status: 200, body: { done: true, result: { cancelled: 1 } } });
  await stage.pass(2 * MINUTE);
  expect(context.accountState.externals.open.has(txHash)).toBe(false);
  expect(await cancel()).toEqual(first);
});
