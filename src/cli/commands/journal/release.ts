import type { OperatorAnswer } from '../../../domain/operator/command.ts';
import { UNALLOCATED } from '../../../domain/account/ledger.ts';
import type { CommandContext } from '../../context.ts';
import { inOperatorSession } from '../../environment/operatorSession.ts';
import { EXIT } from '../../exitCodes.ts';
import { printResult } from '../../output.ts';
import { confirm } from '../../transfers/confirm.ts';

type ReleaseFlags = Readonly<{
  symbol: string;
  reason: string;
  acceptTerms?: boolean;
  yes?: boolean;
  state?: string;
}>;

/**
 * `drover release SYMBOL`: unfreezes a symbol once ledger and venue agree on it. A settlement that could not be booked is booked
 * afterwards: until then ledger and venue may differ by it.
 * @throws {SafetyError} while they differ, or a runner holds the state
 */
export const releaseSymbol = (
  { symbol: subject, acceptTerms = false, yes = false, ...flags }: ReleaseFlags,
  context: CommandContext,
): Promise<number> =>
  inOperatorSession(flags, context, async (session) => {
    const terms = acceptTerms ? termsIn(await session.give({ kind: 'unfreeze', subject })) : null;
    if (terms) confirm(terms, yes, context);
    const { result, text } = await session.require({
      kind: 'unfreeze',
      subject,
      ...(terms ? { acceptTerms } : {}),
    });
    session.commit();
    printResult(context, result, text);
    return EXIT.done;
  });

/** New terms that a person has to accept; null where the command is not refused for them. */
const termsIn = (answer: OperatorAnswer) => (answer.kind === 'refused' ? (answer.terms ?? null) : null);

type AdoptFlags = Readonly<{
  asset: string;
  reason: string;
  for?: string;
  yes?: boolean;
  state?: string;
}>;

/**
 * `drover accept ASSET`: accepts the venue's balance of an asset in the ledger, as an entry of the operator.
 * @throws {SafetyError} while something under way may explain the difference, or external open orders lock the asset
 */
export const adoptCommand = (
  { asset, for: strategyId = UNALLOCATED, yes = false, ...flags }: AdoptFlags,
  context: CommandContext,
): Promise<number> =>
  inOperatorSession(flags, context, async (session) => {
    const { result, text } = await session.require({
      kind: 'accept',
      asset,
      for: strategyId,
      ...(yes ? {} : { preview: true }),
    });
    if (yes) session.commit();
    printResult(context, result, text);
    return EXIT.done;
  });
