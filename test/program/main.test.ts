import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { runBuilt } from '../support/built.ts'
import { agreeTo } from '../support/consent.ts'
import { temporaryFolder, writeFiles } from '../support/temporary.ts'

const manifest = {
  name: 'echo',
  version: '1.0.0',
  sdk: '^0.1.0',
  kind: 'command',
  description: 'Says what it was told.',
  cli: [{ name: 'echo', description: 'Says what it was told' }],
}

/** A command that answers what it was given, exits with a code, or fails. */
const source = `
import { CliCommands, definePlugin, Home, SvcError } from 'svc/sdk'

export default definePlugin({
  setup(ctx) {
    ctx.add(CliCommands, {
      name: 'echo',
      description: 'Says what it was told.',
      arguments: '[words...]',
      options: [
        { flags: '--id <id>', description: 'Any text' },
        { flags: '--exit <code>', description: 'The exit code' },
        { flags: '--fail <how>', description: 'How to fail' },
      ],
      async run({ args, options }, io) {
        const stdin = await io.stdin(1000)
        const profile = ctx.use(Home).profile
        io.out(JSON.stringify({ args, id: options.id, stdin: Buffer.from(stdin ?? '').toString(), profile }))
        if (options.fail === 'known') throw new SvcError('ECHO_FAILED', 'There is no echo here.')
        if (options.fail === 'loudly') {
          console.log('noise on stdout')
          console.error('noise on stderr')
          process.stdout.write('{"not": "an answer"}\\n')
        }
        if (options.fail === 'to dispose') for (let n = 0; n < 4; n++) ctx.defer(() => new Promise(() => {}))
        if (options.fail === 'never') await new Promise(() => {})
        if (options.fail === 'to end') setInterval(() => {}, 1000)
        if (options.fail === 'unknown') throw new TypeError('a mistake in the program')
        return options.exit === undefined ? undefined : Number(options.exit)
      },
    })
  },
})`

/** A home in which the command is installed and switched on. */
function homeWithEcho(config = 'plugins: { enabled: [echo] }\n') {
  const home = temporaryFolder()
  writeFiles(home, { 'config.yaml': config, 'plugins/echo/plugin.json': manifest, 'plugins/echo/index.ts': source })
  agreeTo(home, 'echo')
  const svc = (argv: readonly string[], more: { input?: string; env?: Record<string, string> } = {}) => {
    const run = runBuilt(argv, { home, ...more })
    return { ...run, said: run.out.startsWith('{') ? (JSON.parse(run.out) as object) : undefined }
  }
  return { home, svc }
}

test('a command of a plugin of the user runs, with arguments, options and standard input as they came', () => {
  const { svc } = homeWithEcho()
  const { code, err, said } = svc(['echo', '--id', '0123', '1.10', '--', '-x'], { input: 'piped' })
  expect({ code, err, said }).toEqual({ code: 0, err: '', said: { args: ['1.10', '-x'], id: '0123', stdin: 'piped' } })
})

test('the exit code is that of the command', () => {
  const { svc } = homeWithEcho()
  expect(svc(['echo', '--exit', '3']).code).toBe(3)
})

test('a command that waits for what never comes has failed, and is named', () => {
  const { svc } = homeWithEcho()
  const { code, out, err } = svc(['echo', 'a', '--fail', 'never'])
  expect({ code, out }).toEqual({ code: 1, out: expect.stringContaining('"args":["a"]') })
  expect(err).toMatch(/^svc: "svc echo a" never finished: /)
})

test('a run that ends says nothing of the kind, also when it needs no command', () => {
  const { svc } = homeWithEcho()
  for (const [argv, code] of [
    [['--version'], 0],
    [['--help'], 0],
    [['echo'], 0],
    [['ecoh'], 2],
  ] as const) {
    const run = svc(argv)
    expect(run.code).toBe(code)
    expect(run.err).not.toContain('never finished')
  }
})

