/** `testKernel({ dirs })`: plugins from their folders, as their authors have them. */
import { existsSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { defineService, Tools } from 'svc/sdk'
import { conformance, fakeProvider, fakeTalk, testKernel } from 'svc/sdk/testing'
import { expect, onTestFinished, test } from 'vitest'
import { createSetup, pluginFolder } from './plugin-folders.ts'

type Options = NonNullable<Parameters<typeof testKernel>[0]>

async function open(options: Options) {
  const kernel = await testKernel(options)
  onTestFinished(() => kernel.stop())
  return kernel
}

const greet = `import { definePlugin, SlashCommands } from 'svc/sdk'
import { z } from 'zod'
import { greeting } from './words.ts'

export default definePlugin({
  config: z.object({ name: z.string().default('Ada') }),
  setup: (ctx) => void ctx.add(SlashCommands, {
    name: 'greet',
    description: 'Greets.',
    run: async () => greeting(ctx.config.name),
  }),
})
`

/** A plugin of two files with a setting, which its manifest keeps elsewhere than under its name. */
function greeter(): string {
  const dir = pluginFolder({
    manifest: { sdk: '^0.2.0', kind: 'command', config: 'greetings', contributes: { 'slash-commands': ['greet'] } },
    index: greet,
  })
  writeFileSync(join(dir, 'words.ts'), 'export const greeting = (name: string): string => `Good day, ${name}!`\n')
  return dir
}

test('a folder is loaded with its manifest, its files and its settings, and without a question', async () => {
  const kernel = await open({
    plugins: ['conversation'],
    dirs: [greeter()],
    config: { greetings: { name: 'Grace' } },
  })
  expect(kernel.problems()).toEqual([])
  expect(await fakeTalk(kernel).type('/greet')).toBe('Good day, Grace!')
  expect(kernel.plugins.info('guest')).toMatchObject({ status: 'started', origin: 'command-line' })
  expect(existsSync(join(kernel.home, 'consents'))).toBe(false)
})

test('a path is taken from the working folder of the kernel', async () => {
  const dir = greeter()
  const kernel = await open({ plugins: ['conversation'], dirs: ['.'], cwd: dir })
  expect(await fakeTalk(kernel).type('/greet')).toBe('Good day, Ada!')
})

test('one folder provides what another one requires, in whichever order they are named', async () => {
  const rain = `import { definePlugin, defineService } from 'svc/sdk'
export default definePlugin({ setup: (ctx) => void ctx.provide(defineService('rain'), () => ({ drops: 7 })) })`
  const provider = pluginFolder({ manifest: { name: 'sky', kind: 'service', provides: ['rain'] }, index: rain })
  const consumer = pluginFolder({ manifest: { name: 'roof', kind: 'service', requires: ['rain'] } })
  const kernel = await open({ dirs: [consumer, provider] })
  expect(kernel.problems()).toEqual([])
  expect(kernel.plugins.info('roof')?.status).toBe('started')
  expect(kernel.use(defineService<{ drops: number }>('rain')).drops).toBe(7)
  const alone = await open({ dirs: [consumer] })
  expect(alone.plugins.info('roof')).toMatchObject({ status: 'left-out', reason: expect.stringContaining('rain') })
})

test('a model calls the tool of a folder', async () => {
  const index = createSetup(
    `ctx.add(Tools, { name: 'moon', description: 'The moon.', input: z.object({}), reach: 'nothing', run: () => 'full' })`,
    ['Tools'],
  ).replace('\n', "\nimport { z } from 'zod'\n")
  const model = fakeProvider([{ calls: [{ name: 'moon' }] }, 'It is full.'])
  const kernel = await open({
    plugins: ['conversation'],
    dirs: [pluginFolder({ manifest: { sdk: '^0.2.0', contributes: { tools: ['moon'] } }, index })],
    with: [model.plugin],
    config: { model: { provider: 'fake', default: 'fake-1' } },
  })
  expect(kernel.all(Tools).owner('moon')).toBe('guest')
  const talk = fakeTalk(kernel)
  await talk.type('How is the moon?')
  expect(talk.answers()).toEqual(['It is full.'])
  expect(model.requests.at(-1)?.messages.at(-1)).toMatchObject({ role: 'tool', text: 'full' })
})

test('code that fails is a problem with its place, and the rest runs', async () => {
  const dir = pluginFolder({ index: createSetup(`throw new Error('no weather today')`) })
  const kernel = await open({ plugins: ['conversation'], dirs: [dir] })
  expect(kernel.problems()).toMatchObject([{ plugin: 'guest', message: expect.stringContaining('no weather today') }])
  expect(kernel.plugins.info('conversation')?.status).toBe('started')
})

test('changed code is taken by a reload', async () => {
  const dir = greeter()
  const kernel = await open({ plugins: ['conversation'], dirs: [dir] })
  writeFileSync(join(dir, 'words.ts'), 'export const greeting = (name: string): string => `Bye, ${name}!`\n')
  await kernel.plugins.reload('guest')
  expect(await fakeTalk(kernel).type('/greet')).toBe('Bye, Ada!')
})

test.for([
  [['/no/such/folder'], /there is no folder/],
  [[import.meta.dirname], /there is no plugin\.json in/],
] as const)('a path that is no plugin is refused at once: %s', async ([dirs, message]) => {
  await expect(testKernel({ dirs })).rejects.toMatchObject({
    code: 'PLUGIN_MANIFEST',
    message: expect.stringMatching(message),
  })
})

test('a manifest with a fault is refused with file, line and what was wrong', async () => {
  const dir = pluginFolder({ manifest: '{ "name": "guest",\n  "vresion": "1.0.0" }' })
  const refused = testKernel({ dirs: [dir] })
  await expect(refused).rejects.toThrow(/^dirs: .*plugin\.json:\d+:\d+: /)
})

test('two folders with one name, and the name of a built-in plugin, are refused', async () => {
  const [one, two] = [pluginFolder({}), pluginFolder({})]
  await expect(testKernel({ dirs: [one, two] })).rejects.toThrow(/^dirs: .* are both named "guest"/)
  const builtIn = pluginFolder({ manifest: { name: 'agent' } })
  await expect(testKernel({ dirs: [builtIn] })).rejects.toThrow(/"agent" is a built-in plugin/)
})

test('nothing of it stays in the folder or in the temporary folder', async () => {
  const dir = greeter()
  const before = readdirSync(dir)
  const kernel = await testKernel({ dirs: [dir] })
  const { home } = kernel
  await kernel.stop()
  expect(readdirSync(dir)).toEqual(before)
  expect(existsSync(home)).toBe(false)
})

test('the folder passes the conformance kit, too', async () => {
  const { cases } = await conformance({ dir: greeter() })
  expect(cases.filter(({ result }) => result === 'failed')).toEqual([])
})
