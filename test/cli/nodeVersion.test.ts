import { readFileSync } from 'node:fs';
import { buildSync } from 'esbuild';
import { expect, test } from 'vitest';
import { nodeVersionProblem } from '../../src/cli/nodeVersion.ts';

test.each(['20.19.0', '20.20.2', '21.0.0', '22.1.0', '24.0.0-nightly'])(
  'Node.js %s is accepted',
  (version) => {
    expect(nodeVersionProblem(version)).toBeNull();
  },
);

test.each(['18.20.4', '20.18.9', '16.0.0'])(
  'Node.js %s is refused as too old, with the version needed',
  (version) => {
    expect(nodeVersionProblem(version)).toMatch(
      new RegExp(`needs Node\\.js 20\\.19 or newer, and this is ${version}\\. .*nvm install 20`),
    );
  },
);

test('package.json asks for Node.js 20.19', () => {
  const { engines } = JSON.parse(readFileSync('package.json', 'utf8')) as { engines: { node: string } };
  expect(engines.node).toBe('>=20.19');
});

test('the entry file of the bundle checks the version before it imports anything that an old Node.js lacks', () => {
  expect(readFileSync('release/bundle.js', 'utf8')).toContain("main: 'src/cli/entry.ts'");
  const { outputFiles } = buildSync({
    entryPoints: { main: 'src/cli/entry.ts' },
    bundle: true,
    splitting: true,
    write: false,
    outdir: 'out',
    format: 'esm',
    platform: 'node',
    packages: 'external',
    logLevel: 'error',
  });
  const textOf = (name: string) => outputFiles.find(({ path }) => path.endsWith(name))?.text ?? '';
  const main = textOf('/main.js');
  expect(main.split('\n')[0]).toBe('#!/usr/bin/env node');
  expect(main).toMatch(/await import\("\.\/main-\w+\.js"\)/);
  const seen = new Set(['/main.js']);
  for (const name of seen)
    for (const [, target = ''] of textOf(name).matchAll(/^(?:import|export)\b[^(]*?"(.*?)";/gm))
      seen.add(target.replace(/^\.\//, '/'));
  expect([...seen].filter((name) => !/^(node:(fs|module|path)|\/(main|chunk-\w+)\.js)$/.test(name))).toEqual(
    [],
  );
});
