import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { defineSessionState, type Message, type Session, type SessionState, Sessions } from 'svc/sdk'
import { type TestKernel, testKernel } from 'svc/sdk/testing'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'

let kernel: TestKernel
beforeAll(async () => {
  kernel = await testKernel({ plugins: ['sessions'] })
})
afterAll(() => kernel.stop())

const asText = (value: unknown) => (typeof value === 'string' ? value : undefined)
const Folder: SessionState<string> = defineSessionState('test:folder', { undo: 'restores', parse: asText })
const Model: SessionState<string> = defineSessionState('test:model', { undo: 'keeps', parse: asText })

const sessions = () => kernel.use(Sessions)
const logged = () => readFileSync(join(kernel.home, 'logs/svc.log'), 'utf8').split('\n')
const begin = () => sessions().create({ surface: 'cli', cwd: '/work' })
const user = (text: string): Message => ({ role: 'user', text })
let turns = 0

/** A message, and what a tool of its turn stored. */
function say(session: Session, text: string, folder?: string): void {
  const turnId = `turn_${turns++}`
  const start = { type: 'turn.start', text, provider: 'p', model: 'm' } as const
  session.record({ turnId, events: [start], messages: [user(text)] })
  if (folder !== undefined) session.setState(Folder, folder)
  const end = { type: 'turn.end', reason: 'completed', usage: {} } as const
  session.record({ turnId, events: [end], messages: [{ role: 'assistant', text: 'ok' }] })
}

describe('state of a session', () => {
  test('is there for every holder of the session, and gone when it is removed', () => {
    const session = begin()
    expect(session.state(Folder)).toBeUndefined()
    session.setState(Folder, '/a')
    expect(sessions().open(session.id).state(Folder)).toBe('/a')
    session.setState(Folder, undefined)
    expect(session.state(Folder)).toBeUndefined()
  })

  test('/undo restores the value from before the messages, /redo the one from after', () => {
    const session = begin()
    say(session, 'one', '/a')
    say(session, 'two', '/b')
    session.rewind(2)
    expect(session.state(Folder)).toBe('/a')
    session.unwind()
    expect(session.state(Folder)).toBe('/b')
    session.rewind(0)
    expect(session.state(Folder)).toBeUndefined()
  })

  test('a value that is set after messages were taken back stays, also when these come back', () => {
    const session = begin()
    say(session, 'one', '/a')
    session.rewind(0)
    session.setState(Folder, '/c')
    expect(session.state(Folder)).toBe('/c')
    session.unwind()
    expect(session.state(Folder)).toBe('/c')
  })

  test('a setting of a person has nothing to do with messages that are taken back', () => {
    const session = begin()
    say(session, 'one')
    session.setState(Model, 'small')
    session.rewind(0)
    expect(session.state(Model)).toBe('small')
  })

  test('a value that belongs to the next message goes with that one', () => {
    const session = begin()
    say(session, 'one', '/a')
    session.setState(Folder, '/goal', { with: 'next-message' })
    expect(session.state(Folder)).toBe('/goal')
    say(session, 'two')
    session.rewind(2)
    expect(session.state(Folder)).toBe('/a')
  })

  test('compressing messages changes nothing of it', () => {
    const session = begin()
    say(session, 'one', '/a')
    session.compress({ from: 0, to: 2, summary: [user('so far')] })
    expect(session.state(Folder)).toBe('/a')
  })

  test('a branch begins with the state as of the branch point, and both go their own ways', () => {
    const session = begin()
    say(session, 'one', '/a')
    say(session, 'two', '/b')
    session.setState(Model, 'small')
    const [whole, early] = [sessions().branch(session.id), sessions().branch(session.id, { upTo: 2 })]
    expect([whole.state(Folder), whole.state(Model)]).toEqual(['/b', 'small'])
    expect([early.state(Folder), early.state(Model)]).toEqual(['/a', 'small'])
    whole.setState(Folder, '/c')
    expect(session.state(Folder)).toBe('/b')
    // What was said before the branch can be taken back in it, too.
    whole.rewind(2)
    expect(whole.state(Folder)).toBe('/a')
  })

  test('a branch at an event has the state of that moment', () => {
    const session = begin()
    say(session, 'one', '/a')
    const seq = session.events().at(-1)?.seq ?? 0
    say(session, 'two', '/b')
    expect(sessions().branch(session.id, { atSeq: seq }).state(Folder)).toBe('/a')
  })

  test('a branch at a message that was taken back since has the state of that moment', () => {
    const session = begin()
    say(session, 'one', '/a')
    say(session, 'two', '/b')
    say(session, 'three', '/c')
    session.rewind(2)
    expect(session.state(Folder)).toBe('/a')
    expect(sessions().branch(session.id, { at: 4 }).state(Folder)).toBe('/b')
  })

  test('a branch after /undo does not bring back what was taken', () => {
    const session = begin()
    say(session, 'one', '/a')
    say(session, 'two', '/b')
    session.rewind(2)
    expect(sessions().branch(session.id).state(Folder)).toBe('/a')
  })

  test('an export holds all of it: what was taken back in the original is taken back in the copy', async () => {
    const session = begin()
    say(session, 'one', '/a')
    say(session, 'two', '/b')
    session.setState(Model, 'small')
    session.rewind(2)
    const archive = JSON.parse(JSON.stringify(sessions().export(session.id)))
    await sessions().remove([session.id])
    sessions().import(archive)
    const copy = sessions().open(session.id)
    expect([copy.state(Folder), copy.state(Model)]).toEqual(['/a', 'small'])
    copy.unwind()
    expect(copy.state(Folder)).toBe('/b')
  })

  test('what is no plain data, too large, or from an import and not well-formed is refused', () => {
    const session = begin()
    const store = (value: unknown) => () => session.setState(Folder, value as string)
    const refused = expect.objectContaining({ code: 'SESSION_STATE_INVALID' })
    expect(store(1n)).toThrow(refused)
    expect(store(() => 1)).toThrow(refused)
    expect(store('x'.repeat(2 ** 20))).toThrow(refused)
    store({ odd: true })()
    expect(session.state(Folder)).toBeUndefined()
  })

  test('a value that its owner rejects is reported once and kept aside, and the session continues without it', () => {
    const session = begin()
    say(session, 'one', '/a')
    session.setState(Folder, { odd: true } as never)
    for (const held of [session, session, sessions().open(session.id)]) expect(held.state(Folder)).toBeUndefined()
    const said = logged().filter((line) => line.includes('test:folder') && line.includes(session.id))
    expect(said).toEqual([expect.stringContaining('kept in sessions.db as test:folder#rejected')])
    const aside = sessions()
      .export(session.id)
      .states?.find(({ id }) => id === 'test:folder#rejected')
    expect(aside?.value).toEqual({ odd: true })
    session.setState(Folder, '/b')
    expect(session.state(Folder)).toBe('/b')
    expect(
      sessions()
        .export(session.id)
        .states?.filter(({ id }) => id === 'test:folder#rejected'),
    ).toHaveLength(1)
  })

  test('changes are bounded: the newest two hundred stay', () => {
    const session = begin()
    for (let count = 0; count < 260; count++) say(session, `message ${count}`, `/${count}`)
    expect(sessions().export(session.id).states).toHaveLength(200)
    expect(session.state(Folder)).toBe('/259')
  })

  test('whatever is said, taken back, brought back and branched, the value is the one of the last turn that is read', () => {
    fc.assert(
      fc.property(fc.array(step, { maxLength: 12 }), (steps) => {
        const story = new Story()
        for (const each of steps) {
          story.take(each)
          expect(story.session.messages()).toHaveLength(story.read.length * 2)
          expect(story.session.state(Folder)).toBe(story.read.at(-1))
        }
      }),
      { numRuns: 60 },
    )
  })
})

