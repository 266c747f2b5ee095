/** Words that are not names of types. */
const PARTICIPLES = new Set(
  'Asked Beginning Bought Cancelled Checked Claimed Compared Dated Described Drawn Ended Expected Exposed Filled Flattened Followed Found Framed Given Hearing Held Kept Known Left Listed Logged Looked Matching Measured Meeting Merged Moved Named Opened Placed Placing Planned Played Posted Prepared Pulled Ranked Read Recorded Refused Released Resumed Scored Seen Sent Settled Shown Signed Sized Standing Stored Taken Timed Told Waiting Wanted Wording'.split(
    ' ',
  ),
);

const PARTICIPLE =
  'A participle is not a thing: name the type by what it is (CONTRIBUTING.md, "Names and words").';
const SPREAD = 'A literal spread into a literal hides its fields: write them where they belong.';

const noParticipleType = {
  create: (context) => ({
    TSTypeAliasDeclaration({ id }) {
      if (PARTICIPLES.has(id.name)) {
        context.report({ node: id, message: PARTICIPLE });
      }
    },
  }),
};

const noLiteralSpread = {
  create: (context) => ({
    SpreadElement({ parent, argument }) {
      const spread = argument.type === 'TSAsExpression' ? argument.expression : argument;
      if (parent.type === spread.type && /^(Array|Object)Expression$/.test(spread.type)) {
        context.report({ node: argument, message: SPREAD });
      }
    },
  }),
};

/** Words that make a test title cryptic. */
const RIDDLE = /\b(anew|asked|beside|by hand|is none of|nobody|tells?|told|what it was|whoever)\b/i;
const TITLE_MAX = 110;

/** Mistakes in titles, each with the improvement. */
const TITLES = [
  [RIDDLE, 'Say in a title what happens, in the words of docs/glossary.md'],
  [/^(and|but|nor|so)\b/, 'A title is a sentence: name its subject, or let the describe name it'],
  [new RegExp(`^.{${TITLE_MAX + 1},}`), `A title has at most ${TITLE_MAX} characters`],
];

/** Name of the called function, also through `each`, `runIf` and the like: `test.each(rows)(…)` is a call of `test`. */
const calleeOf = ({ name, object, callee }) => name ?? calleeOf(object ?? callee ?? { name: '' });

const noRiddle = {
  create: (context) => ({
    CallExpression({ callee, arguments: [title] }) {
      if (!title || !/^(describe|it|test)$/.test(calleeOf(callee))) return;
      const texts =
        title.type === 'TemplateLiteral' ? title.quasis.map(({ value }) => value.raw) : [title.value];
      for (const [pattern, better] of TITLES)
        if (texts.some((text) => typeof text === 'string' && pattern.test(text.replaceAll(/\$\w+/g, ''))))
          context.report({ node: title, message: `${better} (CONTRIBUTING.md, "Names and words").` });
    },
  }),
};

/** Rules of the project that no library has. */
export default {
  meta: { name: 'drover' },
  rules: {
    'no-literal-spread': noLiteralSpread,
    'no-participle-type': noParticipleType,
    'no-riddle': noRiddle,
  },
};
