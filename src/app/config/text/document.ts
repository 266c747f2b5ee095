import {
  isAlias,
  isMap,
  isNode,
  isScalar,
  isSeq,
  type Node,
  type Pair,
  type Scalar,
  LineCounter,
  parseDocument,
  visit,
  type Document,
  type YAMLError,
} from 'yaml';
import type { Secrets } from '../../../core/secrets.ts';
import { isLikelySecret, PROTOTYPE_KEYS, SECRET_KEY, secretsInUrls } from '../likelySecrets.ts';
import type { Environment } from '../../../process/environment.ts';
import type { Path, Problem, PlacedProblem } from '../problems.ts';
import { expandVariables, PLAIN_NUMBER } from './variables.ts';

/** A problem in the text, with its offset. */
type FoundProblem = Problem & Readonly<{ offset: number }>;

/** Any text of 64 hex digits: it may be a private key. */
const PRIVATE_KEY = /^(0x)?[0-9a-f]{64}$/i;

const SECRET_REMEDY =
  'Remove it, and treat it as known to everyone who has read this file. ' +
  'Set DROVER_API_KEY and DROVER_API_SECRET in the environment, or name files by venue.keyFile and venue.secretFile';

type Structure = Readonly<{ found: readonly FoundProblem[]; hasAlias: boolean }>;

/**
 * Finds problems that need no schema: dangerous keys, secrets, bad references, and numbers other than plain decimals.
 * Secrets found are registered, so that no message repeats them.
 */
function structureProblems(root: Node | null, secrets: Secrets): Structure {
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
        problem: 'this is a secret and must not be in this file',
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
      add(node, { path, problem: 'anchors and aliases are not supported', remedy: 'Write the value out' });
    if (isMap(node)) node.items.forEach((pair) => visitPair(pair, path));
    if (isSeq(node)) node.items.forEach((item, index) => isNode(item) && visit(item, [...path, index]));
    if (isScalar(node)) scalarProblems(node, secrets).forEach((problem) => add(node, { path, ...problem }));
  };

  if (root) visit(root, []);
  return { found, hasAlias };
}

/** True for a text that contains a known secret. URLs are exempt: a key is allowed in one, and is masked. */
const isKnown = (value: string, secrets: Secrets): boolean =>
  !value.includes('://') && secrets.redact(value) !== value;

/** True for a text that looks like a secret or is a known one. */
const isSecretText = (text: string, secrets: Secrets): boolean =>
  PRIVATE_KEY.test(text) || isKnown(text, secrets);

/** Fields for the name of a file or stored key, into which people paste the key itself. */
const NAMES_A_SECRET = /^(key|secret|walletKey)(File|Name)$/;

function maskMisplaced(key: string, { value }: Scalar, secrets: Secrets): void {
  if (!NAMES_A_SECRET.test(key) || typeof value !== 'string') return;
  if (isLikelySecret(value) && !/[./\\]/.test(value)) secrets.register(value);
}

function scalarProblems({ value, source }: Scalar, secrets: Secrets): Omit<Problem, 'path'>[] {
  if (typeof value === 'string' && isSecretText(value, secrets)) {
    secrets.register(value);
    return [{ problem: 'this is a secret and must not be in this file', remedy: SECRET_REMEDY }];
  }
  if ((typeof value === 'number' || typeof value === 'bigint') && !PLAIN_NUMBER.test(source ?? ''))
    return [
      { problem: `${source ?? value} is not a plain decimal number`, remedy: 'Write it like 12 or 0.5' },
    ];
  return [];
}

/** Maximum size of a file, and of a line, in characters. */
const TEXT_MAX = 200_000;
const LINE_MAX = 1_000;
/** Maximum nesting of open brackets. */
const DEPTH_MAX = 50;

export type ConfigDocument = Readonly<{
  /** The file as the user named it. */
  file: string;
  /** Parsed YAML, not yet checked against a schema. Undefined if it could not be parsed. */
  value: unknown;
  /** Problems of the text itself. */
  problems: readonly PlacedProblem[];
  /** Puts a problem at its position, or at the nearest ancestor that the file has. */
  place: (problem: Problem) => PlacedProblem;
  has: (path: Path) => boolean;
}>;

/** One step of a path in the file: the key (none in a list) and its value. */
type Step = Readonly<{ key: Node | null; node: Node | null }>;

