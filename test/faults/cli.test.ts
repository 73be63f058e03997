import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Sessions } from 'svc/sdk'
import { testKernel } from 'svc/sdk/testing'
import { afterAll, expect, test } from 'vitest'
import type { Reply } from '../support/model-replies.ts'
import { type ModelServer, startModelServer } from '../support/model-server.ts'
import { needNamespaces } from '../support/namespaces.ts'
import { removeFolder } from '../support/remove-folder.ts'

const bin = join(import.meta.dirname, '../../dist/kernel/bin.cjs')
const places: string[] = []
const servers: ModelServer[] = []
afterAll(async () => {
  for (const server of servers) await server.close()
  for (const place of places) removeFolder(place)
})

function place(): string {
  const dir = mkdtempSync(join(tmpdir(), 'svc-cli-'))
  places.push(dir)
  return dir
}

interface Said {
  code: number | null
  out: string
  err: string
}

function start(args: readonly string[], home: string, env: Record<string, string> = {}, cwd = home): ChildProcess {
  const clean = { PATH: process.env['PATH'] ?? '', HOME: home, SVC_HOME: home, ...env }
  return spawn(process.execPath, [bin, ...args], { env: clean, cwd, stdio: ['pipe', 'pipe', 'pipe'] })
}

async function ended(child: ChildProcess): Promise<Said> {
  const said = { out: '', err: '' }
  child.stdout?.on('data', (text) => {
    said.out += text
  })
  child.stderr?.on('data', (text) => {
    said.err += text
  })
  const code = await new Promise<number | null>((resolve) => void child.on('close', resolve))
  return { code, ...said }
}

async function svc(args: readonly string[], home: string, more: { env?: Record<string, string>; stdin?: Buffer } = {}) {
  const child = start(args, home, more.env)
  child.stdin?.on('error', () => {})
  child.stdin?.end(more.stdin)
  return ended(child)
}

/** A home that talks to a model server with these replies. */
async function homeWith(
  replies: readonly Reply[] | ((request: unknown, index: number) => Reply),
  more: { key?: string } = {},
) {
  const server = await startModelServer({ replies, ...more })
  servers.push(server)
  const home = place()
  configure(home, server.url)
  return { home, server }
}

function configure(home: string, url: string): void {
  writeFileSync(join(home, 'config.yaml'), `model:\n  provider: custom\n  base_url: ${url}\n  default: fake-model\n`)
}

const noTrace = /^\s+at .+:\d+:\d+/m

test('a broken config.yaml is named by line, nothing is guessed and the file stays as it is', async () => {
  const home = place()
  const text = 'model:\n  provider: custom\n default: [x\n'
  writeFileSync(join(home, 'config.yaml'), text)
  const said = await svc(['chat', '-q', 'hi'], home)
  expect(said).toMatchObject({ code: 1, out: '' })
  expect(said.err).toMatch(/config\.yaml: line \d, column \d.*CONFIG_UNREADABLE/s)
  expect(readFileSync(join(home, 'config.yaml'), 'utf8')).toBe(text)
  const status = await svc(['status', 'installation'], home)
  expect(status).toMatchObject({
    code: 0,
    out: expect.stringMatching(/^! Config .*config\.yaml, errors: 1, warnings: 0$/m),
  })
})

test('once a config was good, a broken one does not stop the work: the last good values are used, and said to be', async () => {
  const { home } = await homeWith(['well', 'well'])
  expect((await svc(['chat', '-q', 'hi'], home)).out).toBe('well\n')
  writeFileSync(join(home, 'config.yaml'), 'model: [\n')
  const said = await svc(['chat', '-q', 'hi'], home)
  expect(said).toMatchObject({ code: 0, out: 'well\n' })
  expect(said.err).toMatch(/line 2.*last good config is used/s)
  expect(readFileSync(join(home, 'config.yaml'), 'utf8')).toBe('model: [\n')
})

test('a config under another usual name is found', async () => {
  const { home } = await homeWith(() => 'found')
  renameSync(join(home, 'config.yaml'), join(home, 'config.yml'))
  expect(await svc(['chat', '-q', 'hi'], home)).toMatchObject({ code: 0, out: 'found\n' })
})

