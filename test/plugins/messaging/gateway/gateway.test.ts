import { Sessions } from 'svc/sdk'
import { Platforms } from 'svc/sdk/platform'
import { virtualClock } from 'svc/sdk/testing'
import { expect, test, vi } from 'vitest'
import { temporaryFolder } from '../../../support/temporary.ts'
import { stage } from './stage.ts'

test('someone writes in a chat and is answered there', async () => {
  const { fake, gateway, said } = await stage(['Hello Ada.'])
  await fake.say('ada', 'hi')
  await gateway.idle()
  expect(said()).toEqual(['Hello Ada.'])
  expect(fake.sent[0]).toMatchObject({ chatId: 'ada' })
  expect(gateway.status()).toMatchObject({ state: 'running', inbox: { waiting: 0, running: 0 } })
})

test('a message that the platform delivers twice is answered once', async () => {
  const { fake, gateway, said, model } = await stage(['once'])
  await fake.say('ada', 'hi')
  await fake.repeat()
  await gateway.idle()
  expect(said()).toEqual(['once'])
  expect(model.requests).toHaveLength(1)
})

test('every chat has a conversation alone, and it continues', async () => {
  const { fake, gateway, model } = await stage(['one', 'two', 'three'])
  await fake.say('ada', 'I am Ada')
  await gateway.idle()
  await fake.say('bob', 'I am Bob')
  await gateway.idle()
  await fake.say('ada', 'who am I?')
  await gateway.idle()
  const texts = model.requests.map(({ messages }) =>
    messages.filter(({ role }) => role === 'user').map(({ text }) => text),
  )
  expect(texts).toEqual([['I am Ada'], ['I am Bob'], ['I am Ada', 'who am I?']])
})

test('a slash command is run and answered, and is no message', async () => {
  const { fake, gateway, said, model } = await stage([])
  await fake.say('ada', '/platform')
  await gateway.idle()
  await vi.waitFor(() => expect(said()[0]).toMatch(/fake.*connected/))
  expect(model.requests).toHaveLength(0)
})

test('fifty messages during one turn all reach the model, in order, and each chat continues', async () => {
  let open = () => {}
  const gate = new Promise<void>((resolve) => {
    open = resolve
  })
  const { fake, gateway, model } = await stage((_, call) => (call === 0 ? { text: 'first', gate } : `answer ${call}`), {
    config: { display: { busy_input_mode: 'queue' } },
  })
  await fake.say('ada', 'begin')
  for (let at = 0; at < 50; at++) await fake.say('ada', `message ${at}`)
  expect(gateway.status().inbox.waiting + gateway.status().inbox.running).toBe(51)
  open()
  await gateway.idle()
  const said =
    model.requests
      .at(-1)
      ?.messages.filter(({ role }) => role === 'user')
      .map(({ text }) => text) ?? []
  expect(said.join('\n').split('\n')).toEqual(['begin', ...Array.from({ length: 50 }, (_, at) => `message ${at}`)])
  expect(gateway.status().inbox).toEqual({ waiting: 0, running: 0 })
})

test('an answer grows in one message while it is written, and is whole at the end', async () => {
  const pieces = Array.from({ length: 40 }, (_, at) => `word number ${at}, `)
  const { fake, gateway, said } = await stage([{ pieces }], { platform: { limits: { editEveryMs: 0 } } })
  await fake.say('ada', 'count')
  await gateway.idle()
  expect(said()).toEqual([pieces.join('').trim()])
})

test('where everybody shares a group, only what addresses the agent is answered, and it knows who speaks', async () => {
  const { fake, gateway, model } = await stage(['yes'], { platform: { settings: { group_sessions_per_user: false } } })
  const group = { chatId: 'team', chatKind: 'group' } as const
  await fake.say('ada', 'lunch?', group)
  await fake.say('bob', 'svc, lunch?', { ...group, isMention: true, userName: 'Bob [admin]' })
  await gateway.idle()
  expect(model.requests.map(({ messages }) => messages.at(-1)?.text)).toEqual(['[Bob admin] svc, lunch?'])
})