/** Context in which a text is read. */
type Reading = Readonly<{ file: string; secrets: Secrets; env: Environment }>;

/**
 * Parses YAML, replaces variables in its values, and keeps positions; possible keys in URLs are masked. Never throws
 * because of the text's content.
 */
export function readDocument(text: string, { file, secrets, env }: Reading): ConfigDocument {
  const lines = new LineCounter();
  const at = (problem: Problem, offset: number): PlacedProblem => {
    const { line, col: column } = lines.linePos(offset);
    return { ...problem, position: { line, column }, where: `${file}:${line}:${column}` };
  };
  const parsed = parse(text, lines);
  if ('tooMuch' in parsed) {
    const problem = at({ path: [], problem: parsed.tooMuch }, parsed.offset);
    return { file, value: undefined, problems: [problem], place: (other) => at(other, 0), has: () => false };
  }
  const syntax = mistakesIn([...parsed.errors, ...parsed.warnings]).map((error) =>
    at({ path: [], problem: syntaxProblem(error), remedy: REMEDIES[error.code] ?? ANY_REMEDY }, error.pos[0]),
  );
  const unset = syntax.length > 0 ? [] : expandVariables(parsed, env);
  // On a syntax error the parser may quote any part of the text.
  for (const shown of syntax.length > 0 ? [text] : textsIn(parsed))
    secretsInUrls(shown).forEach((secret) => secrets.register(secret));
  const { found, hasAlias } = structureProblems(parsed.contents, secrets);
  return {
    file,
    value: syntax.length > 0 || hasAlias ? undefined : (parsed.toJS() as unknown),
    problems: [...syntax, ...[...unset, ...found].map(({ offset, ...problem }) => at(problem, offset))],
    place: (problem) => at(problem, offsetOf(parsed, problem)),
    has: (path) => walk(parsed, path).length === path.length + 1,
  };
}

/** Errors without those that merely follow from the first one that breaks the structure. */
function mistakesIn(errors: readonly YAMLError[]): readonly YAMLError[] {
  const [first] = errors
    .filter(({ code }) => code !== 'DUPLICATE_KEY')
    .sort((one, other) => one.pos[0] - other.pos[0]);
  return first ? [first] : errors;
}

/** Keys and values without comments: links in comments are never repeated in messages. */
function textsIn(document: Document.Parsed): string[] {
  const texts: string[] = [];
  visit(document, {
    Scalar(_, { value }) {
      if (typeof value === 'string') texts.push(value);
    },
  });
  return texts;
}

/** The limit that a text exceeds, and where. */
type SizeExcess = Readonly<{ tooMuch: string; offset: number }>;

function parse(text: string, lineCounter: LineCounter): Document.Parsed | SizeExcess {
  const excess = excessIn(text);
  if (excess) {
    for (const { index } of text.matchAll(/^/gm)) lineCounter.addNewLine(index);
    return excess;
  }
  return parseDocument(text, {
    lineCounter,
    prettyErrors: false,
    /** The parser's warnings quote the file and would go directly to stderr, so they are silenced. */
    logLevel: 'error',
    /** Regardless of %YAML: other schemas know `!!omap` and `!!set`, of which the parser makes objects without fields. */
    schema: 'core',
    resolveKnownTags: false,
    /** Only plain decimals are numbers; `0x…` is text, so that addresses need no quotes. */
    customTags: (tags) =>
      tags.filter((tag) => typeof tag === 'string' || !NOT_DECIMAL.includes(tag.format ?? '')),
  });
}

const syntaxProblem = ({ code, message }: YAMLError): string =>
  code === 'MULTIPLE_DOCS'
    ? 'the file holds more than one YAML document'
    : `not valid YAML: ${QUOTING[code] ?? message}`;

const ALIGNED_REMEDY =
  'Keys of one mapping, and each - of one list, begin in the same column, and a space follows each colon';

/** Replacements for parser messages that quote the file, which may contain a secret. */
const QUOTING: Partial<Record<YAMLError['code'], string>> = {
  BAD_DIRECTIVE: 'a line that begins with % is a directive, which is not supported here',
  BAD_DQ_ESCAPE: 'a backslash in double quotes begins an unknown escape',
  BAD_PROP_ORDER: 'a tag (!) or an anchor (&) is in the wrong place',
  TAG_RESOLVE_FAILED: 'a tag (!) is not supported here',
  UNEXPECTED_TOKEN: 'a character is in the wrong place',
};

