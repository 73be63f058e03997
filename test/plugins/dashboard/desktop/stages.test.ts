import {
  chmodSync,
  existsSync,
  mkdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { delimiter, dirname, join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { findBackend } from '../../../../plugins/dashboard/desktop/backend/ladder.ts'
import { Bootstrap } from '../../../../plugins/dashboard/desktop/bootstrap/bootstrap.ts'
import type { BootstrapEvent } from '../../../../plugins/dashboard/desktop/bootstrap/events.ts'
import { readMarker, removeMarker, writeMarker } from '../../../../plugins/dashboard/desktop/bootstrap/files.ts'
import type { StageDeps } from '../../../../plugins/dashboard/desktop/bootstrap/stage-deps.ts'
import { askManifest, runStageProgram } from '../../../../plugins/dashboard/desktop/bootstrap/stage-program.ts'
import { STAGE_WORK } from '../../../../plugins/dashboard/desktop/bootstrap/stage-work.ts'
import { STAGES, type StageName } from '../../../../plugins/dashboard/desktop/bootstrap/stages.ts'
import { realClock } from '../../../../program/ports.ts'
import { root } from '../../../support/repository.ts'
import { temporaryFolder } from '../../../support/temporary.ts'

const names = STAGES.map(({ name }) => name)
const silent = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} }
const builtProgram = [process.execPath, join(root, 'dist/kernel/bin.cjs')]

function writeScript(file: string, text: string): string {
  mkdirSync(dirname(file), { recursive: true })
  writeFileSync(file, `#!/bin/sh\n${text}\n`)
  chmodSync(file, 0o755)
  return file
}

/** A user folder with a home in it, a folder of programs that comes first on the path, and a bootstrap that runs `program`. */
function sandbox(program: readonly string[] = builtProgram) {
  const user = temporaryFolder()
  const home = join(user, 'home')
  const programs = join(user, 'programs')
  mkdirSync(join(user, '.local', 'bin'), { recursive: true })
  const path = [programs, join(user, '.local', 'bin'), dirname(process.execPath), '/usr/bin', '/bin'].join(delimiter)
  const environment = { PATH: path, HOME: user, SVC_HOME: home }
  const options = { environment, cwd: user, clock: realClock }
  const events: BootstrapEvent[] = []
  const bootstrap = new Bootstrap({
    clock: realClock,
    readMarker: () => readMarker(home),
    removeMarker: () => removeMarker(home),
    writeMarker: async () => {
      const completedAt = new Date(0).toISOString()
      await writeMarker(home, {
        schemaVersion: 1,
        pinnedCommit: 'abcdef0',
        pinnedBranch: null,
        completedAt,
        desktopVersion: '0.2.0',
      })
      return (await readMarker(home)) as NonNullable<Awaited<ReturnType<typeof readMarker>>>
    },
    manifest: (signal) => askManifest(program, options, signal),
    runStage: (stage, signal, onLine) => runStageProgram({ command: program, stage }, options, { signal, onLine }),
    emit: (event) => events.push(event),
  })
  const deps: StageDeps = {
    ...options,
    home,
    userFolder: user,
    root,
    program,
    isInteractive: false,
    signal: new AbortController().signal,
    log: () => {},
    converse: async () => 0,
  }
  return { user, home, programs, environment, bootstrap, events, deps }
}

