/** A plugin for each capability of the SDK, run through the built program; together with `examples/` they use its tokens. */
import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { cpSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { agreeTo } from '../support/consent.ts'
import { type ModelServer, startModelServer } from '../support/model-server.ts'
import { root } from '../support/repository.ts'
import { temporaryFolder } from '../support/temporary.ts'

const bin = join(root, 'dist/kernel/bin.cjs')
const small = join(root, 'test/support/plugins')
const names = readdirSync(small)
/** Those whose moment needs a chat platform, a terminal, an API server or a fault: they are loaded, and other tests call them. */
const QUIET = [
  ...[
    'attach-picture',
    'no-compaction',
    'note-model',
    'reset-command',
    'screen-parts',
    'status-route',
    'watch-approvals',
  ],
  ...['watch-gateway', 'watch-plugins', 'word-completer'],
]

/** What the model calls, one after the other. */
const calls = (url: string) => [
  { name: 'double', arguments: JSON.stringify({ word: 'ab' }) },
  { name: 'double', arguments: JSON.stringify({ word: 'forbidden' }) },
  { name: 'double', arguments: JSON.stringify({ word: 'twice' }) },
  { name: 'double', arguments: JSON.stringify({ word: 'x'.repeat(30) }) },
  { name: 'ask_name', arguments: '{}' },
  { name: 'forecast', arguments: JSON.stringify({ url }) },
]

interface Story {
  readonly home: string
  readonly model: ModelServer
  svc(args: readonly string[], input?: string): Promise<{ code: number; out: string; err: string }>
  spawnSvc(args: readonly string[]): ChildProcess
  /** The plugins that have done what they are for. */
  worked(): readonly string[]
}

async function open(): Promise<Story> {
  const folder = temporaryFolder()
  const home = join(folder, 'home')
  mkdirSync(join(home, 'plugins'), { recursive: true })
  for (const name of names) {
    cpSync(join(small, name), join(home, 'plugins', name), { recursive: true })
    agreeTo(home, name)
  }
  const weather = createServer((_request, response) => response.end('{"sky":"blue"}'))
  await new Promise<void>((resolve) => weather.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => void weather.close())
  const url = `http://127.0.0.1:${(weather.address() as AddressInfo).port}/`
  const model = await startModelServer({
    replies: ({ body }) => {
      const messages = body['messages'] as readonly { readonly role: string; readonly content: unknown }[]
      const done = messages.filter(({ role }) => role === 'tool').length
      const call = calls(url)[done]
      if (call) return { calls: [{ id: `call_${done}`, ...call }] }
      return JSON.stringify(messages.at(-1)?.content).includes('Decide') ? 'Decided.' : 'Shall I go on?'
    },
  })
  onTestFinished(() => model.close())
  writeFileSync(
    join(home, 'config.yaml'),
    `model: { provider: custom, base_url: ${model.url}, default: fake-model }\ndisplay: { language: de }\nplugins: { enabled: [${names.join(', ')}] }\n`,
  )
  const env = { PATH: process.env['PATH'] ?? '', HOME: folder, SVC_HOME: home, CUSTOM_API_KEY: 'sk-0123456789abcdef' }
  return {
    home,
    model,
    svc: (args, input = '') =>
      new Promise((resolve) => {
        const child = execFile(process.execPath, [bin, ...args], { env, cwd: folder }, (error, out, err) => {
          resolve({ code: typeof error?.code === 'number' ? error.code : error ? 1 : 0, out, err })
        })
        child.stdin?.end(input)
      }),
    spawnSvc: (args) => spawn(process.execPath, [bin, ...args], { env, cwd: folder }),
    worked() {
      const lines = readFileSync(join(home, 'logs/svc.log'), 'utf8').split('\n').filter(Boolean)
      const said = lines.map((line) => JSON.parse(line) as { readonly plugin?: string; readonly message: string })
      return [...new Set(said.flatMap(({ plugin, message }) => (plugin && message === 'works' ? [plugin] : [])))]
    },
  }
}

/** Types commands into a stored session over `svc rpc`; all that it answered. */
async function talk(child: ChildProcess, stored: string, typed: readonly string[]): Promise<string> {
  const send = (id: number, method: string, params: object) =>
    child.stdin?.write(`${JSON.stringify({ jsonrpc: '2.0', id, method, params })}\n`)
  send(0, 'coffee.state', {})
  send(1, 'session.resume', { session_id: stored })
  let out = ''
  let id = 2
  for await (const chunk of child.stdout ?? []) {
    out += chunk
    const answers = out.split('\n').slice(0, -1)
    const session = /"session_id":"(\w+)"/.exec(out)?.[1]
    const command = typed[id - 2]
    if (session === undefined || answers.filter((line) => line.includes('"id"')).length < id) continue
    if (command === undefined) child.stdin?.end()
    else send(id++, 'slash.exec', { session_id: session, command })
  }
  return out
}

test('each small plugin does what it is for, in the built program', async () => {
  const { svc, spawnSvc, model, worked } = await open()
  const first = await svc(['chat', '-q', '  ;sum Bluebird  '])
  expect(first).toMatchObject({ code: 0, out: expect.stringContaining('Decided.') })
  const sent = JSON.stringify(model.requests.at(-1)?.body)
  expect(sent).toContain('Summarise: [project]')
  expect(sent).toContain('abab [key]')
  expect(sent).toContain('this word is forbidden')
  expect(sent).toContain('nobody agreed to it')
  expect(sent).toContain('"content":"xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx [key]')
  expect(sent).toContain('There is nobody to ask.')
  expect(sent).toContain('The sky is blue.')
  expect(sent).toContain('Answer in plain English.')

  expect((await svc(['chat', '-q', 'ping'])).out).toBe('pong\n')
  expect((await svc(['chat', '-q', 'pay with 4111111111111111'])).err).toContain('the message contains a card number')
  expect((await svc(['count'])).out).toBe('1\n')
  expect((await svc(['count'])).out).toBe('2\n')
  await svc(['doctor'])
  const sessions = JSON.parse((await svc(['sessions', 'list', '--json'])).out) as { readonly id: string }[]
  const stored = sessions[0]?.id ?? ''
  const typed = ['/shout hi', '/shout quiet', '/hello-there', '/morning', '/new']
  const rpc = await talk(spawnSvc(['rpc']), stored, typed)
  const said = ['"coffee":true', 'HI', 'it is night', 'General!', 'Guten Morgen', 'this conversation is not finished']
  for (const text of said) expect(rpc).toContain(text)
  expect(await svc(['sessions', 'delete', stored, '--yes'])).toMatchObject({ code: 0 })

  const listed = JSON.parse((await svc(['plugins', 'list', '--json'])).out) as { name: string; reason?: string }[]
  const bad = listed.filter(({ name, reason }) => names.includes(name) && reason !== undefined)
  expect(bad).toEqual([])
  expect(names.filter((name) => !worked().includes(name))).toEqual(QUIET)
}, 180_000)
