import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { privatePaths } from '../../../src/app/config/privatePaths.ts';

function folderWith(files: Readonly<Record<string, string>>): string {
  const root = mkdtempSync(join(tmpdir(), 'private-paths-'));
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(root, name)), { recursive: true });
    writeFileSync(join(root, name), text);
  }
  return root;
}

const NONE = mkdtempSync(join(tmpdir(), 'private-paths-none-'));
const ENV = { DROVER_KEYSTORE_DIR: '/keys' };

test.each([
  ['a key file', 'venue:\n  keyFile: ./k.json # mode 0600\n'],
  ['a key file in quotes', `venue: { "keyFile": "./k.json", chainId: 1 }\n`],
  ['a key file in single quotes', `venue: { keyFile: './k.json' }\n`],
  ['a key file in brackets', 'venue: { chainId: 1, keyFile: k.json}\n'],
  ['a key file that is commented out', '  # keyFile: ./k.json\n'],
  ['a key file next to a mistake', 'venue: [\n  keyFile: ./k.json\n'],
  ['an address', 'notify:\n  channels: [{ kind: slack, addressFile: k.json }]\n'],
  ['tokens', 'control:\n  tokens: k.json\n'],
  ['a token of another daemon', 'daemons:\n  - { name: a, url: https://a.example, tokenFile: k.json }\n'],
  ['a state folder', 'state: k.json\n'],
])('a config in the code folder makes the files it names as %s private', (_, text) => {
  for (const name of ['live.yaml', 'other.yml']) {
    const root = folderWith({ [name]: text });
    for (const beside of [
      { cwd: root, folder: NONE, use: 'a.ts' },
      { cwd: NONE, folder: root, use: './a.ts' },
      { cwd: NONE, folder: NONE, use: join(root, 'a.ts') },
      { cwd: NONE, folder: NONE, use: 'a.ts', configFile: join(root, name) },
    ])
      expect(privatePaths({ env: ENV, ...beside }, beside), JSON.stringify(beside)).toContain(
        join(root, 'k.json'),
      );
  }
});

test('a config in the subfolder config makes its state private, relative to that subfolder', () => {
  const root = folderWith({ 'config/live.yaml': 'state: ../state/live\n' });
  const paths = privatePaths({ cwd: NONE, env: ENV }, { folder: root, use: './a.ts' });
  expect(paths).toContain(join(root, 'state/live'));
});

test('key store, service credentials and queue password are private, relative to the working directory', () => {
  const env = { DROVER_KEYSTORE_DIR: 'keys', CREDENTIALS_DIRECTORY: '/run/credentials/a' };
  const paths = privatePaths({ cwd: NONE, env }, { folder: NONE, use: 'a.ts', queuePassword: 'queue.json' });
  expect(paths).toEqual([join(NONE, 'keys'), '/run/credentials/a', join(NONE, 'queue.json')]);
});
