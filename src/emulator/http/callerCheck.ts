/** A request before it is routed. */
type Caller = Readonly<{
  /** As it stands in the request line. */
  target: string;
  /** Names and values in turn, repeated ones too. */
  rawHeaders: readonly string[];
}>;

/** Status and reason that a request is refused with. */
type Refusal = Readonly<{ status: 400 | 403; why: string }>;

/** Names under which a page of another site cannot reach this machine. */
const LOOPBACK_HOST = /^(127\.0\.0\.1|localhost|\[::1\])(:\d+)?$/;
/** Values of `Sec-Fetch-Site` for an address typed by a person or a page's own site: no page is served here. */
const OWN_FETCH = ['none', 'same-origin'];

const PROGRAMS: Refusal = { status: 403, why: 'only for programs on this machine' };

/**
 * Refuses requests that a web page could send in a user's name, and ambiguous ones. With `isLocal` the `Host` must also name
 * this machine.
 */
export function refusalOf({ target, rawHeaders }: Caller, isLocal: boolean): Refusal | null {
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