test('a question of the agent is answered with words, and the turn continues', async () => {
  const clarify = { calls: [{ name: 'clarify', input: { question: 'Which colour?', choices: ['red', 'blue'] } }] }
  const { fake, gateway, said, model } = await stage([clarify, 'Painted.'], { plugins: ['tool-clarify'] })
  await fake.say('ada', 'paint it')
  await vi.waitFor(() => expect(said().join()).toMatch(/Which colour\?\n\n1\. red\n2\. blue/))
  await fake.say('ada', '2')
  await gateway.idle()
  expect(said().at(-1)).toBe('Painted.')
  const result = model.requests.at(-1)?.messages.findLast(({ role }) => role === 'tool')
  expect(result?.text).toContain('blue')
})

test('a dangerous command waits for a button, and anyone who presses it decides', async () => {
  const { fake, gateway, said } = await stage(
    [{ calls: [{ name: 'terminal', input: { command: 'rm -rf src' } }] }, 'Clean.'],
    { plugins: ['tool-terminal', 'approvals'], platform: { limits: { buttons: 5 } } },
  )
  await fake.say('ada', 'clean up')
  await vi.waitFor(() => expect(fake.sent.at(-1)?.buttons?.map(({ label }) => label) ?? []).toContain('Allow once'), {
    timeout: 10_000,
  })
  const press = fake.sent.at(-1)?.buttons?.find(({ label }) => label === 'Allow once')?.value ?? ''
  await fake.say('ada', 'Allow once', { press })
  await gateway.idle()
  expect(said().at(-1)).toBe('Clean.')
  expect(said()[0]).toMatch(/rm -rf src[\s\S]*Allow once$/)
})

test('a dangerous command that someone refuses in words is not run', async () => {
  const { fake, gateway, said, model } = await stage(
    [{ calls: [{ name: 'terminal', input: { command: 'rm -rf src' } }] }, 'Then not.'],
    { plugins: ['tool-terminal', 'approvals'] },
  )
  await fake.say('ada', 'clean up')
  await vi.waitFor(() => expect(said().join()).toMatch(/5\. Deny/), { timeout: 10_000 })
  await fake.say('ada', 'No.')
  await gateway.idle()
  expect(said().at(-1)).toBe('Then not.')
  expect(model.requests.at(-1)?.messages.findLast(({ role }) => role === 'tool')?.text).toMatch(
    /not allowed|refused|denied/i,
  )
})

test('what fails before a turn begins is said, and the message is not tried for ever', async () => {
  const { fake, gateway, said } = await stage([], { config: { model: { provider: 'nobody', default: 'x' } } })
  await fake.say('ada', 'hi')
  await gateway.idle()
  await vi.waitFor(() => expect(said()[0]).toMatch(/⚠️/))
  expect(gateway.status().inbox).toEqual({ waiting: 0, running: 0 })
})

test('a stranger is offered a code, which lets in no one but the one who asked', async () => {
  const { fake, gateway, said, model, kernel } = await stage(['welcome'], {
    platform: { settings: { dm_policy: 'pairing', group_policy: 'allowlist', allow_all: false } },
  })
  await fake.say('eve', 'hello')
  await gateway.idle()
  expect(model.requests).toHaveLength(0)
  const [, code = ''] = /pairing approve fake (\w+)/.exec(said()[0] ?? '') ?? []
  expect(await kernel.run(['pairing', 'approve', 'fake', code])).toMatchObject({ code: 0 })
  await fake.say('mallory', 'hello')
  await fake.say('eve', 'hello again')
  await gateway.idle()
  expect(model.requests).toHaveLength(1)
  expect(said()).toContain('welcome')
})

test('no one can open the conversation of someone else', async () => {
  const { fake, gateway, said, kernel } = await stage(['a secret', 'mine'])
  await fake.say('ada', 'tell me a secret')
  await gateway.idle()
  const [{ id = '' } = {}] = kernel.use(Sessions).list()
  await fake.say('bob', 'hi')
  await gateway.idle()
  await fake.say('bob', `/resume ${id}`)
  await vi.waitFor(() => expect(said().at(-1)).toContain('No conversation is called'))
  await fake.say('bob', '/resume')
  await vi.waitFor(() => expect(said().at(-1)).toMatch(/bob/))
  expect(said().at(-1)).not.toMatch(/ada/)
})

