/** Host names of this machine, as in a URL, that a page of another site cannot use to reach it. */
export const LOOPBACK = /^(localhost|127(\.\d{1,3}){3}|\[::1\])$/;

/** True for a host on this machine: connections to it need no encryption. */
export const isLoopbackHost = (host: string): boolean => LOOPBACK.test(host) || host === '::1';