test('a home that cannot be used is said with what to do', async () => {
  const file = join(place(), 'file')
  writeFileSync(file, '')
  for (const SVC_HOME of [join(file, 'x'), '/proc/svc-nowhere']) {
    const said = await svc(['chat', '-q', 'hi'], tmpdir(), { env: { SVC_HOME } })
    expect(said).toMatchObject({ code: 1, out: '' })
    expect(said.err).toMatch(/cannot be used: .*set SVC_HOME to another folder. \(HOME_UNUSABLE\)/)
  }
})

test('a full disk is said, and nothing is claimed that was not kept', async (context) => {
  const { home: setup, server } = await homeWith(['never shown'])
  const mount = place()
  const script = `mount -t tmpfs -o size=64k,mode=700 tmpfs "${mount}" && cp "${setup}/config.yaml" "${mount}/" && exec "$@"`
  const command = ['-Urm', 'bash', '-c', script, 'bash', process.execPath, bin, 'chat', '-q', 'hi']
  needNamespaces(context)
  const env = { PATH: process.env['PATH'] ?? '', HOME: mount, SVC_HOME: mount }
  const said = await ended(spawn('unshare', command, { env, stdio: ['ignore', 'pipe', 'pipe'] }))
  expect(said).toMatchObject({ code: 1, out: '' })
  expect(said.err).toMatch(/disk|space/i)
  expect(said.err).not.toMatch(noTrace)
  expect(server.requests.length).toBe(0)
})

test('a corrupt database is kept aside and said, and the work continues', async () => {
  const { home } = await homeWith(['first', 'second'])
  await svc(['chat', '-q', 'hi'], home)
  const file = join(home, 'data/sessions/sessions.db')
  for (const extra of ['-wal', '-shm', '.backup']) rmSync(file + extra, { force: true })
  writeFileSync(file, Buffer.alloc(20_000, 'not a database'))
  const said = await svc(['chat', '-q', 'hi'], home)
  expect(said).toMatchObject({ code: 0, out: 'second\n' })
  expect(said.err).toMatch(/was damaged.*kept as .*corrupt-/s)
})

const refusals: [string, Reply, RegExp][] = [
  ['wrong key', { fault: { status: 401, message: 'Incorrect API key' } }, /key/i],
  ['no money', { fault: { status: 402, message: 'Insufficient credits' } }, /402|credit|pay|bill/i],
  ['unknown model', { fault: { status: 404, message: 'model not found' } }, /model/i],
  ['web page instead of an answer', { fault: 'html' }, /HTML|web page|not .*JSON/i],
  ['wrong JSON', { fault: 'wrong-json' }, /The server at http:\/\/127\.0\.0\.1/],
  ['stream cut in the middle', { text: ['Half ', 'of ', 'an ', 'answer'], fault: 'cut' }, /closed|cut|middle/i],
]
for (const [name, reply, message] of refusals)
  test(`a model server with a ${name} gives exit code 1 and a sentence, not a trace`, async () => {
    const { home } = await homeWith(() => reply)
    writeFileSync(join(home, 'config.yaml'), `${readFileSync(join(home, 'config.yaml'))}agent:\n  max_retries: 0\n`)
    const said = await svc(['chat', '-q', 'hi'], home)
    expect(said.code).toBe(1)
    expect(said.err).toMatch(message)
    expect(said.err).toMatch(/MODEL_FAILED/)
    expect(said.err).not.toMatch(noTrace)
  })

test('a server that wants a key says which one to set; a server that is not there is named', async () => {
  const { home } = await homeWith(() => 'x', { key: 'sk-right' })
  expect((await svc(['chat', '-q', 'hi'], home)).err).toMatch(/CUSTOM_API_KEY/)
  expect((await svc(['chat', '-q', 'hi'], home, { env: { CUSTOM_API_KEY: 'sk-right' } })).code).toBe(0)
  writeFileSync(join(home, '.env'), 'CUSTOM_API_KEY=sk-right\n', { mode: 0o600 })
  expect(await svc(['chat', '-q', 'hi'], home)).toMatchObject({ code: 0, out: 'x\n', err: '' })
  const gone = place()
  configure(gone, 'http://127.0.0.1:9/v1')
  writeFileSync(join(gone, 'config.yaml'), `${readFileSync(join(gone, 'config.yaml'))}agent:\n  max_retries: 0\n`)
  expect((await svc(['chat', '-q', 'hi'], gone)).err).toMatch(/http:\/\/127\.0\.0\.1:9.*(nothing listens|reach)/)
})

