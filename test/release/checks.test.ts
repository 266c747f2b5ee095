import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { problemsOf, sectionOf } from '../../release/checks.js';
import { VERSION } from '../../src/core/version.ts';

const CHANGELOG =
  '# Changelog\n\n## 0.9.0 (2026-12-01)\n\n### Upgrading\n\n- Nothing.\n\n## 0.8.0 (2026-09-01)\n\n- Old.\n';
const ready = {
  manifest: { name: 'drover', version: '0.9.0' },
  create: { name: 'create-drover', version: '0.9.0', dependencies: { drover: '0.9.0' } },
  lockVersion: '0.9.0',
  sourceVersion: '0.9.0',
  changelog: CHANGELOG,
  deprecations: ['0.10', '0.11'],
  tags: ['v0.9.0'],
  changes: [],
};

test('a release in which all agrees has no problem', () => {
  expect(problemsOf(ready)).toEqual([]);
});

test.each([
  [{ manifest: { name: 'drover', version: '0.9.0-dev' } }, 'take its suffix off'],
  [{ lockVersion: '0.8.0' }, 'package-lock.json says 0.8.0'],
  [{ sourceVersion: '0.9.0-dev' }, 'src/core/version.ts says 0.9.0-dev'],
  [{ create: { ...ready.create, version: '0.8.0' } }, 'create-drover says 0.8.0'],
  [{ create: { ...ready.create, dependencies: { drover: '0.8.0' } } }, 'create-drover depends on 0.8.0'],
  [{ changelog: '# Changelog\n' }, 'has no section 0.9.0'],
  [{ changelog: CHANGELOG.replace('2026-12-01', 'not released') }, 'gives 0.9.0 no date'],
  [{ changelog: CHANGELOG.replace('### Upgrading', '') }, 'says nothing on upgrading'],
  [{ tags: ['v0.8.0'] }, 'has no tag v0.9.0'],
  [{ changes: [' M src/index.ts'] }, 'not committed'],
  [{ deprecations: ['0.9'] }, 'deprecated until 0.9 is still there'],
  [{ deprecations: ['0.7'] }, 'deprecated until 0.7 is still there'],
])('%j is a problem', (change, problem) => {
  expect(problemsOf({ ...ready, ...change }).join('\n')).toContain(problem);
});

test('version, lock, source, create-drover and changelog agree, with a suffix unless the version is dated', () => {
  const read = (file: string) =>
    JSON.parse(readFileSync(file, 'utf8')) as { version: string; dependencies: { drover: string } };
  const create = read('create-drover/package.json');
  const versions = [
    read('package.json').version,
    read('package-lock.json').version,
    create.version,
    create.dependencies.drover,
  ];
  expect(new Set([...versions, VERSION])).toEqual(new Set([VERSION]));
  const section = sectionOf(readFileSync('CHANGELOG.md', 'utf8'), VERSION.replace(/-.*/, ''));
  expect(section?.date === 'not released').toBe(VERSION.includes('-'));
  expect(section?.body).toContain('### Upgrading');
});

test('the release script finds every version that ends a deprecation', () => {
  const lines = execFileSync('git', ['grep', '-hE', "_UNTIL = '"], { encoding: 'utf8' });
  expect(lines).toMatch(/_UNTIL = '0\.\d+'/);
});
