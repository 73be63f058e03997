/** Every file below SVC_HOME is damaged in turn. Nothing that was acknowledged and that a backup holds is lost. */
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { missingTmux, Tmux } from '../support/tmux.ts'
import { isToday } from '../support/today.ts'
import { type Acknowledged, ask, DamageHome, damages } from './damage-home.ts'

const LONG = { timeout: 90_000 }
const template = new DamageHome()
const acknowledged: Acknowledged = await template.fill()
const files = template.files()
const kinds = Object.keys(damages)
/** What holds conversations, money and settings themselves. */
const vital = /^(config\.yaml|data\/(sessions|outbox|gateway|budgets)\/[a-z]+\.db)$/
/** From the command line each file in some ways a day; elsewhere half of the vital ones in one, a quarter of the others in one. */
const cases = files.flatMap((file, at) => {
  return kinds.filter((_, way) => isToday(at + way, 24)).map((kind) => [file, kind] as const)
})
const some = files.flatMap((file, at) => {
  const parts = vital.test(file) ? kinds.length * 2 : kinds.length * 4
  return kinds.filter((_, way) => isToday(at + way, parts)).map((kind) => [file, kind] as const)
})

afterAll(() => template.close())

test('the home that is damaged has conversations, spending, settings, and a backup of every database', () => {
  expect(acknowledged.conversations.length).toBeGreaterThanOrEqual(4)
  expect(files).toEqual(expect.arrayContaining(['config.yaml', 'data/budgets/budgets.db', 'data/sessions/sessions.db']))
  expect(files.filter((file) => file.endsWith('.db.backup')).length).toBeGreaterThanOrEqual(5)
})

/** A copy of the home in which one file is damaged. */
async function damaged<T>(file: string, kind: string, work: (home: DamageHome) => Promise<T>): Promise<T> {
  const home = new DamageHome(template)
  try {
    damages[kind]?.(join(home.home, file))
    return await work(home)
  } finally {
    home.close()
  }
}

function expectForPeople(said: string): void {
  expect(said).not.toMatch(/\n\s+at .*[:(]\d+/)
  expect(said).not.toMatch(/undefined|\[object/)
}

/** Does what a message says; a home that is well needs nothing. */
async function followAdvice(home: DamageHome, said: string): Promise<void> {
  const [, words = ''] = /`svc ((?:budget|config) [a-z]+)`/.exec(said) ?? []
  if (words === '') return
  const { code, text } = await home.svc(...words.split(' '), ...(words.startsWith('budget') ? ['--yes'] : []))
  expect({ words, code, text }).toMatchObject({ code: 0 })
}

async function expectNothingLost(home: DamageHome): Promise<void> {
  const { text } = await home.svc('config', 'check')
  if (text.includes('svc config restore')) expect(await home.svc('config', 'restore')).toMatchObject({ code: 0 })
  expect(await home.conversations()).toEqual(expect.arrayContaining([...acknowledged.conversations]))
  expect((await home.svc('config', 'get', 'budget.account.day.usd')).text).toMatch(/^5$/m)
}

describe('at the command line', () => {
  test.concurrent.for(cases)('%s that is %s costs no conversation and no setting', LONG, async ([file, kind]) => {
    await damaged(file, kind, async (home) => {
      const first = await home.svc('chat', '-q', 'hello')
      expectForPeople(first.text)
      if (first.code !== 0) {
        expect(first.text).toMatch(/\([A-Z]+(_[A-Z]+)+\)/)
        await followAdvice(home, first.text)
        const second = await home.svc('chat', '-q', 'hello')
        expect(second).toMatchObject({ code: 0 })
      }
      if (file === 'data/sessions/sessions.db') expect(first.text).toContain('sessions.db')
      await expectNothingLost(home)
    })
  })
})

describe('in a gateway with its API', () => {
  test.concurrent.for(some)('%s that is %s costs no conversation and no answer', LONG, async ([file, kind]) => {
    await damaged(file, kind, async (home) => {
      let served = await home.serve()
      let reply =
        served.port === undefined
          ? undefined
          : await ask(served.port, '/v1/responses', { model: 'svc', input: 'hello' })
      if ((reply?.body as { status?: string } | undefined)?.status !== 'completed') {
        await served.stop()
        const text = `${served.said()}${JSON.stringify(reply?.body)}`
        expectForPeople(text)
        await followAdvice(home, text)
        served = await home.serve()
        reply = await ask(served.port, '/v1/responses', { model: 'svc', input: 'hello' })
      }
      expect(reply).toMatchObject({ status: 200, body: { status: 'completed' } })
      expect(await ask(served.port, `/v1/responses/${acknowledged.answer}`)).toMatchObject({ status: 200 })
      expect(await served.stop()).toBe(0)
      expectForPeople(served.said())
      await expectNothingLost(home)
    })
  })
})

describe.skipIf(missingTmux())('on the full screen', () => {
  let open: Tmux[] = []
  beforeAll(() => {
    open = []
  })
  afterAll(async () => {
    await Promise.all(open.map((terminal) => terminal.close()))
  })

  test.concurrent.for(some)('%s that is %s costs no conversation and no setting there', LONG, async ([file, kind]) => {
    await damaged(file, kind, async (home) => {
      const env = { ...home.environment, TERM: 'tmux-256color' }
      const terminal = new Tmux({ command: home.command(), columns: 120, rows: 40, cwd: home.work, env })
      open.push(terminal)
      await terminal.shows(/demo/)
      terminal.line('hello')
      const screen = await terminal.shows(/I am a scripted demo|svc [a-z]+ [a-z]+|\([A-Z]+(_[A-Z]+)+\)/)
      expectForPeople(screen)
      terminal.press('C-d')
      await terminal.shows(/left with 0/)
      await followAdvice(home, screen)
      await expectNothingLost(home)
    })
  })
})
