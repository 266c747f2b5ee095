import type { ConfigDocument } from './document.ts';
import { isTree, valueAt } from '../../../core/nesting.ts';
import type { Path } from '../problems.ts';

/** Files of a config as one: mappings are merged, everything else is replaced by what a later file has. */
export type LayeredDocument = Omit<ConfigDocument, 'file'> &
  /** The file, as the user named it, that says what is at `path`. */
  Readonly<{ fileOf: (path: Path) => string }>;

/** @param documents at least one; the first is what the others are put on */
export function layered(documents: readonly [ConfigDocument, ...ConfigDocument[]]): LayeredDocument {
  const [first] = documents;
  // A file of comments alone sets nothing.
  const layers = documents.filter(({ value }) => value !== null);
  const ownerOf = (path: Path) => layers.findLast((each) => each.has(path) || cuts(each, path)) ?? first;
  const isUnreadable = documents.some(({ value }) => value === undefined);
  return {
    value: isUnreadable ? undefined : layers.map(({ value }) => value).reduce(merged, null),
    problems: documents.flatMap(({ problems }) => problems),
    place: (problem) => ownerOf(problem.path).place(problem),
    has: (path) => ownerOf(path).has(path),
    fileOf: (path) => ownerOf(path).file,
  };
}

/** True for a file that has a list or a plain value where `path` goes on: it replaces all that earlier files have below. */
const cuts = ({ has, value }: ConfigDocument, path: Path): boolean =>
  path.some((_, length) => has(path.slice(0, length)) && !isTree(valueAt(value, path.slice(0, length))));

const merged = (below: unknown, above: unknown): unknown =>
  isTree(below) && isTree(above)
    ? Object.fromEntries(
        [...new Set([...Object.keys(below), ...Object.keys(above)])].map((key) => [
          key,
          Object.hasOwn(above, key) ? merged(below[key], above[key]) : below[key],
        ]),
      )
    : above;
