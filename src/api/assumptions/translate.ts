import { isTree } from '../../core/nesting.ts';
import type { Renaming } from './assumptions.ts';

/** Translates a part of a message. Unknown values are returned unchanged. */
export type Translate = (part: unknown) => unknown;

const isSame = (names: Renaming): boolean => Object.entries(names).every(([ours, theirs]) => ours === theirs);

export const inTurn =
  (...steps: readonly Translate[]): Translate =>
  (part) =>
    steps.reduce((value, step) => step(value), part);

/** Applies a translation to each element of a list. */
export const eachOf =
  (translate: Translate): Translate =>
  (part) =>
    Array.isArray(part) ? part.map(translate) : part;

/** Applies translations to the fields of an object. */
export const fieldsOf =
  (inner: Readonly<Record<string, Translate>>): Translate =>
  (part) =>
    isTree(part)
      ? Object.fromEntries(
          Object.entries(part).map(([key, value]) => [
            key,
            Object.hasOwn(inner, key) ? (inner[key]?.(value) ?? value) : value,
          ]),
        )
      : part;

/** The rows of a paged list. */
export const rowsOf = (translate: Translate): Translate => fieldsOf({ rows: eachOf(translate) });

/** Renames the venue's names of an object to ours. A field with one of our names, but no meaning there, is dropped. */
export function toOurs(names: Renaming): Translate {
  if (isSame(names)) return (part) => part;
  const ourName = new Map(Object.entries(names).map(([ours, theirs]) => [theirs, ours]));
  return (part) =>
    isTree(part)
      ? Object.fromEntries(
          Object.entries(part).flatMap(([key, value]) => {
            const name = ourName.get(key) ?? (Object.hasOwn(names, key) ? null : key);
            return name === null ? [] : [[name, value]];
          }),
        )
      : part;
}

/** Renames an object's fields from our names to the venue's. */
export function toTheirs(names: Renaming): Translate {
  if (isSame(names)) return (part) => part;
  return (part) =>
    isTree(part)
      ? Object.fromEntries(
          Object.entries(part).map(([key, value]) => [
            Object.hasOwn(names, key) ? (names[key] ?? key) : key,
            value,
          ]),
        )
      : part;
}

/** Translates a word of the venue into ours. */
export function wordToOurs(words: Renaming): Translate {
  const ours = new Map(Object.entries(words).map(([our, their]) => [their, our]));
  return (part) => {
    if (typeof part !== 'string') return part;
    const our = ours.get(part);
    if (our !== undefined) return our;
    return Object.hasOwn(words, part) ? `${part} (another word of the venue)` : part;
  };
}
