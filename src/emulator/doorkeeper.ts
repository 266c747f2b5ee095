/** A request before anything has looked at what it asks for. */
export type Caller = Readonly<{
  /** As it stands in the request line. */
  target: string;
  /** Names and values in turn, repeated ones too. */
  rawHeaders: readonly string[];
}>;

/** Status and reason that a request is refused with. */
export type Turned = Readonly<{ status: 400 | 403; why: string }>;

/** Names under which a page of another site cannot reach this machine. */
const LOOPBACK_HOST = /^(127\.0\.0\.1|localhost|\[::1\])(:\d+)?$/;
/** Said by a browser of what a person typed, or a page asks of the site that it came from; there are no such pages here. */
const OWN_FETCH = ['none', 'same-origin'];

const PROGRAMS: Turned = { status: 403, why: 'only for programs on this machine' };

/**
 * Turns away what a web page could send in the name of whoever sits at this machine, and what two readers could read in two
 * ways. With `isLocal` the caller must also have asked for this machine by a name of its own.
 */
export function turnedAway({ target, rawHeaders }: Caller, isLocal: boolean): Turned | null {
  const [host, ...others] = valuesOf('host', rawHeaders);
  if (host === undefined || others.length > 0) return { status: 400, why: 'a request has exactly one Host' };
  if (!target.startsWith('/')) return { status: 400, why: 'a target is a path alone' };
  const isOfPage =
    valuesOf('origin', rawHeaders).length > 0 ||
    valuesOf('sec-fetch-site', rawHeaders).some((site) => !OWN_FETCH.includes(site));
  return isOfPage || (isLocal && !LOOPBACK_HOST.test(host)) ? PROGRAMS : null;
}

const valuesOf = (name: string, rawHeaders: readonly string[]): string[] =>
  rawHeaders.filter((_, index) => index % 2 === 1 && rawHeaders[index - 1]?.toLowerCase() === name);
