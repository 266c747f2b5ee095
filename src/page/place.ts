import { orElse } from '../core/errors.ts';
/** Place in the page, given by the URL after `#`: `#/strategy/trend`, or `#/d/two/orders` for a daemon of a fleet. */
export type Place = Readonly<{
  /** Prefix of the daemon's API, such as `d/two/`; empty for the page's own. */
  base: string;
  /** Name of the view, such as `now`. */
  view: string;
  /** The item that the view shows, such as a strategy; null for all. */
  id: string | null;
  /** Filters of the view. */
  query: ReadonlyMap<string, string>;
}>;

const HOME = 'now';

/** Place named by a hash; the first view if it names none. */
export function placeOf(hash: string): Place {
  const [path = '', search = ''] = hash.replace(/^#\/?/, '').split('?');
  const words = path
    .split('/')
    .filter((word) => word !== '')
    .map((word) => orElse(() => decodeURIComponent(word), word));
  const isMember = words[0] === 'd' && words[1] !== undefined;
  const base = isMember ? `d/${encodeURIComponent(words[1] ?? '')}/` : '';
  const [view = HOME, id = null] = isMember ? words.slice(2) : words;
  return { base, view, id, query: new Map(new URLSearchParams(search)) };
}

/** Hash of a place, for links. */
export function hashOf({ base = '', view, id = null, query }: Partial<Place> & Pick<Place, 'view'>): string {
  const path = `#/${base}${view}${id === null ? '' : `/${encodeURIComponent(id)}`}`;
  const search = new URLSearchParams([...(query ?? [])]).toString();
  return search === '' ? path : `${path}?${search}`;
}
