/** Hooks of the process and of the configuration. */
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { Config, type PluginContext, Sessions } from 'svc/sdk'
import { BeforeConfigChange, ConfigChanged, type ConfigChangeRequest, SvcStarted, SvcStopping } from 'svc/sdk/hooks'
import { ConfigFile } from 'svc/sdk/host'
import { testKernel } from 'svc/sdk/testing'
import { expect, onTestFinished, test } from 'vitest'
import { temporaryFolder } from '../support/temporary.ts'

const by = { author: 'test', reason: 'a story' }

test('plugins hear that the process has started, and that it stops while everything still runs', async () => {
  const heard: unknown[] = []
  const listener = {
    name: 'listener',
    setup(ctx: PluginContext<undefined>) {
      ctx.on(SvcStarted, (process) => void heard.push(['started', process]))
      ctx.on(SvcStopping, ({ role }) => {
        heard.push(['stopping', role, ctx.use(Sessions).count()])
      })
      ctx.defer(() => void heard.push('unloaded'))
    },
  }
  const kernel = await testKernel({ plugins: ['sessions'], with: [listener], role: 'gateway' })
  await expect.poll(() => heard).toEqual([['started', { role: 'gateway', pid: process.pid }]])
  await kernel.stop()
  await kernel.stop()
  expect(heard.slice(1)).toEqual([['stopping', 'gateway', 0], 'unloaded'])
})

test('a listener that hangs or fails does not keep the process from ending', async () => {
  const listener = {
    name: 'listener',
    setup(ctx: PluginContext<undefined>) {
      ctx.on(SvcStopping, () => new Promise(() => {}))
      ctx.on(SvcStopping, () => {
        throw new Error('a defect')
      })
    },
  }
  const kernel = await testKernel({ with: [listener] })
  await kernel.stop()
})

type Answer = (request: ConfigChangeRequest) => 'deny' | 'ask' | 'throw' | undefined

/** A home with a config.yaml, and a plugin that answers as the test says. */
async function home(yaml: string, answer: Answer) {
  const dir = temporaryFolder()
  const file = join(dir, 'config.yaml')
  writeFileSync(file, yaml)
  const asked: ConfigChangeRequest[] = []
  const changed: string[] = []
  const keeper = {
    name: 'keeper',
    setup(ctx: PluginContext<undefined>) {
      ctx.on(ConfigChanged, ({ paths }) => void changed.push(...paths))
      ctx.on(BeforeConfigChange, (request) => {
        asked.push(request)
        const verdict = answer(request)
        if (verdict === 'throw') throw new Error('a defect')
        if (verdict === 'ask') return { decision: 'ask', question: { reason: 'changes the model' } }
        return verdict && { decision: verdict, reason: 'the model is fixed' }
      })
    },
  }
  const kernel = await testKernel({ home: dir, plugins: ['config'], with: [keeper] })
  onTestFinished(() => kernel.stop())
  const edit = async (text: string) => {
    writeFileSync(file, text)
    await kernel.applyConfig()
  }
  return { kernel, asked, changed, edit, yaml: () => readFileSync(file, 'utf8'), config: kernel.use(Config) }
}

test('an edit from disk is asked about with its paths and values, and is in force when no plugin objects', async () => {
  const { asked, changed, edit, config } = await home('a: 1\nb:\n  c: 2\n', () => undefined)
  await edit('a: 1\nb:\n  c: 3\n')
  expect(asked).toEqual([
    { source: 'disk', paths: ['b.c'], before: { a: 1, b: { c: 2 } }, after: { a: 1, b: { c: 3 } } },
  ])
  expect([config.get('b.c'), changed]).toEqual([3, ['b']])
})

test.each(['deny', 'ask', 'throw'] as const)(
  'an edit from disk that a listener answers with %s stays in the file, and the last values hold',
  async (verdict) => {
    const { kernel, changed, edit, config, yaml } = await home('a: 1\n', ({ after }) =>
      after['a'] === 2 ? verdict : undefined,
    )
    await edit('a: 2\n')
    expect([config.get('a'), changed, yaml()]).toEqual([1, [], 'a: 2\n'])
    expect(kernel.problems()).toContainEqual(
      expect.objectContaining({ code: 'CONFIG_DENIED', message: expect.stringContaining('the edit of a in') }),
    )
    await edit('a: 3\n')
    expect([config.get('a'), changed]).toEqual([3, ['a']])
  },
)

test('a change that svc writes is asked about once, with its author, and a denied one writes nothing', async () => {
  const { kernel, asked, config, yaml } = await home('a: 1\n', ({ paths }) =>
    paths.includes('model.default') || paths.includes('A_TOKEN') ? 'deny' : undefined,
  )
  const file = kernel.use(ConfigFile)
  await file.write([{ path: 'a', value: 2 }], by)
  await kernel.applyConfig()
  expect(asked).toEqual([{ source: 'svc', by, paths: ['a'], before: { a: 1 }, after: { a: 2 } }])
  expect(config.get('a')).toBe(2)
  for (const edit of [
    { path: 'model.default', value: 'x' },
    { path: 'A_TOKEN', value: 'secret' },
  ])
    await expect(file.write([edit], by)).rejects.toMatchObject({
      code: 'CONFIG_CHANGE_DENIED',
      message: 'Nothing was written: the model is fixed.',
    })
  expect(yaml()).toBe('a: 2\n')
  expect(await file.history()).toHaveLength(1)
})
