/** Servers behind OAuth: signing in, using and refreshing tokens, and what is said when they are not taken any more. */
import { spawn } from 'node:child_process'
import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { root } from '../../../support/repository.ts'
import { temporaryFolder } from '../../../support/temporary.ts'
import { startOAuthServer } from './oauth-server.ts'
import { openScene, results } from './scene.ts'

const limit = () => AbortSignal.timeout(60_000)
const call = { calls: [{ name: 'mcp__guarded__whoami', input: {} }] }

/** The browser of a person: follows the address, and is sent back to svc. */
const browse = (url: string) => void fetch(url)

test('a person signs in once; the tokens are kept for the user alone, used, and refreshed', async () => {
  const server = await startOAuthServer()
  const { ask, servers, kernel } = await openScene({
    servers: { guarded: { url: server.url, oauth: { client_name: 'Test svc' } } },
    script: [call, 'in', call, 'in again'],
  })
  await expect(servers().connect('guarded', limit())).rejects.toMatchObject({
    code: 'MCP_SIGN_IN',
    message: expect.stringContaining('svc mcp login guarded'),
  })
  expect(servers().get('guarded')).toMatchObject({ state: 'sign-in' })
  await servers().login('guarded', { signal: limit(), show: browse })
  expect(server.registered).toEqual(['Test svc'])
  const file = join(kernel.home, 'mcp-tokens', 'guarded.json')
  expect(statSync(file).mode & 0o777).toBe(0o600)
  expect(readFileSync(file, 'utf8')).toContain(server.given[0])
  await servers().connect('guarded', limit())
  expect(results(await ask('go'))).toEqual(['you are in'])
  server.expire()
  expect(results(await ask('go'))).toEqual(['you are in'])
  expect(server.given).toHaveLength(2)
  expect(readFileSync(file, 'utf8')).toContain(server.given[1])
})

test('a browser on another machine: the address that it was sent to is pasted', async () => {
  const server = await startOAuthServer()
  const { servers } = await openScene({ servers: { guarded: { url: server.url } } })
  let pasted: Promise<string> = Promise.resolve('')
  const show = (url: string) => {
    pasted = fetch(url, { redirect: 'manual' }).then((response) => response.headers.get('location') ?? '')
  }
  await servers().login('guarded', { signal: limit(), show, ask: async () => pasted })
  expect(await servers().connect('guarded', limit())).toMatchObject({ state: 'connected' })
})

test('an answer that belongs to another sign-in is refused', async () => {
  const server = await startOAuthServer()
  const { servers } = await openScene({ servers: { guarded: { url: server.url } } })
  const login = servers().login('guarded', {
    signal: limit(),
    show: () => {},
    ask: async () => 'http://127.0.0.1:1/callback?code=stolen&state=other',
  })
  await expect(login).rejects.toThrow('belongs to another sign-in')
})

test('a revoked token asks for another sign-in, and is not sent to another address', async () => {
  const server = await startOAuthServer()
  const { servers, kernel } = await openScene({ servers: { guarded: { url: server.url } } })
  await servers().login('guarded', { signal: limit(), show: browse })
  await servers().connect('guarded', limit())
  server.revoke()
  await expect(servers().call('guarded', 'whoami', {}, { signal: limit() })).rejects.toMatchObject({
    code: 'MCP_SIGN_IN',
  })
  const file = join(kernel.home, 'mcp-tokens', 'guarded.json')
  const kept = JSON.parse(readFileSync(file, 'utf8')) as object
  writeFileSync(file, JSON.stringify({ ...kept, url: 'https://elsewhere.example/mcp' }))
  expect(await servers().logout('guarded')).toBe(true)
  expect(readdirSync(join(kernel.home, 'mcp-tokens'))).toEqual([])
})

test('no one signs in: the time ends, and nothing is kept open', async () => {
  const server = await startOAuthServer()
  const { servers } = await openScene({ servers: { guarded: { url: server.url, oauth: { timeout: 0.3 } } } })
  await expect(servers().login('guarded', { signal: limit(), show: () => {} })).rejects.toThrow(
    'No one signed in within 0.3 s',
  )
  await expect(servers().login('guarded', { signal: AbortSignal.timeout(200), show: () => {} })).rejects.toThrow()
})

/** The built program; `onError` is told what it has written to standard error so far. */
function runSvc(home: string, argv: readonly string[], onError: (text: string) => void = () => {}) {
  const env = { PATH: process.env['PATH'], HOME: home, SVC_HOME: home }
  const child = spawn(process.execPath, [join(root, 'dist/kernel/bin.cjs'), ...argv], { env, stdio: 'pipe' })
  const said = { out: '', err: '' }
  child.stdin.end()
  child.stdout.on('data', (part) => {
    said.out += part
  })
  child.stderr.on('data', (part) => {
    said.err += part
    onError(said.err)
  })
  return new Promise<{ readonly code: number | null; readonly out: string; readonly err: string }>((resolve) =>
    child.once('close', (code) => resolve({ code, ...said })),
  )
}

test('svc mcp login, as it is built: sign in, expired tokens are refreshed by the next command, revoked ones ask again', async () => {
  const server = await startOAuthServer()
  const home = join(temporaryFolder(), 'home')
  mkdirSync(home, { recursive: true })
  writeFileSync(join(home, 'config.yaml'), JSON.stringify({ mcp_servers: { guarded: { url: server.url } } }))
  const test = async () => {
    const { code, out } = await runSvc(home, ['mcp', 'test', 'guarded', '--json'])
    const { ok, code: problem, tools } = JSON.parse(out) as Record<string, unknown>
    return { code, ok, problem, tools }
  }
  const login = () => {
    let isBrowsed = false
    return runSvc(home, ['mcp', 'login', 'guarded'], (text) => {
      const [url] = /http:\/\/127\S+(?=\n)/.exec(text) ?? []
      if (url === undefined || isBrowsed) return
      isBrowsed = true
      browse(url)
    })
  }
  expect(await test()).toMatchObject({ code: 1, ok: false, problem: 'MCP_SIGN_IN' })
  expect(await login()).toMatchObject({ code: 0, out: expect.stringContaining('Signed in to guarded.') })
  expect(await test()).toMatchObject({ code: 0, ok: true, tools: [{ name: 'whoami' }] })
  server.expire()
  expect(await test()).toMatchObject({ code: 0, ok: true })
  expect(server.given).toHaveLength(2)
  server.revoke()
  expect(await test()).toMatchObject({ code: 1, ok: false, problem: 'MCP_SIGN_IN' })
  const { code, err } = await runSvc(home, ['mcp', 'test', 'guarded'])
  expect({ code, err }).toMatchObject({ code: 1, err: expect.stringContaining('svc mcp login guarded') })
  expect(await login()).toMatchObject({ code: 0 })
  expect(await test()).toMatchObject({ code: 0, ok: true })
})
