import { InvariantError } from './errors.ts';

type Parts = Record<string, unknown>;

/** Map whose values stay unparsed lines until read: thousands load in the time of the few that are used. */
export class PackedMap<K, V extends object> extends Map<K, V> {
  /** Source of the unparsed lines. */
  #lines: Lines = NO_LINES;

  override get(key: K): V | undefined {
    const found: V | number | undefined = super.get(key);
    if (typeof found !== 'number') return found;
    const text = this.#lines.at(found);
    const value = revived(JSON.parse(text), NO_LINES) as V;
    texts.set(value, text);
    super.set(key, value);
    return value;
  }

  override *entries(): MapIterator<[K, V]> {
    for (const key of super.keys()) yield [key, this.get(key) as V];
    return undefined;
  }

  override [Symbol.iterator](): MapIterator<[K, V]> {
    return this.entries();
  }

  override *values(): MapIterator<V> {
    for (const [, value] of this.entries()) yield value;
    return undefined;
  }

  override forEach(each: (value: V, key: K, map: Map<K, V>) => void): void {
    for (const [key, value] of this.entries()) each(value, key, this);
  }

  /** Assigns the next line of a text to each key. */
  pack(keys: readonly K[], lines: Lines): void {
    this.#lines = lines;
    for (const key of keys) super.set(key, lines.next() as unknown as V);
  }

  /** Texts of the values, in order. Consecutive unparsed ones are returned together, unchanged. */
  *texts(): Generator<string | Buffer> {
    let [from, to] = NOWHERE;
    for (const value of super.values() as MapIterator<V | number>) {
      if (value === to + 1) {
        to = this.#lines.endOf(value);
        continue;
      }
      if (from <= to) yield this.#lines.span(from, to);
      [from, to] = typeof value === 'number' ? [value, this.#lines.endOf(value)] : NOWHERE;
      if (typeof value !== 'number') yield textOfValue(value);
    }
    if (from <= to) yield this.#lines.span(from, to);
  }
}

/** Texts of values that were written or read. These values are never changed. */
const texts = new WeakMap<object, string>();

function textOfValue(value: object): string {
  const known = texts.get(value);
  if (known !== undefined) return known;
  const text = encoded(value, []);
  texts.set(value, text);
  return text;
}

/** Empty range of lines. */
const NOWHERE: readonly [number, number] = [-1, -3];

/** Map of texts and numbers, stored on a line of its own, which reads and writes thousands of entries much faster. */
export class LineMap<K extends Plain, V extends Plain> extends Map<K, V> {
  line(): string {
    const list: unknown[] = [];
    for (const [key, value] of this) list.push(key, typeof value === 'bigint' ? { $n: `${value}` } : value);
    return JSON.stringify(list);
  }
}

type Plain = string | number | bigint;

/** Converts a map to one that is stored on a line of its own. */
export const lined = <K extends Plain, V extends Plain>(map: Map<K, V>): LineMap<K, V> =>
  map instanceof LineMap ? (map as LineMap<K, V>) : new LineMap(map);

/** Converts a map to one with packed values. */
export const packed = <K, V extends object>(map: Map<K, V>): PackedMap<K, V> =>
  map instanceof PackedMap ? (map as PackedMap<K, V>) : new PackedMap(map);

/**
 * UTF-8 text of an object: its fields, except `#private` ones, as JSON on the first line; a line per `LineMap`; for
 * each `PackedMap` a line of keys and one per value. Maps, sets and bigints become `{"$n":"12"}`, with `$` escaped.
 */
export function stateText(state: object): Buffer {
  const lines: (string | Buffer)[] = [];
  const head = encoded(state, lines);
  const parts = lines.flatMap((line) => [FEED, typeof line === 'string' ? Buffer.from(line) : line]);
  return Buffer.concat([Buffer.from(head), ...parts]);
}

/**
 * Restores an object and its parts from a text, in place: objects shared with others stay shared.
 * @throws {InvariantError} when the text has other fields; nothing has changed then
 */
export function restoreState(state: object, text: Buffer): void {
  const lines = new Lines(text);
  const saved = revived(JSON.parse(lines.at(lines.next())), lines);
  requireFields(state, saved);
  fill(state as Parts, saved as Parts);
}

const MARK = /^\$+[nmspl]$/;

/** The only key of an object if it looks like a mark; otherwise null. */
function markOf(part: object): string | null {
  const keys = Object.keys(part);
  const [key] = keys;
  return key !== undefined && keys.length === 1 && MARK.test(key) ? key : null;
}

const encoded = (value: object, lines: (string | Buffer)[]): string =>
  JSON.stringify(value, (_key, part: unknown) => {
    if (typeof part === 'bigint') return { $n: part.toString() };
    if (typeof part !== 'object' || part === null || Array.isArray(part)) return part;
    if (part instanceof LineMap) {
      lines.push(part.line());
      return { $l: 0 };
    }
    if (part instanceof PackedMap) {
      lines.push(JSON.stringify([...part.keys()]));
      for (const text of part.texts()) lines.push(text);
      return { $p: 0 };
    }
    if (part instanceof Map) return { $m: [...part].flat() };
    if (part instanceof Set) return { $s: [...part] };
    const mark = markOf(part);
    return mark === null ? part : { [`$${mark}`]: (part as Parts)[mark] };
  });

/** Lines of a text, identified by their offsets and decoded on demand. */
class Lines {
  readonly #bytes: Buffer;
  #next = 0;

