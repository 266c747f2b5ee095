import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { expect, test } from 'vitest';

type Locked = Readonly<{
  hasInstallScript?: boolean;
  deprecated?: string;
  optional?: boolean;
  engines?: Readonly<{ node?: string }>;
}>;

const read = (file: string): unknown => JSON.parse(readFileSync(file, 'utf8'));
const { packages } = read('package-lock.json') as { packages: Readonly<Record<string, Locked>> };
const own = read('package.json') as { allowScripts: Record<string, boolean>; overrides?: object };
const { satisfies } = createRequire(import.meta.url)('semver') as {
  satisfies(version: string, range: string): boolean;
};

/** The oldest Node that `engines` names, the first with SQLite of its own, and the first of each later line. */
const NODES = ['20.19.0', '22.16.0', '24.0.0', '26.0.0'];

test('no package needs its install script', () => {
  const names = Object.keys(packages).filter((name) => packages[name]?.hasInstallScript);
  // Each has its program in the package: the script is never run.
  expect(names.map((name) => name.replace(/^.*node_modules\//, '')).sort()).toEqual(
    Object.keys(own.allowScripts).sort(),
  );
  expect(Object.values(own.allowScripts)).not.toContain(true);
});

test('npm warns of no package on any supported version of Node', () => {
  const warnings = Object.entries(packages).flatMap(([name, { deprecated, engines, optional = false }]) => [
    ...(deprecated === undefined ? [] : [`${name}: ${deprecated}`]),
    ...NODES.filter((node) => !optional && !satisfies(node, engines?.node ?? '*')).map(
      (node) => `${name}: not Node ${node}`,
    ),
  ]);
  expect(warnings).toEqual([]);
});

test('package.json has no overrides, which would not reach users', () => {
  expect(own.overrides).toBeUndefined();
});
