/**
 * Three homes with marked strings, used by real turns of the built program: nothing of one is in the files, the requests or the programs of
 * another.
 */
import { execFile, spawn } from 'node:child_process'
import { mkdirSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test, vi } from 'vitest'
import { type ModelServer, type RecordedRequest, startModelServer } from '../../../support/model-server.ts'
import { freePort } from '../../../support/ngircd.ts'
import { root } from '../../../support/repository.ts'
import { temporaryFolder, writeFiles } from '../../../support/temporary.ts'

const bin = join(root, 'dist/kernel/bin.cjs')
const NAMES = ['default', 'alpha', 'beta'] as const
type Name = (typeof NAMES)[number]

/** Stands in each thing of a home that must stay there. */
const mark = (name: Name, thing: string) => `mark-${name}-${thing}`
const key = (name: Name) => `sk-${name}-0123456789abcdef`

/** What the model calls in each home. Commands are not confined: one that names a file of another home could read it. */
const calls = (home: string, query: string) => [
  { name: 'terminal', arguments: JSON.stringify({ command: `env; pwd; ls -a` }) },
  { name: 'terminal', arguments: JSON.stringify({ command: `"${process.execPath}" "${bin}" sessions list --json` }) },
  { name: 'terminal', arguments: JSON.stringify({ command: `"${process.execPath}" "${bin}" skills list --json` }) },
  { name: 'session_search', arguments: JSON.stringify({ query }) },
  { name: 'skills_list', arguments: '{}' },
  { name: 'read_file', arguments: JSON.stringify({ path: join(home, 'memories/USER.md') }) },
  { name: 'read_file', arguments: JSON.stringify({ path: join(home, '.env') }) },
]

const findHome = (base: string, name: Name) =>
  name === 'default' ? join(base, 'home') : join(base, 'home/profiles', name)

function fill(base: string, url: string, name: Name, more: { readonly env?: string } = {}): void {
  const skill = `---\nname: ${name}-skill\ndescription: Has ${mark(name, 'skill')}. Use it for tests.\n---\n`
  writeFiles(findHome(base, name), {
    'config.yaml': `model: { provider: custom, base_url: ${url}, default: fake-model }\nterminal: { confine: 'off' }\napprovals: { mode: 'off' }\nplatforms: { api_server: { cwd: ${join(base, mark(name, 'folder'))} } }\n`,
    '.env': `CUSTOM_API_KEY=${key(name)}\nOTHER_TOKEN=${mark(name, 'token')}\n${more.env ?? ''}`,
    'SOUL.md': `You are ${mark(name, 'soul')}.\n`,
    'memories/USER.md': `${mark(name, 'memory')}\n`,
    [`skills/${name}-skill/SKILL.md`]: skill,
    '.no-bundled-skills': '',
  })
  mkdirSync(join(base, mark(name, 'folder')), { recursive: true })
}

/** Files below a folder that hold a text, but for those below `except`. */
function findFiles(dir: string, text: string, except?: string): readonly string[] {
  return readdirSync(dir, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => join(parentPath, name))
    .filter((file) => !except || !file.startsWith(`${except}/`))
    .filter((file) => readFileSync(file).includes(text))
}

/** Calls each tool once, with paths of the home that is foreign at that moment. */
async function serveModel(findForeign: () => string): Promise<ModelServer> {
  const model = await startModelServer({
    replies: ({ body }) => {
      const messages = body['messages'] as readonly { readonly role: string }[]
      const done = messages.filter(({ role }) => role === 'tool').length
      const call = calls(findForeign(), 'mark')[done]
      return call ? { calls: [{ id: `call_${done}`, ...call }] } : 'Done.'
    },
  })
  onTestFinished(() => model.close())
  return model
}

const isOf = (name: Name) => (request: RecordedRequest) => request.headers.authorization === `Bearer ${key(name)}`

test('nothing of a profile is in the files, the requests or the programs of another', {
  timeout: 120_000,
}, async () => {
  const base = temporaryFolder()
  let foreign = ''
  const model = await serveModel(() => foreign)
  for (const name of NAMES) fill(base, model.url, name)
  const svc = (name: Name, words: readonly string[]) =>
    new Promise<string>((resolve) => {
      const env = { PATH: process.env['PATH'] ?? '', HOME: base, SVC_HOME: join(base, 'home') }
      const argv = [bin, '-p', name, ...words]
      const cwd = join(base, mark(name, 'folder'))
      execFile(process.execPath, argv, { env, cwd }, (_error, out, err) => resolve(out + err)).stdin?.end()
    })
  // Each has something to find before the others look for it.
  for (const name of [...NAMES, ...NAMES]) {
    foreign = findHome(base, name === 'alpha' ? 'beta' : 'alpha')
    expect(await svc(name, ['chat', '--yolo', '-q', `Remember ${mark(name, 'question')}`])).toContain('Done.')
  }
  expectApart(base, model)
})