type Step =
  | { readonly do: 'say'; readonly folder: string | null }
  | { readonly do: 'undo'; readonly count: number }
  | { readonly do: 'branch'; readonly count: number }
  | { readonly do: 'redo' }

const step: fc.Arbitrary<Step> = fc.oneof(
  fc.record({ do: fc.constant('say' as const), folder: fc.option(fc.string({ minLength: 1, maxLength: 3 })) }),
  fc.record({ do: fc.constant('undo' as const), count: fc.integer({ min: 1, max: 3 }) }),
  fc.record({ do: fc.constant('branch' as const), count: fc.integer({ min: 1, max: 3 }) }),
  fc.record({ do: fc.constant('redo' as const) }),
)

/** A session, and what it should hold: the value after each turn that is read, and what the newest undo took. */
class Story {
  session = begin()
  read: (string | undefined)[] = []
  #taken: (string | undefined)[] = []

  take(each: Step): void {
    if (each.do === 'undo') {
      this.#undo(Math.max(0, this.read.length - each.count))
      return
    }
    if (each.do === 'redo') {
      if (this.session.unwind() > 0) this.read.push(...this.#taken)
    } else if (each.do === 'branch') {
      this.session = sessions().branch(this.session.id, { upTo: each.count * 2 })
      this.read = this.read.slice(0, each.count)
    } else {
      say(this.session, 'x', each.folder ?? undefined)
      this.read.push(each.folder ?? this.read.at(-1))
    }
    this.#taken = []
  }

  #undo(kept: number): void {
    if (this.session.rewind(kept * 2).length > 0) this.#taken = this.read.splice(kept)
  }
}