test('a conversation begins again after the pause that the owner set, and says so', async () => {
  const clock = virtualClock()
  const { fake, gateway, said, model } = await stage(['one', 'two'], {
    clock,
    config: { gateway: { session_reset: { mode: 'idle', idle_minutes: 10 } } },
  })
  await fake.say('ada', 'first')
  await gateway.idle()
  await clock.advance(11 * 60_000)
  await fake.say('ada', 'second')
  await gateway.idle()
  expect(model.requests.at(-1)?.messages.filter(({ role }) => role === 'user')).toHaveLength(1)
  expect(said()).toContainEqual(expect.stringContaining('A new conversation began'))
})

test('a platform that falls silent is degraded within a minute, connected again, and serves on', async () => {
  const clock = virtualClock()
  const { fake, gateway, kernel, said, status } = await stage(['back'], { clock })
  const platform = kernel.all(Platforms).get('fake')
  if (!platform) throw new Error('the platform is missing')
  const { probe } = platform
  platform.probe = async () => false
  await clock.advance(60_000)
  expect(gateway.status()).toMatchObject({ state: 'degraded' })
  expect(status()).toMatchObject({ state: 'degraded' })
  platform.probe = probe
  await clock.advance(60_000)
  expect(status()).toMatchObject({ state: 'connected' })
  await fake.say('ada', 'hi')
  await gateway.idle()
  expect(said()).toEqual(['back'])
})

test('a lost connection is made again with growing pauses, and a final loss waits for a person', async () => {
  const clock = virtualClock()
  const { fake, gateway, status } = await stage(['x'], { clock })
  fake.lose('reset by peer')
  await vi.waitFor(() => expect(status()).toMatchObject({ state: 'retrying', attempts: 1 }))
  await clock.advance(2001)
  expect(status()).toMatchObject({ state: 'connected' })
  fake.lose('The token was revoked. Set a new one.', { final: true })
  await vi.waitFor(() => expect(status()).toMatchObject({ state: 'fatal' }))
  await clock.advance(3_600_000)
  expect(status()).toMatchObject({
    state: 'fatal',
    reason: 'The token was revoked. Set a new one.',
  })
  await gateway.resume('fake')
  expect(status()).toMatchObject({ state: 'connected' })
})

test('a paused platform takes nothing and sends nothing until it is resumed', async () => {
  const { fake, gateway, outbox, said } = await stage(['x'])
  await gateway.pause('fake')
  outbox.post({ platform: 'fake', chatId: 'ada', key: 'k', text: 'waits' })
  await expect(fake.say('ada', 'hi')).rejects.toThrow('not connected')
  expect(said()).toEqual([])
  await gateway.resume('fake')
  await gateway.idle()
  expect(said()).toEqual(['waits'])
  await expect(gateway.pause('pigeon')).rejects.toThrow(/There is no platform "pigeon"\. Platforms: .*fake/)
})

test('a message that comes in while the gateway stops is left to the platform', async () => {
  const { fake, gateway } = await stage(['x'])
  await gateway.stop()
  await expect(fake.say('ada', 'hi')).rejects.toThrow()
})

test('a turn that a stop cut off is continued with at the next start, and is answered once', async () => {
  const gate = new Promise<void>(() => {})
  const home = temporaryFolder()
  const first = await stage([{ text: 'never', gate }], { home })
  await first.fake.say('ada', 'long work')
  await vi.waitFor(() => expect(first.model.requests).toHaveLength(1))
  await first.kernel.stop()
  const second = await stage(['Done after all.'], { home })
  await second.gateway.idle()
  expect([...first.said(), ...second.said()]).toEqual(['Done after all.'])
  expect(second.gateway.status().inbox).toEqual({ waiting: 0, running: 0 })
})

