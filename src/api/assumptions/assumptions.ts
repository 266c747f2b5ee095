import type { RefusalKind } from '../failures.ts';
import { OBJECT_NAMES, OBJECTS, PROOFS, WORDS, type ObjectName, type WordField } from './names.ts';
import type { AssumptionOverlay } from './overlay.ts';

/** Names by ours: what the venue calls them. */
export type Renaming = Readonly<Record<string, string>>;

/** Everything about the wire that the venue's documentation leaves open, as this program takes it to be. */
export type Assumptions = Readonly<{
  fields: Readonly<Record<ObjectName, Renaming>>;
  words: Readonly<Record<WordField, Renaming>>;
  units: Readonly<{
    /** Unit of the envelope's `t`. */
    t: 'ms' | 's' | 'none';
    /** Unit of a link's `createTime`. */
    createTime: 's' | 'ms' | 'iso';
  }>;
  orderIdForm: 'as-listed' | 'with-0x' | 'without-0x';
  /** Code with which the venue says that it knows no such thing. */
  notFoundCode: number;
  /** Status words that are believed to end an order, or a transfer. */
  orderEnds: ReadonlySet<string>;
  transferEnds: ReadonlySet<string>;
  /** Kinds of refusal whose text proves that nothing was sent. */
  refusals: ReadonlySet<RefusalKind>;
}>;

/** Code of `not found` among those that the documentation leaves open. */
export const NOT_FOUND = 10_001;

type Given = Readonly<Record<string, string | undefined>> | undefined;

/** Every name of ours with the one that is given for it, else with itself. */
const renamed = (names: readonly string[], given: Given): Renaming =>
  Object.fromEntries(names.map((name) => [name, given?.[name] ?? name]));

/** The defaults with what an overlay changes. Pure: equal overlays give equal assumptions. */
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
