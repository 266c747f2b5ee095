import { builtinModules } from 'node:module';

/** Global names that reach the outside: other machines, other threads, files. */
export const OUTSIDE_GLOBALS: readonly string[] = [
  'fetch',
  'WebSocket',
  'EventSource',
  'BroadcastChannel',
  'localStorage',
  'sessionStorage',
];

const modules = new Set(builtinModules.filter((name) => !name.startsWith('_') && !name.includes('/')));

/** Error text for an entry of `allow`. */
export const ALLOWABLE =
  'expected a built-in module of Node by its name without node:, such as fs, or one of ' +
  OUTSIDE_GLOBALS.join(', ');

export const isAllowable = (name: string): boolean => modules.has(name) || OUTSIDE_GLOBALS.includes(name);
