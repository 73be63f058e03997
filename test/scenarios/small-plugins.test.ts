/** A plugin for each capability of the SDK, run through the built program; together with `examples/` they use its tokens. */
import { execFile } from 'node:child_process'
import { cpSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import type { InlinePlugin } from 'svc'
import { fakeTalk, testKernel } from 'svc/sdk/testing'
import { expect, onTestFinished, test } from 'vitest'
import { agreeTo } from '../support/consent.ts'
import { type ModelServer, startModelServer } from '../support/model-server.ts'
import { startOsvServer } from '../support/osv-server.ts'
import { root } from '../support/repository.ts'
import { temporaryFolder } from '../support/temporary.ts'

const bin = join(root, 'dist/kernel/bin.cjs')
const small = join(root, 'test/support/plugins')
const names = readdirSync(small)
/** Those of slash commands: typed below, in a conversation with a person. */
const TYPED = [
  'german-texts',
  'guard-command',
  'keep-conversation',
  'reset-command',
  'save-files',
  'shortcuts',
  'shout-command',
]
/** Those whose moment needs something else: see `small-backends.test.ts`. `rates` is a service that other plugins use. */
const QUIET = [
  ...['no-compaction', 'note-model', 'screen-parts', 'status-route', 'watch-approvals'],
  ...['note-conversation', 'notice-board', 'rates', 'watch-gateway', 'watch-mcp'],
  ...['watch-plugins', 'word-completer'],
  ...[
    'acme-provider',
    'acme-sign-in',
    'attach-answer',
    'filter-chats',
    'first-lines',
    'media-backends',
    'nice-shell',
    'open-folder',
    'other-folder',
  ],
  ...['watch-background', 'watch-questions', 'watch-subagents', 'wiki-search'],
  ...[
    'announce-pairing',
    'ask-subagent',
    'company-servers',
    'guard-model',
    'report-to-chat',
    'jotter',
    'shared-visits',
  ],
  ...['watch-env', 'night-watch', 'weather-page', 'big-files', 'home-town', 'menu-entry', 'tea-time'],
]

/** What the model calls, one after the other. */
const calls = (url: string) => [
  { name: 'double', arguments: JSON.stringify({ word: 'ab' }) },
  { name: 'double', arguments: JSON.stringify({ word: 'forbidden' }) },
  { name: 'double', arguments: JSON.stringify({ word: 'twice' }) },
  { name: 'double', arguments: JSON.stringify({ word: 'x'.repeat(30) }) },
  { name: 'ask_name', arguments: '{}' },
  { name: 'forecast', arguments: JSON.stringify({ url }) },
  { name: 'order_coffee', arguments: '{}' },
  { name: 'explain_tea', arguments: '{}' },
  { name: 'todo', arguments: JSON.stringify({ todos: [{ id: 'a', content: 'Rest', status: 'completed' }] }) },
]

/** A client of `svc mcp serve` that adds a rule. */
const HOUSE_STYLE = [
  {
    ...{ jsonrpc: '2.0', id: 1, method: 'initialize' },
    params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'test', version: '1' } },
  },
  { jsonrpc: '2.0', method: 'notifications/initialized' },
  { jsonrpc: '2.0', id: 2, method: 'tools/call', params: { name: 'add_rule', arguments: { rule: 'Be kind.' } } },
]

interface Story {
  readonly home: string
  readonly model: ModelServer
  svc(args: readonly string[], input?: string): Promise<{ code: number; out: string; err: string }>
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
  const advisories = await startOsvServer([])
  onTestFinished(() => advisories[Symbol.asyncDispose]())
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
    `model: { provider: custom, base_url: ${model.url}, default: fake-model }\ndisplay: { language: de }\nplugins: { enabled: [${names.join(', ')}] }\nsecurity_audit: { url: ${advisories.url} }\n`,
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
    worked() {
      const lines = readFileSync(join(home, 'logs/svc.log'), 'utf8').split('\n').filter(Boolean)
      const said = lines.map((line) => JSON.parse(line) as { readonly plugin?: string; readonly message: string })
      return [...new Set(said.flatMap(({ plugin, message }) => (plugin && message === 'works' ? [plugin] : [])))]
    },
  }
}

