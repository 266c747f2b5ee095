/**
 * Lets SES freeze the prototypes of typed arrays, and the one that they share with all objects, property by property, on Node.js 20. They
 * are as frozen as `Object.freeze` makes them, but that marks their elements too, and the V8 of Node.js 20 then looks through them
 * at each read and write of a typed array: loops take up to ten times as long. Later ones do not, and are faster without this;
 * that of arrays stays as it is everywhere, because calls of its methods would take ten times as long.
 */
const { freeze } = Object;
/** First version of V8 that reads typed arrays with frozen prototypes as fast as others. */
const FAST_V8 = 12;
const ARRAYS = [Int8Array, Uint8Array, Uint8ClampedArray, Int16Array, Uint16Array, Int32Array, Uint32Array];
const WIDE_ARRAYS = [Float32Array, Float64Array, BigInt64Array, BigUint64Array];
const PROTOTYPES = new Set([
  Object.prototype,
  Object.getPrototypeOf(Int8Array.prototype),
  ...[...ARRAYS, ...WIDE_ARRAYS].map(({ prototype }) => prototype),
]);

if (Number.parseInt(process.versions.v8, 10) < FAST_V8)
  Object.freeze = (object) => {
    if (PROTOTYPES.has(object)) freezeProperties(object);
    return freeze(object);
  };

function freezeProperties(object) {
  for (const key of Reflect.ownKeys(object)) {
    const isValue = 'value' in Reflect.getOwnPropertyDescriptor(object, key);
    Object.defineProperty(object, key, { configurable: false, ...(isValue && { writable: false }) });
  }
  Object.preventExtensions(object);
}

/** Gives the program its `Object.freeze` back, once SES has taken the one from here. */
export function restore() {
  Object.freeze = freeze;
}
