import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  type Block,
  type BlockBody,
  empty,
  listBlocks,
  reduce,
  type State,
} from '../../../../plugins/terminal-ui/tui-transcript/state.ts'
import { Window } from '../../../../plugins/terminal-ui/tui-transcript/window.ts'
import { begin, joinSpans, look, picture, renderText, stateAfter } from '../tui/look.ts'

/** A conversation of questions and answers, each of some lines. */
function long(messages: number): readonly Block[] {
  return Array.from({ length: messages }, (_, id): Block => {
    if (id % 2 === 0) return { kind: 'user', text: `question ${id}`, images: 0, id }
    return { kind: 'answer', text: `answer ${id}\n${'word '.repeat(id % 40)}`, open: false, id }
  })
}

const createState = (past: readonly Block[]): State => ({ ...empty, past, nextId: past.length })
const said = (text: string): BlockBody => ({ kind: 'said', text, tone: 'info' })

describe('10,000 messages', () => {
  it('cost as much as what is seen of them, wherever one looks', () => {
    const made = look()
    const transcript = new Window(made)
    const blocks = long(10_000)
    const laid = (work: () => void) => {
      const before = made.markdown.laid.calls
      work()
      transcript.view(blocks, 80, 40)
      return made.markdown.laid.calls - before
    }
    expect(laid(() => {})).toBeLessThan(30)
    expect(laid(() => transcript.scroll(-1))).toBeLessThan(5)
    expect(laid(() => transcript.scroll(-39))).toBeLessThan(30)
    expect(laid(() => transcript.top())).toBeLessThan(30)
    expect(laid(() => transcript.scroll(39))).toBeLessThan(30)
    expect(laid(() => transcript.follow())).toBeLessThan(30)
    expect(laid(() => {})).toBe(0)
  })

  it('are scrolled through from one end to the other, and every line is seen once', () => {
    const blocks = long(300)
    const transcript = new Window(look())
    const rows = 25
    const { lines } = transcript.view(blocks, 60, 100_000)
    transcript.top()
    const seen: string[] = []
    for (let page = 0; page < 1000 && !transcript.following; page++) {
      seen.push(...transcript.view(blocks, 60, rows).lines.map(joinSpans))
      transcript.scroll(rows)
    }
    const last = transcript.view(blocks, 60, rows).lines.map(joinSpans)
    const all = lines.map(joinSpans)
    expect(seen.slice(0, all.length - rows)).toEqual(all.slice(0, all.length - rows))
    expect(last).toEqual(all.slice(-rows))
  })

  it('a delta lays out nothing but the answer that it belongs to', () => {
    const made = look()
    const transcript = new Window(made)
    let state = stateAfter([begin('go'), { type: 'message.delta', text: 'a' }], createState(long(10_000)))
    transcript.view(listBlocks(state), 80, 40)
    const before = made.markdown.laid.calls
    for (let count = 0; count < 100; count++) {
      state = stateAfter([{ type: 'message.delta', text: ' b' }], state)
      transcript.view(listBlocks(state), 80, 40)
    }
    expect(made.markdown.laid.calls - before).toBe(100)
  })
})

