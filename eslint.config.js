import tseslint from 'typescript-eslint';

/** Words that are no names of types. */
const PARTICIPLES =
  'Asked Beginning Bought Cancelled Checked Claimed Compared Dated Described Drawn Ended Expected Exposed Filled Flattened Followed Found Framed Given Hearing Held Kept Known Left Listed Logged Looked Matching Measured Meeting Merged Moved Named Opened Placed Placing Planned Played Posted Prepared Pulled Ranked Read Recorded Refused Released Resumed Scored Seen Sent Settled Shown Signed Sized Standing Stored Taken Timed Told Waiting Wanted Wording'.split(
    ' ',
  );

const PARTICIPLE = {
  selector: `TSTypeAliasDeclaration[id.name=/^(${PARTICIPLES.join('|')})$/]`,
  message: 'A participle is not a thing: name the type by what it is (CONTRIBUTING.md, "Names and words").',
};

const SPREADS = [
  'ObjectExpression > SpreadElement > ObjectExpression',
  'ArrayExpression > SpreadElement > ArrayExpression',
  'ArrayExpression > SpreadElement > TSAsExpression > ArrayExpression',
].map((selector) => ({
  selector,
  message: 'A literal spread into a literal hides its fields: write them where they belong.',
}));

export default tseslint.config(
  // What a user writes beside the project is not the project's.
  { ignores: ['dist/', 'node_modules/', 'coverage/', '*.ts', '!*.config.ts', 'docs/examples/*.mjs'] },
  ...tseslint.configs.strictTypeChecked,
  {
    languageOptions: { parserOptions: { projectService: true, tsconfigRootDir: import.meta.dirname } },
    rules: {
      'max-lines': ['error', { max: 400 }],
      'max-lines-per-function': ['error', { max: 60 }],
      'max-params': ['error', 3],
      '@typescript-eslint/switch-exhaustiveness-check': [
        'error',
        { considerDefaultExhaustiveForUnions: true },
      ],
      '@typescript-eslint/no-non-null-assertion': 'error',
      '@typescript-eslint/restrict-template-expressions': [
        'error',
        { allowNumber: true, allowBoolean: true },
      ],
      '@typescript-eslint/no-confusing-void-expression': [
        'error',
        { ignoreArrowShorthand: true, ignoreVoidReturningFunctions: true },
      ],
      '@typescript-eslint/consistent-type-imports': 'error',
      '@typescript-eslint/no-unused-vars': ['error', { argsIgnorePattern: '^_', varsIgnorePattern: '^_' }],
      '@typescript-eslint/unified-signatures': 'off',
      'no-restricted-syntax': ['error', ...SPREADS],
      // Does not see through branded bigints.
      '@typescript-eslint/no-unsafe-unary-minus': 'off',
    },
  },
  { files: ['src/**', 'bench/**'], rules: { 'no-restricted-syntax': ['error', ...SPREADS, PARTICIPLE] } },
  { files: ['test/**', 'bench/**'], rules: { 'max-lines-per-function': 'off' } },
  // Rules that need types cost minutes: they go over what is shipped. `tsc` goes over all.
  { files: ['**/*.js', 'test/**', 'bench/**', 'release/**'], extends: [tseslint.configs.disableTypeChecked] },
);
