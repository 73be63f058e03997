import fc from 'fast-check'
import { type Message, type Session, Sessions } from 'svc/sdk'
import { type TestKernel, testKernel } from 'svc/sdk/testing'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'

let kernel: TestKernel
beforeAll(async () => {
  kernel = await testKernel({ plugins: ['sessions'] })
})
afterAll(() => kernel.stop())

let turns = 0
const user = (text: string): Message => ({ role: 'user', text })
const texts = (messages: readonly Message[]) => messages.map(({ text }) => text)

function say(session: Session, ...words: string[]): void {
  const turnId = `turn_${turns++}`
  const start = { type: 'turn.start', text: '', provider: 'p', model: 'm' } as const
  session.record({ turnId, events: [start], messages: words.map(user) })
  session.record({ turnId, events: [{ type: 'turn.end', reason: 'completed', usage: {} }] })
}

function begin(...words: string[]): Session {
  const session = kernel.use(Sessions).create({ surface: 'cli', cwd: '/work' })
  say(session, ...words)
  return session
}

describe('taking messages back', () => {
  test('they are gone from the conversation and from the search, and come back whole', () => {
    const session = begin('one', 'two', 'threeAndOnly')
    expect(texts(session.rewind(1))).toEqual(['two', 'threeAndOnly'])
    expect(texts(session.messages())).toEqual(['one'])
    expect(kernel.use(Sessions).search('threeAndOnly')).toEqual([])
    expect(session.unwind()).toBe(2)
    expect(texts(session.messages())).toEqual(['one', 'two', 'threeAndOnly'])
    expect(kernel.use(Sessions).search('threeAndOnly')).toHaveLength(1)
  })

  test('what was said since stays: then the way back is closed', () => {
    const session = begin('one', 'two')
    session.rewind(1)
    say(session, 'other')
    expect(session.unwind()).toBe(0)
    expect(texts(session.messages())).toEqual(['one', 'other'])
    expect(texts(session.history())).toEqual(['one', 'two', 'other'])
  })

  test('another holder of the session sees it too, and while a turn is at work no one may', () => {
    const session = begin('one', 'two')
    const other = kernel.use(Sessions).open(session.id)
    expect(other.messages()).toHaveLength(2)
    session.rewind(1)
    expect(texts(other.messages())).toEqual(['one'])
    const start = { type: 'turn.start', text: '', provider: 'p', model: 'm' } as const
    session.record({ turnId: 'open', events: [start] })
    expect(() => other.rewind(0)).toThrow(expect.objectContaining({ code: 'SESSION_IN_USE' }))
  })
})

describe('compressing', () => {
  test('a summary stands for the middle; the prompt is built again; what was replaced is still found', () => {
    const session = begin('head', 'middle one', 'middle haystackneedle', 'tail')
    session.setSystemPrompt('old')
    session.compress({ from: 1, to: 3, summary: [user('summary')] })
    expect(texts(session.messages())).toEqual(['head', 'summary', 'tail'])
    expect(session.systemPrompt()).toBeUndefined()
    const [hit] = kernel.use(Sessions).search('haystackneedle')
    expect(session.history()[hit?.messageIndex ?? -1]?.text).toBe('middle haystackneedle')
    say(session, 'later')
    expect(texts(session.messages())).toEqual(['head', 'summary', 'tail', 'later'])
  })

  test('a branch and an archive have the same conversation', async () => {
    const sessions = kernel.use(Sessions)
    const session = begin('a', 'b', 'c', 'd')
    session.compress({ from: 0, to: 2, summary: [user('s')] })
    say(session, 'e')
    session.rewind(3)
    expect(texts(sessions.branch(session.id).messages())).toEqual(['s', 'c', 'd'])
    const archive = sessions.export(session.id)
    await sessions.remove([session.id])
    sessions.import(archive)
    const back = sessions.open(session.id)
    expect(texts(back.messages())).toEqual(['s', 'c', 'd'])
    expect(back.unwind()).toBe(1)
    expect(texts(back.messages())).toEqual(['s', 'c', 'd', 'e'])
  })
})

type Step =
  | { readonly do: 'say'; readonly count: number }
  | { readonly do: 'rewind'; readonly at: number }
  | { readonly do: 'unwind' }
  | { readonly do: 'compress'; readonly from: number; readonly length: number; readonly into: number }

const step: fc.Arbitrary<Step> = fc.oneof(
  fc.record({ do: fc.constant('say' as const), count: fc.integer({ min: 1, max: 4 }) }),
  fc.record({ do: fc.constant('rewind' as const), at: fc.nat(12) }),
  fc.record({ do: fc.constant('unwind' as const) }),
  fc.record({ do: fc.constant('compress' as const), from: fc.nat(8), length: fc.nat(8), into: fc.nat(3) }),
)

/** A list that does the same: rewinds are brought back one after the other, until something is said or compressed. */
class Model {
  list: readonly string[] = ['start']
  #undo: (readonly string[])[] = []
  #count = 0

  next(length: number): string[] {
    return Array.from({ length }, () => `m${this.#count++}`)
  }

  say(words: readonly string[]): void {
    this.list = [...this.list, ...words]
    this.#undo = []
  }

  rewind(at: number): void {
    if (at < this.list.length) this.#undo.push(this.list)
    this.list = this.list.slice(0, at)
  }

  unwind(): void {
    this.list = this.#undo.pop() ?? this.list
  }

  compress(from: number, length: number, words: readonly string[]): void {
    if (length === 0 || from >= this.list.length) return
    this.list = [...this.list.slice(0, from), ...words, ...this.list.slice(from + length)]
    this.#undo = []
  }
}

function take(step: Step, session: Session, model: Model): void {
  if (step.do === 'say') {
    const words = model.next(step.count)
    say(session, ...words)
    model.say(words)
  } else if (step.do === 'rewind') {
    session.rewind(step.at)
    model.rewind(step.at)
  } else if (step.do === 'unwind') {
    session.unwind()
    model.unwind()
  } else {
    const words = model.next(step.into)
    session.compress({ from: step.from, to: step.from + step.length, summary: words.map(user) })
    model.compress(step.from, step.length, words)
  }
}

test('whatever is said, taken back, brought back and compressed, every reader sees what a list would hold', () => {
  fc.assert(
    fc.property(fc.array(step, { maxLength: 12 }), (steps) => {
      const session = begin('start')
      const model = new Model()
      for (const each of steps) {
        take(each, session, model)
        expect(texts(session.messages())).toEqual(model.list)
      }
      expect(texts(kernel.use(Sessions).open(session.id).messages())).toEqual(model.list)
    }),
    {
      numRuns: 60,
      examples: [[[{ do: 'say', count: 1 }, { do: 'rewind', at: 1 }, { do: 'rewind', at: 0 }, { do: 'unwind' }]]],
    },
  )
})
