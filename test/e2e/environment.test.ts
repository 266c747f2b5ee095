import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { freshDir, start } from './cli.ts';

const SECRETS = {
  DROVER_API_KEY: 'canary-api-key-0123456789',
  DROVER_API_SECRET: 'canary-api-secret-0123456789',
  DROVER_WALLET_KEY: `0x${'c4'.repeat(32)}`,
  DROVER_KEYSTORE_PASSWORD: 'canary-password-0123456789',
  DROVER_KEYSTORE_NEW_PASSWORD: 'canary-new-password-0123456789',
};

/** `/proc` exists only on Linux. */
test.runIf(process.platform === 'linux')(
  'the environment that other programs read from the process has no secret, and everything else',
  async () => {
    const args = ['emulator', '--json', '--speed', '0', '--state', freshDir()];
    const emulator = start(args, { ...SECRETS, KEPT_VARIABLE: 'kept-value' });
    await emulator.line(/^\{/);
    const shown = readFileSync(`/proc/${emulator.child.pid}/environ`, 'utf8');
    emulator.child.kill('SIGTERM');
    expect((await emulator.done).code).toBe(0);
    expect(Object.values(SECRETS).filter((secret) => shown.includes(secret))).toEqual([]);
    expect(shown).toContain('KEPT_VARIABLE=kept-value');
  },
);
