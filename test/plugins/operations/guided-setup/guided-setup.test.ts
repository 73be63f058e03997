/** Stories of people who set svc up, change their mind, make mistakes and leave half way. */
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import type { InlinePlugin } from 'svc/sdk/host'
import { Setup, SetupSections } from 'svc/sdk/operations'
import { testKernel } from 'svc/sdk/testing'
import { expect, onTestFinished, test } from 'vitest'
import { readTree } from '../../../support/temporary.ts'

const plugins = [
  'guided-setup',
  'model-cli',
  'tools-cli',
  'gateway-cli',
  'tool-speech',
  'provider-openai',
  'platform-ntfy',
]

type Kernel = Awaited<ReturnType<typeof testKernel>>

const signal = new AbortController().signal

function files({ home }: Kernel) {
  const text = (name: string) => (existsSync(join(home, name)) ? readFileSync(join(home, name), 'utf8') : '')
  return { config: text('config.yaml'), env: text('.env') }
}

const interactive = (...answers: string[]) => ({ interactive: true, answers })

test('a person sets up every section, and each is one change that can be taken back', async () => {
  await using kernel = await testKernel({ plugins })
  const first = await kernel.run(['setup', 'model'], interactive('openai', 'sk-test-0123456789abcdef', 'gpt-4o'))
  expect(first).toMatchObject({ code: 0, out: expect.stringContaining('svc config undo 1') })
  expect(files(kernel).config).toContain('provider: openai')
  expect(files(kernel).config).toContain('default: gpt-4o')
  expect(files(kernel).config).not.toContain('sk-test')
  expect(files(kernel).env).toContain('OPENAI_API_KEY=')

  const agent = await kernel.run(['setup', 'agent'], interactive('120', '3'))
  expect(agent).toMatchObject({ code: 0, out: expect.stringContaining('svc config undo 2') })
  expect(files(kernel).config).toMatch(/max_iterations: 120\n.*reasoning_effort: medium/s)
  expect((await kernel.run(['setup', 'agent'], interactive('', ''))).out).toContain('agent stays as it is.')
})

test('a wrong answer is refused at once and asked again; "<" goes back, "skip" leaves the section', async () => {
  await using kernel = await testKernel({ plugins })
  const wrong = await kernel.run(['setup', 'agent'], interactive('many', '-3', '120', 'enormous', '<', '60', 'high'))
  expect(wrong.code).toBe(0)
  expect(wrong.out).toMatch(/agent\.max_iterations[^\n]*many/)
  expect(wrong.out).toContain('"enormous" is not one of: none, low')
  expect(files(kernel).config).toContain('max_iterations: 60')
  const before = files(kernel)
  const first = await kernel.run(['setup', 'agent'], interactive('<', '90', 'skip'))
  expect(first.out).toContain('This is the first question.')
  expect(first.out).toContain('agent stays as it is.')
  expect(files(kernel)).toEqual(before)
})

test('a setup that ends at any question has written nothing of its section', async () => {
  const script = ['openai', 'sk-test-0123456789abcdef', 'gpt-4o']
  for (let count = 0; count < script.length; count++) {
    await using kernel = await testKernel({ plugins })
    writeFileSync(join(kernel.home, 'config.yaml'), '# mine\nmodel:\n  provider: demo\n')
    const before = files(kernel)
    const said = await kernel.run(['setup', 'model'], interactive(...script.slice(0, count)))
    expect(said, `after ${count} answers`).toMatchObject({ code: 1, err: expect.stringContaining('Nothing of model') })
    expect(files(kernel), `after ${count} answers`).toEqual(before)
  }
})

test('a server of the user is asked for its models before its address is taken', async () => {
  const server = createServer((request, response) => {
    const isAllowed = request.headers.authorization === 'Bearer secret-key-of-mine'
    response.writeHead(isAllowed ? 200 : 401, { 'content-type': 'application/json' })
    response.end(JSON.stringify(isAllowed ? { data: [{ id: 'small' }] } : { error: { message: 'no' } }))
  })
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => void server.close())
  const address = `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`
  await using kernel = await testKernel({ plugins })
  const said = await kernel.run(
    ['setup', 'model'],
    interactive(
      ...['custom', 'a key', 'another-key-of-mine', 'localhost', 'http://127.0.0.1:9/v1', address],
      ...['<', 'secret-key-of-mine', address, 'small'],
    ),
  )
  expect(said).toMatchObject({ code: 0 })
  expect(said.out).toContain('A key has no spaces')
  expect(said.out).toContain('begins with http://')
  expect(said.out).toContain('Nothing answers at http://127.0.0.1:9/v1')
  expect(said.out).toContain('does not list its models')
  expect(files(kernel).config).toContain(`base_url: ${address}`)
  expect(files(kernel).env).toContain('secret-key-of-mine')
  expect(said.out).not.toContain('secret-key-of-mine')
})

