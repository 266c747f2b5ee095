import { HISTORY_WORDS, LINKED_WORDS, OPEN_WORDS, OPERATION_WORDS } from '../../../api/adopted.ts';
import type { Assumptions } from '../../../api/assumptions/assumptions.ts';
import { PROOFS, WORDS, type WordField } from '../../../api/assumptions/names.ts';
import { isTree, type Tree } from '../../../api/assumptions/translate.ts';
import { matched, type Samples } from './fields.ts';
import { asAssumed, differs, editOf, settingOf, unchecked, type Checked } from './checked.ts';

const textIn = (object: Tree, name: string): readonly string[] => {
  const value = object[name];
  return typeof value === 'string' ? [value] : [];
};

/** Compares the words that a field carries with those that are assumed. `none`: why there are no objects. */
export function checkWords(
  field: WordField,
  { words }: Assumptions,
  { objects, name, none }: Readonly<{ objects: readonly Tree[]; name: string; none: string }>,
): Checked {
  const entry = `words.${field}`;
  const seen = new Set(objects.flatMap((object) => textIn(object, name)));
  if (seen.size === 0) return unchecked(entry, none);
  const theirs = Object.values(words[field]);
  const odd = [...seen].filter((word) => !theirs.includes(word));
  const list = [...seen].join(', ');
  if (odd.length === 0) return asAssumed(entry, `as assumed: ${list}`);
  const unseen = WORDS[field].words.filter((word) => !seen.has(words[field][word] ?? word));
  const edit = editOf(['words', field], matched(unseen, odd));
  return differs(entry, `${WORDS[field].where} says ${odd.join(', ')}`, edit);
}

/** Words of ended orders: each that is known ends one, unless the same row still shows the order open. */
export function checkOrderEnds({ fields, orderEnds }: Assumptions, rows: readonly Tree[]): Checked {
  const entry = 'proof.orderEnds';
  const { openOrder = '', historyOrder = '' } = fields.orderDetail;
  const ended = rows.filter((row) => isTree(row[historyOrder]));
  const wordOf = (row: Tree) => (isTree(row[historyOrder]) ? textIn(row[historyOrder], 'status') : []);
  const words = new Set(ended.flatMap(wordOf));
  if (words.size === 0) return unchecked(entry, 'no order of the key has ended yet');
  const known = [...Object.keys(HISTORY_WORDS), ...Object.keys(OPEN_WORDS)];
  const odd = [...words].filter((word) => !known.includes(word));
  if (odd.length > 0)
    return differs(
      entry,
      `an order that has ended is called ${odd.join(', ')}: it is kept as not ended`,
      null,
    );
  const doubtful = new Set(ended.filter((row) => isTree(row[openOrder])).flatMap(wordOf));
  const kept = PROOFS.orderEnds.words.filter((word) => orderEnds.has(word) && !doubtful.has(word));
  const contradicted = [...doubtful].filter((word) => orderEnds.has(word));
  if (contradicted.length > 0)
    return differs(
      entry,
      `an order called ${contradicted.join(', ')} is still shown open`,
      settingOf(['proof', 'orderEnds'], `[${kept.join(', ')}]`),
    );
  return asAssumed(entry, `as assumed, of those seen: ${[...words].join(', ')}`);
}

/** Status words of transfers, from what was moved. */
export function checkTransferEnds({ fields }: Assumptions, samples: Samples): Checked {
  const entry = 'proof.transferEnds';
  const { withdrawalOperation, stockOperation } = fields;
  const words = new Set([
    ...(samples.withdrawalOperation ?? []).flatMap((each) =>
      textIn(each, withdrawalOperation['status'] ?? ''),
    ),
    ...(samples.stockOperation ?? []).flatMap((each) => textIn(each, stockOperation['status'] ?? '')),
  ]);
  if (words.size === 0) return unchecked(entry, 'the key has made no transfer yet');
  const odd = [...words].filter((word) => !OPERATION_WORDS.has(word) && !LINKED_WORDS.has(word));
  if (odd.length === 0) return asAssumed(entry, `as assumed, of those seen: ${[...words].join(', ')}`);
  return differs(entry, `a transfer is called ${odd.join(', ')}: it is kept as not ended`, null);
}
