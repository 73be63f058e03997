import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { defineService, defineTool, extensionPoint, Secrets, type Tool, Tools } from 'svc/sdk'
import type { InlinePlugin } from 'svc/sdk/host'
import { testKernel } from 'svc/sdk/testing'
import { expect, onTestFinished, test } from 'vitest'
import { z } from 'zod'

const tool = (name: string, answer: string): Tool =>
  defineTool({
    name,
    description: answer,
    input: z.object({}),
    effect: 'pure',
    toolset: 'test',
    reach: 'nothing',
    run: async () => answer,
  }) as Tool

/** A plugin with a tool `look`. */
const eyes: InlinePlugin = { name: 'eyes', setup: (ctx) => void ctx.add(Tools, tool('look', 'plain')) }

/** A plugin that puts its name around what the tool says. */
const around = (name: string, more: Partial<InlinePlugin> = {}): InlinePlugin => ({
  name,
  setup: (ctx) =>
    void ctx.replace(Tools, 'look', (inner) => ({ ...inner, description: `${name}(${inner.description})` })),
  ...more,
})

async function open(...plugins: InlinePlugin[]) {
  const kernel = await testKernel({ audit: true, with: plugins })
  onTestFinished(() => kernel.stop())
  const look = () => kernel.all(Tools).get('look')
  return { kernel, look, says: () => look()?.description }
}

test('a tool is replaced for all who look for it, and the original is back when the plugin ends', async () => {
  const { kernel, says } = await open(eyes, around('glasses'))
  expect(says()).toBe('glasses(plain)')
  expect(
    kernel
      .all(Tools)
      .all()
      .map(({ description }) => description),
  ).toEqual(['glasses(plain)'])
  expect(kernel.all(Tools).owner('look')).toBe('glasses')
  expect(kernel.all(Tools).get('look')).toBe(kernel.all(Tools).get('look'))
  await kernel.plugins.disable('glasses')
  expect([says(), kernel.all(Tools).owner('look')]).toEqual(['plain', 'eyes'])
  expect(kernel.plugins.info('glasses')?.holds).toEqual({})
})

test('the order of replacements does not depend on what is loaded first', async () => {
  const plugins = [eyes, around('b'), around('a')]
  expect((await open(...plugins)).says()).toBe('b(a(plain))')
  expect((await open(...plugins.reverse())).says()).toBe('b(a(plain))')
})

test('a tool that is added later is replaced then, and again after a reload of its plugin', async () => {
  const { kernel, says } = await open(around('glasses'), eyes)
  expect(says()).toBe('glasses(plain)')
  await kernel.plugins.reload('eyes')
  expect(says()).toBe('glasses(plain)')
  await kernel.plugins.reload('glasses')
  expect(says()).toBe('glasses(plain)')
})

test('a plugin that replaces a tool and then fails leaves the original, and the problem names it', async () => {
  for (const stage of ['setup', 'start'] as const) {
    const failing = around('glasses', {
      setup(ctx) {
        ctx.replace(Tools, 'look', (inner) => ({ ...inner, description: 'broken' }))
        if (stage === 'setup') throw new Error('no lens')
        ctx.onStart(() => Promise.reject(new Error('no lens')))
      },
    })
    const { kernel, says } = await open(eyes, failing)
    expect(says()).toBe('plain')
    expect(kernel.problems()).toMatchObject([{ plugin: 'glasses', stage, message: 'no lens' }])
  }
})

test('a replacement that throws fails the setup where the tool is there, and is reported where it comes later', async () => {
  const broken = around('glasses', {
    setup: (ctx) =>
      void ctx.replace(Tools, 'look', () => {
        throw new Error('no lens')
      }),
  })
  const early = await open(eyes, broken)
  expect([early.says(), early.kernel.plugins.info('glasses')?.status]).toEqual(['plain', 'failed'])
  const late = await open(broken, eyes)
  expect([late.says(), late.kernel.plugins.info('glasses')?.status]).toEqual(['plain', 'started'])
  expect(late.kernel.problems()).toMatchObject([{ plugin: 'glasses', message: expect.stringContaining('no lens') }])
})

test('a replacement keeps the name and the form of what it replaces', async () => {
  for (const made of [tool('stare', 'x'), {}, undefined]) {
    const { kernel, says } = await open(
      eyes,
      around('glasses', { setup: (ctx) => void ctx.replace(Tools, 'look', () => made as never) }),
    )
    expect(says()).toBe('plain')
    expect(kernel.problems()).toMatchObject([{ plugin: 'glasses', stage: 'setup', code: 'CONTRIBUTION_INVALID' }])
  }
})

test('calls into a replacement that keep failing bring the original back', async () => {
  const Horns = extensionPoint<{ readonly name: string; blow(): string }>('horns', ({ name }) => name)
  const car: InlinePlugin = { name: 'car', setup: (ctx) => void ctx.add(Horns, { name: 'horn', blow: () => 'beep' }) }
  const tuner: InlinePlugin = {
    name: 'tuner',
    setup: (ctx) =>
      void ctx.replace(Horns, 'horn', ({ name }) => ({
        name,
        blow: () => {
          throw new Error('no air')
        },
      })),
  }
  const { kernel } = await open(car, tuner)
  const horns = kernel.all(Horns)
  const blow = () => {
    const horn = horns.get('horn')
    return horn && horns.attempt(horn, () => horn.blow())
  }
  for (let at = 0; at < 5; at++) expect(blow()).toBeUndefined()
  expect(blow()).toBe('beep')
  expect(kernel.problems().every(({ plugin }) => plugin === 'tuner')).toBe(true)
})

