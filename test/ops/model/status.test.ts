import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { screenOf } from '../../../src/cli/commands/daemon/screen.ts';
import { statusSchema } from '../../../src/ops/model/status.ts';

/** Response of a run of 0.8.0 to `GET /v1/status`: commands of a new package are used with it until it is restarted. */
const OF_0_8_0 = new URL('../../fixtures/status-0.8.0.json', import.meta.url);

test('the status of a run of 0.8.0 is read and shown', () => {
  const status = statusSchema.parse(JSON.parse(readFileSync(OF_0_8_0, 'utf8')));
  expect(status).toMatchObject({ version: '0.8.0', strategies: [{ id: 's', warmUp: null }, {}, {}] });
  expect(screenOf(status, 100).map(({ text }) => text)).toContainEqual(
    expect.stringMatching(/^SPY +s +15\.853696/),
  );
});
