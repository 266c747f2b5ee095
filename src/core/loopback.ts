/** Names under which a page of another site cannot reach this machine, as a URL has them. */
export const LOOPBACK = /^(localhost|127(\.\d{1,3}){3}|\[::1\])$/;

/** True for a host on this machine, to which a connection needs no encryption. */
export const isLoopbackHost = (host: string): boolean => LOOPBACK.test(host) || host === '::1';
