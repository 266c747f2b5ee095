/**
 * Attacks of a strategy on the program that runs it, by name. Each body has `at`, the context of a hook, and returns what it
 * got hold of: nothing, when all is well. `codeOf` gives what code made by some constructor of functions finds outside.
 */
const ATTACKS: Readonly<Record<string, string>> = {
  // Code made by a constructor that is not the compartment's own.
  'constructor of an array': 'return codeOf([].constructor.constructor);',
  'constructor of the prototype of functions': 'return codeOf(Function.prototype.constructor);',
  'constructor of async functions': 'return codeOf((async () => {}).constructor);',
  'constructor of generators': 'return codeOf((function* () {}).constructor);',
  'constructor of async generators': 'return codeOf((async function* () {}).constructor);',
  'Function by its name': 'return codeOf(Function);',
  'a direct eval': 'return (0, eval)(OUTSIDE);',
  'constructors of what hooks are given':
    'return Object.values(at).flatMap((one) => [one, ...members(one)]).map((one) => attempt(() => codeOf(one.constructor.constructor))).find(Boolean);',
  'constructors of the bars of the view':
    "return [at.view.bars(SYMBOL, '1d'), at.view.bars(SYMBOL, '1d').at(0), at.view.bars(SYMBOL, '1d').closes(2)].map((one) => attempt(() => codeOf(one.constructor.constructor))).find(Boolean);",
  'constructors of an error that the engine throws':
    "try { at.order.buy('NOPE', { shares: -1 }); } catch (error) { return codeOf(error.constructor.constructor) ?? (error.cause && codeOf(error.cause.constructor.constructor)); }",
  'an error of the engine at the end of the stack':
    'let left = 20; const deep = () => { try { return deep(); } catch (error) { if (left-- <= 0) throw error; return at.order.cancel({ side: 1 }); } }; try { deep(); } catch (error) { return codeOf(error.constructor.constructor); }',
  'constructors of Intl':
    'return codeOf(Intl.NumberFormat.prototype.constructor.constructor) ?? codeOf(new Intl.Collator().compare.constructor);',
  'constructors of the console':
    'return codeOf(console.log.constructor) ?? console._stdout ?? codeOf(console.constructor.constructor);',
  'constructors of require, module and exports':
    'return [() => codeOf(require.constructor), () => codeOf(module.constructor.constructor), () => codeOf(exports.constructor.constructor)].map(attempt).find(Boolean);',
  'the caller of a function': 'const own = function () { return own.caller; }; return own();',
  'the callee of arguments': 'return (function () { return arguments.callee.caller; })();',
  'the `this` of a function that has none': 'return (function () { return this; })();',

  // Names that lead out of the compartment.
  'names of Node and of browsers':
    "return ['process', 'Buffer', 'fetch', 'global', 'self', 'window', 'setTimeout', 'setInterval', 'setImmediate', 'queueMicrotask', 'structuredClone', 'SharedArrayBuffer', 'Atomics', 'WebAssembly', 'Worker', 'MessageChannel', 'MessagePort', 'BroadcastChannel', 'WebSocket', 'EventSource', 'EventTarget', 'XMLHttpRequest', 'performance', 'crypto', 'navigator', 'localStorage', 'gc', 'URL', 'Blob', 'Request', 'WeakRef', 'FinalizationRegistry', 'Temporal'].find((name) => globalThis[name] !== undefined);",
  'process.getBuiltinModule': "return globalThis.process?.getBuiltinModule('node:fs');",
  'the environment': 'return globalThis.process?.env;',
  'require by a name made of parts': "return require(['node', 'fs'].join(':'));",
  'require of the threads': "return require(['worker', 'threads'].join('_'));",
  'a dynamic import of a name made of parts':
    "const name = ['node', 'fs'].join(':'); return settled(import(name));",
  'a dynamic import in made code':
    "return settled(new Function(['return imp', \"ort('node:fs')\"].join(''))());",
  'a dynamic import by eval': "return settled((0, eval)(['imp', \"ort('node:fs')\"].join('')));",
  'a dynamic import in a compartment of its own':
    "return new Compartment({ __options__: true }).evaluate(OUTSIDE) ?? settled(new Compartment({ __options__: true })['import']('node:fs'));",
  'the meta of the module': 'return import.meta.url ?? import.meta.resolve;',
  'an object of native code, which a decoder of texts carries':
    "return [globalThis, new Compartment({ __options__: true }).globalThis].flatMap(({ TextDecoder: Decoder }) => { const one = Decoder && new Decoder('utf-16le'); return one ? Object.getOwnPropertySymbols(one).map((name) => one[name]) : []; }).find((one) => typeof one === 'object');",
  'the shared memory of WebAssembly':
    'return new WebAssembly.Memory({ initial: 1, maximum: 1, shared: true }).buffer;',

  'code and classes of the program, from what hooks are given and from errors':
    "const errors = [() => at.view.series('none'), () => at.view.bars(SYMBOL, '1d').closes('x'), () => at.view.bars(Symbol()), () => at.order.buy('NOPE', { shares: 1 }), () => at.order.buy(SYMBOL, { shares: () => 1 }), () => at.order.cancel(() => 1), () => at.log(1), () => at.log('a', { a: {} }), () => at.plot('', {}), () => console.table([1], 5), () => console.log(Symbol.prototype), () => require(Symbol())].map(thrownBy); return changeable([at, Object.values(at), at.view && [at.view.bars(SYMBOL, '1d'), at.view.orders(), at.view.quote(SYMBOL)], errors, console, require]);",
  'the call sites of an error':
    "const error = thrownBy(() => at.view.series('none')); for (let one = error?.constructor; typeof one === 'function'; one = Object.getPrototypeOf(one)) { attempt(() => { one.prepareStackTrace = (_, sites) => ({ sites }); }); const own = {}; attempt(() => one.captureStackTrace?.(own)); const got = [own.stack, thrownBy(() => at.view.series('none'))?.stack, new Error().stack].find((stack) => typeof stack === 'object'); delete one.prepareStackTrace; if (got) return got; }",
  'the making of errors of the program':
    "const heard = []; const error = thrownBy(() => at.view.series('none')); for (let one = error?.constructor; typeof one === 'function'; one = Object.getPrototypeOf(one)) attempt(() => Object.setPrototypeOf(one, function (...given) { heard.push(given); })); thrownBy(() => at.view.series('other')); return heard[0];",

  // Changes to shared objects, so that the program would run code of the strategy.
  'Object.prototype.toString, and a transform of zod':
    'try { Object.prototype.toString = () => OUTSIDE; } catch {} return z.string().transform(Function).parse(OUTSIDE)() ?? ({}.toString() === OUTSIDE || undefined);',
  'JSON.stringify, before zod makes a parser':
    "const real = JSON.stringify; try { JSON.stringify = () => '\"\"];globalThis.stolen=' + OUTSIDE + '//'; } catch {} z.object({ a: z.string(), b: z.number() }).parse({ a: 'a', b: 1 }); return globalThis.stolen ?? (JSON.stringify !== real || undefined);",
  'the generator of code in zod':
    "return new z.core.Doc(['a']).compile?.constructor && codeOf(new z.core.Doc([]).compile.constructor);",
  'prototypes that the program uses':
    "return [[Array.prototype, 'push'], [Array.prototype, 'map'], [Promise.prototype, 'then'], [Map.prototype, 'get'], [RegExp.prototype, 'exec'], [String.prototype, 'split'], [Object.prototype, 'then'], [Object.prototype, 'code'], [Function.prototype, 'call'], [Error.prototype, 'name'], [Float64Array.prototype, 'at'], [Intl.NumberFormat.prototype, 'format']].find(([one, name]) => { const before = one[name]; try { one[name] = () => 7; } catch {} return one[name] !== before; });",
  'prototypes that are defined anew':
    "return [Object, Array, Promise, JSON, Reflect, Symbol, Math, Date].find((one) => { try { Object.defineProperty(one, 'stolen', { value: 1 }); } catch {} return one !== Math && one !== Date && 'stolen' in one; });",
  'the species of an array':
    'const made = []; try { Object.defineProperty(Array, Symbol.species, { value: function (length) { made.push(this); return []; } }); } catch {} [1].map(String); return made[0];',
  'Error.prepareStackTrace':
    'let seen; try { Error.prepareStackTrace = (_, sites) => { seen = sites; return sites; }; } catch {} const { stack } = new Error(); delete Error.prepareStackTrace; return seen ?? (Array.isArray(stack) ? stack[0].getThis() : undefined);',
  'what a pattern of the program has matched last':
    "return ['$1', '$2', 'input', '$_', 'lastMatch', '$&', 'lastParen', 'leftContext', 'rightContext'].map((name) => RegExp[name] || RegExp.prototype.constructor[name]).find(Boolean);",
  'the length of the stacks of others':
    "const lines = () => thrownBy(() => at.view.series('none'))?.stack.split('\\n').length ?? 0; const before = lines(); attempt(() => { Error.stackTraceLimit = 0; }); attempt(() => { Error.prototype.constructor.stackTraceLimit = 0; }); const after = lines(); return after < before || undefined;",
  'Error.captureStackTrace':
    'const one = {}; Error.captureStackTrace?.(one); return Array.isArray(one.stack) ? one.stack[0] : undefined;',

  // Arguments and results that are code.
  'a getter in an order':
    'let seen; try { at.order.buy(SYMBOL, { get notional() { seen = codeOf(new Error().constructor.constructor); return 1; } }); } catch {} return seen;',
  'terms with names that every object has':
    "return ['__proto__', 'toString', 'constructor'].map((name) => attempt(() => at.order.buy(SYMBOL, JSON.parse('{\"shares\":1,\"' + name + '\":{\"shares\":1}}')))).find(Boolean);",
  'a proxy as an order':
    'const seen = []; const spy = new Proxy({}, { get: (...given) => void seen.push(...given), has: (...given) => !seen.push(...given), ownKeys: (...given) => (seen.push(...given), []) }); try { at.order.limit(SYMBOL, spy); } catch {} return seen.map((one) => attempt(() => codeOf(one.constructor.constructor))).find(Boolean);',
  'a list with methods of its own':
    "const seen = []; const list = Object.assign([], { map: (call) => (seen.push(call), []), every: (call) => (seen.push(call), true), forEach: (call) => void seen.push(call) }); try { at.log('text', list); at.order.rebalance(list); } catch {} return seen[0];",
  'a look of its own for the console':
    "let seen; console.log({ [Symbol.for('nodejs.util.inspect.custom')]: (...given) => { seen = given; return ''; } }); console.dir({ [Symbol.for('nodejs.util.inspect.custom')]: (...given) => { seen = given; return ''; } }, { customInspect: true }); return seen;",
  'other ways of the console to look':
    "const seen = []; const look = (...given) => { seen.push(given); return ''; }; const spy = { [Symbol.for('nodejs.util.inspect.custom')]: look }; console.log('%o %O %s', spy, spy, spy); console.table([spy]); console.assert(false, spy); console.group(spy); console.groupEnd(); console.trace(spy); return seen[0];",
  'a promise that is rejected with a look of its own':
    "const error = { [Symbol.for('nodejs.util.inspect.custom')]: () => console.log('LOOT look') }; attempt(() => at.log(error)); attempt(() => at.order.cancel(error));",
  'a place of a plot that is a proxy':
    "const seen = []; try { at.plot('a', 1, new Proxy({}, { get: (_, name, self) => void seen.push(self) })); } catch {} return seen.map((one) => attempt(() => codeOf(one.constructor.constructor))).find(Boolean);",

  'odd names of stocks, intervals and series':
    "const odd = [Symbol('a'), {}, [], () => 1, null, undefined, NaN, 1n, '__proto__', 'constructor', { toString() { throw this; } }]; const names = ['position', 'averagePrice', 'unrealised', 'price', 'quote', 'instrument', 'weight', 'orders', 'series', 'fetched', 'bars']; return names.map((name) => odd.map((one) => { let shown; const error = thrownBy(() => { shown = at.view[name](one, one); }); return changeable([error, shown]); }).find(Boolean)).find(Boolean);",
  'what the view shows, written over':
    "const { view } = at; return [view.session, view.fees, view.limits, view.quote(SYMBOL), view.instrument(SYMBOL), view.bars(SYMBOL, '1d').at(0), ...view.orders()].filter(Boolean).some((shown, index, all) => Object.keys(shown).some((name) => { const before = JSON.stringify([view.session, view.fees, view.limits, view.quote(SYMBOL), view.instrument(SYMBOL), view.bars(SYMBOL, '1d').at(0), view.orders()]); attempt(() => { shown[name] = 'written over'; }); return JSON.stringify([view.session, view.fees, view.limits, view.quote(SYMBOL), view.instrument(SYMBOL), view.bars(SYMBOL, '1d').at(0), view.orders()]) !== before; })) || undefined;",

  // Clock, chance and locale of the machine.
  'the time':
    'return attempt(() => Date.now()) ?? attempt(() => new Date()) ?? attempt(() => Date()) ?? attempt(() => new (Object.getPrototypeOf(new Date(0)).constructor)()) ?? attempt(() => Reflect.construct(Date, []));',
  'the time in Intl':
    "const format = new Intl.DateTimeFormat('en', { dateStyle: 'full' }); return attempt(() => format.format()) ?? attempt(() => format.format(undefined)) ?? attempt(() => format.formatToParts()) ?? attempt(() => format.formatRange());",
  'the time in the console':
    "console.time('a'); console.timeEnd('a'); return attempt(() => console.timeStamp());",
  chance: 'return attempt(() => Math.random());',
  'the locale of the machine':
    "return [new Intl.NumberFormat().resolvedOptions().locale, new Intl.DateTimeFormat('tlh').resolvedOptions().locale, (1234.5).toLocaleString('tlh')].find((text) => !['en-US', '1,234.5'].includes(text));",
};