test('an error that is known is one line, one that is not has its stack; both are exit code 1', () => {
  const { svc } = homeWithEcho()
  expect(svc(['echo', '--fail', 'known'])).toMatchObject({
    code: 1,
    err: 'svc: There is no echo here. (ECHO_FAILED)\n',
  })
  expect(svc(['echo', '--fail', 'unknown'])).toMatchObject({
    code: 1,
    err: expect.stringMatching(/the plugin echo has a fault:\nTypeError: a mistake in the program/),
  })
})

test('wrong usage is exit code 2 and tells where help is', () => {
  const { svc } = homeWithEcho()
  const { code, err } = svc(['echo', '--di', '1'])
  expect(code).toBe(2)
  expect(err).toContain('Did you mean --id?')
  expect(svc(['ecoh'])).toMatchObject({ code: 2, err: expect.stringContaining('Did you mean: svc echo') })
})

test('help for a command is the same asked for in either way', () => {
  const { svc } = homeWithEcho()
  const { out, code } = svc(['echo', '--help'])
  expect(code).toBe(0)
  expect(out).toContain('Usage\n  svc echo [options]')
  expect(svc(['help', 'echo']).out).toBe(out)
  expect(svc(['chat', '-h']).out).toBe(svc(['help', 'chat']).out)
})

test('the overview lists the command of the user beside the others', () => {
  const { svc } = homeWithEcho()
  const { out } = svc(['--help'])
  expect(out).toContain('  echo ')
  expect(out).toContain('  chat ')
  expect(svc(['-h']).out).toBe(out)
  expect(svc(['help']).out).toBe(out)
})

test('a command whose plugin is not switched on says how to do that', () => {
  const { svc } = homeWithEcho('')
  expect(svc(['echo'])).toMatchObject({ code: 1, err: expect.stringContaining('svc plugins enable echo') })
})

test.for([
  [['-p', 'work', 'echo']],
  [['--profile', 'work', 'echo']],
  [['--profile=work', 'echo']],
  [['echo', '-p', 'work']],
])('a profile is its own home: %j', ([argv]) => {
  const { home } = homeWithEcho()
  const profile = homeWithEcho()
  writeFiles(join(home, 'profiles/work'), {
    'config.yaml': 'plugins: { enabled: [echo] }\n',
    'plugins/echo/plugin.json': manifest,
    'plugins/echo/index.ts': source,
  })
  expect(profile.svc(['echo']).said).toEqual({ args: [], stdin: '' })
  const { out } = runBuilt(argv ?? [], { home })
  expect(JSON.parse(out)).toMatchObject({ profile: 'work' })
})

test('the active profile is used where none is typed, and one that is gone stops everything', () => {
  const { home, svc } = homeWithEcho()
  writeFiles(home, {
    active_profile: 'work\n',
    'profiles/work/config.yaml': 'plugins: { enabled: [echo] }\n',
    'profiles/work/plugins/echo/plugin.json': manifest,
    'profiles/work/plugins/echo/index.ts': source,
  })
  expect(svc(['echo']).said).toMatchObject({ profile: 'work' })
  expect(svc(['-p', 'default', 'echo']).said).toEqual({ args: [], stdin: '' })
  // What a program started by svc inherits counts for the same home only.
  const env = (root: string) => ({ SVC_PROFILE: 'work', SVC_PROFILE_OF: root })
  expect(svc(['-p', 'default', 'echo'], { env: env(home) }).said).toEqual({ args: [], stdin: '' })
  writeFiles(home, { active_profile: 'default\n' })
  expect(svc(['echo'], { env: env(home) }).said).toMatchObject({ profile: 'work' })
  expect(svc(['echo'], { env: env('/elsewhere') }).said).toEqual({ args: [], stdin: '' })
  writeFiles(home, { active_profile: '../work\n' })
  expect(svc(['echo'])).toMatchObject({ code: 1, out: '', err: expect.stringContaining('PROFILE_UNKNOWN') })
  writeFiles(home, { active_profile: 'gone\n' })
  expect(svc(['echo'])).toMatchObject({ code: 1, out: '', err: expect.stringContaining('svc -p default profile list') })
})

