import { fakeProvider } from 'svc/sdk/testing'
import { describe, expect, it } from 'vitest'
import { stage } from './stage.ts'

const long = Array.from({ length: 60 }, (_, at) => `- line ${at}`).join('\n')

describe('keys of the transcript', () => {
  it('scroll by pages, lines, to both ends and with the wheel, and typing goes on meanwhile', async () => {
    const on = await stage(fakeProvider([long]))
    await on.type('go', 'enter')
    await on.settled()
    expect(on.text()).toContain('line 59')
    await on.key('pageup')
    expect(on.text()).not.toContain('line 59')
    await on.type('abc')
    expect(on.text()).toMatch(/❯ abc/)
    await on.key('C-c', 'home')
    expect(on.text()).toContain('What shall we do?')
    on.screen.put({ type: 'mouse', action: 'wheel-down', row: 3, column: 3 })
    await on.drawn()
    expect(on.text()).not.toContain('What shall we do?')
    await on.key('end')
    expect(on.text()).toContain('line 59')
  })

  it('select a block, fold it, copy it, and let it go', async () => {
    const call = { calls: [{ name: 'list_files', input: {} }] }
    const on = await stage(fakeProvider([call, 'Done.']))
    await on.type('go', 'enter')
    await on.settled()
    await on.key('M-up')
    await on.type('y')
    expect(on.screen.said).toContain('copy Done.')
    await on.key('M-up', 'enter')
    const unfolded = on.text()
    const row = unfolded.split('\n').findIndex((line) => line.includes('list_files'))
    expect(unfolded.split('\n')[row + 1]).toMatch(/┊ {3}\S/)
    await on.key('escape')
    on.screen.put({ type: 'mouse', action: 'press', row, column: 5 })
    await on.drawn()
    expect(on.text().split('\n')[row + 1]).not.toMatch(/┊ {3}\S/)
  })
})

describe('keys of the interface', () => {
  it('suspend it, draw it again, show reasoning, and ask for help where there is no screen for it', async () => {
    const on = await stage(fakeProvider([{ reasoning: 'because of this', text: 'So.' }]))
    await on.type('go', 'enter')
    await on.settled()
    expect(on.text()).not.toContain('because of this')
    await on.key('C-o')
    await on.seen('because of this')
    await on.key('C-z')
    await on.drawn()
    expect(on.screen.said).toContain('suspend')
    await on.key('f1')
    await on.seen('• /')
  })

  it('open the palette in the middle of a draft, and its command waits for more words in the draft', async () => {
    const on = await stage(fakeProvider(['x']))
    await on.type('draft ', 'C-p')
    await on.type('queue a message', 'escape', 'C-c', 'C-p')
    await on.type('/copy', 'enter')
    await on.seen('❯ /copy')
    expect(on.text()).not.toContain('draft')
  })

  it('cancel a question with Ctrl-C, and do not leave', async () => {
    const ask = { calls: [{ name: 'clarify', input: { question: 'Which?' } }] }
    const on = await stage(fakeProvider([ask, 'I chose.']))
    await on.type('go', 'enter')
    await on.seen('Which?')
    await on.clock.advance(500)
    await on.key('C-c')
    await on.settled()
    expect(on.text()).toContain('I chose.')
    expect(on.conversation.open).toBe(true)
  })
})
