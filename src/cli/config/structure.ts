import { isAlias, isMap, isNode, isScalar, isSeq, type Node, type Pair, type Scalar } from 'yaml';
import type { Secrets } from '../../core/secrets.ts';
import { isLikelySecret } from './likelySecrets.ts';
import type { Path, Problem } from './problems.ts';

/** A problem of the text, and where in it. */
export type FoundProblem = Problem & Readonly<{ offset: number }>;

const PROTOTYPE_KEYS = ['__proto__', 'constructor', 'prototype'];
const SECRET_KEY =
  /^(api[-_]?key|(api[-_]?|client[-_]?)?secret|secret[-_]?key|(private|wallet)[-_]?key|mnemonic|seed[-_]?phrase|pass(word|phrase))$/i;
/** Any text of 64 hex digits: a private key has no other form. */
const PRIVATE_KEY = /^(0x)?[0-9a-f]{64}$/i;
const PLAIN_NUMBER = /^-?(0|[1-9]\d*)(\.\d+)?$/;

/** A key that names a danger, and is no secret by itself. */
export const isDangerousKey = (key: string): boolean => PROTOTYPE_KEYS.includes(key) || SECRET_KEY.test(key);

export const SECRET_REMEDY =
  'Take it out, and consider it known to whoever has read this file. ' +
  'Set DROVER_API_KEY and DROVER_API_SECRET in the environment, or name files by venue.keyFile and venue.secretFile';

export type Structure = Readonly<{ found: readonly FoundProblem[]; hasAlias: boolean }>;

/**
 * Finds problems that no schema needs to see: dangerous keys, secrets, references, and numbers in other forms than plain decimals.
 * A secret that is found is registered, so that no message repeats it.
 */
export function structureProblems(root: Node | null, secrets: Secrets): Structure {
  const found: FoundProblem[] = [];
  let hasAlias = false;
  const add = (node: Node | null, problem: Problem): void =>
    void found.push({ ...problem, offset: node?.range?.[0] ?? 0 });

  const visitPair = ({ key, value }: Pair, path: Path): void => {
    const node = isNode(key) ? key : null;
    const name = isScalar(key) && typeof key.value === 'string' ? key.value : null;
    if (name === null)
      return add(node, { path, problem: 'a key must be text', remedy: 'Put quotes around it' });
    const inner = [...path, name];
    const isSecret = isSecretText(name, secrets);
    if (isSecret || isLikelySecret(name)) secrets.register(name);
    if (isSecret)
      add(node, {
        path: inner,
        problem: 'this is a secret, and must not be in this file',
        remedy: SECRET_REMEDY,
      });
    else if (PROTOTYPE_KEYS.includes(name)) add(node, { path: inner, problem: 'this key is not allowed' });
    else if (SECRET_KEY.test(name)) {
      if (isScalar(value)) secrets.register(String(value.value));
      add(node, { path: inner, problem: 'a secret must not be in this file', remedy: SECRET_REMEDY });
    } else if (isNode(value)) {
      if (isScalar(value)) maskMisplaced(name, value, secrets);
      visit(value, inner);
    }
  };

  const visit = (node: Node, path: Path): void => {
    if (isAlias(node)) hasAlias = true;
    if (isAlias(node) || node.anchor !== undefined)
      add(node, { path, problem: 'anchors and aliases are not read', remedy: 'Write the value out' });
    if (isMap(node)) node.items.forEach((pair) => visitPair(pair, path));
    if (isSeq(node)) node.items.forEach((item, index) => isNode(item) && visit(item, [...path, index]));
    if (isScalar(node)) scalarProblems(node, secrets).forEach((problem) => add(node, { path, ...problem }));
  };

  if (root) visit(root, []);
  return { found, hasAlias };
}

/** What may be a key in a URL is masked wherever it is shown, and may stand there. */
const isKnown = (value: string, secrets: Secrets): boolean =>
  !value.includes('://') && secrets.redact(value) !== value;

/** Any text that is a secret by its form, or is known as one. */
const isSecretText = (text: string, secrets: Secrets): boolean =>
  PRIVATE_KEY.test(text) || isKnown(text, secrets);

/** Fields for the name of a file or of a stored key: people paste the key itself there. */
const NAMES_A_SECRET = /^(key|secret|walletKey)(File|Name)$/;

function maskMisplaced(key: string, { value }: Scalar, secrets: Secrets): void {
  if (!NAMES_A_SECRET.test(key) || typeof value !== 'string') return;
  if (isLikelySecret(value) && !/[./\\]/.test(value)) secrets.register(value);
}

function scalarProblems({ value, source }: Scalar, secrets: Secrets): Omit<Problem, 'path'>[] {
  if (typeof value === 'string' && isSecretText(value, secrets)) {
    secrets.register(value);
    return [{ problem: 'this is a secret, and must not be in this file', remedy: SECRET_REMEDY }];
  }
  if ((typeof value === 'number' || typeof value === 'bigint') && !PLAIN_NUMBER.test(source ?? ''))
    return [
      { problem: `${source ?? value} is not a plain decimal number`, remedy: 'Write it like 12 or 0.5' },
    ];
  return [];
}
