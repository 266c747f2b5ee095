import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { formatted } from '../formatted.ts';
import { machine, systemClock } from '../../src/core/clock.ts';
import { Secrets } from '../../src/core/secrets.ts';
import { EventStream } from '../../src/ops/control/events.ts';
import { JournalPages } from '../../src/ops/control/journalPages.ts';
import { openApiOf } from '../../src/ops/control/openapi.ts';
import { routesOf } from '../../src/ops/control/routes.ts';
import type { Daemon } from '../../src/ops/daemon.ts';
import { apiList, type ApiDocument } from './apiList.ts';

const FILE = 'docs/control-reference.md';
const LIST = /(<!-- endpoints: [^>]*-->\n)[^]*(<!-- end of endpoints -->)/;

/** After a change of an endpoint: `npm run docs`. */
test('the API reference has every endpoint of the control API with its parameters', async () => {
  const daemon = {} as unknown as Daemon;
  const secrets = new Secrets();
  const pages = new JournalPages('/nowhere', machine);
  const stream = new EventStream({ daemon, pages, host: machine, secrets });
  const past = { ask: () => Promise.resolve(''), close: () => undefined };
  const routes = routesOf({ daemon, clock: systemClock, secrets, pages, past, stream });
  const list = apiList((await openApiOf(routes, () => Promise.resolve())) as unknown as ApiDocument);
  for (const { method, path } of routes)
    expect(list).toContain(`**\`${method} ${path.replace(/:(\w+)/g, '{$1}')}\`**`);
  const written = readFileSync(FILE, 'utf8').replace(
    LIST,
    (_, begin: string, end: string) => `${begin}\n${list}\n\n${end}`,
  );
  await expect(await formatted(FILE, written)).toMatchFileSnapshot(`../../${FILE}`);
});