/** Remedies for parser errors, by code. */
const REMEDIES: Partial<Record<YAMLError['code'], string>> = {
  BAD_DIRECTIVE: 'Remove the line, or put the value in quotes',
  BAD_DQ_ESCAPE: 'Use single quotes',
  BAD_INDENT: 'Indent it further, or close it',
  BLOCK_AS_IMPLICIT_KEY: ALIGNED_REMEDY,
  DUPLICATE_KEY: 'Remove one of them',
  MISSING_CHAR: 'Add it, here or further up, and check that the lines are aligned',
  MULTILINE_IMPLICIT_KEY: ALIGNED_REMEDY,
  MULTIPLE_DOCS: 'Remove the line --- and what follows it',
  TAB_AS_INDENT: 'Indent with spaces',
  TAG_RESOLVE_FAILED: 'Write the value without it',
  UNEXPECTED_TOKEN:
    'Check for a missing or extra quote, comma or bracket; within { } and [ ] a ${NAME} stands in quotes',
};

const ANY_REMEDY = 'Correct the line; a value that contains : # { or [ needs quotes';

/** Number formats other than decimal, by the parser's names. */
const NOT_DECIMAL = ['HEX', 'OCT', 'EXP'];

function excessIn(text: string): SizeExcess | null {
  if (text.length > TEXT_MAX) return { tooMuch: `the file is longer than ${TEXT_MAX} characters`, offset: 0 };
  let offset = 0;
  const blocks: number[] = [];
  const flow = { open: 0 };
  for (const line of text.split('\n')) {
    const tooMuch =
      line.length > LINE_MAX ? `a line is longer than ${LINE_MAX} characters` : nestingIn(line, blocks, flow);
    if (tooMuch !== null) return { tooMuch, offset };
    offset += line.length + 1;
  }
  return null;
}

/** The part of a line that is nested too deeply. The parser recurses into each level, and its result gets slow to read. */
function nestingIn(line: string, blocks: number[], flow: { open: number }): string | null {
  for (const [bracket] of line.matchAll(/[[\]{}]/g)) {
    flow.open = Math.max(0, flow.open + ('[{'.includes(bracket) ? 1 : -1));
    if (flow.open > DEPTH_MAX) return `brackets are nested more than ${DEPTH_MAX} deep`;
  }
  openBlocks(line, blocks);
  return blocks.length > DEPTH_MAX ? `lists and mappings are nested more than ${DEPTH_MAX} deep` : null;
}

/** Updates the stack with the columns of the blocks that a line opens or closes: `- - a: 1` opens three. */
function openBlocks(line: string, blocks: number[]): void {
  const content = line.search(/[^ ]/);
  if (content === -1 || line[content] === '#') return;
  while ((blocks.at(-1) ?? -1) >= content) blocks.pop();
  const [indicators = ''] = /^(?:[-?:][ \t]+)*/.exec(line.slice(content)) ?? [];
  for (const { index } of indicators.matchAll(/[-?:]/g)) blocks.push(content + index);
  blocks.push(content + indicators.length);
}

/** The steps from the root along `path`, as far as the file goes. */
function walk(document: Document.Parsed, path: Path): Step[] {
  const steps: Step[] = [{ key: null, node: document.contents }];
  for (const part of path) {
    const step = descend(steps.at(-1)?.node ?? null, part);
    if (!step) break;
    steps.push(step);
  }
  return steps;
}

function descend(node: Node | null, part: string | number): Step | undefined {
  if (isSeq(node)) {
    const item = node.items[Number(part)];
    return isNode(item) ? { key: null, node: item } : undefined;
  }
  const pair = isMap(node) ? node.items.find(({ key }) => String(key) === String(part)) : undefined;
  return pair && { key: isNode(pair.key) ? pair.key : null, node: isNode(pair.value) ? pair.value : null };
}

/** Position of a value; for a mapping or list that of its key, where people look for it. */
function offsetOf(document: Document.Parsed, { path, at = 'value' }: Problem): number {
  const { key, node } = walk(document, path).at(-1) ?? { key: null, node: null };
  const whole = isMap(node) || isSeq(node);
  const found = key && (whole || at === 'key') ? key : (node ?? key);
  return found?.range?.[0] ?? 0;
}
