import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import ts from 'typescript';
import { expect, test } from 'vitest';
import { problemOf } from './support/parser.ts';

const files = readdirSync('src', { recursive: true, encoding: 'utf8' })
  .filter((file) => /\.tsx?$/.test(file))
  .map((file) => join('src', file));

/** Texts of a file, each value in a template as `VALUE`. */
function textsOf(file: string): string[] {
  const found: string[] = [];
  const source = ts.createSourceFile(file, readFileSync(file, 'utf8'), ts.ScriptTarget.Latest, true);
  const visit = (node: ts.Node): void => {
    if (ts.isStringLiteralLike(node) || ts.isJsxText(node)) found.push(node.text);
    if (ts.isTemplateExpression(node))
      found.push(
        [node.head.text, ...node.templateSpans.map(({ literal }) => `VALUE${literal.text}`)].join(''),
      );
    ts.forEachChild(node, visit);
  };
  visit(source);
  return found;
}

/**
 * Commands that people copy: those in backticks, and texts that are a command alone, as the page and alarms show them. Values that
 * follow a word without a space are more flags.
 */
const commandsIn = (text: string): string[] => {
  const whole =
    COMMAND.test(text) && !NAMES.includes(text)
      ? [text]
      : [...text.matchAll(/`(drover [a-z][^`]*)`/g)].map(([, line = '']) => line);
  return whole.flatMap((line) =>
    line.includes('…') ? [] : [line.replaceAll(/(?<=\S)VALUE/g, '').replaceAll(/\s+/g, ' ')],
  );
};

/** Texts that only look like commands: the kind of a key file, and a title. */
const NAMES: readonly string[] = ['drover key', 'drover control API'];

/** Text that is a command and its flags: no prose follows its name in small letters. */
const COMMAND = /^drover( [a-z]+){1,2}(?= --| [A-Z]|VALUE|$)[^`.:,]*$/;

/** True for the bare name of a command, as in "the file was not made by `drover keys`". */
const isName = (line: string, problem: string): boolean =>
  /^drover( [a-z]+){1,2}$/.test(line) && /^lacks|^does nothing/.test(problem);

test('the program accepts every command that its messages and docs propose', () => {
  const proposed = files.flatMap((file) =>
    textsOf(file).flatMap((text) => commandsIn(text).map((line) => ({ file, line }))),
  );
  expect(proposed.length).toBeGreaterThan(100);
  const wrong = proposed.flatMap(({ file, line }) => {
    const problem = problemOf(line);
    return problem === null || isName(line, problem) ? [] : [`${file}: ${line}: ${problem}`];
  });
  expect(wrong).toEqual([]);
});
