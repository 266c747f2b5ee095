/** One instruction of a Dockerfile, with continued lines joined. */
export type Instruction = Readonly<{ name: string; text: string }>;

/** The instructions of a Dockerfile, without comments. */
export const instructionsOf = (dockerfile: string): Instruction[] =>
  dockerfile
    .replace(/^\s*#.*\n/gm, '')
    .replace(/\\\n/g, ' ')
    .split('\n')
    .filter((line) => line.trim() !== '')
    .map((line) => {
      const [, name = '', text = ''] = /^\s*(\w+)\s+(.*)$/.exec(line) ?? [];
      return { name: name.toUpperCase(), text: text.trim() };
    });

const SECRET = /key|secret|token|password/i;
const isExec = (text: string): boolean => /^\[\s*".*"\s*\]$/.test(text);
/** A tag of three numbers, or a digest: `24`, `lts` and `latest` change by themselves. */
const isPinned = (image: string): boolean => /:\d+\.\d+\.\d+[\w.-]*(@sha256:[0-9a-f]{64})?$/.test(image);

/** Violations of our rules in a Dockerfile; empty when there are none. */
export function complaintsAbout(dockerfile: string): string[] {
  const all = instructionsOf(dockerfile);
  const defaults = new Map(
    all.flatMap(({ name, text }) => {
      const [key = '', value = ''] = text.split('=');
      return name === 'ARG' ? [[key, value] as const] : [];
    }),
  );
  const stages = all.flatMap(({ name }, index) => (name === 'FROM' ? [index] : []));
  const last = all.slice(stages.at(-1));
  const textsOf = (name: string): string[] => last.flatMap((each) => (each.name === name ? [each.text] : []));
  const bases = all.flatMap(({ name, text }) => (name === 'FROM' ? [text.split(/\s+/)[0] ?? ''] : []));
  const resolved = bases.map((base) =>
    base.replace(/\$\{(\w+)\}/g, (_, key: string) => defaults.get(key) ?? ''),
  );
  const user = textsOf('USER').at(-1) ?? '';
  const rules: [boolean, string][] = [
    [stages.length < 2, 'what builds it is part of the image: use two stages'],
    [!resolved.every(isPinned), 'a base image is not pinned to a version'],
    [
      !/^[1-9]\d*(:[1-9]\d*)?$/.test(user),
      'the user is root, or a name that Kubernetes cannot tell from root',
    ],
    [
      !textsOf('HEALTHCHECK').some((text) => isExec(text.replace(/^.*?CMD\s+/, ''))),
      'no health check, or one by a shell',
    ],
    [
      !textsOf('ENTRYPOINT').every(isExec) || textsOf('ENTRYPOINT').length !== 1,
      'the entry point is a shell: it would not pass SIGTERM on',
    ],
    [!textsOf('CMD').every(isExec), 'the command is a shell'],
    [textsOf('VOLUME').length === 0, 'no volume for the state'],
    [
      all.some(({ name, text }) => (name === 'ARG' || name === 'ENV') && SECRET.test(text)),
      'a secret would stay in a layer',
    ],
    [all.some(({ name }) => name === 'ADD'), 'ADD takes addresses and unpacks: use COPY'],
    [
      last.some(({ name, text }) => name === 'COPY' && !text.startsWith('--from=')),
      'files of the machine that builds are copied into the image',
    ],
    [
      last.some(({ name, text }) => name === 'RUN' && /curl|wget|apt-get|npm (ci|install)/.test(text)),
      'the image is fetched into after its build',
    ],
  ];
  return rules.filter(([isBroken]) => isBroken).map(([, complaint]) => complaint);
}
