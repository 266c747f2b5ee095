import { isBuiltin } from 'node:module';
import { compileFunction } from 'node:vm';
import type { ThreadData } from './messages.ts';

/** Modules that a strategy may `require`, by the name that its bundle uses. */
export type Modules = ReadonlyMap<string, unknown>;

/** Loads everything that the strategy may ask for, before it can interfere. */
export async function loadModules({ modules, zod }: ThreadData): Promise<Modules> {
  const names = [...new Set([...modules, zod])];
  const loaded = await Promise.all(
    names.map(
      async (name) => [name, (await import(isBuiltin(name) ? nodeName(name) : name)) as unknown] as const,
    ),
  );
  return new Map(loaded);
}

const nodeName = (name: string): string => (name.startsWith('node:') ? name : `node:${name}`);

/**
 * Runs the bundle of a strategy and gives its default export. It is compiled as a function, not imported as a module: so it
 * has no loader of its own, and a dynamic `import()` in it fails.
 * @throws whatever the strategy throws while it is loaded
 */
export function evaluate({ code, name }: Pick<ThreadData, 'code' | 'name'>, modules: Modules): unknown {
  const module = { exports: {} as Readonly<{ default?: unknown }> };
  const require = (wanted: string): unknown => {
    const found = modules.get(wanted);
    if (found !== undefined) return found;
    throw new Error(`${JSON.stringify(wanted)} is not importable from a strategy: ${ALLOW_HINT}`);
  };
  const run = compileFunction(code, ['module', 'exports', 'require'], { filename: name }) as (
    ...given: readonly unknown[]
  ) => void;
  run(module, module.exports, require);
  return module.exports.default;
}

/** Hint in errors: how a strategy is allowed a built-in module. */
export const ALLOW_HINT = "name it under `allow` in the strategy's entry of the config, if it is to have it";
