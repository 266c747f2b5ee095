import type { RefusalKind } from '../failures.ts';
import { OBJECT_NAMES, OBJECTS, PROOFS, WORDS, type ObjectName, type WordField } from './names.ts';
import type { AssumptionOverlay } from './overlay.ts';

/** Names of the venue, keyed by ours. */
export type Renaming = Readonly<Record<string, string>>;

/** Our assumptions about everything in the API that the venue's documentation leaves open. */
export type Assumptions = Readonly<{
  fields: Readonly<Record<ObjectName, Renaming>>;
  words: Readonly<Record<WordField, Renaming>>;
  units: Readonly<{
    /** Unit of the envelope's `t`. */
    t: 'ms' | 's' | 'none';
    /** Unit of a link's `createTime`. */
    createTime: 's' | 'ms' | 'iso';
  }>;
  orderIdForm: NonNullable<AssumptionOverlay['orderIdForm']>;
  /** The venue's code for "not found". */
  notFoundCode: number;
  /** Status words that are accepted as proof that an order or transfer ended. */
  orderEnds: ReadonlySet<string>;
  transferEnds: ReadonlySet<string>;
  /** Kinds of refusal whose text proves that nothing was sent. */
  refusals: ReadonlySet<RefusalKind>;
}>;

/** Code of `not found`, which the documentation leaves open. */
export const NOT_FOUND = 10_001;

type PartialNames = Readonly<Record<string, string | undefined>> | undefined;

/** Each of our names with the given one, or otherwise itself. */
const renamed = (names: readonly string[], given: PartialNames): Renaming =>
  Object.fromEntries(names.map((name) => [name, given?.[name] ?? name]));

/** The default assumptions with the changes of an overlay. Pure: equal overlays give equal assumptions. */
export function assumptionsOf(overlay: AssumptionOverlay = {}): Assumptions {
  const { fields = {}, words = {}, units = {}, proof = {} } = overlay;
  const renamings = OBJECT_NAMES.map((name) => [
    name,
    renamed(Object.keys(OBJECTS[name].names), fields[name]),
  ]);
  return {
    fields: Object.fromEntries(renamings) as Record<ObjectName, Renaming>,
    words: {
      operationType: renamed(WORDS.operationType.words, words.operationType),
      actionType: renamed(WORDS.actionType.words, words.actionType),
    },
    units: { t: units.t ?? 'ms', createTime: units.createTime ?? 's' },
    orderIdForm: overlay.orderIdForm ?? 'as-listed',
    notFoundCode: overlay.notFoundCode ?? NOT_FOUND,
    orderEnds: new Set(proof.orderEnds ?? PROOFS.orderEnds.words),
    transferEnds: new Set(proof.transferEnds ?? PROOFS.transferEnds.words),
    refusals: new Set(proof.refusals ?? PROOFS.refusals.words),
  };
}

/** Assumptions about a venue whose config has no overlay. */
export const ASSUMED: Assumptions = assumptionsOf();
