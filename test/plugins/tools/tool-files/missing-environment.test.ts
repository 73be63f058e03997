import { Tools } from 'svc/sdk'
import type { InlinePlugin } from 'svc/sdk/host'
import { ExecutionEnvironments } from 'svc/sdk/shell'
import { fakeToolTurn, testKernel } from 'svc/sdk/testing'
import { expect, onTestFinished, test } from 'vitest'
import { workspace } from './support.ts'

/** Runs commands elsewhere, if its setup succeeds. */
const elsewhere = (setup: InlinePlugin['setup']): InlinePlugin => ({
  name: 'elsewhere',
  provides: ['execution-environments'],
  with: ['agent'],
  setup,
})

async function read(plugins: readonly string[], inline: readonly InlinePlugin[]) {
  const folder = workspace({ 'here.txt': 'of this machine' })
  onTestFinished(() => folder[Symbol.dispose]())
  const kernel = await testKernel({ plugins, with: inline, config: { plugins: { disabled: ['tool-terminal'] } } })
  onTestFinished(() => kernel.stop())
  const turn = fakeToolTurn({ sessionId: 's', cwd: folder.path })
  return kernel.all(Tools).get('read_file')?.run({ path: 'here.txt', offset: 1, limit: 10 }, turn)
}

test('if the plugin of the environment fails, the files of this machine do not stand in for those of the environment', async () => {
  const broken = elsewhere(() => {
    throw new Error('the other machine is not configured')
  })
  await expect(read(['tool-files'], [broken])).rejects.toMatchObject({
    code: 'ENVIRONMENT_MISSING',
    message: expect.stringMatching(
      /^The plugin elsewhere.* the other machine is not configured.* svc plugins info elsewhere$/s,
    ),
  })
})

test('an environment that cannot be opened fails the tool with its reason', async () => {
  const unreachable = elsewhere((ctx) => {
    ctx.provide(ExecutionEnvironments, () => ({
      find: async () => {
        throw new Error('no route to host')
      },
      name: () => 'elsewhere',
      isIsolated: () => false,
    }))
  })
  await expect(read(['tool-files'], [unreachable])).rejects.toThrow('no route to host')
})

test('where the user has switched environments off, files are those of this machine', async () => {
  expect(await read(['tool-files'], [])).toMatchObject({ text: expect.stringContaining('of this machine') })
})