test('input that is not text, or far too much of it, is refused quickly', async () => {
  const { home, server } = await homeWith(['x'])
  const binary = await svc(['chat'], home, { stdin: Buffer.from([0xff, 0xfe, 0, 1, 2]) })
  expect(binary).toMatchObject({ code: 1, out: '' })
  expect(binary.err).toMatch(/not UTF-8 text.*CHAT_INPUT_BINARY/)
  const large = await svc(['chat', '-q', 'what is this'], home, { stdin: Buffer.alloc(100 * 2 ** 20, 'a') })
  expect(large).toMatchObject({ code: 1, out: '' })
  expect(large.err).toMatch(/over 2 MiB.*INPUT_TOO_LARGE/)
  expect((await svc(['chat'], home, {})).err).toMatch(/There was no question/)
  expect(server.requests).toHaveLength(0)
})

test('piped text is the question, or goes with it', async () => {
  const { home, server } = await homeWith(['a', 'b'])
  await svc(['chat'], home, { stdin: Buffer.from('only piped\n') })
  await svc(['chat', '-q', 'what is this?'], home, { stdin: Buffer.from('piped too\n') })
  const asked = server.requests.map(({ body }) => (body['messages'] as { content: string }[]).at(-1)?.content)
  expect(asked).toEqual(['only piped', 'what is this?\n\npiped too'])
})

test('Ctrl-C at any time ends with 130, without a trace, and the conversation stays whole', async () => {
  const reply: Reply = { text: ['One ', 'two '], calls: [{ name: 'terminal', arguments: { command: 'sleep 5' } }] }
  const { home } = await homeWith(() => reply)
  const project = place()
  const interrupted = { type: 'turn.end', reason: 'interrupted' }
  for (let at = 0; at < 12; at++) {
    const child = start(['chat', '--json', '-q', 'go'], home, {}, project)
    child.stdin?.end()
    const done = ended(child)
    // Half of them come while it starts, the others once it has begun to say something.
    const isEarly = at < 6
    if (!isEarly) await once(child.stdout as NonNullable<typeof child.stdout>, 'data')
    setTimeout(() => child.kill('SIGINT'), isEarly ? 45 + at * 25 : (at - 6) * 25)
    const said = await done
    expect(said.err).not.toMatch(noTrace)
    const last = said.out.split('\n').filter(Boolean).at(-1)
    // Until it listens to the signal, the signal itself ends it.
    expect(isEarly ? [130, null] : [130]).toContain(said.code)
    const isSilent = isEarly && last === undefined
    expect(isSilent ? interrupted : JSON.parse(last ?? '{}')).toMatchObject(interrupted)
  }
  await using kernel = await testKernel({ home, plugins: ['sessions'] })
  for (const { id } of kernel.use(Sessions).list()) {
    const messages = kernel.use(Sessions).open(id).messages()
    const calls = messages.flatMap((message) => (message.role === 'assistant' ? (message.toolCalls ?? []) : []))
    const answers = messages.filter((message) => message.role === 'tool')
    expect(answers.length).toBe(calls.length)
  }
})

test('a file named with newlines is told apart from two files', async () => {
  const home = place()
  const folder = join(home, 'workspace')
  mkdirSync(folder)
  writeFileSync(join(folder, 'one\ntwo.txt'), 'x')
  const env = { PATH: process.env['PATH'] ?? '', HOME: home, SVC_HOME: home }
  const args = [bin, 'chat', '--provider', 'demo', '-q', 'List the files in this folder']
  const said = await ended(spawn(process.execPath, args, { env, cwd: folder, stdio: ['ignore', 'pipe', 'pipe'] }))
  expect(said.code).toBe(0)
  expect(said.out).toContain('one\\ntwo.txt')
})

test('typos are answered with the nearest word and exit code 2', async () => {
  const home = place()
  expect(await svc(['chatt'], home)).toMatchObject({ code: 2, err: expect.stringContaining('Did you mean: svc chat') })
  const option = await svc(['chat', '--jsn'], home)
  expect(option).toMatchObject({ code: 2, out: '', err: expect.stringContaining('Did you mean --json?') })
  expect(await svc(['chat', '-p', 'nobody'], home)).toMatchObject({
    code: 1,
    err: expect.stringContaining('no profile "nobody"'),
  })
  expect(existsSync(join(home, 'profiles'))).toBe(false)
})