describe('all fourteen stages', () => {
  test('run for real in a new home, each in a process of its own, and what they made works', async () => {
    const { bootstrap, events, home, user, environment } = sandbox()
    await bootstrap.run()
    const states = Object.entries(bootstrap.snapshot().stages).map(([name, { state }]) => `${name} ${state}`)
    expect(states.map((state) => state.split(' ')[0])).toEqual(names)
    expect(states.filter((state) => state.endsWith('failed'))).toEqual([])
    expect(states.slice(-2)).toEqual(['configure skipped', 'gateway skipped'])
    expect(readlinkSync(join(home, 'svc-agent/program'))).toBe(root)
    expect(readlinkSync(join(user, '.local/bin/svc'))).toBe(join(home, 'svc-agent/bin/svc'))
    expect(statSync(join(home, '.env')).mode & 0o777).toBe(0o600)
    expect(readFileSync(join(home, 'config.yaml'), 'utf8')).toMatch(/^# Settings/)
    expect(statSync(join(home, 'skills')).isDirectory()).toBe(true)
    const logged = events.flatMap((event) => (event.type === 'log' ? [event.line] : []))
    expect(logged).toEqual(
      expect.arrayContaining([
        expect.stringMatching(/^better-sqlite3: SQLite 3/),
        expect.stringMatching(/^\d+ chat platforms/),
      ]),
    )
    expect(await readMarker(home)).toMatchObject({ schemaVersion: 1 })

    // From now on the installation that was made serves.
    const own = { command: ['/nowhere'], root }
    const ladder = { environment, clock: realClock, home, log: silent, get: () => undefined, own }
    expect(await findBackend(ladder)).toMatchObject({ rung: 'managed', version: '0.2.0' })
    await removeMarker(home)
    expect(await findBackend(ladder)).toMatchObject({ rung: 'path', command: [join(user, '.local/bin/svc')] })
    const ignoring = (name: string) => (name === 'SVC_DESKTOP_IGNORE_EXISTING' ? '1' : undefined)
    await expect(findBackend({ ...ladder, get: ignoring })).rejects.toMatchObject({ code: 'DESKTOP_NO_BACKEND' })
  })
})

interface Trouble {
  /** Makes it so. */
  cause(deps: StageDeps): Partial<StageDeps> | void
  readonly says: RegExp
  /** What the stage says when the trouble is over. */
  mend?(deps: StageDeps): void
}

const brokenProgram = (name: string): Trouble => ({
  cause: ({ userFolder }) => void writeScript(join(userFolder, 'programs', name), 'echo "cannot start" >&2; exit 1'),
  says: new RegExp(`^${name} -?-version does not work: exit 1: cannot start$`),
  mend: ({ userFolder }) => rmSync(join(userFolder, 'programs', name)),
})

/** An installation of its own. */
const installation = (files: Record<string, unknown>, says: RegExp): Trouble => ({
  cause: ({ userFolder }) => {
    const folder = join(userFolder, 'installation')
    mkdirSync(folder)
    for (const [name, content] of Object.entries(files)) writeFileSync(join(folder, name), JSON.stringify(content))
    return { root: folder }
  },
  says,
})

const TROUBLES: Readonly<Record<StageName, Trouble>> = {
  'package-manager': brokenProgram('npm'),
  runtime: installation(
    { 'package.json': { name: 'svc', version: '9.0.0', engines: { node: '>=99' } } },
    /which needs >=99/,
  ),
  git: brokenProgram('git'),
  node: brokenProgram('node'),
  'system-packages': brokenProgram('rg'),
  repository: installation(
    { 'package.json': { name: 'svc', version: '9.0.0', bin: { svc: 'dist/x' } } },
    /no built program/,
  ),
  launcher: {
    cause: ({ home }) => {
      mkdirSync(join(home, 'svc-agent/bin/svc'), { recursive: true })
    },
    says: /svc-agent\/bin\/svc is not a file\. Move it away\./,
    mend: ({ home }) => rmSync(join(home, 'svc-agent/bin/svc'), { recursive: true }),
  },
  dependencies: installation(
    { 'package.json': { name: 'svc', version: '9.0.0', dependencies: { 'no-such-library': '1' } } },
    /^no-such-library is missing\. Run npm install/,
  ),
  'native-modules': installation({ 'package.json': {} }, /better-sqlite3/),
  path: {
    cause: ({ userFolder }) => symlinkSync('/nowhere/svc', join(userFolder, '.local/bin/svc')),
    says: /leads to \/nowhere\/svc, which is gone/,
    mend: ({ userFolder }) => rmSync(join(userFolder, '.local/bin/svc')),
  },
  'config-templates': {
    cause: ({ home }) => {
      mkdirSync(join(home, 'config.yaml'), { recursive: true })
    },
    says: /config\.yaml is not a file/,
    mend: ({ home }) => rmSync(join(home, 'config.yaml'), { recursive: true }),
  },
  'platform-sdks': {
    cause: ({ userFolder }) => ({ program: [writeScript(join(userFolder, 'svc'), 'echo "config is broken"; exit 1')] }),
    says: /svc plugins list --json does not work: exit 1: config is broken/,
  },
  configure: { cause: () => ({ isInteractive: true, converse: async () => 1 }), says: /svc chat ended with exit 1/ },
  gateway: {
    cause: () => ({ isInteractive: true, converse: async () => 3 }),
    says: /svc gateway install ended with exit 3/,
  },
}

describe('a stage', () => {
  test.for(names)('%s fails for a reason of this machine, and runs when that is gone', async (name) => {
    const { deps } = sandbox()
    const trouble = TROUBLES[name]
    const changed = trouble.cause(deps) ?? {}
    await expect(STAGE_WORK[name]({ ...deps, ...changed })).rejects.toThrow(trouble.says)
    trouble.mend?.(deps)
    const done = await STAGE_WORK[name](deps)
    if (done) expect(done.skipped).toMatch(/\.$|^svc is on the path|^A person is needed/)
  })
})

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch {
    return false
  }
}

