import { z } from 'zod';
import {
  OBJECT_NAMES,
  OBJECTS,
  PROOFS,
  WORDS,
  type ObjectName,
  type ProofName,
  type WordField,
} from './names.ts';

/** A name or word that the venue may use. */
const NAME = /^[A-Za-z_][A-Za-z0-9_. -]{0,59}$/;

const wireName = (meaning: string) =>
  z
    .string()
    .regex(NAME, 'must be a name as the venue writes it: at most 60 letters, digits, _, . and -')
    .optional()
    .describe(`The venue's name for: ${meaning}.`);

/** Names given to two fields, which would be ambiguous. */
function takenTwice(
  ours: readonly string[],
  renamed: Readonly<Record<string, string | undefined>>,
): string | null {
  const theirs = ours.map((name) => renamed[name] ?? name);
  return theirs.find((name, index) => theirs.indexOf(name) !== index) ?? null;
}

/** The venue's names for ours, each given at most once. */
function renaming(ours: Readonly<Record<string, string>>, where: string) {
  const shape = Object.fromEntries(Object.entries(ours).map(([name, meaning]) => [name, wireName(meaning)]));
  return z
    .strictObject(shape)
    .superRefine((given, context) => {
      const twice = takenTwice(Object.keys(ours), given);
      if (twice === null) return;
      const message = `uses ${twice} for two names at once: give the other one a name too`;
      context.addIssue({ code: 'custom', message });
    })
    .optional()
    .describe(`The venue's names in ${where}, by drover's names.`);
}

const field = (name: ObjectName) => renaming(OBJECTS[name].names, OBJECTS[name].where);

const words = (name: WordField) =>
  renaming(Object.fromEntries(WORDS[name].words.map((word) => [word, word])), WORDS[name].where);

/** A subset of the words that count as proof; for words that end something, at least one remains. */
function narrowed<const Word extends string>(name: ProofName, known: readonly Word[]) {
  const ends = name !== 'refusals';
  const why =
    `can only leave out some of ${known.join(', ')}: nothing else is known to be proof, and treating it as proof ` +
    'would free money that may still be at stake';
  const isKnown = (word: string): word is Word => known.some((each) => each === word);
  return z
    .array(
      z
        .string()
        .refine(isKnown, why)
        .meta({ enum: [...known] }),
    )
    .min(ends ? 1 : 0, 'must keep at least one word: without any, nothing ever ends')
    .max(known.length)
    .optional()
    .describe(
      `The ${PROOFS[name].where}. Leave out those that do not hold at this venue; none can be added.`,
    );
}

const fieldsShape = Object.fromEntries(OBJECT_NAMES.map((name) => [name, field(name)])) as Record<
  ObjectName,
  ReturnType<typeof field>
>;

/** Documented codes, which have another meaning. */
const TAKEN_CODES: readonly number[] = [200, 401, 500];

const notFoundCode = z
  .int()
  .min(0)
  .refine(
    (code) => !TAKEN_CODES.includes(code),
    `must not be ${TAKEN_CODES.join(', ')}: these mean something else`,
  )
  .optional()
  .describe('Response code for an unknown order. Default 10001.');

/** `venue.assumptions`: how a real venue differs where its documentation leaves something open. */
export const assumptionOverlay = z.strictObject({
  fields: z
    .strictObject(fieldsShape)
    .optional()
    .describe("The venue's field names where they differ from ours."),
  words: z
    .strictObject({ operationType: words('operationType'), actionType: words('actionType') })
    .optional()
    .describe("The venue's words where they differ from ours. Words that end something are under proof."),
  units: z
    .strictObject({
      t: z
        .enum(['ms', 's', 'none'])
        .optional()
        .describe('Unit of t in a response; `none` if t is not a time. Default ms.'),
      createTime: z
        .enum(['s', 'ms', 'iso'])
        .optional()
        .describe('Unit of createTime in a link; `iso` for a text such as 2026-06-15T14:00:00Z. Default s.'),
    })
    .optional()
    .describe('Units of times.'),
  orderIdForm: z
    .enum(['as-listed', 'with-0x', 'without-0x'])
    .optional()
    .describe('How a path names an order. Default as-listed: as the venue wrote it.'),
  notFoundCode,
  proof: z
    .strictObject({
      orderEnds: narrowed('orderEnds', PROOFS.orderEnds.words),
      transferEnds: narrowed('transferEnds', PROOFS.transferEnds.words),
      refusals: narrowed('refusals', PROOFS.refusals.words),
    })
    .optional()
    .describe('What counts as proof. Nothing can be added here.'),
});

export type AssumptionOverlay = Readonly<z.output<typeof assumptionOverlay>>;
