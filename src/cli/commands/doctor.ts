import { configOf } from '../config/configFile.ts';
import type { CommandContext } from '../context.ts';
import { diagnose } from '../doctor/diagnose.ts';
import type { Finding } from '../doctor/finding.ts';
import { EXIT } from '../exitCodes.ts';
import { toJson } from '../output.ts';
import { coloursOf } from '../table.ts';

/** `drover doctor`: every check with its verdict and what to do. 3 when one failed. */
export async function doctorCommand(
  options: Readonly<{ probe?: boolean }>,
  context: CommandContext,
): Promise<number> {
  const findings = await diagnose(configOf(context), context, options);
  context.terminal.out(context.json ? toJson(findings) : render(findings, context));
  return findings.some(({ verdict }) => verdict === 'fail') ? EXIT.venue : EXIT.done;
}

function render(findings: readonly Finding[], { terminal }: CommandContext): string {
  const colours = coloursOf(terminal);
  const paint = { ok: colours.green, warn: colours.yellow, fail: colours.red };
  const width = Math.max(...findings.map(({ check }) => check.length));
  return findings
    .map(({ check, verdict, detail, remedy }) => {
      const line = `${paint[verdict](verdict.padEnd(4))}  ${check.padEnd(width)}  ${detail}`;
      return remedy === null
        ? line
        : `${line}\n${' '.repeat(width + 8)}${remedy.replaceAll('\n', `\n${' '.repeat(width + 8)}`)}`;
    })
    .join('\n');
}
