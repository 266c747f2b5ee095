import 'ses';
import { config } from 'zod';
import { errorData, errorFrom } from './messages.ts';

export const NO_CLOCK =
  'strategies and fill models have no clock of their own: take view.now, or quote.at in a fill model (epoch ms), as in new Date(view.now)';

/** Locale for everything that a strategy formats, whatever the machine's locale. */
const LOCALE = 'en-US';

type Method = (this: unknown, ...given: unknown[]) => unknown;
type Constructor = (new (...given: unknown[]) => object) & Record<string, unknown>;

const INTL = [
  'Collator',
  'DateTimeFormat',
  'DisplayNames',
  'DurationFormat',
  'ListFormat',
  'NumberFormat',
  'PluralRules',
  'RelativeTimeFormat',
  'Segmenter',
];

/** Methods that take a locale, with the number of arguments before it. */
const METHODS: readonly (readonly [prototype: object, name: string, before: number])[] = [
  [Number.prototype, 'toLocaleString', 0],
  [BigInt.prototype, 'toLocaleString', 0],
  [Date.prototype, 'toLocaleString', 0],
  [Date.prototype, 'toLocaleDateString', 0],
  [Date.prototype, 'toLocaleTimeString', 0],
  [Array.prototype, 'toLocaleString', 0],
  [Object.getPrototypeOf(Float64Array.prototype) as object, 'toLocaleString', 0],
  [String.prototype, 'localeCompare', 1],
  [String.prototype, 'toLocaleLowerCase', 0],
  [String.prototype, 'toLocaleUpperCase', 0],
];

/** The given locales, with ours as the fallback instead of the machine's. */
const pinned = (locales: unknown): unknown[] => [locales ?? [], LOCALE].flat();

function pinLocale(): void {
  for (const [prototype, name, before] of METHODS) {
    const method = Reflect.get(prototype, name) as Method;
    const { [name]: value } = {
      [name](this: unknown, ...given: unknown[]): unknown {
        return method.call(
          this,
          ...given.slice(0, before),
          pinned(given[before]),
          ...given.slice(before + 1),
        );
      },
    };
    Object.defineProperty(prototype, name, { value, writable: true, configurable: true, enumerable: false });
  }
  for (const name of INTL) if (name in Intl) pinConstructor(name);
}

/** Removes the current time that `Intl` uses as a default. */
function pinTime(): void {
  const { prototype } = Intl.DateTimeFormat;
  const real = Object.getOwnPropertyDescriptor(prototype, 'format');
  const partsOf = Reflect.get(prototype, 'formatToParts') as Method;
  const given = (instant: unknown): unknown => {
    if (instant === undefined) throw new TypeError(NO_CLOCK);
    return instant;
  };
  Object.defineProperty(prototype, 'format', {
    configurable: true,
    get(this: unknown) {
      const format = real?.get?.call(this) as (instant: unknown) => string;
      return (instant: unknown) => format(given(instant));
    },
  });
  Object.defineProperty(prototype, 'formatToParts', {
    configurable: true,
    writable: true,
    value(this: unknown, instant: unknown) {
      return partsOf.call(this, given(instant));
    },
  });
}

function pinConstructor(name: string): void {
  const real = Reflect.get(Intl, name) as Constructor;
  const made = function (locales: unknown, options: unknown): object {
    const called = new.target as CallableFunction | undefined;
    return Reflect.construct(real, [pinned(locales), options], called ?? made) as object;
  } as unknown as Constructor;
  Object.defineProperties(made, Object.getOwnPropertyDescriptors(real));
  const value = { value: made, writable: true, configurable: true, enumerable: false };
  Object.defineProperty(real['prototype'], 'constructor', value);
  Object.defineProperty(Intl, name, value);
}

let locked = false;

/** Freezes a value passed to third-party code, and everything reachable from it, once the realm is locked. */
export const sealed = <Value>(value: Value): Value => (locked ? harden(value) : value);

/**
 * Wraps a function for the other side of the boundary: errors become plain ones with the same name, message and stack. Neither
 * side gets an object of the other, such as its error class, or one that cannot be read.
 */
export const guarded = <Given extends readonly unknown[], Result>(
  call: (...given: Given) => Result,
): ((...given: Given) => Result) =>
  function (...given) {
    try {
      return call(...given);
    } catch (thrown) {
      throw errorFrom(errorData(thrown));
    }
  };

/**
 * Freezes everything that code in this thread shares (`Object.prototype`, `Array`, `Promise`, …), and removes from it all
 * ways out. Only for a thread or process of this program, once everything that it needs is loaded.
 */
export function lockRealm(): void {
  if (locked) return;
  locked = true;
  // SES would evaluate the code that zod compiles, and for that read all globals: Node.js then loads `fetch` and more.
  config({ jitless: true });
  pinLocale();
  pinTime();
  // Node's carry an object of native code, which any code could replace by one that ends the process.
  const { TextDecoder } = globalThis;
  Reflect.deleteProperty(globalThis, 'TextDecoder');
  lockdown({
    errorTaming: 'unsafe',
    stackFiltering: 'verbose',
    consoleTaming: 'unsafe',
    localeTaming: 'unsafe',
    errorTrapping: 'none',
    unhandledRejectionTrapping: 'none',
    reporting: 'none',
  });
  Object.assign(globalThis, { TextDecoder });
  harden(Intl);
}
