import { Console } from 'node:console';
import { Writable } from 'node:stream';

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
