import { OUTSIDE_GLOBALS } from './allowable.ts';

export type GlobalsOptions = Readonly<{
  /** Members of `OUTSIDE_GLOBALS` that stay. */
  kept: readonly string[];
  /** Leaves the real `process`. */
  keepsProcess: boolean;
  /** Ends the thread. */
  exit: (code: number) => void;
}>;

/**
 * Takes out of the global object what reaches beyond the thread, and puts a `process` in its place that can do nothing but
 * end the thread: the real one kills processes, opens debuggers and loads native code.
 */
export function restrictGlobals({ kept, keepsProcess, exit }: GlobalsOptions): void {
  const gone = OUTSIDE_GLOBALS.filter((name) => !kept.includes(name));
  for (const name of gone) Reflect.deleteProperty(globalThis, name);
  if (keepsProcess) return;
  const { arch, platform, version, versions, hrtime } = process;
  const harmless = {
    ...{ arch, platform, version, versions: { ...versions }, hrtime },
    ...{ env: {}, argv: [], execArgv: [], title: 'strategy' },
    nextTick: process.nextTick.bind(process),
    exit: (code: unknown) => exit(typeof code === 'number' ? code : 0),
    cwd: () => '/',
    emitWarning: (warning: unknown) => {
      console.warn(String(warning));
    },
  };
  Object.defineProperty(globalThis, 'process', {
    ...{ value: harmless, writable: true, configurable: true, enumerable: false },
  });
}
