/** The small plugins whose moment needs a chat, a person, a service or a task in the background. */
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { dirname, join } from 'node:path'
import type { InlinePlugin } from 'svc'
import { Agent, Questions, Sessions, Tools } from 'svc/sdk'
import { ImageGenerators, SpeechBackends } from 'svc/sdk/media'
import { Providers, SignInFlows } from 'svc/sdk/provider'
import { ReadableFolders } from 'svc/sdk/safety'
import { Summarizers } from 'svc/sdk/sessions'
import { type ShellBackendSettings, ShellBackends } from 'svc/sdk/shell'
import { SharedStore } from 'svc/sdk/store'
import { fakePerson, fakeProvider, fakeTalk, fakeToolTurn, testKernel } from 'svc/sdk/testing'
import { WebSearchProviders } from 'svc/sdk/web'
import { expect, onTestFinished, test, vi } from 'vitest'
import { stage } from '../plugins/messaging/gateway/stage.ts'
import { startAnthropicServer } from '../support/anthropic-server.ts'
import { ask, joinText } from '../support/ask-model.ts'
import { startModelServer } from '../support/model-server.ts'
import { root } from '../support/repository.ts'

/** A small plugin with its manifest. */
async function small(name: string): Promise<InlinePlugin> {
  const manifest = JSON.parse(readFileSync(join(root, 'test/support/plugins', name, 'plugin.json'), 'utf8'))
  return { ...manifest, ...(await import(`../support/plugins/${name}/index.ts`)).default }
}

async function open(names: readonly string[], options: Parameters<typeof testKernel>[0] = {}) {
  const plugins = await Promise.all(names.map(small))
  const kernel = await testKernel({ ...options, with: [...(options.with ?? []), ...plugins] })
  onTestFinished(() => kernel.stop())
  expect(kernel.problems()).toEqual([])
  const log = () => readFileSync(join(kernel.home, 'logs/svc.log'), 'utf8')
  return { kernel, log }
}

test('the chat filter answers, drops and signs', async () => {
  const { fake, model, gateway, said } = await stage(['fine'], { with: [await small('filter-chats')] })
  for (const text of ['good morning', 'Buy now!', 'hello']) {
    await fake.say('ada', text)
    await gateway.idle()
  }
  expect(said()).toEqual(['Good morning!\n\n-- svc', 'fine\n\n-- svc'])
  expect(model.requests).toHaveLength(1)
})

test('a long answer is followed by its file, a short one is not', async () => {
  const long = 'word '.repeat(500)
  const { fake, gateway, said } = await stage(['short', long], {
    with: [await small('attach-answer')],
    platform: { limits: { files: 100_000 } },
  })
  for (const text of ['hello', 'and now?']) {
    await fake.say('ada', text)
    await gateway.idle()
  }
  expect(said()).toEqual(['short', long.trim(), ''])
  expect(fake.sent.at(-1)?.files).toMatchObject([{ name: 'answer.md', size: long.length }])
})

test('the tool for coffee asks the person for a choice and a text', async () => {
  const { kernel } = await open(['coffee-order'])
  const order = (person: ReturnType<typeof fakePerson>) =>
    kernel.all(Tools).get('order_coffee')?.run({}, fakeToolTurn({ person }))
  const person = fakePerson({ choose: 'large', edit: 'Please hurry' })
  expect(await order(person)).toBe('ordered: large; note: Please hurry')
  expect(person.said).toEqual(['One large coffee is ordered.'])
  expect(await order(fakePerson())).toContain('nothing was ordered')
})

test('questions and tasks in the background are noted', async () => {
  const { kernel, log } = await open(['watch-background', 'watch-questions'], {
    plugins: ['conversation', 'background', 'people'],
    with: [fakeProvider(['found it']).plugin],
    config: { model: { provider: 'fake', default: 'fake-1' } },
  })
  await fakeTalk(kernel).type('/background look')
  kernel.use(Questions).connect({ name: 'screen', reaches: () => true, ask: async () => 'b' })
  const question = { id: 'q1', sessionId: 's1', text: 'Which one?', choices: ['a', 'b'] }
  await kernel.use(Questions).ask(question, new AbortController().signal)
  await vi.waitFor(() => {
    for (const name of ['watch-background', 'watch-questions'])
      expect(log()).toMatch(new RegExp(`"plugin":"${name}".*"works"|"works".*"plugin":"${name}"`))
  })
})

