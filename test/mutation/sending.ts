import type { Mutant } from './mutant.ts';

const COMMIT = `      gate.commit({ method, uri, timestamp, nonce, body });
      return this.#exchange(endpoint, signed, (late) =>
        gate.answeredLate?.(late.then((it) => this.#dataOf(endpoint, it))),
      );`;
const caller = 'src/api/requester.ts';

/** Bugs in sending: twice, before it is journaled, or although it is forbidden. */
export const sendingMutants: readonly Mutant[] = [
  {
    name: 'retry-on-timeout',
    what: 'a send without an answer is sent again, byte for byte',
    edits: [
      {
        file: caller,
        find: COMMIT,
        replace: `      gate.commit({ method, uri, timestamp, nonce, body });
      return this.#exchange(endpoint, signed).catch(() => this.#exchange(endpoint, signed));`,
      },
    ],
    caughtBy: { tests: ['test/api/requesterGate.test.ts'] },
  },
  {
    name: 're-sign-on-retry',
    what: 'a send without an answer is signed anew, with a nonce of its own, and sent again',
    edits: [
      {
        file: caller,
        find: COMMIT,
        replace: `      gate.commit({ method, uri, timestamp, nonce, body });
      const again = () => this.#exchange(endpoint, this.#parts.signing.sign(prepare(endpoint, dated(endpoint, asked, deadline))));
      return this.#exchange(endpoint, signed).catch(again);`,
      },
    ],
    caughtBy: { tests: ['test/api/requesterGate.test.ts'] },
  },
  {
    name: 'journal-after-send',
    what: 'the first byte leaves before the send is in the journal',
    edits: [
      {
        file: caller,
        find: COMMIT,
        replace: `      const answer = this.#exchange(endpoint, signed);
      gate.commit({ method, uri, timestamp, nonce, body });
      return answer;`,
      },
    ],
    caughtBy: { tests: ['test/api/requesterGate.test.ts'] },
  },
  {
    name: 'effects-before-facts',
    what: 'what the kernel asks for is carried out before the facts behind it are durable',
    edits: [
      {
        file: 'src/engine/runtime/commitLoop.ts',
        find: `    if (!isRider) this.#write();
    if (this.#pending.length === 0 || (isRider && !this.#trouble)) this.#carryOut();`,
        replace: `    this.#carryOut();
    if (!isRider) this.#write();`,
      },
    ],
    caughtBy: { tests: ['test/engine/runtime/commitLoop.test.ts'] },
  },
  {
    name: 'send-is-repeatable',
    what: 'the endpoint that places orders is treated like a read, and repeated',
    edits: [
      {
        file: 'src/api/endpoints/orders.ts',
        find: `path: '/api/v1/orders/send',`,
        replace: `path: '/api/v1/orders/send', repeat: 'always',`,
      },
    ],
    caughtBy: { tests: ['test/api/client.test.ts', 'test/api/endpoints.test.ts'] },
  },
  {
    name: 'send-over-the-pool',
    what: 'a send shares a kept connection, whose death makes the transport replay it',
    edits: [
      {
        file: 'src/api/undiciTransport.ts',
        find: 'const own = request.fresh ? new Client',
        replace: 'const own = request.fresh && request.limitMs < 0 ? new Client',
      },
    ],
    caughtBy: { tests: ['test/api/undiciTransport.test.ts'] },
  },
  {
    name: 'nonce-repeated',
    what: 'two requests carry the same nonce',
    edits: [
      {
        file: 'src/api/signing.ts',
        find: 'const nonce = random.uuid();',
        replace: "const nonce = random.uuid().slice(36) + '00000000-0000-4000-8000-000000000000';",
      },
    ],
    caughtBy: { tests: ['test/api/client.test.ts', 'test/api/clientRequests.test.ts'] },
  },
  {
    name: 'gate-not-asked-again',
    what: 'halts, delegation, limits and money are not looked at again when the slot is free',
    edits: [
      {
        file: 'src/engine/risk/gate.ts',
        find: 'this.#againstSending() ?? this.#againstOrder(order) ?? this.#limited(order) ?? this.#unfunded(order);',
        replace: 'this.#againstOrder(order);',
      },
    ],
    caughtBy: { tests: ['test/engine/runtime/sending.test.ts'] },
  },
  {
    name: 'limits-not-asked-again',
    what: 'an order that waited for its slot may be beyond a limit by then',
    edits: [
      {
        file: 'src/engine/risk/gate.ts',
        find: ' ?? this.#limited(order)',
        replace: '',
      },
    ],
    caughtBy: { tests: ['test/engine/runtime/doubt.test.ts'] },
  },
  {
    name: 'deadline-shared',
    what: 'two live orders of one key share the second of their deadline',
    edits: [
      {
        file: 'src/engine/risk/gate.ts',
        find: 'if (!taken.has(deadline)) return epochSeconds(deadline);',
        replace: 'return epochSeconds(deadline);',
      },
    ],
    caughtBy: { tests: ['test/engine/runtime/doubt.test.ts'] },
  },
  {
    name: 'kill-file-ignored',
    what: 'orders go out while the kill file is there',
    edits: [
      {
        file: 'src/engine/risk/gate.ts',
        find: "const outside = this.#obstacles.reason('place');",
        replace: 'const outside = holds.everything;',
      },
    ],
    caughtBy: { tests: ['test/engine/runtime/sending.test.ts'] },
  },
];
