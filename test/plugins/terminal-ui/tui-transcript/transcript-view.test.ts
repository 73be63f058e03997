import { type PluginContext, Tools } from 'svc/sdk'
import { ToolRenderers, type Transcript, Transcripts } from 'svc/sdk/terminal'
import { testKernel } from 'svc/sdk/testing'
import { describe, expect, it, onTestFinished } from 'vitest'
import { begin, end, event, renderText } from '../tui/look.ts'

type Setup = PluginContext<never>

/** A transcript as a front end gets it. */
async function open(): Promise<{ transcript: Transcript; text: () => string }> {
  const kernel = await testKernel({ plugins: ['tui-transcript'] })
  onTestFinished(() => kernel.stop())
  expect(kernel.problems()).toEqual([])
  const transcript = kernel.use(Transcripts).open({ surface: 'cli', banner: () => [[{ text: 'banner' }]] })
  return { transcript, text: () => renderText(transcript.view({ width: 60, rows: 12 })) }
}

const tool = [
  { type: 'tool.start', callId: 'c1', name: 'terminal', input: { command: 'ls' } },
  { type: 'tool.complete', callId: 'c1', name: 'terminal', ok: true, text: 'one\ntwo' },
] as const

describe('a transcript', () => {
  it('tells what is under way, and what the last call of the model took', async () => {
    const { transcript } = await open()
    expect(transcript.facts).toEqual({ usage: {} })
    transcript.show(event(begin('go')))
    transcript.show(event({ type: 'usage', usage: { input: 10, output: 5 } }))
    expect(transcript.facts).toMatchObject({ model: { provider: 'fake', model: 'test-1' }, contextTokens: 15 })
    expect(transcript.facts.busySince).toBeGreaterThan(0)
    transcript.show(event(end))
    expect(transcript.facts).toMatchObject({ busySince: undefined, model: undefined })
  })

  it('shows a call by a contributed view where the tool has one, too, whichever was loaded first', async () => {
    const contributes = { 'tool-views': ['mine'] }
    const view = { name: 'mine', tools: ['terminal'], title: () => 'my own title' }
    const mine = { name: 'mine', contributes, setup: (ctx: Setup) => void ctx.add(ToolRenderers, view) }
    for (const plugins of [
      ['tool-terminal', 'mine'],
      ['mine', 'tool-terminal'],
    ]) {
      await using kernel = await testKernel({ plugins: ['tui-transcript'], with: [mine] })
      await kernel.plugins.disable('mine')
      for (const name of plugins) await kernel.plugins.enable(name)
      expect(kernel.all(Tools).get('terminal')?.view).toBeDefined()
      const transcript = kernel.use(Transcripts).open({ surface: 'cli', banner: () => [] })
      for (const body of [begin('go'), ...tool]) transcript.show(event(body))
      expect(renderText(transcript.view({ width: 60, rows: 12 }))).toContain('my own title')
    }
  })

  it('folds what is on a row, what is selected and the newest call', async () => {
    const { transcript, text } = await open()
    for (const body of [begin('go'), ...tool]) transcript.show(event(body))
    const row = text()
      .split('\n')
      .findIndex((line) => line.includes('terminal'))
    const isOpen = () => text().includes('two')
    expect(isOpen()).toBe(false)
    transcript.toggle({ row })
    expect(isOpen()).toBe(true)
    transcript.toggle('newest')
    expect(isOpen()).toBe(false)
    transcript.select(-1)
    expect(transcript.selected).toEqual({ text: 'one\ntwo', foldable: true })
    transcript.toggle('selected')
    expect(isOpen()).toBe(true)
    transcript.toggle({ row: 11 })
    expect(isOpen()).toBe(true)
  })

  it('shows what the user typed of a command, not what it asks the model for', async () => {
    const { transcript, text } = await open()
    const order = '<data source="/plan" note="what this command asks of you">\nMake a plan.\n</data>'
    transcript.show(event(begin(`/plan make a cake\n\n${order}`)))
    expect(text()).toContain('❯ /plan make a cake')
    expect(text()).not.toMatch(/Make a plan|data source/)
  })

  it('shows why a call was refused, without what the model is told to do next', async () => {
    const { transcript, text } = await open()
    const why =
      'Not allowed: it deletes everything. Do not try it again and do not look for another way to the same end.'
    const advice = 'Do not try it again and do not look for another way to the same end'
    const refusal = { kind: 'denied', code: 'user', reason: 'it deletes everything', advice } as const
    const refused = { type: 'tool.complete', callId: 'c1', name: 'terminal', ok: false, text: why, refusal } as const
    for (const body of [begin('go'), tool[0], refused]) transcript.show(event(body))
    expect(text()).toContain('it deletes everything.')
    expect(text()).not.toContain('Do not try')
  })

  it('keeps commands, what they said, and answers to be copied', async () => {
    const { transcript, text } = await open()
    transcript.typed('/status')
    transcript.say({ text: 'All is well.', tone: 'info' })
    transcript.show(event(begin('go')))
    transcript.show(event({ type: 'message.delta', text: 'An answer' }))
    expect(text()).toMatch(/❯ \/status\n\n {2}All is well\.\n\n❯ go\n\n {2}An answer/)
    expect(transcript.answers()).toEqual(['An answer'])
  })
})
