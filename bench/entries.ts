import { readFileSync } from 'node:fs';
import { relative } from 'node:path';
import type { Plugin } from 'esbuild';
import ts from 'typescript';

/** Global function that each function of `src` calls as it is entered, with its file and name. */
export const ENTERED = 'drover:entered';

/** Plugin of esbuild that makes every function of `src` report its entries to the global `ENTERED`, if defined. */
export const reportingEntries: Plugin = {
  name: 'entries',
  setup(build) {
    build.onLoad({ filter: /\/src\/.*\.ts$/ }, ({ path }) => ({
      contents: withReports(readFileSync(path, 'utf8'), relative(process.cwd(), path)),
      loader: 'ts',
    }));
  },
};

/** Source of a file whose functions report their entries. A constructor that calls `super` does not. */
function withReports(text: string, file: string): string {
  const source = ts.createSourceFile(file, text, ts.ScriptTarget.Latest, true);
  const insertions: [at: number, code: string][] = [];
  const visit = (node: ts.Node): void => {
    const body =
      ts.isFunctionLike(node) && 'body' in node ? (node.body as ts.ConciseBody | undefined) : undefined;
    if (body && !(ts.isConstructorDeclaration(node) && /\bsuper\(/.test(body.getText(source)))) {
      const report = `globalThis[${JSON.stringify(ENTERED)}]?.(${JSON.stringify(`${file}:${nameOf(node as ts.Declaration)}`)})`;
      if (ts.isBlock(body)) insertions.push([body.getStart(source) + 1, `${report};`]);
      else insertions.push([body.getFullStart(), `(${report},`], [body.getEnd(), ')']);
    }
    ts.forEachChild(node, visit);
  };
  visit(source);
  let [result, from] = ['', 0];
  for (const [at, code] of insertions.toSorted(([a], [b]) => a - b)) {
    result += text.slice(from, at) + code;
    from = at;
  }
  return result + text.slice(from);
}

/** Name of a function with its class; without a name of its own, the name of the variable it is assigned to. */
function nameOf(node: ts.Declaration): string {
  const owner = ts.findAncestor(node.parent, ts.isClassLike)?.name?.text;
  const own = ts.isConstructorDeclaration(node) ? 'constructor' : ts.getNameOfDeclaration(node)?.getText();
  const name = own ?? 'anonymous';
  return owner === undefined ? name : `${owner}.${name}`;
}
