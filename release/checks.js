/**
 * @typedef {{ name: string, version: string, dependencies?: Record<string, string> }} Manifest
 * @typedef {{
 *   manifest: Manifest, create: Manifest, lockVersion: string, sourceVersion: string, changelog: string,
 *   deprecations: readonly string[], tags: readonly string[], changes: readonly string[],
 * }} Release
 */

/** `0.9.0` as numbers; a suffix such as `-dev` is left out. */
const numbersOf = (/** @type {string} */ version) => version.replace(/-.*/, '').split('.').map(Number);

/** True when `version` is `limit` or later. */
function hasReached(/** @type {string} */ version, /** @type {string} */ limit) {
  const [own, other] = [numbersOf(version), numbersOf(limit)];
  for (let index = 0; index < 3; index++) {
    const [a = 0, b = 0] = [own[index], other[index]];
    if (a !== b) return a > b;
  }
  return true;
}

/** Text below the heading of a version in the changelog, and its date; null where there is no such heading. */
export function sectionOf(/** @type {string} */ changelog, /** @type {string} */ version) {
  const heading = new RegExp(`^## ${version.replaceAll('.', '\\.')} \\((.*)\\)$`, 'm').exec(changelog);
  if (!heading) return null;
  const [body = ''] = changelog.slice(heading.index + heading[0].length).split(/^## /m);
  return { date: heading[1] ?? '', body: body.trim() };
}

/** What keeps a version from being released; empty when nothing does. @returns {string[]} */
export function problemsOf(/** @type {Release} */ release) {
  const { manifest, create, lockVersion, sourceVersion, changelog, deprecations, tags, changes } = release;
  const { version } = manifest;
  const section = sectionOf(changelog, version);
  /** @type {[boolean, string][]} */
  const rules = [
    [!/^\d+\.\d+\.\d+$/.test(version), `${version} is no version to release: take its suffix off`],
    [lockVersion !== version, `package-lock.json says ${lockVersion}`],
    [sourceVersion !== version, `src/core/version.ts says ${sourceVersion}`],
    [create.version !== version, `create-drover says ${create.version}`],
    [
      create.dependencies?.['drover'] !== version,
      `create-drover depends on ${create.dependencies?.['drover']}`,
    ],
    [section === null, `CHANGELOG.md has no section ${version}`],
    [section !== null && !/^\d{4}-\d\d-\d\d$/.test(section.date), `CHANGELOG.md gives ${version} no date`],
    [
      section !== null && !/^### Upgrading$/m.test(section.body),
      `CHANGELOG.md says nothing on upgrading to ${version}`,
    ],
    [!tags.includes(`v${version}`), `this commit has no tag v${version}`],
    [changes.length > 0, `what is not committed would be packed: ${changes.join(', ')}`],
    ...deprecations
      .filter((until) => hasReached(version, until))
      .map(
        (until) =>
          /** @type {[boolean, string]} */ ([true, `what is deprecated until ${until} is still there`]),
      ),
  ];
  return rules.filter(([isBroken]) => isBroken).map(([, problem]) => problem);
}