test('the helper is a subagent with the tools for files alone, and its work is noted', async () => {
  const fake = fakeProvider(({ messages, tools }) => {
    const isHelper = messages.some(({ role, text }) => role === 'user' && text.startsWith('Find out'))
    if (isHelper) return `There are ${tools.map(({ name }) => name).sort()}.`
    if (messages.at(-1)?.role === 'tool') return `The helper said: ${messages.at(-1)?.text}`
    return { calls: [{ name: 'look_around', input: { question: 'How many files?' } }] }
  })
  const { kernel, log } = await open(['ask-subagent', 'watch-subagents'], {
    plugins: ['conversation', 'approvals', 'tool-files', 'tool-todo'],
    with: [fake.plugin],
    config: { model: { provider: 'fake', default: 'fake-1' } },
  })
  const { id } = kernel.use(Sessions).create({ surface: 'test', cwd: kernel.home })
  const { text } = await kernel.use(Agent).run({ sessionId: id, text: 'look around' })
  expect(text).toContain('The helper said: There are list_files,patch,read_file,search_files,write_file.')
  expect(log()).toMatch(/"plugin":"ask-subagent".*"reason":"completed"|"reason":"completed".*"plugin":"ask-subagent"/)
  expect(log()).toMatch(/"subagent began"/)
  expect(log()).toMatch(/"plugin":"watch-subagents","message":"works"|"message":"works".*"plugin":"watch-subagents"/)
})

test('an expensive model answers once the person agreed to it', async () => {
  const { kernel } = await open(['guard-model'], {
    plugins: ['conversation', 'model-cli'],
    with: [fakeProvider([]).plugin],
    config: { model: { provider: 'fake', default: 'fake-1' } },
  })
  const asked = async (confirm: boolean) => {
    const talk = fakeTalk(kernel, { person: { confirm } })
    await talk.type('/model fake-large')
    return talk.conversation.settings.model
  }
  expect(await asked(false)).toBeUndefined()
  expect(await asked(true)).toBe('fake-large')
})

test('a change of .env is noted while a conversation works in the folder', async () => {
  const { kernel, log } = await open(['watch-env'], {
    plugins: ['conversation'],
    with: [fakeProvider([]).plugin],
    config: { model: { provider: 'fake', default: 'fake-1' } },
  })
  const talk = fakeTalk(kernel)
  await talk.type('hello')
  writeFileSync(join(talk.conversation.cwd, '.env'), 'KEY=1')
  await expect.poll(log, { timeout: 20_000 }).toMatch(/"plugin":"watch-env"/)
})

test('who asks to be let in is noted', async () => {
  const { fake, gateway, kernel } = await stage(['fine'], {
    platform: { settings: { dm_policy: 'pairing', group_policy: 'allowlist', allow_all: false } },
    with: [await small('announce-pairing')],
  })
  await fake.say('eve', 'let me in')
  await gateway.idle()
  const text = readFileSync(join(kernel.home, 'logs/svc.log'), 'utf8')
  expect(text).toMatch(/"userId":"eve"/)
})

test('the provider for Acme speaks two wires with a header of its own', async () => {
  const openAi = await startModelServer({ replies: ['Hello from Acme.'] })
  const anthropic = await startAnthropicServer({ replies: ['Hello from Claude.'], key: 'unused' })
  onTestFinished(() => Promise.all([openAi.close(), anthropic.close()]).then(() => undefined))
  for (const [name, url, text] of [
    ['acme', openAi.url, 'Hello from Acme.'],
    ['acme-claude', anthropic.url, 'Hello from Claude.'],
  ] as const) {
    const config = { plugins: { entries: { 'acme-provider': { url } } } }
    const { kernel } = await open(['acme-provider'], { config })
    const provider = kernel.all(Providers).get(name)
    expect(provider && joinText(await ask(provider))).toBe(text)
  }
  expect(openAi.requests[0]?.headers['x-acme']).toBe('svc')
})

test('the wiki is searched', async () => {
  const answer = ['graz', ['Graz'], ['A city'], ['https://wiki.example/Graz']]
  const asked: (string | undefined)[] = []
  const wiki = createServer((request, response) => {
    asked.push(request.url)
    response.end(JSON.stringify(answer))
  })
  await new Promise<void>((resolve) => wiki.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => void wiki.close())
  const url = `http://127.0.0.1:${(wiki.address() as AddressInfo).port}/w/api.php`
  const { kernel } = await open(['wiki-search'], { config: { plugins: { entries: { 'wiki-search': { url } } } } })
  const { signal } = new AbortController()
  const found = await kernel.all(WebSearchProviders).get('wiki')?.search?.('graz', { limit: 3, signal })
  expect(found).toEqual([{ title: 'Graz', url: 'https://wiki.example/Graz', snippet: 'A city' }])
  expect(asked).toEqual(['/w/api.php?action=opensearch&format=json&limit=3&search=graz'])
})

