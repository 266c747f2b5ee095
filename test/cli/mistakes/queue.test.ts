import { describe, expect, test } from 'vitest';
import { drover } from '../support/commandLine.ts';
import { answersEach } from './mistakes.ts';

describe('a queue', () => {
  answersEach([
    {
      mistake: 'no address at all',
      command: 'worker',
      place: 'which queue?',
      reason: '--queue postgres://user@host/database',
      remedy: 'DROVER_QUEUE',
    },
    {
      mistake: 'an address of something else',
      command: 'worker --queue redis://host/0',
      place: '--queue',
      reason: 'is not the address of a database',
      remedy: 'postgres://user@host/database',
    },
    {
      mistake: 'a password where ps shows it',
      command: 'worker --queue postgres://me:sesame42@host/db',
      exit: 4,
      place: '--queue',
      reason: 'every user of this machine can read by ps',
      remedy: '--queue-password',
    },
    {
      mistake: 'a password in the query',
      command: 'worker --queue postgres://me@host/db?password=sesame42',
      exit: 4,
      place: '--queue',
      reason: 'every user of this machine can read by ps',
      remedy: 'replace it',
    },
    {
      mistake: 'a password file that others can read',
      command: 'worker --queue postgres://me@127.0.0.1:9/db --queue-password secret',
      files: { 'secret 644': 'sesame42' },
      exit: 4,
      place: 'secret',
      reason: 'can be read by others',
      remedy: 'chmod 600',
    },
    {
      mistake: 'no server at the address',
      command: 'worker --queue postgres://me@127.0.0.1:9/db',
      exit: 3,
      place: '127.0.0.1:9/db',
      reason: 'does not answer',
      remedy: 'Start the database, or correct --queue',
    },
    {
      mistake: 'no threads',
      command: 'worker --queue postgres://me@127.0.0.1:9/db --workers 0',
      place: '--workers 0',
      reason: 'write 1 or more',
      remedy: '1 or more',
    },
  ]);

  test('is refused without showing a password', async () => {
    const { code, err } = await drover(['worker', '--queue', 'postgres://me:sesame42@host/db']);
    expect(code).toBe(4);
    expect(err).not.toContain('sesame42');
  });

  test('is refused to a worker that has keys of the venue in its environment', async () => {
    const { code, err } = await drover(['worker', '--queue', 'postgres://me@127.0.0.1:9/db'], {
      env: { DROVER_API_KEY: 'key-of-the-venue', DROVER_WALLET_KEY: `0x${'1'.repeat(64)}` },
    });
    expect(code).toBe(4);
    expect(err).toContain('DROVER_API_KEY, DROVER_WALLET_KEY is set');
    expect(err).toContain('env -u DROVER_API_KEY -u DROVER_WALLET_KEY drover worker');
  });
});
