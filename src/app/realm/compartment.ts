import { Console } from 'node:console';
import { Writable } from 'node:stream';
import { guarded, NO_CLOCK, sealed } from './realm.ts';

/** Console methods that only print. */
const METHODS = [
  'assert',
  'debug',
  'dirxml',
  'error',
  'info',
  'log',
  'table',
  'trace',
  'warn',
  'group',
  'groupCollapsed',
  'groupEnd',
] as const;

/** A `console` that can only print, and calls no method of the values it shows. */
function consoleOn(print: (text: string) => void): object {
  const output = new Writable({
    decodeStrings: false,
    write(text, _encoding, done) {
      print(String(text));
      done();
    },
  });
  const inspectOptions = { customInspect: false };
  const real = new Console({ stdout: output, stderr: output, inspectOptions });
  const counts = new Map<string, number>();
  const noClock = () => real.warn(NO_CLOCK);
  // Node's own methods warn through the process, bypassing `print`.
  const others: Readonly<Record<string, (value?: unknown) => void>> = {
    dir: (value) => real.log(value),
    count: (label = 'default') => {
      const name = String(label);
      counts.set(name, (counts.get(name) ?? 0) + 1);
      real.log(`${name}: ${counts.get(name)}`);
    },
    countReset: (label = 'default') => void counts.delete(String(label)),
    time: noClock,
    timeEnd: noClock,
    timeLog: noClock,
  };
  const methods = METHODS.map((name) => [name, real[name].bind(real) as (value?: unknown) => void] as const);
  const all = [...methods, ...Object.entries(others)];
  return Object.fromEntries(all.map(([name, method]) => [name, guarded(method)]));
}

const NO_CHANCE =
  'a strategy has no random numbers of its own: compute them from a seed in params, so that its decisions can be repeated';

const refusing = (why: string) => (): never => {
  throw new TypeError(why);
};

/** `Date` limited to explicitly given instants. */
function dateWithoutClock(): object {
  const date = function (...parts: unknown[]): unknown {
    const made = new.target as CallableFunction | undefined;
    if (made === undefined || parts.length === 0) throw new TypeError(NO_CLOCK);
    return Reflect.construct(Date, parts, made);
  };
  const { UTC, parse } = Date;
  Object.defineProperty(date, 'name', { value: 'Date' });
  Object.defineProperty(date, 'prototype', { value: Date.prototype, writable: false });
  return Object.assign(date, { UTC, parse, now: refusing(NO_CLOCK) });
}

const mathWithoutChance = (): object =>
  Object.defineProperties(
    {},
    { ...Object.getOwnPropertyDescriptors(Math), random: { value: refusing(NO_CHANCE) } },
  );

/** All globals of a strategy beyond the language itself. */
const globalsFor = (print: (text: string) => void): Record<string, unknown> => ({
  Date: dateWithoutClock(),
  Math: mathWithoutChance(),
  Float32Array,
  Float64Array,
  Intl,
  console: consoleOn(print),
  // They reveal when memory was collected, which differs from run to run.
  WeakRef: undefined,
  FinalizationRegistry: undefined,
  // Only newer versions of Node have it; a strategy must behave the same on all of them.
  Temporal: undefined,
});

/** A CommonJS module as the source of one function. */
type ModuleFunction = (module: object, exports: object, require: (name: string) => unknown) => void;

/** Exports of `platform.ts`: `zod` and `drover/strategy`, separate for each compartment. */
type Platform = Readonly<{
  zod: Readonly<{ toJSONSchema: (schema: unknown, options: object) => unknown }>;
  strategy: object;
}>;

/** Code to run in a compartment: `platform` from `platformText`, `code` from `bundleStrategy`. */
type Code = Readonly<{ platform: string; code: string; name: string }>;

/** Exports of a file that ran in its own compartment. Treat them as foreign: read each once, and copy it. */
export type BundleExports = Readonly<{
  /** Its default export. */
  exported: unknown;
  /** JSON Schema of one of its schemas, as a copy. */
  jsonSchemaOf: (schema: unknown) => unknown;
}>;

/**
 * Runs a bundle in its own compartment, which has the language, `zod`, `drover/strategy` and `globalsFor`: no process,
 * file, network, timer, clock or randomness. `print` receives its printed text.
 * @throws whatever the bundle throws
 */
export function evaluate({ platform, code, name }: Code, print: (text: string) => void): BundleExports {
  const compartment = new Compartment({ globals: sealed(globalsFor(print)), __options__: true });
  // Frozen properties are read as fast as local variables.
  for (const [key, field] of Object.entries(Object.getOwnPropertyDescriptors(compartment.globalThis)))
    if ('value' in field)
      Object.defineProperty(compartment.globalThis, key, { ...field, writable: false, configurable: false });
  const run = (text: string, require: (name: string) => unknown): object => {
    const module = { exports: {} };
    (compartment.evaluate(text) as ModuleFunction)(module, module.exports, require);
    return module.exports;
  };
  const { zod, strategy } = run(platform, refusing('the platform imports nothing')) as Platform;
  const provided: Readonly<Record<string, unknown>> = { zod, 'drover/strategy': strategy };
  const require = (wanted: unknown): unknown => {
    if (typeof wanted === 'string' && Object.hasOwn(provided, wanted)) return provided[wanted];
    throw new TypeError(`${String(wanted)} does not exist at run time: import it by name`);
  };
  const text = `${withoutMap(code)}\n//# sourceURL=${name}\n`;
  const exported = defaultOf(run(text, sealed(require)));
  return {
    exported,
    jsonSchemaOf: (schema) =>
      JSON.parse(
        JSON.stringify(zod.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' })),
      ) as unknown,
  };
}

/** Removes the source map at the end; the same marker may also occur in the code. */
function withoutMap(code: string): string {
  const end = code.lastIndexOf('//# sourceMappingURL=');
  return end < 0 ? code : code.slice(0, end);
}

/** Default export of a module; for CommonJS its exports. */
function defaultOf(exports: object): unknown {
  if ('default' in exports) return exports.default;
  const isEmpty = typeof exports === 'object' && Object.keys(exports).length === 0;
  return isEmpty || '__esModule' in exports ? undefined : exports;
}
