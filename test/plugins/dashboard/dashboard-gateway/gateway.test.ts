/** A gateway of its own process that serves the dashboard, as a user has it. */
import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { removeFolder } from '../../../support/remove-folder.ts'
import { root } from '../../../support/repository.ts'

const bin = join(root, 'dist/kernel/bin.cjs')
const home = mkdtempSync(join(tmpdir(), 'svc-test-'))
const env = { PATH: process.env['PATH'], HOME: home, SVC_HOME: join(home, 'svc') }
let gateway: ChildProcess | undefined

afterAll(async () => {
  await end('SIGTERM')
  removeFolder(home)
})

async function start(): Promise<void> {
  gateway = spawn(process.execPath, [bin, 'gateway', 'run', '--no-supervise'], { env, cwd: home, stdio: 'ignore' })
  await expect.poll(async () => (await svc('gateway', 'status', '--json')).code, { timeout: 30_000 }).toBe(0)
}

async function end(signal: 'SIGTERM' | 'SIGKILL'): Promise<void> {
  if (!gateway || gateway.exitCode !== null || gateway.signalCode !== null) return
  const ended = once(gateway, 'exit')
  gateway.kill(signal)
  await ended
}

function svc(...args: readonly string[]): Promise<{ code: number; out: string; err: string }> {
  return new Promise((resolve) => {
    execFile(process.execPath, [bin, ...args], { env, cwd: home }, (error, out, err) => {
      resolve({ code: typeof error?.code === 'number' ? error.code : error ? 1 : 0, out, err })
    })
  })
}

const isServed = (port: string) =>
  fetch(`http://127.0.0.1:${port}/api/status`).then(
    ({ ok }) => ok,
    () => false,
  )

test('the gateway serves the dashboard, again after a crash, until it is stopped', { timeout: 120_000 }, async () => {
  await start()
  expect((await svc('dashboard', '--status')).code).toBe(1)
  const opened = await svc('dashboard', '--no-open', '--port', '0')
  expect(opened).toMatchObject({
    code: 0,
    out: expect.stringContaining(`process ${gateway?.pid}) serves the dashboard`),
  })
  const [, port = ''] = /^SVC_DASHBOARD_READY port=(\d+)$/m.exec(opened.out) ?? []
  expect(await isServed(port)).toBe(true)
  expect((await svc('dashboard', '--no-open')).out).toContain(`runs already at http://127.0.0.1:${port}`)

  await end('SIGKILL')
  expect(await isServed(port)).toBe(false)
  await start()
  await expect.poll(() => isServed(port), { timeout: 30_000 }).toBe(true)
  const running = JSON.parse((await svc('dashboard', '--status', '--json')).out) as { running: readonly object[] }
  expect(running.running).toEqual([
    { kind: 'dashboard', url: `http://127.0.0.1:${port}`, port: Number(port), pid: gateway?.pid },
  ])

  expect((await svc('dashboard', '--stop')).code).toBe(0)
  expect(await isServed(port)).toBe(false)
  await end('SIGTERM')
  await start()
  expect((await svc('dashboard', '--status')).code).toBe(1)
})

test('a port that is taken is said, and the next try opens it', { timeout: 120_000 }, async () => {
  const other = createServer()
  await new Promise<void>((resolve) => void other.listen(0, '127.0.0.1', resolve))
  const { port } = other.address() as { port: number }
  const refused = await svc('dashboard', '--no-open', '--port', String(port))
  expect(refused).toMatchObject({ code: 1, err: expect.stringContaining('HTTP_PORT_TAKEN') })
  await new Promise((resolve) => other.close(resolve))
  expect((await svc('dashboard', '--no-open', '--port', String(port))).code).toBe(0)
  expect((await svc('dashboard', '--stop')).code).toBe(0)
})