test('the backends are found under their names and work', async () => {
  const { kernel } = await open(['first-lines', 'acme-sign-in', 'nice-shell', 'open-folder', 'media-backends'])
  const { signal } = new AbortController()
  const messages = ['one', 'two\nmore', 'three'].map((text) => ({ role: 'user', text }) as const)
  const request = { sessionId: 's1', messages, head: 1, tail: 1, targetTokens: 100, signal }
  expect(await kernel.all(Summarizers).get('first-lines')?.summarise(request)).toMatchObject({ text: 'user: two' })

  const person = { show: () => undefined, say: () => undefined, ask: async () => 'code-1' }
  expect(await kernel.all(SignInFlows).get('acme:oauth')?.signIn(person, signal)).toEqual({ accessToken: 'code-1' })

  const place = { sessionId: 's1', cwd: kernel.home, environment: {}, settings: {} as ShellBackendSettings }
  const shell = await kernel.all(ShellBackends).get('nice')?.open(place, signal)
  const launched = await shell?.launch({ command: ['bash'], pty: false })
  expect(launched).toEqual({ command: ['nice', '-n', '10', 'bash'], environment: {}, cwd: kernel.home })

  expect(kernel.all(ReadableFolders).get('open-folder')?.path).toContain(join('open-folder', 'open'))
  const picture = await kernel.all(ImageGenerators).get('pixel')?.make({ prompt: 'a dot', shape: 'square', signal })
  expect(Buffer.from(picture?.bytes ?? []).toString('latin1', 0, 6)).toBe('GIF89a')
  const sound = await kernel.all(SpeechBackends).get('silence')?.voice?.speak({ text: 'hi', format: 'wav', signal })
  expect(Buffer.from(sound ?? []).toString('latin1', 0, 4)).toBe('RIFF')
})

test('a backend that has only commands gives the file tools its files', async () => {
  const { kernel } = await open(['other-folder'], {
    plugins: ['tool-terminal', 'tool-files', 'tool-patch'],
    config: { terminal: { backend: 'other-folder' } },
  })
  const call = async (name: string, input: object) => {
    const result = await kernel
      .all(Tools)
      .get(name)
      ?.run(input, fakeToolTurn({ sessionId: 's', cwd: kernel.home }))
    return typeof result === 'string' ? result : (result?.text ?? '')
  }
  expect(await call('write_file', { path: 'notes.txt', content: 'from the file tool\n' })).toContain(
    'Created notes.txt',
  )
  expect(await call('terminal', { command: 'cat notes.txt; echo more >> notes.txt' })).toBe('from the file tool')
  expect(await call('read_file', { path: 'notes.txt', offset: 1, limit: 10 })).toBe('1\tfrom the file tool\n2\tmore')
  await call('patch', { mode: 'replace', path: 'notes.txt', old_string: 'more', new_string: 'less' })
  const path = join(kernel.home, 'data/other-folder/project/notes.txt')
  expect(readFileSync(path, 'utf8')).toBe('from the file tool\nless\n')
})

test('the notes that several machines may share are kept on this one', async () => {
  const { kernel } = await open(['jotter'])
  expect(await kernel.run(['jot'])).toMatchObject({ out: 'milk, on this machine\n', err: '' })
})

test('the counter that several machines share counts, and says what its kind of server says', async () => {
  const { kernel } = await open(['shared-visits'])
  const run = async () => (await kernel.run(['visits'])).out.trim()
  expect([await run(), await run()]).toEqual(['1', '2'])
  const other = await open(['shared-visits'], { env: { SVC_STORAGE_URL: 'acme://tables' } })
  const opening = other.kernel.use(SharedStore).open({ owner: 'visits', migrations: [] })
  await expect(opening).rejects.toThrow('Acme has no server')
})

test('a section that a plugin adds to the setup is asked, and its answer is written', async () => {
  const { kernel } = await open(['home-town'], { plugins: ['guided-setup'] })
  const said = await kernel.run(['setup', 'town', '--non-interactive', '--answer', 'zone=Europe/Berlin'])
  expect(said).toMatchObject({ code: 0, out: expect.stringContaining('svc config undo') })
  expect(readFileSync(join(kernel.home, 'config.yaml'), 'utf8')).toContain('timezone: Europe/Berlin')
})

test('the models that the plugin of big files excludes are not in a backup', async () => {
  const { kernel } = await open(['big-files'], { plugins: ['backups'] })
  writeFileSync(join(kernel.home, 'small.gguf'), 'weights')
  writeFileSync(join(kernel.home, 'SOUL.md'), 'Be kind.')
  const { out } = await kernel.run(['backup', 'create', '--json'])
  const { file } = JSON.parse(out) as { readonly file: string }
  onTestFinished(() => rmSync(dirname(file), { recursive: true, force: true }))
  const to = join(kernel.home, '..', 'restored')
  onTestFinished(() => rmSync(to, { recursive: true, force: true }))
  expect(await kernel.run(['backup', 'restore', file, '--to', to, '--yes'])).toMatchObject({ code: 0 })
  expect([existsSync(join(to, 'SOUL.md')), existsSync(join(to, 'small.gguf'))]).toEqual([true, false])
})

test('what a plugin put into the menu of the desktop is part of an uninstallation', async () => {
  const { kernel } = await open(['menu-entry'], { plugins: ['uninstall'], env: { HOME: '/nonexistent' } })
  const entry = join(kernel.home, 'data/menu-entry/svc.desktop')
  expect((await kernel.run(['uninstall', '--dry-run'])).out).toContain(`Remove the menu entry ${entry}`)
  expect(existsSync(entry)).toBe(true)
})

test('what a plugin knows of itself is a section of the status', async () => {
  const { kernel } = await open(['tea-time'], { plugins: ['status-report'] })
  expect((await kernel.run(['status', 'tea-time'])).out).toBe('Tea\n  Ready  in 3 min\n')
})