interface Clerk {
  greet(name: string): string
}
const Clerk = defineService<Clerk>('clerk')
const office: InlinePlugin = {
  name: 'office',
  provides: ['clerk'],
  setup: (ctx) => void ctx.provide(Clerk, () => ({ greet: (name) => `hello ${name}` })),
}
const polite: InlinePlugin = {
  name: 'polite',
  setup: (ctx) => void ctx.wrap(Clerk, (inner) => ({ greet: (name) => `${inner.greet(name)}, and welcome` })),
}

test('a service is wrapped for its users, also before it is provided, and unwrapped when the plugin ends', async () => {
  for (const plugins of [
    [office, polite],
    [polite, office],
  ]) {
    const { kernel } = await open(...plugins)
    expect(kernel.use(Clerk).greet('you')).toBe('hello you, and welcome')
    await kernel.plugins.disable('polite')
    expect(kernel.use(Clerk).greet('you')).toBe('hello you')
    expect(kernel.plugins.info('polite')?.holds).toEqual({})
  }
})

test('a wrap that fails is reported, and the service itself serves', async () => {
  const broken: InlinePlugin = {
    name: 'broken',
    setup: (ctx) =>
      void ctx.wrap(Clerk, () => {
        throw new Error('no')
      }),
  }
  const { kernel } = await open(office, broken)
  expect(kernel.use(Clerk).greet('you')).toBe('hello you')
  expect(kernel.use(Clerk).greet('you')).toBe('hello you')
  expect(kernel.problems()).toMatchObject([
    { plugin: 'broken', stage: 'replace', message: expect.stringContaining('"clerk"') },
  ])
})

test('closed services, those of the kernel and those of guards can never be wrapped', async () => {
  const Vault = defineService<Clerk>('vault', { closed: true })
  const bank: InlinePlugin = {
    name: 'bank',
    provides: ['vault'],
    setup: (ctx) => void ctx.provide(Vault, () => ({ greet: (name) => name })),
  }
  const guard: InlinePlugin = { ...office, name: 'office', guards: ['tool:calling'] }
  // What the thief declares does not count.
  const opened = defineService<Clerk>('vault')
  for (const [provider, token] of [
    [bank, Vault],
    [bank, opened],
    [guard, Clerk],
    [eyes, Secrets],
  ] as const) {
    const thief: InlinePlugin = {
      name: 'thief',
      setup: (ctx) => void ctx.wrap(token as typeof Clerk, (inner) => inner),
    }
    const early = await open(provider, thief)
    expect(early.kernel.problems()).toMatchObject([{ plugin: 'thief', stage: 'setup', code: 'REPLACEMENT_REFUSED' }])
    const late = await open(thief, provider)
    if (token !== Secrets) expect(late.kernel.use(token as typeof Clerk).greet('x')).toContain('x')
  }
})

test('an item of a guard cannot be replaced', async () => {
  const { kernel, says } = await open({ ...eyes, guards: ['tool:calling'] }, around('glasses'))
  expect(says()).toBe('plain')
  expect(kernel.problems()).toMatchObject([{ plugin: 'glasses', code: 'REPLACEMENT_REFUSED' }])
})

test('a plugin of a user replaces what its manifest names, and nothing else', async () => {
  const home = mkdtempSync(join(tmpdir(), 'svc-replace-'))
  onTestFinished(() => rmSync(home, { recursive: true, force: true }))
  const dir = join(home, 'plugins', 'glasses')
  const install = (manifest: object) => {
    mkdirSync(dir, { recursive: true })
    const basics = { name: 'glasses', version: '1.0.0', sdk: '^0.2.0', kind: 'tool', description: 'x', with: ['agent'] }
    writeFileSync(join(dir, 'plugin.json'), JSON.stringify({ ...basics, ...manifest }))
    writeFileSync(
      join(dir, 'index.ts'),
      `import { definePlugin, Tools } from 'svc/sdk'
export default definePlugin({ setup: (ctx) => void ctx.replace(Tools, 'look', (inner) => ({ ...inner, description: 'sharp' })) })`,
    )
  }
  const start = async (manifest: object) => {
    install(manifest)
    rmSync(join(home, 'consents'), { recursive: true, force: true })
    const config = { plugins: { enabled: ['glasses'] } }
    const kernel = await testKernel({ home, config, with: [eyes], plugins: ['glasses'] })
    const found = [kernel.all(Tools).get('look')?.description, kernel.plugins.info('glasses')?.reason]
    await kernel.stop()
    return found
  }
  expect(await start({ replaces: { tools: ['look'] } })).toEqual(['sharp', undefined])
  expect(await start({})).toEqual(['plain', expect.stringContaining('replaces tools "look" is not in plugin.json')])
  expect(await start({ replaces: { tools: ['look', 'stare'] } })).toEqual(['plain', expect.stringContaining('stare')])
})
