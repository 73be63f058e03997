import { execFile } from 'node:child_process'
import { mkdtempSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type ModelServer, startModelServer } from '../support/model-server.ts'
import { removeFolder } from '../support/remove-folder.ts'

const bin = join(import.meta.dirname, '../../dist/kernel/bin.cjs')
const folder = mkdtempSync(join(tmpdir(), 'svc-day-'))
const home = join(folder, 'home')
let server: ModelServer

beforeAll(async () => {
  server = await startModelServer({ replies: ({ body }) => `heard ${(body['messages'] as unknown[]).length} messages` })
})
afterAll(async () => {
  await server.close()
  removeFolder(folder)
})

function svc(...args: string[]): Promise<{ code: number; out: string; err: string }> {
  const env = { PATH: process.env['PATH'] ?? '', HOME: folder, SVC_HOME: home }
  return new Promise((resolve) => {
    const child = execFile(process.execPath, [bin, ...args], { env, cwd: folder }, (error, out, err) => {
      resolve({ code: typeof error?.code === 'number' ? error.code : error ? 1 : 0, out, err })
    })
    child.stdin?.end()
  })
}

test('the first day: look around, connect a model, talk, change one’s mind, bring a plugin, and leave no trace of secrets', async () => {
  writeFileSync(join(folder, 'notes.txt'), 'milk\n')
  const alone = await svc('chat', '-q', 'List the files in this folder')
  expect(alone).toMatchObject({
    code: 1,
    out: '',
    err: expect.stringMatching(/No model is connected[\s\S]*--provider demo/),
  })
  // What was said is kept, so that it can be continued once a model is connected.
  expect((await svc('sessions', 'list')).out).toContain('List the files in this folder')
  const first = await svc('chat', '--provider', 'demo', '-q', 'List the files in this folder')
  expect(first).toMatchObject({ code: 0, out: expect.stringContaining('notes.txt') })
  expect(first.out).toContain('not an AI model')

  await svc('config', 'set', 'model.provider', 'custom')
  await svc('config', 'set', 'model.base_url', server.url)
  await svc('config', 'set', 'model.default', 'fake-model')
  await svc('config', 'set', 'CUSTOM_API_KEY', 'sk-first-day-0123456789')
  expect(readFileSync(join(home, 'config.yaml'), 'utf8')).not.toContain('sk-first-day')
  expect(statSync(join(home, '.env')).mode & 0o777).toBe(0o600)

  expect(await svc('chat', '-q', 'hello')).toMatchObject({ code: 0, out: 'heard 2 messages\n', err: '' })
  expect(await svc('chat', '-c', '-q', 'again')).toMatchObject({ code: 0, out: 'heard 4 messages\n' })
  expect(server.requests.at(-1)?.headers['authorization']).toBe('Bearer sk-first-day-0123456789')

  expect(await svc('config', 'set', 'terminal.timeout', 'soon')).toMatchObject({
    code: 1,
    err: expect.stringContaining('terminal.timeout is "soon"'),
  })
  await svc('config', 'set', 'terminal.timeout', '30')
  expect((await svc('config', 'get', 'terminal.timeout')).out).toBe('30\n')
  await svc('config', 'undo')
  expect((await svc('config', 'get', 'terminal.timeout')).out).not.toBe('30\n')

  expect(await svc('plugins', 'new', 'greeter', '--kind', 'tool')).toMatchObject({ code: 0 })
  expect(await svc('plugins', 'install', './greeter', '--yes')).toMatchObject({ code: 0 })
  expect(JSON.parse((await svc('plugins', 'info', 'greeter', '--json')).out)).toMatchObject({ origin: 'home' })
  expect(await svc('chat', '-q', 'with the plugin')).toMatchObject({ code: 0, out: 'heard 2 messages\n' })
  const offered = server.requests.at(-1)?.body['tools'] as { function: { name: string } }[]
  expect(offered.map((tool) => tool.function.name)).toContain('greeter')
  expect(await svc('plugins', 'remove', 'greeter', '--yes')).toMatchObject({ code: 0 })
  await svc('chat', '-q', 'without it')
  expect(JSON.stringify(server.requests.at(-1)?.body['tools'])).not.toContain('greeter')

  const kept = [
    await svc('config', 'show'),
    await svc('config', 'diff'),
    await svc('plugins', 'info', 'provider-openai'),
  ]
  expect(JSON.stringify(kept)).not.toContain('sk-first-day')
}, 120_000)
