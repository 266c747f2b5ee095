import { expect, test } from 'vitest';
import { Secrets } from '../../src/core/secrets.ts';
import { programName } from '../../src/process/programName.ts';
import { terminalOn } from '../../src/process/terminal.ts';

test.each([
  ['in a clone', { cwd: '/me/drover', packageFolder: '/me/drover' }, 'node dist/bin/main.js'],
  ['below a clone', { cwd: '/me/drover/config', packageFolder: '/me/drover' }, 'node ../dist/bin/main.js'],
  ['outside of a clone', { cwd: '/srv', packageFolder: '/me/drover' }, 'node /me/drover/dist/bin/main.js'],
  ['in a project', { cwd: '/me/bot', packageFolder: '/me/bot/node_modules/drover' }, 'npx drover'],
  ['below a project', { cwd: '/me/bot/config', packageFolder: '/me/bot/node_modules/drover' }, 'npx drover'],
  ['anywhere, installed for all', { cwd: '/me', packageFolder: '/usr/lib/node_modules/drover' }, 'drover'],
])('%s the program is named as it is started there', (_where, installation, words) => {
  expect(programName(installation)).toBe(words);
});

test.each([
  [
    'halted: `drover resume --state x` ends it; drover itself trades on',
    'halted: `npx drover resume --state x` ends it; drover itself trades on',
  ],
  [
    'stop the run, "drover oneclick enable", and start it',
    'stop the run, "npx drover oneclick enable", and start it',
  ],
  ['! AAPL is frozen\n    drover unfreeze AAPL', '! AAPL is frozen\n    npx drover unfreeze AAPL'],
  ['by root,\n         drover stop: by hand', 'by root,\n         drover stop: by hand'],
  ['drover: no config. drover 0.9.0', 'drover: no config. drover 0.9.0'],
])('a command proposed in a message works where it is read: %j', (text, shown) => {
  const written: string[] = [];
  const stream = { write: (text: string) => written.push(text) };
  const terminal = terminalOn(
    { stdout: stream, stderr: stream, colour: false, program: 'npx drover' },
    new Secrets(),
  );
  terminal.err(text);
  expect(written).toEqual([`${shown}\n`]);
});
