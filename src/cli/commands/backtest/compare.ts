import { resolve } from 'node:path';
import { ConfigError } from '../../../core/errors.ts';
import { comparisonOf, type Comparison } from '../../../report/comparison.ts';
import { comparisonParts, isOneRun, markIn } from '../../../report/comparisonText.ts';
import type { RunRecord } from '../../../report/runRecord.ts';
import type { CommandContext } from '../../../process/context.ts';
import { readRecord } from '../../../process/recordFile.ts';
import { isFolder } from '../../../store/stateFolder.ts';
import { coloursOf, iso, printResult, table } from '../../../process/output.ts';
import type { ComparisonStyle, TextBlock } from '../../../report/textBlocks.ts';

/** Record of a run, from a file or from the journal of a state folder. */
async function recordAt(path: string, of: string, context: CommandContext): Promise<RunRecord> {
  if (!isFolder(path)) return readRecord(path);
  return (await import('./liveReport.ts')).recordOfState({ state: path }, of, context);
}

/** `drover compare`: two runs side by side, with what each filled, and the first trade that differs. */
export async function compareCommand(
  { a = '', b = '', of }: Readonly<{ a?: string; b?: string; of?: string }>,
  context: CommandContext,
): Promise<number> {
  const { terminal, cwd } = context;
  const paths = [resolve(cwd, a), resolve(cwd, b)] as const;
  const folders = paths.filter(isFolder).length;
  if (of !== undefined && folders === 0)
    throw new ConfigError('--of: chooses from the journal of a state folder, but both of these are files');
  // A backtest has no unallocated assets.
  const owner = of ?? (folders === 2 ? 'account' : 'strategies');
  const first = await recordAt(paths[0], owner, context);
  const second = await recordAt(paths[1], owner, context);
  const comparison = comparisonOf(first, second);
  const style = { names: [a, b], mark: markIn(first, second), timeOf: iso, listedBy: '--json' } as const;
  const identities = { a: identityOf(a, first), b: identityOf(b, second) };
  return printResult(
    context,
    { ...identities, ...comparison },
    comparisonText(comparison, style, coloursOf(terminal).bold),
  );
}

const identityOf = (file: string, { run: { runId, strategy, symbols, from, to } }: RunRecord) => ({
  file,
  runId,
  strategy,
  symbols,
  from,
  to,
});

function comparisonText(
  comparison: Comparison,
  style: ComparisonStyle,
  bold: (text: string) => string,
): string {
  const { names } = style;
  const known = `${names[0]} and ${names[1]} are the same run`;
  if (isOneRun(comparison)) return known;
  return [
    ...(comparison.same ? [`${known}, measured in two ways`, ''] : []),
    ...comparisonParts(comparison, style).flatMap(({ title, blocks }) => [
      bold(title),
      ...blocks.map(blockText),
      '',
    ]),
  ]
    .join('\n')
    .trimEnd();
}

function blockText(block: TextBlock): string {
  if ('text' in block) return block.label === undefined ? block.text : `${block.label}  ${block.text}`;
  if ('items' in block) {
    const { head, items, left } = block;
    return [...items, ...(left > 0 ? [`… ${left} more`] : [])].map((text) => `${head}  ${text}`).join('\n');
  }
  const { heads, rows, numbers } = block;
  return table(
    heads,
    rows,
    numbers.flatMap((column) => heads[column] ?? []),
  );
}
