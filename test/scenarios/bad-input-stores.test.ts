/** Damaged files, two processes at one session, a home that cannot be used: a clear sentence, and what can be kept is kept. */
import { spawn } from 'node:child_process'
import { copyFileSync, existsSync, mkdirSync, readdirSync, readFileSync, truncateSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { expect, onTestFinished, test } from 'vitest'
import { type BuiltRun, runBuilt } from '../support/built.ts'
import { expectClear } from '../support/clear-error.ts'
import { startModelServer } from '../support/model-server.ts'
import { temporaryFolder } from '../support/temporary.ts'

const bin = join(import.meta.dirname, '../../dist/kernel/bin.cjs')

function demoHome(config = 'model:\n  provider: demo\n'): string {
  const home = temporaryFolder()
  writeFileSync(join(home, 'config.yaml'), config)
  return home
}

const svc = (home: string, ...argv: string[]): BuiltRun => runBuilt(argv, { home })

function listDatabases(home: string): string[] {
  return readdirSync(home, { recursive: true, encoding: 'utf8' }).filter((path) => path.endsWith('.db'))
}

const damages: Record<string, (path: string) => void> = {
  'holds other bytes': (path) =>
    writeFileSync(path, 'this is no database, and it is long enough to be looked at\n'.repeat(200)),
  'is cut': (path) => truncateSync(path, 5000),
  'is empty': (path) => truncateSync(path, 0),
  'has a hole in its middle': (path) => {
    const bytes = readFileSync(path)
    writeFileSync(path, bytes.fill(0xaa, 4096, Math.max(8192, bytes.length - 4096)))
  },
}

test.each(Object.keys(damages))(
  'when any database %s svc says so, keeps the file and goes on',
  (name) => {
    const home = demoHome()
    expect(svc(home, 'chat', '-q', 'List the files in this folder')).toMatchObject({ code: 0 })
    const files = listDatabases(home)
    expect(files.some((file) => file.endsWith('sessions.db'))).toBe(true)
    expect(files.some((file) => file.endsWith('budgets.db'))).toBe(true)
    for (const file of files) {
      for (const part of ['-wal', '-shm'])
        if (existsSync(join(home, file + part))) truncateSync(join(home, file + part), 0)
      damages[name]?.(join(home, file))
    }
    for (const argv of [['sessions', 'list'], ['sessions', 'search', 'files'], ['budget'], ['auth', 'list']]) {
      expectClear(svc(home, ...argv))
    }
    const first = svc(home, 'chat', '-q', 'List the files in this folder')
    expectClear(first)
    const second = svc(home, 'chat', '-q', 'List the files in this folder')
    expect(second, `${first.err}${second.err}`).toMatchObject({ code: 0 })
    if (name !== 'is empty') expect(readdirSync(home, { recursive: true }).join('\n')).toMatch(/corrupt/)
  },
  60_000,
)

test.each(['', 'not json', '[]', 'null', '{"version":99}', '{"credentials":"many"}', '\0\0\0\0', '{"a":{"b":5}}'])(
  'an auth.json that holds %j is never overwritten in silence, and a turn works or says why',
  (content) => {
    const home = demoHome()
    const file = join(home, 'auth.json')
    writeFileSync(file, content, { mode: 0o600 })
    expectClear(svc(home, 'auth', 'list'))
    expectClear(svc(home, 'chat', '-q', 'List the files in this folder'))
    const added = runBuilt(['auth', 'add', 'openai'], { home, input: 'sk-0123456789abcdef\n' })
    expectClear(added)
    const kept = readdirSync(home)
      .filter((name) => name.startsWith('auth.json'))
      .map((name) => readFileSync(join(home, name), 'utf8'))
    // Keys that no one knows are kept beside the new ones.
    const holds = (text: string) => text === content || text.replaceAll(/\s/g, '').includes(content.slice(1, -1))
    if (content.trim().length > 4) expect(kept.some(holds), kept.join()).toBe(true)
  },
  60_000,
)

/** Beside others, as a second terminal window is. */
async function spawned(home: string, cwd: string, args: readonly string[]): Promise<BuiltRun> {
  const child = spawn(process.execPath, [bin, ...args], {
    env: { PATH: process.env['PATH'], HOME: home, SVC_HOME: home },
    cwd,
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const said = Promise.all([text(child.stdout), text(child.stderr)])
  const code = await new Promise<number | null>((resolve) => child.once('close', resolve))
  const [out, err] = await said
  return { code, out, err }
}

test('two processes at one session: the second is told what it can do, and neither loses anything', async () => {
  const [home, project] = [temporaryFolder(), temporaryFolder()]
  const wait = { name: 'terminal', arguments: { command: 'touch waiting; while [ ! -e go ]; do sleep 0.05; done' } }
  const server = await startModelServer({ replies: ['first answer', { calls: [wait] }, 'slow answer', 'third answer'] })
  onTestFinished(() => server.close())
  const model = `  provider: custom\n  base_url: ${server.url}\n  default: fake-model\n`
  writeFileSync(join(home, 'config.yaml'), `model:\n${model}`)
  const run = (...args: string[]) => spawned(home, project, ['chat', '--yolo', ...args])
  expect(await run('-q', 'one')).toMatchObject({ code: 0 })
  const slow = run('-c', '-q', 'two')
  while (!existsSync(join(project, 'waiting'))) await new Promise((resolve) => setImmediate(resolve))
  const refused = await run('-c', '-q', 'three')
  writeFileSync(join(project, 'go'), '')
  expectClear(refused)
  expect(refused.code).toBe(1)
  expect(refused.err).toMatch(/SESSION_BUSY/)
  expect(refused.err).toMatch(/sessions branch/)
  expect(await slow).toMatchObject({ code: 0, out: 'slow answer\n' })
  expect(await run('-c', '-q', 'three')).toMatchObject({ code: 0, out: 'third answer\n' })
  const sent = server.requests.at(-1)?.body['messages'] as { role: string; content: string }[] | undefined
  const said = sent?.filter(({ role, content }) => content && role !== 'tool' && role !== 'system')
  expect(said?.map(({ content }) => content)).toEqual(['one', 'first answer', 'two', 'slow answer', 'three'])
}, 60_000)

test('a home that is a file, or may not be written, is said', () => {
  const folder = temporaryFolder()
  writeFileSync(join(folder, 'file'), '')
  for (const home of [join(folder, 'file'), join(folder, 'file', 'below'), '/proc/svc-home', 'x'.repeat(300)]) {
    const ran = runBuilt(['chat', '-q', 'List the files'], { home, cwd: folder })
    expectClear(ran)
    expect(ran.code).not.toBe(0)
  }
  mkdirSync(join(folder, 'home'))
  copyFileSync(join(folder, 'file'), join(folder, 'home', 'config.yaml'))
  expectClear(runBuilt(['chat', '-q', 'List the files'], { home: join(folder, 'home') }))
})