test('a profile that is not there is told, and nothing runs', () => {
  const { svc } = homeWithEcho()
  expect(svc(['-p', 'wrok', 'echo'])).toMatchObject({
    code: 1,
    out: '',
    err: expect.stringContaining('PROFILE_UNKNOWN'),
  })
})

test('after -- even --profile belongs to the command', () => {
  const { svc } = homeWithEcho()
  expect(svc(['echo', '--', '--profile', 'x', '-p']).said).toMatchObject({ args: ['--profile', 'x', '-p'] })
})

test('a broken plugin of the user takes nothing else down', () => {
  const { home, svc } = homeWithEcho()
  writeFiles(home, { 'plugins/broken/plugin.json': '{', 'npm/package.json': '{' })
  expect(svc(['--help'])).toMatchObject({ code: 0, err: '' })
  expect(svc(['echo', 'still', 'here']).said).toMatchObject({ args: ['still', 'here'] })
})

test('a home that cannot be used is told with what to do', () => {
  const home = temporaryFolder()
  writeFiles(home, { file: '' })
  const run = runBuilt(['chat', '-q', 'hi'], { home: join(home, 'file'), cwd: home })
  expect(run).toMatchObject({ code: 1, out: '', err: expect.stringContaining('SVC_HOME') })
})

test('a wrong value of SVC_ENABLE_PROJECT_PLUGINS is told and counts as off', () => {
  const { svc } = homeWithEcho()
  const { err, code } = svc(['echo'], { env: { SVC_ENABLE_PROJECT_PLUGINS: 'maybe' } })
  expect(code).toBe(0)
  expect(err).toContain('"maybe"')
})

test('what is typed is a command line, whatever is in it', () => {
  const { svc } = homeWithEcho()
  expect(svc(['']).code).toBe(2)
  expect(svc(['nosuchcommand'])).toMatchObject({ code: 2, err: expect.stringContaining('svc chat nosuchcommand') })
  expect(svc(['echo', '\u0001', 'ü', '\n']).said).toMatchObject({ args: ['\u0001', 'ü', '\n'] })
})

test('a sentence goes to the default command, a mistyped name does not', () => {
  const { svc } = homeWithEcho()
  for (const words of [['is this right?'], ['@notes.txt', 'read'], ['你好']])
    expect(svc(words)).toMatchObject({ code: 1, err: expect.stringContaining('No model is connected') })
  for (const words of [['./file'], ['ecko'], ['what', 'is this?']]) expect(svc(words).code).toBe(2)
})

test('what is missing and what is too much is named', () => {
  const { svc } = homeWithEcho()
  expect(svc(['why'])).toMatchObject({ code: 2, err: expect.stringContaining('svc why needs <id>.') })
  expect(svc(['why', 'a', 'b c']).err).toContain('svc why does not take "b c".')
  expect(svc(['--nope']).err).toContain('svc: svc has no option --nope.')
})

test('a command that is done ends although a plugin left something open, and that is said', () => {
  const { svc } = homeWithEcho()
  const { code, err } = svc(['echo', 'a', '--fail', 'to end', '--exit', '3'])
  expect(code).toBe(3)
  expect(err).toContain('the command has ended, but plugins still held something open: echo (1 timers)')
})

