import { Console } from 'node:console';
import { Writable } from 'node:stream';
import { isBuiltin } from 'node:module';
import { compileFunction } from 'node:vm';
import { OUTSIDE_GLOBALS, type ThreadData } from './messages.ts';

type GlobalsOptions = Readonly<{
  /** Replacement for the global one. */
  console: Partial<Console>;
  /** Members of `OUTSIDE_GLOBALS` that stay. */
  kept: readonly string[];
  /** Leaves the real `process`. */
  keepsProcess: boolean;
  /** Ends the thread. */
  exit: (code: number) => void;
}>;

/** Globals that would give a strategy access to the ports of its thread. */
const PORT_GLOBALS = ['MessageChannel', 'MessagePort'];

/**
 * Removes globals that reach beyond the thread, and replaces `process` by one that can only end the thread: the real one
 * kills processes, opens debuggers and loads native code.
 */
export function restrictGlobals({ console: given, kept, keepsProcess, exit }: GlobalsOptions): void {
  zeroBuffers();
  const gone = OUTSIDE_GLOBALS.filter((name) => !kept.includes(name));
  Object.freeze(EventTarget.prototype);
  for (let port: object = MessagePort.prototype; port !== EventTarget.prototype; port = parentOf(port))
    Object.freeze(port);
  for (const name of [...gone, ...PORT_GLOBALS]) Reflect.deleteProperty(globalThis, name);
  define('console', given);
  if (keepsProcess) return;
  const { arch, platform, version, versions, hrtime } = process;
  const harmless = {
    arch,
    platform,
    version,
    versions: { ...versions },
    hrtime,
    env: {},
    argv: [],
    execArgv: [],
    title: 'strategy',
    nextTick: process.nextTick.bind(process),
    exit: (code: unknown) => exit(typeof code === 'number' ? code : 0),
    cwd: () => '/',
    emitWarning: (warning: unknown) => {
      console.warn(String(warning));
    },
  };
  define('process', harmless);
}

const define = (name: string, value: object): unknown =>
  Object.defineProperty(globalThis, name, { value, writable: true, configurable: true, enumerable: false });

/**
 * Fills every new buffer with zeros: uninitialised memory may hold data of another thread, such as a secret. Without its
 * pool `Buffer.from` allocates no more than it fills.
 */
function zeroBuffers(): void {
  const alloc = Buffer.alloc.bind(Buffer);
  const zeroed = (size: number) => alloc(size);
  for (const [name, value] of [
    ['allocUnsafe', zeroed],
    ['allocUnsafeSlow', zeroed],
    ['poolSize', 0],
  ] as const)
    Object.defineProperty(Buffer, name, { value, writable: false, configurable: false });
}

const parentOf = (object: object): object =>
  (Object.getPrototypeOf(object) ?? EventTarget.prototype) as object;

/** Methods of a console that only print. */
const METHODS = [
  'assert',
  'debug',
  'dir',
  'dirxml',
  'error',
  'info',
  'log',
  'table',
  'trace',
  'warn',
  'count',
  'countReset',
  'group',
  'groupCollapsed',
  'groupEnd',
  'time',
  'timeEnd',
  'timeLog',
] as const;

/** A `console` that can only print, and prints at once: Node's own writes later, and leads to Node's channel to the thread. */
export function consoleOn(print: (text: string) => void): Partial<Console> {
  const output = new Writable({
    decodeStrings: false,
    write(text, _encoding, done) {
      print(String(text));
      done();
    },
  });
  const real = new Console({ stdout: output, stderr: output });
  return Object.fromEntries(METHODS.map((name) => [name, real[name].bind(real)] as const));
}

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
const ALLOW_HINT = "name it under `allow` in the strategy's entry of the config, if it is to have it";
