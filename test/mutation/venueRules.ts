import type { Mutant } from './mutant.ts';

const caughtBy = { tests: ['test/model/model.test.ts'] };

/** Bugs in the venue's rules as the emulator has them: the independent model must differ. */
export const venueRuleMutants: readonly Mutant[] = [
  {
    name: 'venue-nonce-window-halved',
    what: 'the emulator forgets a nonce before the window of its timestamp has passed',
    edits: [
      {
        file: 'src/emulator/routes/authentication.ts',
        find: 'keptMs = 2 * state.constants.windowMs;',
        replace: 'keptMs = state.constants.windowMs / 2;',
      },
    ],
    caughtBy,
  },
  {
    name: 'venue-lock-not-returned',
    what: 'what a buy has locked and did not pay is not given back when it settles',
    edits: [
      {
        file: 'src/emulator/trading/settlement.ts',
        find: 'deferred ? 0n : reserve - pay',
        replace: 'deferred || pay > 0n ? 0n : reserve - pay',
      },
    ],
    caughtBy,
  },
  {
    name: 'venue-market-order-after-hours',
    what: 'a market order is taken outside the regular session',
    edits: [
      {
        file: 'src/emulator/routes/tradingRules.ts',
        find: "  if (phase === 'regular') return;",
        replace: "  if (phase === 'regular' || phase === 'post') return;",
      },
    ],
    caughtBy,
  },
  {
    name: 'venue-day-order-outlives-close',
    what: 'a DAY limit order lives until the close of the session after its own',
    edits: [
      {
        file: 'src/sim/dayEnd.ts',
        find: 'return (calendar.sessionAt(at) ?? calendar.nextSession(at)).close;',
        replace: 'return calendar.nextSession(at).close;',
      },
    ],
    caughtBy,
  },
  {
    name: 'venue-fee-doubled',
    what: 'the protocol fee of a buy is twice as high as the venue states it',
    edits: [
      {
        file: 'src/emulator/trading/orders.ts',
        find: 'protocolFee: of(fees.buyProtocolFeeBps)',
        replace: 'protocolFee: of(2 * fees.buyProtocolFeeBps)',
      },
    ],
    caughtBy,
  },
];
