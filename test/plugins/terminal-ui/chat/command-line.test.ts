import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { Sessions } from 'svc/sdk'
import { fakeProvider, type ScriptedReply, testKernel, virtualClock } from 'svc/sdk/testing'
import { expect, test } from 'vitest'
import { temporaryFolder } from '../../../support/temporary.ts'

async function start(script: readonly ScriptedReply[]) {
  const fake = fakeProvider(script)
  const config = { model: { provider: 'fake', default: 'fake-1' } }
  return { fake, kernel: await testKernel({ plugins: ['chat'], with: [fake.plugin], config }) }
}

/** No model is configured, and no server of this machine can be reached. */
const withoutModel = () => testKernel({ plugins: ['chat', 'provider-demo'] })

test('without a model a script gets exit code 1 and no answer, with what to do', async () => {
  await using kernel = await withoutModel()
  const said = await kernel.run(['chat', '-q', 'hello'])
  expect(said).toMatchObject({ code: 1, out: '' })
  expect(said.err).toMatch(/No model is connected[\s\S]*svc config set model.provider[\s\S]*--provider demo/)
  const json = await kernel.run(['chat', '--json', '-q', 'hello'])
  expect(json.code).toBe(1)
  expect(json.out).toContain('"code":"MODEL_UNAVAILABLE"')
  // What was said is kept, so that it can be continued once a model is connected.
  expect(
    kernel
      .use(Sessions)
      .list()
      .map(({ title }) => title),
  ).toEqual(['hello', 'hello'])
})

test('the demo answers a script that names it, and a person at a terminal', async () => {
  await using kernel = await withoutModel()
  for (const name of [
    ['--provider', 'demo'],
    ['-m', 'demo'],
  ])
    expect(await kernel.run(['chat', ...name, '-q', 'hello'])).toMatchObject({
      code: 0,
      out: expect.stringContaining('scripted demo'),
    })
  const sat = await kernel.run(['chat', '-q', 'hello'], { interactive: true })
  expect(sat).toMatchObject({ code: 0, out: expect.stringContaining('scripted demo') })
})

test('words after the command are the question, together with those of -q and of the pipe', async () => {
  const { kernel, fake } = await start(['one', 'two'])
  await using _ = kernel
  expect(await kernel.run(['chat', 'what', 'is this?'])).toMatchObject({ code: 0, out: 'one\n' })
  await kernel.run(['chat', '-q', 'look', 'here'], { stdin: 'piped' })
  expect(fake.requests.map(({ messages }) => messages.at(-1)?.text)).toEqual(['what is this?', 'look here\n\npiped'])
})

test('a file named with @ comes along, also when its name has blanks', async () => {
  const { kernel, fake } = await start(['one'])
  await using _ = kernel
  const cwd = temporaryFolder()
  writeFileSync(join(cwd, 'two words.txt'), 'the content')
  await kernel.run(['chat', '@two words.txt', 'what is it?'], { cwd })
  expect(fake.requests[0]?.messages.at(-1)?.text).toMatch(/^@"two words.txt" what is it\?\n\n<data .*\nthe content/)
})

test('at a terminal the words are the first message of a conversation', async () => {
  const { kernel } = await start(['first answer', 'second answer'])
  await using _ = kernel
  const { out } = await kernel.run(['chat', 'hello', 'there'], { interactive: true, answers: ['more', '/quit'] })
  expect(out).toMatch(/first answer[\s\S]*second answer/)
  expect(kernel.use(Sessions).list()).toMatchObject([{ title: 'hello there', messageCount: 4 }])
})

test('--tools offers only what it names, --no-tools nothing', async () => {
  const { kernel, fake } = await start(['one', 'two'])
  await using _ = kernel
  await kernel.run(['chat', '--tools', 'read_file,todo', '-q', 'x'])
  await kernel.run(['chat', '--no-tools', '-q', 'x'])
  expect(fake.requests.map(({ tools }) => tools?.map(({ name }) => name))).toEqual([['read_file', 'todo'], []])
  expect(await kernel.run(['chat', '--tools', 'nix', '-q', 'x'])).toMatchObject({
    code: 2,
    err: expect.stringContaining('there is no "nix"'),
  })
})

test('--system-prompt replaces the prompt, --thinking sets the effort', async () => {
  const { kernel, fake } = await start(['one', 'two', 'three', 'four'])
  await using _ = kernel
  await kernel.run(['chat', '--system-prompt', 'Speak Latin.', '--thinking', 'high', '-q', 'x'])
  expect(fake.requests[0]).toMatchObject({ reasoning: 'high' })
  expect(fake.requests[0]?.messages[0]).toMatchObject({ role: 'system', text: 'Speak Latin.' })
  await kernel.run(['chat', '-c', '-q', 'and now'])
  expect(fake.requests[1]?.messages[0]).toMatchObject({ role: 'system', text: 'Speak Latin.' })
  await kernel.run(['chat', '-c', '--system-prompt', 'Speak Greek.', '-q', 'and now'])
  expect(fake.requests[2]?.messages[0]).toMatchObject({ role: 'system', text: 'Speak Greek.' })
  await kernel.run(['chat', '-c', '-q', 'still?'])
  expect(fake.requests[3]?.messages[0]).toMatchObject({ role: 'system', text: 'Speak Greek.' })
  expect(await kernel.run(['chat', '--thinking', 'deep', '-q', 'x'])).toMatchObject({ code: 2 })
})

test('--no-session leaves no session and no copy of one', async () => {
  const { kernel } = await start(['one', 'two'])
  await using _ = kernel
  expect(await kernel.run(['chat', '--no-session', '-q', 'secret words'])).toMatchObject({ code: 0, out: 'one\n' })
  await kernel.run(['chat', '--no-session', 'secret words'], { interactive: true, answers: [] })
  expect(kernel.use(Sessions).list()).toEqual([])
  expect(kernel.use(Sessions).search('secret')).toEqual([])
  expect((await kernel.run(['chat', '--no-session', '-c', '-q', 'x'])).code).toBe(2)
})

test('a conversation in which nothing was said leaves no session', async () => {
  const { kernel } = await start(['one'])
  await using _ = kernel
  await kernel.run(['chat'], { interactive: true, answers: ['/status', '/new now', '/quit'] })
  expect(kernel.use(Sessions).list()).toEqual([])
  await kernel.run(['chat'], { interactive: true, answers: ['hello', '/new now'] })
  expect(kernel.use(Sessions).list()).toMatchObject([{ title: 'hello' }])
})

test('while the model is silent, a person at a pipe is told every half minute', async () => {
  const clock = virtualClock()
  let open = () => {}
  const gate = new Promise<void>((resolve) => {
    open = resolve
  })
  const fake = fakeProvider(() => ({ gate, text: 'at last' }))
  const config = { model: { provider: 'fake', default: 'fake-1' } }
  await using kernel = await testKernel({ plugins: ['chat'], with: [fake.plugin], config, clock })
  const running = kernel.run(['chat', '-q', 'x'])
  while (!fake.requests.length) await new Promise((resolve) => setImmediate(resolve))
  await clock.advance(65_000)
  open()
  const { out, err } = await running
  expect(out).toBe('at last\n')
  expect(err).toBe('(waiting for the model: 30s)\n(waiting for the model: 1m 00s)\n')
})