test('nor is it when one gateway serves all of them', { timeout: 120_000 }, async () => {
  const base = temporaryFolder()
  let foreign = ''
  const model = await serveModel(() => foreign)
  const ports = Object.fromEntries(await Promise.all(NAMES.map(async (name) => [name, await freePort()] as const)))
  const apiKey = (name: Name) => `${mark(name, 'api')}-0123456789`
  for (const name of NAMES)
    fill(base, model.url, name, { env: `API_SERVER_KEY=${apiKey(name)}\nAPI_SERVER_PORT=${ports[name]}\n` })
  const env = { PATH: process.env['PATH'] ?? '', HOME: base, SVC_HOME: join(base, 'home') }
  const gateway = spawn(process.execPath, [bin, 'gateway', 'run', '--profiles', NAMES.join(','), '--json'], {
    env,
    cwd: base,
  })
  let said = ''
  gateway.stdout.setEncoding('utf8').on('data', (text: string) => {
    said += text
  })
  const ended = new Promise((resolve) => gateway.once('close', resolve))
  onTestFinished(async () => {
    gateway.kill()
    await ended
  })
  const state = (name: Name) =>
    said.split('\n').filter((line) => line.startsWith(`{"profile":"${name}"`) && line.includes('"pid":'))
  await vi.waitFor(
    () =>
      expect(
        NAMES.filter((name) => state(name).length === 0),
        said,
      ).toEqual([]),
    { timeout: 60_000 },
  )
  const ask = (name: Name, by: Name) =>
    fetch(`http://127.0.0.1:${ports[name]}/v1/chat/completions`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: `Bearer ${apiKey(by)}` },
      body: JSON.stringify({ messages: [{ role: 'user', content: `Remember ${mark(name, 'question')}` }] }),
    })
  for (const name of [...NAMES, ...NAMES]) {
    const other = name === 'alpha' ? 'beta' : 'alpha'
    foreign = findHome(base, other)
    expect((await ask(name, other)).status).toBe(401)
    expect(await (await ask(name, name)).text()).toContain('Done.')
  }
  // One that is stopped leaves the others alone.
  const svc = (...words: readonly string[]) =>
    new Promise<string>((resolve) => {
      execFile(process.execPath, [bin, ...words], { env, cwd: base }, (_error, out, err) =>
        resolve(out + err),
      ).stdin?.end()
    })
  expect(await svc('-p', 'alpha', 'gateway', 'stop')).toContain('has stopped')
  const { profiles } = JSON.parse(await svc('gateway', 'status', '--profiles', 'all', '--json'))
  expect(NAMES.map((name) => profiles[name].isRunning)).toEqual([true, false, true])
  expect(profiles.beta.supervisor).toBe(gateway.pid)
  gateway.kill('SIGTERM')
  expect(await ended).toBe(0)
  expectApart(base, model)
})

function expectApart(base: string, model: ModelServer): void {
  for (const name of NAMES) {
    const own = model.requests.filter(isOf(name)).map(({ raw }) => raw.toString())
    const said = own.join('\n')
    for (const thing of ['soul', 'question', 'memory', 'skill', 'folder']) expect(said).toContain(mark(name, thing))
    // Its own svc, started by its shell, answered: `svc skills list` and `svc sessions list`.
    expect(said).toContain(`skills/${name}-skill`)
    expect(said).not.toContain(mark(name, 'token'))
    for (const other of NAMES.filter((each) => each !== name)) expectNothing(findHome(base, name), own, other)
  }
  expect(model.requests.filter((request) => NAMES.some((name) => isOf(name)(request)))).toHaveLength(
    model.requests.length,
  )
}

function around(text: string, part: string): string {
  const at = text.indexOf(part)
  return text.slice(Math.max(0, at - 300), at + 80)
}

/** Nothing of the other profile is in the files below a home, its profiles aside, and in these requests. */
function expectNothing(home: string, requests: readonly string[], other: Name): void {
  for (const leak of [`mark-${other}-`, key(other)]) {
    const told = requests.filter((text) => text.includes(leak)).map((text) => around(text, leak))
    expect(told).toEqual([])
    expect(findFiles(home, leak, join(home, 'profiles'))).toEqual([])
  }
}