test.each([
  [{}, ['clarify', 'todo', 'vision_analyze', 'web_extract', 'web_search']],
  [{ enabled: ['read_file'], disabled: ['web', 'clarify'] }, ['read_file', 'todo', 'vision_analyze']],
])('events of machines run without commands and with few tools: %j', async (lists, tools) => {
  const { fake, gateway, model, kernel } = await stage(['noted'], {
    plugins: ['tool-files', 'tool-todo'],
    config: { tools: { surfaces: { fake: lists } } },
  })
  const platform = kernel.all(Platforms).get('fake') as { isEvents?: boolean }
  platform.isEvents = true
  await fake.say('sensor', '/platform pause fake')
  await gateway.idle()
  expect(model.requests).toHaveLength(1)
  expect(model.requests[0]?.tools.map(({ name }) => name)).toEqual(tools)
})

test('files come with the message: texts in it, pictures to be seen, unknown kinds not at all', async () => {
  const { fake, gateway, model, said, kernel } = await stage(['read'])
  const platform = kernel.all(Platforms).get('fake')
  if (!platform) throw new Error('the platform is missing')
  const png = Buffer.from('89504e470d0a1a0a', 'hex')
  platform.fetch = async ({ ref }) => (ref === 'png' ? png : Buffer.from(`content of ${ref}`))
  const files = [
    { ref: 'notes', name: 'notes.txt' },
    { ref: 'png', name: 'photo.png' },
    { ref: 'exe', name: 'run.exe' },
    { ref: 'big', name: 'big.txt', size: 100_000_000 },
  ]
  await fake.say('ada', 'look', { files })
  await gateway.idle()
  const asked = model.requests[0]?.messages.findLast(({ role }) => role === 'user')
  expect(asked?.text).toContain('<data source="notes.txt">\ncontent of notes\n</data>')
  expect(asked?.text).not.toMatch(/run\.exe|big\.txt/)
  expect(asked?.text).toContain('[A file that came along was not taken; the person was told]')
  expect(asked).toMatchObject({ images: [{ mediaType: 'image/png' }] })
  expect(said()).toEqual([
    '📎 run.exe was rejected: files of this type are not accepted here.\n\n📎 big.txt was rejected: it is over 32 MiB.',
    'read',
  ])
})

test('a file of any size is taken where neither the platform nor the gateway has a limit', async () => {
  const asked: number[] = []
  const take = async (most: number) => {
    const { fake, gateway, said, kernel } = await stage(['read'], {
      config: { gateway: { max_inbound_media_bytes: most } },
    })
    const platform = kernel.all(Platforms).get('fake') as { fetch?: unknown; settings?: object }
    platform.settings = { ...platform.settings, max_attachment_bytes: 0, allow_any_attachment: true }
    platform.fetch = async (_: unknown, { maxBytes }: { maxBytes: number }) => {
      asked.push(maxBytes)
      return Buffer.from('small after all')
    }
    await fake.say('ada', 'look', { files: [{ ref: 'big', name: 'big.txt', size: 500_000_000 }] })
    await gateway.idle()
    return said()
  }
  expect(await take(0)).toEqual(['read'])
  expect(asked).toEqual([Number.MAX_SAFE_INTEGER])
  expect(await take(1000)).toEqual([expect.stringContaining('big.txt was rejected'), 'read'])
})

test('a message of which nothing was taken is answered by the reasons alone, not by the model', async () => {
  const { fake, gateway, model, said, kernel } = await stage(['never asked'])
  const platform = kernel.all(Platforms).get('fake')
  if (!platform) throw new Error('the platform is missing')
  platform.fetch = async () => {
    throw new Error('ENOENT: no such file /home/svc/data/inbox/a.txt')
  }
  const files = [
    { ref: 'exe', name: 'run.exe' },
    ...Array.from({ length: 20 }, (_, at) => ({ ref: 'x', name: `${at}.txt` })),
  ]
  await fake.say('ada', '', { files })
  await gateway.idle()
  expect(model.requests).toEqual([])
  expect(said()).toHaveLength(1)
  expect(said()[0]).toContain('📎 run.exe was rejected: files of this type are not accepted here.')
  expect(said()[0]).toContain('📎 0.txt was rejected: ENOENT: no such file …/a.txt')
  expect(said()[0]).toContain('📎 19.txt was rejected: at most 20 files are accepted at once.')
  expect(gateway.status().inbox).toEqual({ waiting: 0, running: 0 })
})
