/**
 * Bounds on JSON from outside. Its writer decides how deep and large it is; code that walks it level by level (freezing,
 * `JSON.stringify`, schemas) then ends with "Maximum call stack size exceeded".
 */

/** Deepest nesting that is parsed. Parsing itself takes any, at 300 bytes of memory for each pair of brackets. */
const PARSED_LEVELS_MAX = 20_000;
/** Deepest nesting that is accepted. The deepest documented value of the venue has six levels. */
export const LEVELS_MAX = 64;
/** Size counted for a value in addition to the characters of its key and text. */
const NODE_SIZE = 8;

const [QUOTE, BACKSLASH] = [0x22, 0x5c];
const [OPEN_LIST, CLOSE_LIST, OPEN_OBJECT, CLOSE_OBJECT] = [0x5b, 0x5d, 0x7b, 0x7d];

/** Parses JSON. @throws {SyntaxError} for invalid JSON, or nesting so deep that parsing it would cost too much */
export function parseBounded(text: string, levels = PARSED_LEVELS_MAX): unknown {
  if (isNestedDeeper(text, levels)) throw new SyntaxError(`nested deeper than ${levels} levels`);
  return JSON.parse(text);
}

/** True for a JSON text nested deeper than `levels`: counts brackets in one pass, except those in strings. */
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

/** True for a text with more than `most` opening brackets, those in strings too: a search jumps over all else. */
function opensMore(text: string, most: number): boolean {
  let count = 0;
  for (const bracket of '[{')
    for (let at = text.indexOf(bracket); at !== -1; at = text.indexOf(bracket, at + 1))
      if (++count > most) return true;
  return false;
}

/** Index of the quote that ends the string beginning at `from`; the end of the text when none does. */
function endOfString(text: string, from: number): number {
  for (let at = text.indexOf('"', from + 1); at !== -1; at = text.indexOf('"', at + 1)) {
    let escapes = 0;
    while (text.charCodeAt(at - 1 - escapes) === BACKSLASH) escapes++;
    if (escapes % 2 === 0) return at;
  }
  return text.length;
}

/** A mapping of names to values, of JSON or YAML. */
export type Tree = Readonly<Record<string, unknown>>;
export const isTree = (value: unknown): value is Tree => isNested(value) && !Array.isArray(value);

/** Fields of a value that was not checked; none of one that has none. */
export const treeOf = (value: unknown): Tree => (isNested(value) ? value : {});

/** Part of a value; undefined if it has none there. */
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
 * Bound that a parsed value breaks, in words; null when it breaks none. `sizeMax` counts the characters of keys and texts,
 * and eight for each other value. Walks without recursion.
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

/** Upper levels of a value that is too large, with long texts and lists cut, for people and the journal. */
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
 * A row of a list that does not fit its schema, or is too large: set aside with the reason, without affecting other rows.
 * `raw` is safe to traverse and to store.
 */
export type Unreadable = Readonly<{ unreadable: string; raw: unknown }>;

export const isUnreadable = (row: unknown): row is Unreadable =>
  typeof row === 'object' && row !== null && 'unreadable' in row;
