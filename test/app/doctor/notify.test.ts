import { expect, test } from 'vitest';
import { parseConfig } from '../../../src/app/config/load.ts';
import type { CommandContext } from '../../../src/process/context.ts';
import { checkNotify } from '../../../src/app/doctor/diagnose.ts';
import { Secrets } from '../../../src/core/secrets.ts';

const BASE = 'mode: emulator\nstrategies: [{ id: one, use: dca, capital: 1, params: {} }]\n';

function checked(notify: string, env: Readonly<Record<string, string>> = {}) {
  const loaded = parseConfig(BASE + notify, { file: 'my.yaml', cwd: '/', secrets: new Secrets() });
  return checkNotify(loaded, { env, secrets: new Secrets() } as unknown as CommandContext);
}

test('no notification channel is fine on the emulator', () => {
  expect(checked('')).toMatchObject({ verdict: 'ok', detail: 'no channel is configured' });
});

test('the check fails and names a channel without an address, and counts those that have one', () => {
  const notify = 'notify: { channels: [{ id: phone, kind: ntfy }] }\n';
  expect(checked(notify)).toMatchObject({
    verdict: 'fail',
    detail: expect.stringMatching(/no address for phone. Set DROVER_NOTIFY_PHONE/) as string,
  });
  const address = 'https://ntfy.example/topic-canary';
  const found = checked(notify, { DROVER_NOTIFY_PHONE: address });
  expect(found).toMatchObject({
    verdict: 'ok',
    detail: expect.stringContaining('1 channel with an address') as string,
  });
  expect(JSON.stringify(found)).not.toContain('canary');
});
