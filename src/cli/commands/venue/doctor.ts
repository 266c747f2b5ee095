import { configOf } from '../../../app/config/load.ts';
import type { CommandContext } from '../../../process/context.ts';
import { diagnose } from '../../../app/doctor/diagnose.ts';
import { areMistakes, failuresIn, type Finding } from '../../../app/doctor/finding.ts';
import { EXIT } from '../../../process/exitCodes.ts';
import { coloursOf, printResult } from '../../../process/output.ts';

/** `drover doctor`: every check with its verdict and remedy. Exit code 3 if one failed, 2 if only the config is wrong. */
export async function doctorCommand(
  options: Readonly<{ probe?: boolean }>,
  context: CommandContext,
): Promise<number> {
  const findings = await diagnose(configOf(context), context, { ...options, history: true });
  printResult(context, findings, render(findings, context));
  const failures = failuresIn(findings);
  if (failures.length === 0) return EXIT.done;
  return areMistakes(failures) ? EXIT.usage : EXIT.venue;
}

function render(findings: readonly Finding[], { terminal }: CommandContext): string {
  const colours = coloursOf(terminal);
  const paint = { ok: colours.green, warn: colours.yellow, fail: colours.red };
  const width = Math.max(...findings.map(({ check }) => check.length));
  const indented = (text: string) => text.replaceAll('\n', `\n${' '.repeat(width + 8)}`);
  return findings
    .map(({ check, verdict, detail, remedy }) => {
      const line = `${paint[verdict](verdict.padEnd(4))}  ${check.padEnd(width)}  ${indented(detail)}`;
      return remedy === null ? line : `${line}${indented(`\n${remedy}`)}`;
    })
    .join('\n');
}
