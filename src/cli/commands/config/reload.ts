import { BY_HAND } from '../../../domain/operator/command.ts';
import { ConfigError } from '../../../core/errors.ts';
import type { CommandContext } from '../../../process/context.ts';
import { EXIT } from '../../../process/exitCodes.ts';
import { printResult } from '../../../process/output.ts';
import { steering } from '../daemon/beside.ts';

type ReloadFlags = Readonly<{ state?: string; dryRun?: boolean; reason?: string; yes?: boolean }>;

/** `drover config reload`: a run takes limits, polling periods, `external` and `control.money` from its own config file again. */
export const configReload = (flags: ReloadFlags, context: CommandContext): Promise<number> => {
  const without = () => {
    throw new ConfigError('no run is on: its next start reads the config file anyway. Nothing was changed');
  };
  return steering({ flags, without }, context, async ({ client }) => {
    const { dryRun = false, reason = BY_HAND, yes = false } = flags;
    const { text, result } = await client.steer('reload', { dryRun, reason, yes });
    printResult(context, result, text);
    return EXIT.done;
  });
};