describe('a user who scrolled away', () => {
  const blocks = long(200)
  it('keeps seeing the same lines while new ones come, and is told how many they are', () => {
    const transcript = new Window(look())
    transcript.view(blocks, 80, 20)
    transcript.scroll(-30)
    const before = transcript.view(blocks, 80, 20)
    let state = createState(blocks)
    for (let count = 0; count < 5; count++) state = reduce(state, { block: said('news') })
    const later = transcript.view(listBlocks(state), 80, 20)
    expect(later.lines).toEqual(before.lines)
    expect([before.fresh, later.fresh]).toEqual([0, 10])
    expect(renderText(picture(state, { columns: 80, rows: 24 }, { transcript }))).toMatch(/─ ↓ 10 new lines · End ─/)
    expect(renderText(picture(state, { columns: 80, rows: 9 }, { transcript }))).toContain('↓ 10 new lines · End')
    transcript.follow()
    const end = transcript.view(listBlocks(state), 80, 20)
    expect([end.fresh, joinSpans(end.lines.at(-1) ?? []).trim()]).toEqual([0, 'news'])
  })

  it('is away only while the end is out of sight', () => {
    const transcript = new Window(look())
    const away = (rows: number) => transcript.view(blocks, 80, rows).away
    expect(away(20)).toBe(false)
    transcript.scroll(-1)
    expect([away(20), away(100_000)]).toEqual([true, false])
    transcript.follow()
    expect(away(20)).toBe(false)
  })

  it('follows again once the end is reached, by however many steps', () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: -50, max: 30 }), { maxLength: 20 }), (steps) => {
        const transcript = new Window(look())
        transcript.view(blocks, 80, 20)
        for (const step of steps) {
          transcript.scroll(step)
          expect(transcript.view(blocks, 80, 20).lines).toHaveLength(20)
        }
        transcript.scroll(100_000)
        expect(transcript.following).toBe(true)
      }),
      { numRuns: 60 },
    )
  })

  it('stays in an answer that grows', () => {
    const transcript = new Window(look())
    const text = Array.from({ length: 100 }, (_, at) => `line ${at}`).join('\n')
    let state = stateAfter([begin('go'), { type: 'message.delta', text }])
    transcript.view(listBlocks(state), 80, 20)
    transcript.scroll(-40)
    const before = transcript.view(listBlocks(state), 80, 20).lines
    state = stateAfter([{ type: 'message.delta', text: `\n${text}` }], state)
    const later = transcript.view(listBlocks(state), 80, 20)
    expect(later.lines).toEqual(before)
    expect(later.fresh).toBe(100)
  })
})

it('500 resizes end in the picture that a fresh interface draws, also for a user who scrolled away', () => {
  const state = createState(long(400))
  const size = fc.record({ columns: fc.integer({ min: 1, max: 220 }), rows: fc.integer({ min: 1, max: 70 }) })
  fc.assert(
    fc.property(fc.array(size, { minLength: 50, maxLength: 50 }), fc.nat(300), (sizes, up) => {
      const last = { columns: 80, rows: 24 }
      const [resized, fresh] = [new Window(look()), new Window(look())]
      for (const transcript of [resized, fresh]) {
        picture(state, last, { transcript })
        transcript.scroll(-up)
      }
      for (const each of [...sizes, last]) picture(state, each, { transcript: resized })
      expect(picture(state, last, { transcript: resized })).toEqual(picture(state, last, { transcript: fresh }))
    }),
    { numRuns: 10 },
  )
})

describe('a block that is folded', () => {
  const tool = (id: number, text: string): Block => ({
    kind: 'tool',
    callId: `c${id}`,
    call: { name: 'terminal', input: { command: 'ls' }, state: 'done', text },
    depth: 0,
    again: false,
    id,
  })
  it('is unfolded and folded again, the newest call first', () => {
    const blocks = [tool(0, 'first\nresult'), tool(1, 'second\nresult')]
    const transcript = new Window(look())
    const text = () => transcript.view(blocks, 80, 20).lines.map(joinSpans).join('\n')
    expect(text()).not.toContain('result')
    transcript.toggle()
    expect(text()).toContain('second')
    expect(text()).not.toContain('first')
    transcript.toggle()
    expect(text()).not.toContain('second')
  })

  it('is found by going up and down, past what has nothing to fold', () => {
    const blocks: Block[] = [tool(0, 'a'), { kind: 'notice', text: 'n', tone: 'info', id: 1 }, tool(2, 'b')]
    const transcript = new Window(look())
    const selected = () => transcript.view(blocks, 80, 20).lines.map(joinSpans).length && transcript.selected?.id
    expect(selected()).toBeUndefined()
    transcript.select(-1)
    expect(selected()).toBe(2)
    transcript.select(-1)
    expect(selected()).toBe(0)
    transcript.select(-1)
    expect(selected()).toBe(0)
    transcript.select(1)
    transcript.select(1)
    expect(selected()).toBeUndefined()
  })
})
