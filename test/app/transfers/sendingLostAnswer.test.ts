import { expect, test } from 'vitest';
import { accountOf, startEmulated } from '../../cli/support/emulated.ts';

test.each<[argv: string, endpoint: string, look: string]>([
  ['oneclick enable', 'POST /api/v1/1ct/enable', '`drover oneclick status --config account.yaml`'],
  ['oneclick disable', 'POST /api/v1/1ct/disable', '`drover oneclick status --config account.yaml`'],
  [
    'api POST /api/v1/orders/send --data {} --yes',
    'POST /api/v1/orders/send',
    '`drover orders list --config account.yaml` and `drover balance --config account.yaml`',
  ],
])('%s whose response is lost names the request, and how to check', async (argv, endpoint, look) => {
  const venue = await startEmulated(73);
  try {
    const rules = [{ kind: 'lost-response', endpoint }];
    await venue.control('/faults', { rules });
    const { code, err } = await accountOf(venue, 'one-click', { allow: 'delegation' }).run(argv.split(' '));
    expect(code).toBe(3);
    expect(err).toContain(`${endpoint}: `);
    expect(err).toContain(`The venue may or may not have it: check with ${look} for some minutes`);
  } finally {
    await venue.close();
  }
});