/** A program with the fourteen stages that dies in the one whose name is in the file `deadly`. */
function mortal(user: string, death: string): string {
  const manifest = JSON.stringify({ protocol_version: 1, stages: STAGES })
  const result = '{"stage":"%s","ok":true,"skipped":false,"reason":null,"duration_ms":1}\\n'
  return writeScript(
    join(user, 'mortal'),
    `if [ "$2" = stages ]; then echo '${manifest}'; exit; fi
echo "$3 begins" >&2
if [ "$3" = "$(cat ${user}/deadly)" ]; then ${death}; fi
printf '${result}' "$3"`,
  )
}

describe('a program that dies in a stage', () => {
  test('in each of them: the failure is latched with what it said, and goes away with a reset', async () => {
    const user = temporaryFolder()
    const { bootstrap, events } = sandbox([mortal(user, 'kill -9 $$')])
    for (const name of names) {
      writeFileSync(join(user, 'deadly'), name)
      const says = `: The stage ended without a result: it was ended by SIGKILL. Its last lines: ${name} begins`
      await expect(bootstrap.run()).rejects.toThrow(says)
      const before = events.length
      await expect(bootstrap.run()).rejects.toThrow(says)
      expect(events).toHaveLength(before)
      await bootstrap.reset()
    }
    writeFileSync(join(user, 'deadly'), 'none')
    await bootstrap.run()
    expect(events.at(-1)?.type).toBe('complete')
  })

  test.for([
    ['says nothing', 'exit 0', /without a result: exit 0/],
    [
      'contradicts itself',
      `printf '{"stage":"git","ok":true,"skipped":false,"reason":null,"duration_ms":1}'; exit 1`,
      /exit 1/,
    ],
    [
      'speaks of another stage',
      `echo '{"stage":"path","ok":true,"skipped":false,"reason":null,"duration_ms":1}'; exit 0`,
      /exit 0/,
    ],
    [
      'says why',
      `echo '{"stage":"git","ok":false,"skipped":false,"reason":"no disk","duration_ms":1}'; exit 1`,
      /^Git: no disk$/,
    ],
  ] as const)('or %s', async ([, death, says]) => {
    const user = temporaryFolder()
    writeFileSync(join(user, 'deadly'), 'git')
    const { bootstrap } = sandbox([mortal(user, death)])
    await expect(bootstrap.run()).rejects.toThrow(says)
  })

  test.for([
    ['ends', 'exit 3', /exit 3/],
    ['prints no JSON', 'echo hello', /did not say which stages it has/],
    [
      'names a stage twice',
      `echo '{"protocol_version":1,"stages":[${'{"name":"a","title":"A","category":"x","needs_user_input":false},'.repeat(2).slice(0, -1)}]}'`,
      /stages/,
    ],
    ['speaks a later protocol', `echo '{"protocol_version":2,"stages":[]}'`, /stages/],
  ] as const)('or has no manifest because it %s', async ([, script, says]) => {
    const user = temporaryFolder()
    const { bootstrap } = sandbox([writeScript(join(user, 'svc'), script)])
    await expect(bootstrap.run()).rejects.toThrow(says)
  })

  test('is ended with what it has started when a person cancels', async () => {
    const user = temporaryFolder()
    writeFileSync(join(user, 'deadly'), 'git')
    const { bootstrap } = sandbox([mortal(user, `sh -c 'echo $$ > ${user}/pid; sleep 300'`)])
    const run = bootstrap.run()
    await expect
      .poll(() => existsSync(join(user, 'pid')) && readFileSync(join(user, 'pid'), 'utf8').trim())
      .toMatch(/^\d+$/)
    await bootstrap.cancel()
    await expect(run).rejects.toThrow('cancelled by user')
    await expect.poll(() => isRunning(Number(readFileSync(join(user, 'pid'), 'utf8')))).toBe(false)
  })
})