/** A foreign plugin beside the agent. */
function plug(home: string, body: string): void {
  const dir = join(home, 'plugins', 'stray')
  mkdirSync(dir, { recursive: true })
  const manifest = {
    name: 'stray',
    version: '1.0.0',
    sdk: '^0.1.0',
    kind: 'test',
    description: 'Strays.',
    with: ['agent'],
  }
  writeFileSync(join(dir, 'plugin.json'), JSON.stringify(manifest))
  writeFileSync(join(dir, 'index.js'), `export default { setup(ctx) { ctx.onStart(() => { ${body} }) } }`)
  writeFileSync(join(home, 'config.yaml'), `${readFileSync(join(home, 'config.yaml'))}plugins:\n  enabled: [stray]\n`)
}

const strays: [string, string][] = [
  ['throws in a timer', `setTimeout(() => { throw new Error('out of the blue') }, 1)`],
  ['leaves a promise that rejects', `setTimeout(async () => { await null; throw new Error('out of the blue') }, 1)`],
  [
    'throws in a callback of a stream',
    `import('node:fs').then((fs) => fs.createReadStream('/nowhere-at-all').on('close', () => { throw new Error('out of the blue') }))`,
  ],
]
for (const [fault, body] of strays)
  test(`a plugin that ${fault} is named, and the answer still comes`, async () => {
    const { home } = await homeWith(() => ({ text: 'fine', delayMs: 150 }))
    plug(home, body)
    const said = await svc(['chat', '-q', 'hi'], home)
    expect(said).toMatchObject({ code: 0, out: 'fine\n' })
    expect(said.err).toMatch(/^svc: stray: stray: (out of the blue|ENOENT)/m)
    expect(said.err).not.toMatch(noTrace)
  })

test('a plugin that hangs at start is named long before its time is over', async () => {
  const { home } = await homeWith(() => 'fine')
  plug(home, 'return new Promise(() => {})')
  const child = start(['chat', '-q', 'hi'], home)
  child.stdin?.end()
  const began = performance.now()
  const named = await new Promise<string>((resolve) => void child.stderr?.on('data', (text) => resolve(String(text))))
  expect(named).toContain('still waiting for the plugin stray (start)')
  expect(performance.now() - began).toBeLessThan(15_000)
  child.kill('SIGKILL')
})

/** A plugin folder with a shell command. */
function commandPlugin(folder: string, name: string, command: string): void {
  const dir = join(folder, name)
  mkdirSync(dir, { recursive: true })
  const cli = [{ name: command, description: 'Says who it is.' }]
  const manifest = { name, version: '1.0.0', sdk: '^0.1.0', kind: 'command', description: 'Commands.', cli }
  writeFileSync(join(dir, 'plugin.json'), JSON.stringify(manifest))
  const run = `async run(_input, io) { io.out('this is ${name}\\n') }`
  const add = `ctx.add(CliCommands, { name: '${command}', description: 'Says who it is.', ${run} })`
  writeFileSync(
    join(dir, 'index.js'),
    `import { CliCommands } from 'svc/sdk'\nexport default { setup(ctx) { ${add} } }`,
  )
}

test('a command of a plugin that stands in for a disabled built-in is found under the same name', async () => {
  const home = place()
  commandPlugin(join(home, 'plugins'), 'my-chat', 'chat')
  writeFileSync(join(home, 'config.yaml'), 'plugins:\n  enabled: [my-chat]\n  disabled: [chat]\n')
  expect(await svc(['chat'], home)).toMatchObject({ code: 0, out: 'this is my-chat\n' })
  writeFileSync(join(home, 'config.yaml'), 'plugins:\n  disabled: [chat]\n')
  expect(await svc(['chat'], home)).toMatchObject({
    code: 1,
    err: expect.stringContaining('svc plugins enable my-chat'),
  })
})

test('a command of a project plugin is there only where project plugins are allowed and it is enabled', async () => {
  const home = place()
  commandPlugin(join(home, '.svc', 'plugins'), 'lantern', 'lantern')
  writeFileSync(join(home, 'config.yaml'), 'plugins:\n  enabled: [lantern]\n')
  expect(await svc(['lantern'], home)).toMatchObject({ code: 2 })
  const env = { SVC_ENABLE_PROJECT_PLUGINS: 'Yes' }
  expect(await svc(['lantern'], home, { env })).toMatchObject({ code: 1, err: expect.stringContaining('not agreed') })
  await svc(['plugins', 'enable', 'lantern', '--yes'], home, { env })
  expect(await svc(['lantern'], home, { env })).toMatchObject({ code: 0, out: 'this is lantern\n' })
})
