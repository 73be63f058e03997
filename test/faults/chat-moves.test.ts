/**
 * What a conversation, its answers and the gateway do when a chat moves them: the process is killed before every step of `/handoff`,
 * `/mirror`, `/restart` and `/update`, and started again. A part of the steps is tried each day: `SVC_FAULTS=all` tries all.
 */
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { type ModelServer, startModelServer } from '../support/model-server.ts'
import { DAY, IS_ALL, isToday } from '../support/today.ts'
import { type Group, joinTexts, KilledTalk, readLastQuestion } from './chat-moves.ts'

/** One step of so many a day. */
const PARTS = 10
const AT_ONCE = IS_ALL ? 3 : 2

const config = (url: string) => `model:
  provider: custom
  base_url: ${url}
  default: fake-model
`

interface Story {
  readonly before: readonly Group[]
  /** Their steps are counted. */
  readonly groups: readonly Group[]
  readonly plugins?: readonly string[]
  prepare?(talk: KilledTalk): void
  /** What must hold in the end. */
  check(talk: KilledTalk, model: ModelServer): Promise<void>
}

/** Tells it with a process that dies before a step; undefined: none does. Returns the steps, and whether one did. */
async function tell(story: Story, at: number | undefined): Promise<{ steps: string[]; isKilled: boolean }> {
  const model = await startModelServer({
    replies: (request) => `Answer to ${JSON.stringify(readLastQuestion(request))}`,
  })
  const talk = new KilledTalk(config(model.url), story.plugins)
  try {
    story.prepare?.(talk)
    await talk.start(at)
    for (const group of [...story.before, ...story.groups]) await talk.act(group)
    await talk.settle()
    await story.check(talk, model)
    await talk.stop()
    return { steps: talk.steps(), isKilled: talk.kills > 0 }
  } finally {
    await talk.close()
    await model.close()
  }
}

async function killEverywhere(story: Story): Promise<void> {
  const { steps } = await tell(story, undefined)
  expect(steps.length).toBeGreaterThan(10)
  const waiting = steps.map((_, index) => index + 1).filter((step) => isToday(step, PARTS))
  const failed: string[] = []
  let killed = 0
  const work = async () => {
    for (let step = waiting.shift(); step !== undefined; step = waiting.shift()) {
      const what = `SVC_FAULTS_DAY=${DAY}, killed before step ${step} of ${steps.length}, ${steps[step - 1]}`
      try {
        if ((await tell(story, step)).isKilled) killed++
      } catch (error) {
        failed.push(`${what}: ${error instanceof Error ? error.message : String(error)}`)
      }
    }
  }
  await Promise.all(Array.from({ length: AT_ONCE }, work))
  console.log(`${killed} kills at ${steps.length} steps`)
  expect(failed.join('\n\n')).toBe('')
  expect(killed).toBeGreaterThan(0)
}

const LONG = { timeout: IS_ALL ? 3_600_000 : 600_000 }
const bees: Group = [{ text: 'I like bees', until: /^Answer to .*I like bees/ }]

test('a conversation that is handed over is in one of the two chats, and both are told once', LONG, async () => {
  await killEverywhere({
    before: [bees],
    groups: [
      [{ text: '/handoff other', until: /Continue the conversation/, at: 'other' }],
      [{ platform: 'other', text: '/handoff yes', until: /goes on in/, at: 'spool' }],
    ],
    async check(talk, model) {
      expect(talk.count(/goes on in/, 'spool'), talk.describe()).toBe(1)
      expect(talk.count(/goes on here\./, 'other'), talk.describe()).toBe(1)
      await talk.act([{ platform: 'other', text: 'what do I like?', until: /^Answer to .*what do I like/ }])
      expect(joinTexts(model.requests.at(-1))).toContain('I like bees')
      await talk.act([{ text: 'and here?', until: /^Answer to .*and here/ }])
      expect(joinTexts(model.requests.at(-1))).not.toContain('I like bees')
      await talk.settle()
      expect(talk.count(/Answer to .*what do I like/, 'other'), talk.describe()).toBe(1)
      expect(talk.count(/Answer to .*and here/, 'spool'), talk.describe()).toBe(1)
      expect(talk.count(/Answer to/, 'spool') + talk.count(/Answer to/, 'other'), talk.describe()).toBe(
        3 + talk.count(/goes on here\.\n\nAnswer to/, 'other'),
      )
    },
  })
})

