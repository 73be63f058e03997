/** Files in a container, and in a sandbox of bubblewrap: both have nothing but commands. */
import { randomBytes } from 'node:crypto'
import { ExecutionEnvironments } from 'svc/sdk/shell'
import { environmentFilesContract, testKernel } from 'svc/sdk/testing'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { isToday } from '../../../../support/today.ts'
import { type Engine, IMAGE, missingPrograms, startEngine } from './engine.ts'

const missing = missingPrograms()
const why = missing === undefined ? '' : ` (skipped: ${missing} is not installed)`

describe.skipIf(missing !== undefined)(`files in a container${why}`, () => {
  let engine: Engine
  beforeAll(async () => {
    engine = await startEngine()
  }, 30_000)
  afterAll(async () => engine[Symbol.asyncDispose]())

  test('pass the contract of files, and are those that commands there see', { timeout: 120_000 }, async () => {
    const small = { docker_image: IMAGE, docker_network: 'none', container_cpu: 0, container_memory: 0 }
    const kernel = await testKernel({
      plugins: ['tool-terminal', 'terminal-docker'],
      config: { terminal: { backend: 'podman', ...small, container_persistent: false } },
    })
    expect(kernel.problems()).toEqual([])
    const environment = await kernel.use(ExecutionEnvironments).find({ sessionId: 's', cwd: kernel.home })
    expect(environment).toMatchObject({ name: 'podman', folder: '/workspace' })
    const files = environment?.files
    if (files === undefined) throw new Error('no files')
    expect(kernel.use(ExecutionEnvironments).isIsolated()).toBe(true)
    const open = async () => {
      const folder = `/tmp/${randomBytes(6).toString('hex')}`
      await files.write([{ path: `${folder}/x`, bytes: Buffer.from('') }])
      await files.write([{ path: `${folder}/x` }])
      return { files, folder, close: async () => undefined }
    }
    for (const [at, { run }] of environmentFilesContract({ open }).entries()) if (isToday(at, 3)) await run()
    await kernel.stop()
  })
})
