import { SafetyError } from '../core/errors.ts';
import type { Transport } from './transport.ts';

/**
 * Lets nothing but reads through: any other request throws a `SafetyError` before the transport behind it hears of it, and so
 * before a byte leaves.
 */
export function readOnly(transport: Transport): Transport {
  return {
    send(request) {
      const { method, uri } = request;
      if (method === 'GET') return transport.send(request);
      const path = uri.split('?', 1)[0] ?? '';
      return Promise.reject(
        new SafetyError(`${method} ${path} was not sent: this connection is for reads alone`, {
          method,
          path,
        }),
      );
    },
    ready: async () => transport.ready?.(),
    close: async () => transport.close?.(),
  };
}
