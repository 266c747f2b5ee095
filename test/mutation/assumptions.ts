import type { Mutant } from './mutant.ts';

/** Bugs in the config's mapping of a venue's names and words. */
export const assumptionMutants: readonly Mutant[] = [
  {
    name: 'refusal-believed-anyway',
    what: 'a text that the owner has left out still proves that nothing was sent',
    edits: [
      {
        file: 'src/api/failures.ts',
        find: 'if (!rule || !believed.has(rule.kind)) return null;',
        replace: 'if (!rule) return null;',
      },
    ],
    caughtBy: { tests: ['test/conformance/assumptions.test.ts'] },
  },
  {
    name: 'end-believed-anyway',
    what: 'a status word that the owner has left out still ends an order',
    edits: [
      {
        file: 'src/api/assumptions/dialect.ts',
        find: "typeof word === 'string' && known.includes(word) && !believed.has(word) ? unproven(word) : word;",
        replace: "typeof word === 'string' && known.includes(word) && !believed.has(word) ? word : word;",
      },
    ],
    caughtBy: { tests: ['test/conformance/assumptions.test.ts'] },
  },
  {
    name: 'proof-widened',
    what: 'a config may add words and texts that count as proof',
    edits: [
      {
        file: 'src/api/assumptions/overlay.ts',
        find: '.refine(isKnown, why)',
        replace: '.refine(() => true, why)',
      },
    ],
    caughtBy: { tests: ['test/app/config/sectionsAssumptions.test.ts'] },
  },
  {
    name: 'old-name-believed',
    what: 'a field that has another meaning at the venue is read for the one that was renamed',
    edits: [
      {
        file: 'src/api/assumptions/translate.ts',
        find: '?? (Object.hasOwn(names, key) ? null : key);',
        replace: '?? key;',
      },
    ],
    caughtBy: { tests: ['test/conformance/assumptions.test.ts'] },
  },
  {
    name: 'signature-of-anything',
    what: 'a config may give a function of the router other arguments than it has',
    edits: [
      {
        file: 'src/wallet/router.ts',
        find: 'return fits ? null :',
        replace: 'return fits || text ? null :',
      },
    ],
    caughtBy: { tests: ['test/app/config/sectionsAssumptions.test.ts'] },
  },
  {
    name: 'probe-of-dry-run-writes',
    what: 'a probe asks for calldata in a mode that only reads',
    edits: [
      {
        file: 'src/app/doctor/assumptions/probeAssumptions.ts',
        find: "if (mode !== 'live')",
        replace: "if (mode === 'emulator')",
      },
    ],
    caughtBy: { tests: ['test/conformance/probeAssumptions.test.ts'] },
  },
];
