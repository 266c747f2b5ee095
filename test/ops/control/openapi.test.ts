import { expect, test } from 'vitest';
import { machine, systemClock } from '../../../src/core/clock.ts';
import { Secrets } from '../../../src/core/secrets.ts';
import { EventStream } from '../../../src/ops/control/events.ts';
import { JournalPages } from '../../../src/ops/control/journalPages.ts';
import type { Call } from '../../../src/ops/control/route.ts';
import { routesOf } from '../../../src/ops/control/routes.ts';
import type { Daemon } from '../../../src/ops/daemon.ts';

test('the OpenAPI document is built once for all requests, and yields after each endpoint', async () => {
  let turns = 0;
  const turn = () => {
    turns++;
    return machine.turn();
  };
  const daemon = {} as unknown as Daemon;
  const secrets = new Secrets();
  const pages = new JournalPages('/nowhere', { turn });
  const stream = new EventStream({ daemon, pages, host: machine, secrets });
  const past = { ask: () => Promise.resolve(''), close: () => undefined };
  const routes = routesOf({ daemon, clock: systemClock, secrets, pages, past, stream });
  const document = routes.find(({ path }) => path === '/v1/openapi.json');
  const ask = async () => (await document?.handle({} as unknown as Call, {} as never))?.body;
  const [one, other] = await Promise.all([ask(), ask()]);
  expect(JSON.parse(String(one))).toMatchObject({ openapi: '3.1.0' });
  expect([other === one, (await ask()) === one, turns]).toEqual([true, true, routes.length]);
});
