import { join } from 'node:path'
import { type ToolContext, Tools } from 'svc/sdk'
import type { TestKernel } from 'svc/sdk/testing'
import { expect, test } from 'vitest'
import { plugins, running, temporaryFolder, toolCode, writePlugin } from './support.ts'

const greeter = { contributes: { tools: ['greet'] } }

async function runGreeting(kernel: TestKernel): Promise<unknown> {
  return kernel
    .all(Tools)
    .get('greet')
    ?.run({}, {} as ToolContext)
}

/** A home with an enabled plugin whose tool says something, and a process that runs it. */
async function greeting(text: string): Promise<{ home: string; chat: TestKernel; say(next: string): void }> {
  const home = temporaryFolder()
  const say = (next: string) => writePlugin(join(home, 'plugins'), 'hello', greeter, next)
  say(toolCode('greet', text))
  await plugins(home, ['enable', 'hello', '--yes', '--trust-changes'])
  const chat = await running(home, { plugins: ['control', 'hello'] })
  return { home, chat, say: (next) => void say(next) }
}

test('new code of a plugin is served after a reload, without a restart', async () => {
  const { home, chat, say } = await greeting('one')
  await using _stop = chat
  expect(await runGreeting(chat)).toBe('one')
  say(toolCode('greet', 'two'))
  const { code, out } = await plugins(home, ['reload', 'hello'])
  expect({ code, out }).toEqual({ code: 0, out: `  chat (process ${process.pid}): runs it (generation 2)\n` })
  expect(await runGreeting(chat)).toBe('two')
})

test('new code that fails is reported with its reason while the old continues', async () => {
  const { home, chat, say } = await greeting('one')
  await using _stop = chat
  say(`setup() { throw new Error('forgot something') }`)
  const { code, out } = await plugins(home, ['reload', 'hello'])
  expect(code).toBe(1)
  expect(out).toMatch(/was not replaced, the old one keeps serving\. setup: forgot something/)
  expect(await runGreeting(chat)).toBe('one')
})

test('code that was changed without a consent to changes is not taken up, and the old continues', async () => {
  const { home, chat, say } = await greeting('one')
  await using _stop = chat
  await plugins(home, ['enable', 'hello', '--yes'])
  say(toolCode('greet', 'two'))
  const refused = await plugins(home, ['reload', 'hello'])
  expect(refused).toMatchObject({ code: 1, out: expect.stringContaining('svc plugins enable hello') })
  expect(await runGreeting(chat)).toBe('one')
  const { out } = await plugins(home, ['enable', 'hello'], { interactive: true, answers: ['y'] })
  expect(out).toContain('changed: index.js')
  expect(out).toMatch(/^ {4}-.*'one'/m)
  expect(out).toMatch(/^ {4}\+.*'two'/m)
  expect(out).toMatch(/runs it \(generation \d+\)/)
  expect(await runGreeting(chat)).toBe('two')
})

test('where nothing runs, or nothing has the plugin loaded, a reload says so and is no failure', async () => {
  const home = temporaryFolder()
  const nobody = await plugins(home, ['reload', 'chat'])
  expect(nobody).toMatchObject({ code: 0, err: '' })
  expect(nobody.out).toContain('No svc that runs in this home has chat loaded.')
  await using _chat = await running(home)
  const idle = await plugins(home, ['reload', 'chat'])
  expect(idle).toMatchObject({ code: 0, out: expect.stringMatching(/chat \(process \d+\): does not run it/) })
  expect((await plugins(home, ['reload', 'chta'])).err).toContain('Did you mean chat?')
})
