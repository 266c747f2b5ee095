/** Minimum Node.js version, as in `engines` of package.json. */
const NEEDED = [20, 19] as const;

/** Problem with a version of Node.js such as `18.20.4`, with the remedy; null if it is new enough. */
export function nodeVersionProblem(version: string): string | null {
  const [major = 0, minor = 0] = version.split('.').map(Number);
  if (major > NEEDED[0] || (major === NEEDED[0] && minor >= NEEDED[1])) return null;
  return (
    `drover needs Node.js ${NEEDED.join('.')} or newer, and this is ${version}. Nothing was started. Install a newer one ` +
    'from https://nodejs.org, or with nvm: nvm install 20'
  );
}