test('without a person answers are given by their keys, and one that cannot be used writes nothing', async () => {
  await using kernel = await testKernel({ plugins })
  const none = await kernel.run(['setup', 'agent'])
  expect(none).toMatchObject({ code: 1, err: expect.stringContaining('--answer KEY=VALUE') })
  const quiet = ['setup', 'agent', '--non-interactive']
  const bad = await kernel.run([...quiet, '--answer', 'max_iterations=many'])
  expect(bad).toMatchObject({ code: 1, err: expect.stringContaining('Nothing was written') })
  const stray = await kernel.run([...quiet, '--answer', 'iterations=3'])
  expect(stray).toMatchObject({ code: 1, err: expect.stringContaining('no question iterations') })
  expect(files(kernel).config).toBe('')
  const done = await kernel.run([...quiet, '--json', '--answer', 'max_iterations=120'])
  expect(JSON.parse(done.out)).toMatchObject({ ok: true, section: 'agent', changed: true })
  const again = await kernel.run([...quiet, '--json'])
  expect(JSON.parse(again.out)).toMatchObject({ changed: false })
  expect((await kernel.run(['setup', 'nothing', '--non-interactive'])).err).toContain('There are: model, tools')
})

test('tools and platforms are chosen among those that are installed', async () => {
  await using kernel = await testKernel({ plugins })
  const listed = JSON.parse((await kernel.run(['setup', '--list', '--json'])).out) as {
    name: string
    questions: { key: string }[]
  }[]
  expect(listed.map(({ name }) => name)).toEqual(['model', 'tools', 'platforms', 'agent', 'voice'])
  const platform = await kernel.run(['setup', 'platforms'], interactive('ntfy', '', '', '', '', '', '', '', '', '', ''))
  expect(platform.out).toContain('NTFY_TOPIC')
  const tools = await kernel.run(['setup', 'tools', '--non-interactive', '--answer', 'on='])
  expect(tools).toMatchObject({ code: 0 })
  expect(files(kernel).config).toContain('- tts')
})

test('a section of another plugin is asked like those of svc, and a front end can drive it by data', async () => {
  const weather: InlinePlugin = {
    name: 'weather',
    setup(ctx) {
      ctx.add(SetupSections, {
        ...{ name: 'weather', title: 'Weather', description: 'Where you are.' },
        questions: async ({ city }) => [
          { key: 'city', title: 'City', kind: 'text' },
          ...(city === 'Berlin' ? [{ key: 'part', title: 'Part of it', kind: 'confirm' } as const] : []),
        ],
        check: async ({ key }, answers) => (key === 'city' && answers['city'] === 'Atlantis' ? 'It sank.' : undefined),
        edits: ({ city, part }) => [{ path: 'timezone', value: part ? 'Europe/Berlin' : String(city) }],
      })
    },
  }
  await using kernel = await testKernel({ plugins: ['guided-setup'], with: [weather] })
  const setup = kernel.use(Setup)
  expect(await setup.check('weather', { city: 'Atlantis' }, 'city', signal)).toBe('It sank.')
  expect(await setup.check('weather', { city: true }, 'city', signal)).toContain('with a text')
  expect(await setup.next('weather', { city: 'Berlin' }, signal)).toMatchObject({ key: 'part', kind: 'confirm' })
  const home = () => Object.keys(readTree(kernel.home)).filter((path) => path === 'config.yaml')
  await expect(setup.write('weather', { city: 'Berlin' }, signal)).rejects.toMatchObject({ code: 'SETUP_INCOMPLETE' })
  await expect(setup.write('weather', { city: 'Rome', part: true }, signal)).rejects.toThrow('no question part')
  await expect(setup.write('weather', { city: 'Atlantis' }, signal)).rejects.toThrow('It sank.')
  expect(home()).toEqual([])
  await setup.write('weather', { city: 'Berlin', part: true }, signal)
  expect(files(kernel).config).toContain('timezone: Europe/Berlin')
})

test('a value that is in force by default is not written when it is confirmed', async () => {
  const tries: InlinePlugin = {
    name: 'tries',
    setup(ctx) {
      ctx.add(SetupSections, {
        ...{ name: 'tries', title: 'Tries', description: 'How often.' },
        questions: async () => [{ key: 'count', title: 'Tries', kind: 'text', path: 'agent.max_retries' }],
      })
    },
  }
  await using kernel = await testKernel({ plugins, with: [tries] })
  const said = await kernel.run(['setup', 'tries'], interactive(''))
  expect(said).toMatchObject({ code: 0, out: expect.stringContaining('tries stays as it is.') })
  expect(files(kernel).config).toBe('')
  await kernel.run(['setup', 'tries'], interactive('5'))
  expect(files(kernel).config).toContain('max_retries: 5')
})
