import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { parse, parseAllDocuments } from 'yaml';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { Secrets } from '../../src/core/secrets.ts';
import { loadConfig } from '../../src/app/config/load.ts';
import { complaintsAbout, instructionsOf } from './dockerfile.ts';

const dockerfile = readFileSync('deploy/Dockerfile', 'utf8');

describe('the Dockerfile', () => {
  test('keeps our rules', () => {
    expect(complaintsAbout(dockerfile)).toEqual([]);
  });

  test.each([
    ['USER 10001:10001', 'USER root', 'the user is root'],
    ['USER 10001:10001\n', '', 'the user is root'],
    ['24.21.0-bookworm-slim', 'lts', 'not pinned'],
    ['HEALTHCHECK', 'LABEL', 'no health check'],
    [
      'ENTRYPOINT ["node", "/opt/drover/dist/bin/main.js"]',
      'ENTRYPOINT node main.js',
      'the entry point is a shell',
    ],
    ['VOLUME', 'LABEL', 'no volume'],
    ['ENV NODE_ENV=production', 'ENV DROVER_API_KEY=abc', 'a secret'],
    ['COPY --from=build /tree', 'COPY . /tree', 'copied into the image'],
    ['RUN ln -s', 'RUN npm install x && ln -s', 'fetched into'],
  ])('with %j is reported as %j', (was, is, complaint) => {
    expect(dockerfile).toContain(was);
    expect(complaintsAbout(dockerfile.replaceAll(was, is)).join()).toContain(complaint);
  });

  test('copies only files that the context has', () => {
    const ignored = readFileSync('.dockerignore', 'utf8');
    for (const { name, text } of instructionsOf(dockerfile))
      if (name === 'COPY' && !text.startsWith('--from='))
        for (const path of text.split(' ').slice(0, -1)) {
          expect(existsSync(path), path).toBe(true);
          if (path !== '.') expect(ignored).toContain(`!${path}\n`);
        }
  });

  test('keeps keys, state and git history out of its context', () => {
    const [first, ...rest] = readFileSync('.dockerignore', 'utf8')
      .split('\n')
      .filter((line) => line !== '' && !line.startsWith('#'));
    expect(first).toBe('**');
    const allowed = rest.filter((line) => line.startsWith('!')).map((line) => line.slice(1));
    const { files, scripts } = JSON.parse(readFileSync('package.json', 'utf8')) as {
      files: string[];
      scripts: Record<string, string>;
    };
    const makers = [...`${scripts['bundle']} ${scripts['page']}`.matchAll(/node (\S+\.js)/g)].map(
      ([, file = '']) => file,
    );
    const built = makers.flatMap((file) => [
      file,
      ...[...readFileSync(file, 'utf8').matchAll(/['./]((?:src|release)\/[\w/.]+)/g)].map(
        ([, path = '']) => path,
      ),
    ]);
    for (const file of ['release/bundle.js', 'release/freeze.js', 'src/cli/entry.ts', 'src/page/build.js'])
      expect(built).toContain(file);
    for (const path of [...built, ...files.filter((each) => !/^!|^dist|\*/.test(each))])
      expect(
        allowed.some((each) => path === each || path.startsWith(`${each}/`)),
        path,
      ).toBe(true);
    for (const name of ['.git', 'node_modules', 'state', 'dist', 'test', 'bench'])
      expect(allowed).not.toContain(name);
  });
});

const serviceSchema = z.looseObject({
  image: z.string(),
  read_only: z.boolean().optional(),
  network_mode: z.string().optional(),
  volumes: z.array(z.string()),
  command: z.array(z.string()).optional(),
});
const composeSchema = z.looseObject({
  services: z.record(z.string(), serviceSchema),
  volumes: z.record(z.string(), z.unknown()),
});

describe('compose.yaml', () => {
  const compose = composeSchema.parse(parse(readFileSync('deploy/compose.yaml', 'utf8'), { merge: true }));
  const services = Object.entries(compose.services);

  test('has runner, emulator, Prometheus and Grafana, each with a pinned image', () => {
    expect(services.map(([name]) => name)).toEqual(['emulator', 'runner', 'prometheus', 'grafana']);
    for (const [, { image }] of services) expect(image).toMatch(/^drover$|:v?\d+\.\d+\.\d+$/);
  });

  test('mounts only existing files and volumes', () => {
    for (const [, { volumes }] of services)
      for (const mount of volumes) {
        const [source = ''] = mount.split(':');
        if (source.startsWith('.')) expect(existsSync(join('deploy', source)), mount).toBe(true);
        else expect(Object.keys(compose.volumes)).toContain(source);
      }
  });

  test('runs each drover with a read-only root, shared locks and its own state', () => {
    const ours = services.filter(([, { image }]) => image === 'drover').map(([, service]) => service);
    expect(ours.map(({ read_only: readOnly }) => readOnly)).toEqual([true, true]);
    expect(ours.every(({ volumes }) => volumes.includes('locks:/run/drover'))).toBe(true);
    expect(
      new Set(ours.map(({ volumes }) => volumes.find((each) => each.endsWith(':/var/lib/drover')))).size,
    ).toBe(2);
  });

  test('gives Prometheus our rules, and Grafana our dashboard', () => {
    const prometheus = parse(readFileSync('deploy/monitoring/prometheus.yml', 'utf8')) as {
      rule_files: string[];
    };
    for (const file of prometheus.rule_files) expect(existsSync(join('deploy/monitoring', file))).toBe(true);
    const folder = compose.services['grafana']?.volumes.find((each) => each.includes('grafana.json'));
    const provider = readFileSync('deploy/monitoring/provisioning/dashboards/drover.yaml', 'utf8');
    expect(provider).toContain(dirname(folder?.split(':')[1] ?? ''));
  });

  test('has a config for its runner that is valid', () => {
    const env = { DROVER__CONTROL__LISTEN: '0.0.0.0:9464', DROVER__STATE: '/var/lib/drover/state' };
    const file = 'deploy/compose/rehearsal.yaml';
    const { config } = loadConfig({ file, cwd: process.cwd(), secrets: new Secrets(), env });
    expect(config).toMatchObject({ mode: 'live', state: '/var/lib/drover/state' });
    const use = config.strategies[0]?.use ?? '';
    expect(existsSync(use.replace('/opt/drover/', ''))).toBe(true);
  });
});

const deploymentSchema = z.looseObject({
  kind: z.literal('Deployment'),
  spec: z.looseObject({
    replicas: z.literal(1),
    strategy: z.object({ type: z.literal('Recreate') }),
    template: z.looseObject({
      spec: z.looseObject({
        securityContext: z.looseObject({ runAsNonRoot: z.literal(true), runAsUser: z.literal(10_001) }),
        containers: z.tuple([
          z.looseObject({
            securityContext: z.looseObject({ readOnlyRootFilesystem: z.literal(true) }),
            livenessProbe: z.looseObject({ exec: z.object({ command: z.array(z.string()) }) }),
            volumeMounts: z.array(z.looseObject({ mountPath: z.string() })),
          }),
        ]),
      }),
    }),
  }),
});

test('the Kubernetes manifest runs one pod at a time, not as root, on the volumes of the image', () => {
  const documents = parseAllDocuments(readFileSync('deploy/kubernetes.yaml', 'utf8')).map(
    (document) => document.toJS() as { kind: string },
  );
  const { spec } = deploymentSchema.parse(documents.find(({ kind }) => kind === 'Deployment'));
  const [container] = spec.template.spec.containers;
  const mounts = container.volumeMounts.map(({ mountPath }) => mountPath);
  expect(mounts).toEqual(expect.arrayContaining(['/var/lib/drover', '/run/drover', '/tmp', '/etc/drover']));
  expect(container.livenessProbe.exec.command.at(-1)).toBe('/opt/drover/deploy/health.js');
  expect(JSON.stringify(documents)).toContain('ReadWriteOncePod');
});
