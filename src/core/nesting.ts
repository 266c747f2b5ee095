/**
 * Bounds on JSON from outside. Its author controls its depth and size, and code that walks it recursively (freezing,
 * `JSON.stringify`, schemas) would fail with "Maximum call stack size exceeded".
 */

/** Deepest nesting that is parsed. Parsing itself has no limit, and takes 300 bytes of memory per pair of brackets. */
const PARSED_LEVELS_MAX = 20_000;
/** Deepest nesting that is accepted. The deepest documented value of the venue has six levels. */
export const LEVELS_MAX = 64;
/** Size counted per value in addition to the characters of its key and text. */
const NODE_SIZE = 8;

const [QUOTE, BACKSLASH] = [0x22, 0x5c];
const [OPEN_LIST, CLOSE_LIST, OPEN_OBJECT, CLOSE_OBJECT] = [0x5b, 0x5d, 0x7b, 0x7d];

/** Parses JSON. @throws {SyntaxError} for invalid JSON, or nesting so deep that parsing it would cost too much */
export function parseBounded(text: string, levels = PARSED_LEVELS_MAX): unknown {
  if (isNestedDeeper(text, levels)) throw new SyntaxError(`nested deeper than ${levels} levels`);
  return JSON.parse(text);
}

/** True for a JSON text nested deeper than `levels`: counts brackets in one pass, except those within strings. */
export function isNestedDeeper(text: string, levels: number): boolean {
  if (text.length <= levels || !opensMore(text, levels)) return false;
  let level = 0;
  for (let at = 0; at < text.length; at++) {
    const char = text.charCodeAt(at);
    if (char === QUOTE) at = endOfString(text, at);
    else if (char === CLOSE_LIST || char === CLOSE_OBJECT) level--;
    else if ((char === OPEN_LIST || char === OPEN_OBJECT) && ++level > levels) return true;
  }
  return false;
}

/** True for a text with more than `most` opening brackets, including those in strings. A fast search. */
function opensMore(text: string, most: number): boolean {
  let count = 0;
  for (const bracket of '[{')
    for (let at = text.indexOf(bracket); at !== -1; at = text.indexOf(bracket, at + 1))
      if (++count > most) return true;
  return false;
}

/** Index of the closing quote of the string that begins at `from`; the end of the text if there is none. */
function endOfString(text: string, from: number): number {
  for (let at = text.indexOf('"', from + 1); at !== -1; at = text.indexOf('"', at + 1)) {
    let escapes = 0;
    while (text.charCodeAt(at - 1 - escapes) === BACKSLASH) escapes++;
    if (escapes % 2 === 0) return at;
  }
  return text.length;
}

/** Mapping of names to values, from JSON or YAML. */
export type Tree = Readonly<Record<string, unknown>>;
export const isTree = (value: unknown): value is Tree => isNested(value) && !Array.isArray(value);

/** Fields of an unchecked value; empty if it has none. */
export const treeOf = (value: unknown): Tree => (isNested(value) ? value : {});

/** Part of a value at a path; undefined if there is none. */
export const valueAt = (value: unknown, path: readonly PropertyKey[]): unknown =>
  path.reduce<unknown>(
    (inner, part) => (isNested(inner) && Object.hasOwn(inner, part) ? inner[String(part)] : undefined),
    value,
  );

/** Object or list. */
type Values = Readonly<Record<string, unknown>>;
type NestedValue = Readonly<{ value: Values; level: number }>;
const isNested = (value: unknown): value is Values => typeof value === 'object' && value !== null;

/**
 * Description of the bound that a parsed value exceeds; null if there is none. `sizeMax` counts the characters of keys
 * and texts, plus eight for each value. Walks without recursion.
 */
export function excessOf(value: unknown, sizeMax = Infinity): string | null {
  let size = typeof value === 'string' ? value.length : NODE_SIZE;
  const open: NestedValue[] = isNested(value) ? [{ value, level: 1 }] : [];
  for (let next = open.pop(); next && size <= sizeMax; next = open.pop()) {
    const { level } = next;
    if (level > LEVELS_MAX) return `nested deeper than ${LEVELS_MAX} levels`;
    for (const key in next.value) {
      const inner = next.value[key];
      size += key.length + (typeof inner === 'string' ? inner.length : NODE_SIZE);
      if (size > sizeMax) break;
      if (isNested(inner)) open.push({ value: inner, level: level + 1 });
    }
  }
  return size > sizeMax ? `larger than ${sizeMax} characters` : null;
}

const OUTLINE_LEVELS = 3;
const OUTLINE_ENTRIES = 50;
const OUTLINE_CHARS = 200;

/** Upper levels of an oversized value, with long texts and lists cut, for people and the journal. */
export function outlineOf(value: unknown, levels = OUTLINE_LEVELS): unknown {
  if (typeof value === 'string') return value.slice(0, OUTLINE_CHARS);
  if (!isNested(value)) return value;
  if (levels === 0) return '…';
  const entries = Object.entries(value).slice(0, OUTLINE_ENTRIES);
  const cut = entries.map(
    ([key, inner]) => [key.slice(0, OUTLINE_CHARS), outlineOf(inner, levels - 1)] as const,
  );
  return Array.isArray(value) ? cut.map(([, inner]) => inner) : Object.fromEntries(cut);
}

/**
 * Row of a list that does not fit its schema, or is too large: set aside with the reason, without affecting other rows.
 * `raw` is safe to traverse and to store.
 */
export type Unreadable = Readonly<{ unreadable: string; raw: unknown }>;

export const isUnreadable = (row: unknown): row is Unreadable =>
  typeof row === 'object' && row !== null && 'unreadable' in row;