/** A strategy that tries each attack when its file is loaded, in its schema, in `data`, in `create` and in its hooks. It prints what it got. */
export const thiefSource = (symbol: string): string => `
import { defineStrategy } from 'drover/strategy';
import { z } from 'zod';
const SYMBOL = ${JSON.stringify(symbol)};
const OUTSIDE = "typeof process === 'object' ? process : typeof fetch === 'function' ? fetch : typeof require === 'function' ? require : undefined";
const attempt = (work) => { try { return work(); } catch { return undefined; } };
const codeOf = (maker) => attempt(() => { const made = maker('return ' + OUTSIDE)(); return made?.next?.().value ?? (made instanceof Promise ? settled(made) : typeof made === 'object' && made !== null && Symbol.asyncIterator in made ? settled(made.next().then(({ value }) => value)) : made); });
const members = (one) => (one !== null && typeof one === 'object' ? [...Object.getOwnPropertyNames(one), ...Object.getOwnPropertyNames(Object.getPrototypeOf(one) ?? {})].map((name) => attempt(() => one[name])).filter((value) => value !== null && value !== undefined) : []);
const thrownBy = (work) => { try { work(); } catch (error) { return error; } };
/** A function, or the prototype of a class, that can be reached and changed: it is neither of the language nor of this file. */
const changeable = (from) => {
  const seen = new Set();
  const left = [from];
  while (left.length > 0) {
    const one = left.pop();
    if ((typeof one !== 'object' && typeof one !== 'function') || one === null || seen.has(one) || seen.size > 1e4) continue;
    seen.add(one);
    const isShared = typeof one === 'function' || Object.hasOwn(one, 'constructor');
    // A getter of Error makes a new one each time.
    if (isShared && Object.isExtensible(one) && one !== attempt(() => Error.prepareStackTrace) && !(one.name === '' || one.name === 'number' || one.name === 'text' || one.name === 'prepareStackTrace')) return one;
    left.push(attempt(() => Object.getPrototypeOf(one)));
    for (const [name, { get, set, value }] of Object.entries(Object.getOwnPropertyDescriptors(one))) left.push(get, set, value, get && attempt(() => one[name]));
  }
};
let loot = [];
/** Loot that comes later. */
const settled = (promise) => { const name = current; promise.then((value) => { if (value !== undefined) console.log('LOOT ' + name); }, () => undefined); };
let current = '';
const attacks = {
${Object.entries(ATTACKS)
  .map(([name, body]) => `  ${JSON.stringify(name)}: (at) => { ${body} },`)
  .join('\n')}
};
let tried = 0;
function tryAll(where, at) {
  for (const [name, attack] of Object.entries(attacks)) {
    current = name + ', ' + where;
    tried++;
    const got = attempt(() => attack(at));
    if (got !== undefined && got !== null) console.log('LOOT ' + current);
  }
}
tryAll('loading', {});
let bars = 0;
export default defineStrategy({
  name: 'thief',
  description: 'Tries to get out.',
  params: z.strictObject({ length: z.int().min(1).max(3).default(1) }).transform((params) => { tryAll('schema', {}); return params; }),
  data: () => { tryAll('data', {}); return { bars: [{ symbol: SYMBOL, interval: '1d' }] }; },
  create: ({ params, state }) => {
    tryAll('create', { params, state });
    return {
      onBar: (at) => { if (bars++ < 2) tryAll('onBar', at); },
      onStop: (at) => { tryAll('onStop', at); console.log('TRIED ' + tried); },
    };
  },
});
`;

/** A strategy that imports a file into its bundle, if it can, and prints its text. */
export const readerSource = (file: string): string => `
import text from ${JSON.stringify(file)};
import { defineStrategy } from 'drover/strategy';
import { z } from 'zod';
console.log('LOOT ' + JSON.stringify(text));
export default defineStrategy({
  name: 'reader',
  description: 'Reads what is not its own.',
  params: z.strictObject({ length: z.int().min(1).max(3).default(1) }),
  data: () => ({}),
  create: () => ({}),
});
`;

/** Names of all attacks. */
export const ATTACK_NAMES = Object.keys(ATTACKS);
