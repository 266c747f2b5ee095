/** Words that are no names of types. */
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

/** Rules of the project that no library has. */
export default {
  meta: { name: 'drover' },
  rules: { 'no-literal-spread': noLiteralSpread, 'no-participle-type': noParticipleType },
};
