import type { Calldata } from '../../../api/calldata.ts';
import type { VenueClient } from '../../../api/client.ts';
import { isVenueFault, messageOf, SafetyError } from '../../../core/errors.ts';
import type { Address } from '../../../domain/instrument.ts';
import { checkCalldata } from '../../../wallet/checkCalldata.ts';
import { routerCodec, type RouterCodec } from '../../../wallet/routerAbi.ts';
import {
  ROUTER_FUNCTION_NAMES,
  signatureText,
  type RouterFunctions,
} from '../../../wallet/routerFunctions.ts';
import { OBJECTS } from '../../../api/assumptions/names.ts';
import type { Trial } from './calldata.ts';
import { asAssumed, differs, settingOf, unchecked, type Checked } from './checked.ts';

/** The result of one trial. `refused`: the venue's words where it gave no calldata. */
type Ended = Readonly<{ trial: Trial } & ({ answer: Calldata } | { refused: string })>;

type FunctionCheck = Readonly<{
  client: VenueClient;
  chainId: number;
  /** Null where the config pins none: then the router that the venue names. */
  router: Address | null;
  functions: RouterFunctions;
}>;

/** Asks for the calldata of every trial, and holds it against the call that is meant. Nothing is signed or sent. */
export async function checkFunctions(
  trials: readonly Trial[],
  { client, ...terms }: FunctionCheck,
): Promise<Checked[]> {
  const ended: Ended[] = [];
  for (const trial of trials) ended.push(await tried(trial, client));
  const codec = routerCodec(terms.functions);
  const byName = new Map(ended.map((each) => [each.trial.call.kind, each]));
  const functions = ROUTER_FUNCTION_NAMES.map((name) => {
    const one = byName.get(name);
    return one
      ? judged(one, { ...terms, codec })
      : unchecked(`functions.${name}`, UNTRIED[name] ?? NO_CASH_TOKEN);
  });
  return [
    ...functions,
    ...(['depositOrder', 'stockMove', 'repayment'] as const).map((name) => taken(name, ended)),
  ];
}

const NO_CASH_TOKEN = 'GET /config names no cash token to ask with';
const UNTRIED: Readonly<Record<string, string>> = {
  cancelLimitOrder: 'it needs a limit order that is open',
};

async function tried(trial: Trial, client: VenueClient): Promise<Ended> {
  try {
    return { trial, answer: await trial.ask(client) };
  } catch (error) {
    if (!isVenueFault(error)) throw error;
    return { trial, refused: messageOf(error) };
  }
}

type Terms = Omit<FunctionCheck, 'client'> & Readonly<{ codec: RouterCodec }>;

function judged(ended: Ended, { chainId, router, codec }: Terms): Checked {
  const { call } = ended.trial;
  const entry = `functions.${call.kind}`;
  if ('refused' in ended) return unchecked(entry, `no calldata was given: ${ended.refused}`);
  const { answer } = ended;
  try {
    checkCalldata(answer, { chainId, router: router ?? answer.toAddress, call, codec });
    return asAssumed(
      entry,
      `as assumed: ${codec.methodOf(call.kind)}, selector ${answer.callData.slice(0, 10)}`,
    );
  } catch (error) {
    if (!(error instanceof SafetyError)) throw error;
    const found = signatureBehind(ended.trial, { answer, chainId, router });
    const said = messageOf(error).split('\n').slice(1, -1).join(';').trim();
    return differs(
      entry,
      said,
      found === null ? null : settingOf(['functions', call.kind], JSON.stringify(found)),
    );
  }
}

type Given = Readonly<{ answer: Calldata; chainId: number; router: Address | null }>;

/** The signature of ours under the name that the venue gives, if with it the calldata is the very call; else null. */
function signatureBehind({ call }: Trial, { answer, chainId, router }: Given): string | null {
  if (!/^[A-Za-z_]\w*$/.test(answer.method)) return null;
  const signature = signatureText(call.kind, answer.method);
  const codec = routerCodec({ [call.kind]: signature });
  try {
    checkCalldata(answer, { chainId, router: router ?? answer.toAddress, call, codec });
    return signature;
  } catch (error) {
    if (!(error instanceof SafetyError)) throw error;
    return null;
  }
}

/** Checks that the venue understood the names of a body: it answered with calldata of the very call. */
function taken(name: 'depositOrder' | 'stockMove' | 'repayment', ended: readonly Ended[]): Checked {
  const entry = `fields.${name}`;
  const own = ended.filter(({ trial }) => trial.object === name);
  const names = Object.keys(OBJECTS[name].names);
  const list = names.join(', ');
  if (own.some((each) => 'answer' in each))
    return asAssumed(entry, `as assumed: calldata came back for ${list}`);
  const [first] = own;
  const words = first && 'refused' in first ? first.refused : NO_CASH_TOKEN;
  const named = names.find((each) => words.includes(each));
  if (named === undefined) return unchecked(entry, `no calldata was given: ${words}`);
  const edit = settingOf(['fields', name], `{ ${named}: NAME_OF_THE_VENUE }`);
  return differs(entry, `a body with ${list} is refused: ${words}`, edit);
}