test('each small plugin does what it is for, in the built program', async () => {
  const { svc, model, worked } = await open()
  const first = await svc(['chat', '-q', '  ;sum Bluebird  '])
  expect(first).toMatchObject({ code: 0, out: expect.stringContaining('Decided.') })
  const sent = JSON.stringify(model.requests.at(-1)?.body)
  expect(sent).toContain('Summarise: [project]')
  expect(sent).toContain('abab [key]')
  expect(sent).toContain('this word is forbidden')
  expect(sent).toContain('no person agreed to it')
  expect(sent).toContain('"content":"xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx [key]')
  expect(sent).toContain('No person can be asked.')
  expect(sent).toContain('The sky is blue.')
  expect(sent).toContain('No size was chosen')
  expect(sent).toContain('Tea costs 4 dollars. 1.275')
  expect(sent).toContain('Answer in plain English.')
  expect(sent).toContain('Commit messages are in English.')
  expect(sent).toContain('\\"Rest\\" was never begun')
  expect(model.requests.at(-1)?.headers['x-trace']).toMatch(/^turn_/)

  expect((await svc(['chat', '-q', 'ping'])).out).toBe('pong\n')
  expect((await svc(['chat', '-q', 'pay with 4111111111111111'])).err).toContain('the message contains a card number')
  expect((await svc(['count'])).out).toBe('1\n')
  expect((await svc(['count'])).out).toBe('2\n')
  expect((await svc(['bare-home'])).out).toContain('copies nothing')
  await svc(['doctor'])
  expect((await svc(['logs', 'visits'])).out).toContain('a visitor')
  expect((await svc(['security', 'audit', '--skip-venv'])).out).toContain('1 package looked up, no findings')
  expect((await svc(['mcp', 'catalog'])).out).toMatch(/^holidays +Who is away, and when\.$/m)
  const fixed = await svc(['config', 'set', 'display.language', 'en'])
  expect(fixed).toMatchObject({ code: 1, err: expect.stringContaining('the language is fixed') })
  const sessions = JSON.parse((await svc(['sessions', 'list', '--json'])).out) as { readonly id: string }[]
  const stored = sessions[0]?.id ?? ''
  const rpc = await svc(['rpc'], '{"jsonrpc":"2.0","id":1,"method":"coffee.state"}\n')
  expect(rpc.out).toContain('"coffee":true')
  const style = await svc(['mcp', 'serve'], HOUSE_STYLE.map((message) => `${JSON.stringify(message)}\n`).join(''))
  expect(style.out).toContain('There are 2 rules.')
  expect(style.out).toContain('notifications/prompts/list_changed')
  expect(await svc(['sessions', 'delete', stored, '--yes'])).toMatchObject({ code: 0 })
  const proof = await svc(['chat', '-q', 'Prove it'])
  expect(proof.code).toBe(0)
  expect(model.requests.at(-1)?.body['model']).toBe('fake-large')
  const refused = await svc(['plugins', 'install', join(root, 'examples/hello-plugin'), '--yes'])
  expect(refused).toMatchObject({ code: 1, err: expect.stringContaining('nobody has reviewed hello') })

  const listed = await svc(['plugins', 'list', '--json'])
  const { plugins } = JSON.parse(listed.out) as { readonly plugins: readonly { name: string; reason?: string }[] }
  expect(plugins.filter(({ name, reason }) => names.includes(name) && reason !== undefined)).toEqual([])
  expect(names.filter((name) => !worked().includes(name))).toEqual([...QUIET, ...TYPED].sort())
}, 180_000)

test('the small plugins of slash commands answer a person', async () => {
  const plugins = await Promise.all(
    TYPED.map(
      async (name) => ({ name, ...(await import(`../support/plugins/${name}/index.ts`)).default }) as InlinePlugin,
    ),
  )
  const config = { display: { language: 'de' } }
  await using kernel = await testKernel({
    plugins: ['conversation', 'session-commands', 'language'],
    with: plugins,
    config,
  })
  const { type } = fakeTalk(kernel, { person: { confirm: true } })
  expect(await type('/shout hi')).toBe('HI')
  expect(await type('/shout quiet')).toContain('it is night')
  expect(await type('/hello-there')).toBe('General!')
  expect(await type('/morning')).toBe('Guten Morgen')
  expect(await type('/reset-counter')).toBe('The counter is 0.')
  expect(await type('/save-files')).toMatch(/^Nothing was saved: /)
  expect(await type('/new')).toContain('this conversation is not finished')
})