  constructor(bytes: Buffer) {
    this.#bytes = bytes;
  }

  /** Offset of the next line. @throws {InvariantError} after the last */
  next(): number {
    const place = this.#next;
    if (place > this.#bytes.length) throw new InvariantError('a state lacks lines');
    this.#next = this.endOf(place) + 1;
    return place;
  }

  /** Line at an offset. */
  at(place: number): string {
    return this.#bytes.toString('utf8', place, this.endOf(place));
  }

  span(from: number, to: number): Buffer {
    return this.#bytes.subarray(from, to);
  }

  endOf(place: number): number {
    const end = this.#bytes.indexOf(LINE_FEED, place);
    return end < 0 ? this.#bytes.length : end;
  }
}

const LINE_FEED = 10;
const FEED = Buffer.from([LINE_FEED]);
const NO_LINES = new Lines(Buffer.alloc(0));

/** Restores marked values in place: nothing else holds the value yet. */
function revived(part: unknown, lines: Lines): unknown {
  if (typeof part !== 'object' || part === null) return part;
  if (Array.isArray(part)) {
    const list: unknown[] = part;
    for (let index = 0; index < list.length; index++)
      if (typeof list[index] === 'object') list[index] = revived(list[index], lines);
    return list;
  }
  const parts = part as Parts;
  for (const key of Object.keys(parts))
    if (typeof parts[key] === 'object') parts[key] = revived(parts[key], lines);
  const mark = markOf(parts);
  if (mark === null) return parts;
  const value = parts[mark];
  if (mark === '$n') return BigInt(String(value));
  if (mark === '$m') return filled(new Map(), value as unknown[]);
  if (mark === '$l')
    return filled(new LineMap(), revived(JSON.parse(lines.at(lines.next())), lines) as unknown[]);
  if (mark === '$s') return new Set(value as unknown[]);
  if (mark !== '$p') return { [mark.slice(1)]: value };
  const map = new PackedMap<unknown, object>();
  map.pack(JSON.parse(lines.at(lines.next())) as unknown[], lines);
  return map;
}

/** Takes alternating keys and values: a list of pairs takes twice the time to read. */
function filled(map: Map<unknown, unknown>, list: readonly unknown[]): Map<unknown, unknown> {
  for (let index = 0; index < list.length; index += 2) map.set(list[index], list[index + 1]);
  return map;
}

/** True for an object whose fields are restored one by one. */
const isPart = (value: unknown): value is Parts =>
  typeof value === 'object' &&
  value !== null &&
  !(value instanceof Map || value instanceof Set || Array.isArray(value));

/** @throws {InvariantError} when a part has missing or additional fields */
function requireFields(state: object, saved: unknown): void {
  const fields = Object.entries(state).filter(([, value]) => value !== undefined);
  if (!isPart(saved) || Object.keys(saved).length !== fields.length)
    throw new InvariantError('a state has other fields than are kept today');
  for (const [field, value] of fields) {
    if (!(field in saved)) throw new InvariantError(`a state lacks ${field}`);
    if (isPart(value)) requireFields(value, saved[field]);
  }
}

function fill(state: Parts, saved: Parts): void {
  for (const [field, value] of Object.entries(state)) {
    const from = saved[field];
    const isWhole = from instanceof PackedMap || from instanceof LineMap;
    if (value instanceof Map && from instanceof Map && !isWhole) refill(value, from);
    else if (value instanceof Set && from instanceof Set) {
      value.clear();
      for (const item of from) value.add(item);
    } else if (Array.isArray(value) && Array.isArray(from)) {
      value.length = 0;
      for (const item of from) value.push(item);
    } else if (isPart(value)) fill(value, from as Parts);
    else if (value !== undefined) state[field] = from;
  }
}

function refill(map: Map<unknown, unknown>, from: ReadonlyMap<unknown, unknown>): void {
  map.clear();
  for (const [key, value] of from) map.set(key, value);
}
