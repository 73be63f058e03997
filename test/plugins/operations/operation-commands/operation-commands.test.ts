/** Stories of the operation of svc from a chat. */
import { copyFileSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { unzipSync } from 'fflate'
import type { InlinePlugin } from 'svc'
import { Plugins } from 'svc/sdk/host'
import { GatewayProcess, type UpdateCheck, Updates } from 'svc/sdk/operations'
import { fakeTalk, virtualClock } from 'svc/sdk/testing'
import { expect, test } from 'vitest'
import { read } from '../../../support/repository.ts'
import { temporaryFolder } from '../../../support/temporary.ts'
import { stage } from '../../messaging/gateway/stage.ts'

const { version } = JSON.parse(read('package.json')) as { readonly version: string }
const platform = {
  settings: { allow_admin_from: ['ada'], group_allow_admin_from: ['ada'] },
  limits: { files: 1_000_000 },
}
const NEWER: UpdateCheck = { method: 'npm', version, newest: '9.9.9', isNewer: true, command: 'svc update' }

interface Outside {
  /** What a restart does; left out: nothing. */
  readonly restart?: () => void
  readonly check?: UpdateCheck
  readonly apply?: () => Promise<{ readonly version: string }>
  readonly isForeign?: boolean
}

/** A gateway that `svc gateway` runs, as its commands see it. */
async function open(
  { restart = () => {}, check = NEWER, apply, isForeign = false }: Outside = {},
  more: Parameters<typeof stage>[1] = {},
) {
  const asked: string[] = []
  const outside: InlinePlugin = {
    name: 'outside',
    wraps: ['gateway-process', 'updates'],
    setup(ctx) {
      ctx.wrap(GatewayProcess, (inner) => ({
        ...inner,
        status: async () => ({
          ...(await inner.status()),
          isRunning: true,
          pid: isForeign ? process.ppid : process.pid,
        }),
        restart: async () => {
          asked.push('restart')
          restart()
        },
      }))
      ctx.wrap(Updates, () => ({
        check: async () => check,
        apply: async () => {
          asked.push('apply')
          return apply ? apply() : { version: '9.9.9' }
        },
      }))
    },
  }
  const plugins = ['operation-commands', 'gateway-cli', 'updates', 'debug-bundle']
  const story = await stage([], { platform, plugins, with: [outside], ...more })
  const say = async (text: string, who = 'ada', where: object = {}) => {
    await story.fake.say(who, text, where)
    await story.gateway.idle()
  }
  /** A command with the answer to its question. */
  const confirm = async (command: string, answer: string) => {
    await story.fake.say('ada', command)
    await expect.poll(() => story.said().at(-1) ?? '').toContain('?')
    await say(answer)
  }
  return { ...story, asked, say, confirm }
}

test('a restart is for admins, is confirmed, and the chat that asked is told once when svc is back', async () => {
  const home = temporaryFolder()
  const { asked, say, said, confirm, kernel } = await open({}, { home })
  await say('/restart', 'bob')
  expect(said().at(-1)).toMatch(/bob|admin|allow_admin_from/)
  await confirm('/restart', 'no')
  expect(said().at(-1)).toBe('Nothing was changed.')
  expect(asked).toEqual([])
  await confirm('/restart', 'yes')
  expect(said().at(-1)).toMatch(/^The gateway restarts/)
  expect(asked).toEqual(['restart'])
  await kernel.stop()
  const file = readdirSync(join(home, 'data/operation-commands'), { recursive: true, encoding: 'utf8' }).find((name) =>
    name.includes('asked-by'),
  )
  const kept = join(home, 'data/operation-commands', file ?? '')
  const copy = join(temporaryFolder(), 'kept')
  copyFileSync(kept, copy)
  const back = await open({}, { home })
  await expect.poll(() => back.said()).toEqual([`I am back: svc ${version}.`])
  expect(back.fake.sent[0]).toMatchObject({ chatId: 'ada' })
  await back.kernel.stop()
  const later = await open({}, { home })
  await later.gateway.idle()
  expect(later.said()).toEqual([])
  await later.kernel.stop()
  // As if it had been killed before it forgot who asked.
  copyFileSync(copy, kept)
  const killed = await open({}, { home })
  await killed.gateway.idle()
  expect(killed.said()).toEqual([])
})

test('the process that was asked says nothing of its return, also when its plugin is reloaded and its platform reconnects', async () => {
  const { say, said, confirm, kernel, fake, status } = await open()
  await confirm('/restart', 'yes')
  await kernel.use(Plugins).reload('operation-commands')
  fake.lose('cable')
  await expect.poll(() => fake.connected).toBe(false)
  await expect.poll(() => fake.connected && status()?.state, { timeout: 20_000 }).toBe('connected')
  await say('/restart', 'bob')
  await expect.poll(() => said().at(-1)).toContain('allow_admin_from')
  expect(said().join()).not.toContain('I am back')
})

test('where no admin is named, and for whom none is named in groups, nothing is operated', async () => {
  const { asked, say, said } = await open({}, { platform: {} })
  for (const command of ['/restart', '/update', '/debug', '/debug bundle']) {
    await say(command)
    expect(said().at(-1)).toMatch(/^Only an admin/)
  }
  expect(asked).toEqual([])
})

test('a restart that fails is told, and its chat hears of no return', async () => {
  const home = temporaryFolder()
  const fail = () => {
    throw new Error('no supervisor answers')
  }
  const { said, confirm, kernel } = await open({ restart: fail }, { home })
  await confirm('/restart', 'yes')
  expect(said().at(-1)).toContain('no supervisor answers')
  await kernel.stop()
  const next = await open({}, { home })
  await next.gateway.idle()
  expect(next.said()).toEqual([])
})

test('a gateway that another program runs is not restarted', async () => {
  const { asked, say, said } = await open({ isForeign: true })
  await say('/restart')
  expect(said().at(-1)).toContain('not started by svc gateway')
  expect(asked).toEqual([])
})

test('a chat is not told of a return after more than a day', async () => {
  const home = temporaryFolder()
  const clock = virtualClock(1_700_000_000_000)
  const { confirm, kernel } = await open({}, { home, clock })
  await confirm('/restart', 'yes')
  await kernel.stop()
  const next = await open({}, { home, clock: virtualClock(1_700_000_000_000 + 86_400_001) })
  await next.gateway.idle()
  expect(next.said()).toEqual([])
})

test('an update is looked for, confirmed, installed and followed by a restart', async () => {
  const home = temporaryFolder()
  const { asked, say, said, confirm, kernel } = await open({}, { home })
  await say('/update check')
  expect(said().at(-1)).toBe(`svc ${version} is in use; there is 9.9.9. /update installs it.`)
  await confirm('/update', 'no')
  expect(asked).toEqual([])
  await confirm('/update', 'yes')
  await expect.poll(() => asked).toEqual(['apply', 'restart'])
  expect(said()).toContain('svc 9.9.9 is installed. The gateway restarts.')
  await kernel.stop()
  // Of the same version: what is installed in this test is not real.
  const next = await open({}, { home })
  await expect.poll(() => next.said()).toEqual([`I am back: svc ${version}.`])
})

test('an update that fails is told, and one that is under way is not begun twice', async () => {
  let fail: (error: Error) => void = () => {}
  const apply = () => new Promise<never>((_resolve, reject) => (fail = reject))
  const { asked, say, said, confirm } = await open({ apply })
  await confirm('/update', 'yes')
  await say('/update')
  expect(said().at(-1)).toBe('An update is under way.')
  await expect.poll(() => asked).toEqual(['apply'])
  fail(new Error('the rehearsal failed'))
  await expect.poll(() => said().at(-1)).toContain(`svc ${version} is still in use: the rehearsal failed`)
  expect(asked).toEqual(['apply'])
})

test('a process that ends during an update is followed by one that says what is in use', async () => {
  const home = temporaryFolder()
  const first = await open({ apply: () => new Promise(() => {}) }, { home })
  await first.confirm('/update', 'yes')
  await expect.poll(() => first.asked).toEqual(['apply'])
  await first.kernel.stop()
  const next = await open({}, { home })
  await expect.poll(() => next.said().join()).toContain(`svc ${version} is still in use`)
})

test('nothing newer, and svc that something else updates', async () => {
  const newest = await open({ check: { method: 'npm', version, newest: version, isNewer: false } })
  await newest.say('/update')
  expect(newest.said().at(-1)).toBe(`svc ${version} is the newest version.`)
  const brew = await open({ check: { method: 'homebrew', version, isNewer: false, reason: 'Homebrew updates it.' } })
  await brew.say('/update')
  expect(brew.said().at(-1)).toBe('Homebrew updates it.')
})

test('/debug in a chat names no folder and no secret, and sends the bundle as a file', async () => {
  const broken: InlinePlugin = {
    name: 'broken-one',
    setup: (ctx) => {
      throw new Error(`${ctx.dataDir} fell over with known-secret-0123456789`)
    },
  }
  const story = await open({}, { env: { OPENAI_API_KEY: 'known-secret-0123456789' }, with: [broken] })
  const { say, said, kernel, fake } = story
  await say('/debug')
  const shown = said().at(-1) ?? ''
  expect(shown).toContain(`svc ${version}, Node ${process.version}`)
  expect(shown).toContain('- fake: connected')
  expect(shown).toMatch(/broken-one, setup: .*fell over/)
  expect(shown).not.toContain(kernel.home)
  expect(shown).not.toContain('known-secret')
  await story.confirm('/debug bundle', 'no')
  expect(said().at(-1)).toBe('Nothing was sent.')
  await story.confirm('/debug bundle', 'yes')
  await expect.poll(() => fake.sent.at(-1)?.files?.[0]?.name ?? '').toMatch(/^svc-debug-.*\.zip$/)
  const files = unzipSync((await fake.sent.at(-1)?.files?.[0]?.bytes()) ?? new Uint8Array())
  expect(Object.keys(files)).toContain('plugins.json')
  const talk = fakeTalk(kernel)
  expect(await talk.type('/debug')).toContain(`SVC_HOME ${kernel.home}`)
  expect(await talk.type('/debug bundle')).toContain('svc debug share')
})
