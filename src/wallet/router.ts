import { z } from 'zod';

/**
 * Functions of the router. Amounts of mUSD and stock, prices and quantities are wads (10⁻¹⁸), amounts of a cash token
 * its raw units, times Unix seconds; a sell is a negative amount, a buy a positive one. `tif` counts DAY, GTC, OPG,
 * IOC, FOK, GTX, GTD, CLS from 0. The first nine are those of deployments; the rest are ours, by analogy.
 */
export const ROUTER_FUNCTIONS = [
  'function placeMarketOrder(address stock, int96 amount, uint32 deadline) returns (bytes32 orderId)',
  'function placeLimitOrder(address stock, int96 quantity, uint96 price, uint8 tif, uint32 deadline) returns (bytes32 orderId)',
  'function deposit(address token, uint96 amount) returns (bytes32 opId)',
  'function withdraw(address token, uint96 amountWad) returns (bytes32 opId)',
  'function depositStock(address token, uint256 amount)',
  'function withdrawStock(address token, uint256 amount)',
  'function depositAndMarketBuy(address depositToken, uint96 depositAmount, address stock, int96 usdAmount, uint32 deadline) returns (bytes32 orderId)',
  'function depositStockAndMarketSell(address stock, uint256 depositAmount, int96 quantity, uint32 deadline) returns (bytes32 orderId)',
  'function depositStockAndLimitSell(address stock, uint256 depositAmount, int96 quantity, uint96 price, uint8 tif, uint32 deadline) returns (bytes32 orderId)',
  'function depositAndLimitBuy(address depositToken, uint96 depositAmount, address stock, int96 quantity, uint96 price, uint8 tif, uint32 deadline) returns (bytes32 orderId)',
  'function cancelLimitOrder(bytes32 orderId, uint32 deadline)',
  'function placeDeferredMarketSell(address stock, uint96 quantity, uint32 deadline) returns (bytes32 orderId)',
  'function placeDeferredLimitSell(address stock, uint96 quantity, uint96 price, uint8 tif, uint32 deadline) returns (bytes32 orderId)',
  'function repayDeferredStockDebt(address stock, uint256 amount)',
] as const;

type NameIn<Text> = Text extends `function ${infer Name}(${string}` ? Name : never;
type RouterFunctionName = NameIn<(typeof ROUTER_FUNCTIONS)[number]>;

type Signature = Readonly<{ name: string; args: readonly Readonly<{ type: string; name: string }>[] }>;

const SIGNATURE = /^(?:function )?([A-Za-z_]\w*)\(([^()]*)\)(?: returns \(.*\))?$/;

/** A signature such as `deposit(address token, uint96 amount)`; null for an invalid text. */
function signatureOf(text: string): Signature | null {
  const [, name, list] = SIGNATURE.exec(text) ?? [];
  if (name === undefined || list === undefined) return null;
  const args = list.split(',').map((part) => part.trim().split(/\s+/));
  if (args.some((arg) => arg.length !== 2)) return null;
  return { name, args: args.map(([type = '', arg = '']) => ({ type, name: arg })) };
}

const OURS = ROUTER_FUNCTIONS.flatMap((text) => signatureOf(text) ?? []);
export const ROUTER_FUNCTION_NAMES = OURS.map(({ name }) => name) as readonly RouterFunctionName[];

/** The signature of a function with our arguments, under another name. */
export function signatureText(kind: RouterFunctionName, name: string): string {
  const args = OURS.find((ours) => ours.name === kind)?.args ?? [];
  return `${name}(${argumentsOf(args)})`;
}

const argumentsOf = (args: Signature['args']): string =>
  args.map(({ type, name }) => `${type} ${name}`).join(', ');

const KIND = /^(address|bytes32|u?int)(\d{0,3})$/;
/** Kind of a type without its width; null for one that no argument has. */
function kindOf(type: string): string | null {
  const [, kind, bits = ''] = KIND.exec(type) ?? [];
  if (kind === undefined) return null;
  const isWidth = bits === '' || (kind.endsWith('int') && Number(bits) % 8 === 0 && Number(bits) <= 256);
  return isWidth && bits !== '0' ? kind : null;
}

/** Reason why a text cannot replace a function of ours, or null. Arguments must be ours, in any order, of any width. */
function misfit(ours: Signature, text: string): string | null {
  const theirs = signatureOf(text);
  const wanted = argumentsOf(ours.args);
  if (!theirs) return `must be a signature such as ${ours.name}(${wanted})`;
  const known = new Map(theirs.args.map(({ type, name }) => [name, kindOf(type)]));
  const fits =
    theirs.args.length === ours.args.length &&
    ours.args.every(({ type, name }) => known.get(name) === kindOf(type));
  return fits ? null : `must have the arguments of ${ours.name}(${wanted}), in any order and of any width`;
}

const shortForm = ({ name, args }: Signature) => `${name}(${args.map(({ type }) => type).join(',')})`;

/** Error for two functions with the same signature, which would make a call ambiguous; null if there are none. */
function sharedSignature(given: Readonly<Record<string, string | undefined>>): string | null {
  const forms = OURS.map((ours) => shortForm(signatureOf(given[ours.name] ?? '') ?? ours));
  return forms.find((form, index) => forms.indexOf(form) !== index) ?? null;
}

const signature = (ours: Signature) =>
  z
    .string()
    .superRefine((text, context) => {
      const message = misfit(ours, text);
      if (message !== null) context.addIssue({ code: 'custom', message });
    })
    .optional()
    .describe(`The venue's signature where it is not ${ours.name}(${argumentsOf(ours.args)}).`);

/** Signatures of a router that differ, under our names of the functions. */
export const routerFunctions = z
  .strictObject(Object.fromEntries(OURS.map((ours) => [ours.name, signature(ours)])))
  .superRefine((given, context) => {
    const shared = sharedSignature(given);
    if (shared !== null)
      context.addIssue({
        code: 'custom',
        message: `gives ${shared} to two functions at once: name the other one too`,
      });
  });

export type RouterFunctions = Readonly<z.output<typeof routerFunctions>>;