test('a mirror that is set has each answer once', LONG, async () => {
  await killEverywhere({
    before: [bees],
    groups: [
      [{ text: '/mirror other', until: /Send the answers in/, at: 'other' }],
      [{ platform: 'other', text: '/mirror yes', until: /are also sent to/, at: 'spool' }],
      [{ text: 'how are you?', until: /Answer to .*how are you/, at: 'other' }],
    ],
    async check(talk) {
      await talk.act([{ text: 'and now?', until: /Answer to .*and now/, at: 'other' }])
      await talk.settle()
      for (const platform of ['spool', 'other'])
        for (const asked of [/Answer to .*how are you/, /Answer to .*and now/])
          expect(talk.count(asked, platform), talk.describe()).toBe(1)
      expect(talk.count(/Answer to .*bees/, 'other'), talk.describe()).toBe(0)
      expect(talk.count(/are also sent to/, 'spool'), talk.describe()).toBe(1)
    },
  })
})

/** Of an operation that restarts the gateway once it was confirmed. */
async function checkReturn(talk: KilledTalk): Promise<void> {
  await talk.act([{ text: 'still there?', until: /^Answer to .*still there/ }])
  await talk.settle()
  expect(talk.count(/still there/, 'spool'), talk.describe()).toBe(1)
  const confirmed = 1 + talk.repeats
  expect(talk.restarts, talk.describe()).toBeLessThanOrEqual(confirmed)
  expect(talk.count(/I am back/, 'spool'), talk.describe()).toBeLessThanOrEqual(confirmed)
  expect(talk.count(/I am back/, 'spool'), talk.describe()).toBeGreaterThan(0)
  expect(talk.count(/I am back/, 'other'), talk.describe()).toBe(0)
}

test(
  'a restart that a chat asked for is done once, not again by the process after it, and told once',
  LONG,
  async () => {
    await killEverywhere({
      before: [bees],
      groups: [
        [
          { text: '/restart', until: /Restart the gateway\?/ },
          { text: 'yes', until: /I am back/, promise: /I write here when/ },
        ],
      ],
      check: checkReturn,
    })
  },
)

/** In the place of what installs: another version that is there at once. */
const updates = `import { Updates } from 'svc/sdk/operations'
export default {
  setup(ctx) {
    ctx.wrap(Updates, () => ({
      check: async () => ({ method: 'npm', version: '0.1.0', newest: '9.9.9', isNewer: true, command: 'svc update' }),
      apply: async () => {
        globalThis.svcSteps?.step('installs')
        return { version: '9.9.9' }
      },
    }))
  },
}
`

test('an update that a chat asked for ends with one word about its end, whenever svc is killed', LONG, async () => {
  await killEverywhere({
    before: [bees],
    groups: [
      [
        { text: '/update', until: /Install svc 9\.9\.9/ },
        { text: 'yes', until: /I am back|still in use/, promise: /I write here how/ },
      ],
    ],
    plugins: ['newer'],
    prepare({ place }) {
      const dir = join(place.home, 'plugins', 'newer')
      mkdirSync(dir)
      const manifest = { name: 'newer', version: '1.0.0', sdk: '^0.1.0', kind: 'feature', description: 'A newer svc.' }
      writeFileSync(join(dir, 'plugin.json'), JSON.stringify({ ...manifest, wraps: ['updates'], with: ['gateway'] }))
      writeFileSync(join(dir, 'index.js'), updates)
    },
    async check(talk) {
      await talk.act([{ text: 'still there?', until: /^Answer to .*still there/ }])
      await talk.settle()
      expect(talk.restarts, talk.describe()).toBeLessThanOrEqual(1 + talk.repeats)
      expect(talk.count(/I am back|still in use/, 'spool'), talk.describe()).toBeLessThanOrEqual(1 + talk.repeats)
      expect(talk.count(/still there/, 'spool'), talk.describe()).toBe(1)
    },
  })
})