test('help runs no code of a plugin of the user, for its own command and for those of svc', () => {
  const { svc, home } = homeWithEcho()
  writeFiles(home, {
    'plugins/echo/index.ts': `import { appendFileSync } from 'node:fs'\nappendFileSync('${join(home, 'ran')}', 'x')\n${source}`,
    'plugins/echo/plugin.json': { ...manifest, with: ['agent', 'sessions'] },
  })
  agreeTo(home, 'echo')
  const own = svc(['echo', '--help'])
  expect([own.code, own.out]).toEqual([0, expect.stringContaining('Says what it was told')])
  for (const argv of [['--help'], ['chat', '--help'], ['help', 'echo'], ['sessions', 'list', '-h']])
    expect(svc(argv).code).toBe(0)
  expect(existsSync(join(home, 'ran'))).toBe(false)
  expect(svc(['echo', 'a']).code).toBe(0)
  expect(existsSync(join(home, 'ran'))).toBe(true)
})

test('a fault of a command names its plugin and the line of its own file, and the log has it once', () => {
  const { svc, home } = homeWithEcho()
  const { code, err } = svc(['echo', 'a', '--fail', 'unknown'])
  const line = source.split('\n').findIndex((text) => text.includes('a mistake in the program')) + 1
  expect(code).toBe(1)
  expect(err).toContain('svc: the plugin echo has a fault')
  expect(err).toContain(`plugins/echo/index.ts:${line}:`)
  const lines = readFileSync(join(home, 'logs', 'svc.log'), 'utf8')
    .split('\n')
    .filter((text) => text.includes('a mistake'))
  expect(lines).toHaveLength(1)
  expect(lines[0]).toContain(`plugins/echo/index.ts:${line}:`)
  expect(lines[0]).toContain('"owner":"echo"')
})

test('disposers that hang share the time that one may take, and each of them is named', () => {
  const { svc } = homeWithEcho()
  const timed = (...argv: string[]) => {
    const started = performance.now()
    return { ...svc(argv), took: performance.now() - started }
  }
  const usual = timed('echo', 'a').took
  const { code, err, took } = timed('echo', 'a', '--fail', 'to dispose')
  expect(code).toBe(0)
  expect(err.match(/svc: echo: dispose: a disposer took longer/g)).toHaveLength(4)
  // One after the other they would take four times 0.9 s. The time of a start is that of a busy machine.
  expect(took - usual).toBeLessThan(3000)
})

test('what a plugin prints goes to the log under its name, and the output holds the answer alone', () => {
  const { svc, home } = homeWithEcho()
  const { out, err, said } = svc(['echo', 'a', '--fail', 'loudly'])
  expect(said).toMatchObject({ args: ['a'] })
  expect(out).not.toContain('not')
  expect(err).toBe('')
  const log = readFileSync(join(home, 'logs', 'svc.log'), 'utf8')
  for (const text of ['noise on stdout', 'noise on stderr', 'an answer']) expect(log).toContain(text)
  expect(log).toContain('"plugin":"echo"')
})

test('a plugin of the user adds a subcommand to a command of svc: it runs, and only the help of that command lists it', () => {
  const home = temporaryFolder()
  const added = `
import { CliCommands, definePlugin } from 'svc/sdk'
export default definePlugin({
  setup(ctx) {
    ctx.add(CliCommands, { name: 'config shout', description: 'Shouts', arguments: '<word>', run: ({ args }, io) => io.out(args[0].toUpperCase()) })
  },
})`
  const cli = [{ name: 'config shout', description: 'Shouts a word', example: 'config shout hi' }]
  writeFiles(home, {
    'config.yaml': 'plugins: { enabled: [shout] }\n',
    'plugins/shout/plugin.json': { ...manifest, name: 'shout', cli },
    'plugins/shout/index.ts': added,
  })
  agreeTo(home, 'shout')
  expect(runBuilt(['config', 'shout', 'hi'], { home })).toMatchObject({ code: 0, out: 'HI' })
  expect(runBuilt(['config', 'shout'], { home }).err).toContain('svc config shout needs <word>')
  expect(runBuilt(['--help'], { home }).out).not.toContain('shout')
  expect(runBuilt(['config', 'shoutt'], { home }).err).toContain('Did you mean "svc config shout"?')
  expect(runBuilt(['help', 'config', 'shout'], { home }).out).toContain('config shout hi')
})
