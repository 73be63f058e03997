import { execFile } from 'node:child_process'
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, onTestFinished, test } from 'vitest'
import { startModelServer } from '../support/model-server.ts'
import { startRedisServer } from '../support/redis-server.ts'
import { root } from '../support/repository.ts'
import { temporaryFolder } from '../support/temporary.ts'

/** The built program, in its own home; what it needs to be asked runs in this process. */
function svc(home: string, argv: readonly string[], env: Readonly<Record<string, string>>) {
  return promisify(execFile)(process.execPath, [join(root, 'dist/kernel/bin.cjs'), ...argv], {
    cwd: home,
    env: { PATH: process.env['PATH'], SVC_HOME: home, ...env },
    timeout: 20_000,
  })
}

test('the program that people run keeps its caches at a Redis server when an address is set, else in files', async () => {
  const [redis, model] = [await startRedisServer(), await startModelServer({ models: ['one'] })]
  onTestFinished(async () => {
    await redis.close()
    await model.close()
  })
  const [shared, alone] = [temporaryFolder(), temporaryFolder()]
  const env = { CUSTOM_API_KEY: 'custom-key' }
  for (const home of [shared, alone]) await svc(home, ['config', 'set', 'model.base_url', model.url], env)
  const listed = await svc(shared, ['model', 'list', 'custom'], { ...env, SVC_CACHES_URL: redis.url })
  expect([listed.stdout.trim(), listed.stderr]).toEqual(['one', ''])
  expect(redis.keys()).toEqual([expect.stringContaining('model-lists')])
  expect(readdirSync(join(shared, 'cache'))).not.toContain('model-lists.json')
  await svc(alone, ['model', 'list', 'custom'], env)
  expect(readdirSync(join(alone, 'cache'))).toContain('model-lists.json')
})

test('a cache server that cannot be reached costs a command no more than seconds, and no answer', async () => {
  const home = temporaryFolder()
  const { stdout } = await svc(home, ['model', 'list', 'demo'], { SVC_CACHES_URL: 'redis://127.0.0.1:1' })
  expect(stdout).toMatch(/^demo/)
})
