import { cpSync } from 'node:fs'
import { join } from 'node:path'
import type { PluginContext } from 'svc/sdk'
import { Plugins } from 'svc/sdk/host'
import {
  ComposerMarks,
  Display,
  EntryRenderers,
  MessageRenderers,
  type StyledSpan,
  TerminalUi,
  Themes,
} from 'svc/sdk/terminal'
import { fakeProvider } from 'svc/sdk/testing'
import { describe, expect, it } from 'vitest'
import { temporaryFolder } from '../../../support/temporary.ts'
import { apart, type Stage, stage } from './stage.ts'

/** A home with the example installed, and the setting that allows it. */
function withExample(home: string = temporaryFolder()) {
  const dir = join(import.meta.dirname, '../../../../examples/screen-plugin')
  cpSync(dir, join(home, 'plugins/screen-plugin'), { recursive: true })
  return { home, config: { plugins: { enabled: ['screen-plugin'], disabled: apart } } }
}

const plugin = (setup: (ctx: PluginContext<never>) => void) => ({ name: 'visitor', setup })

/** The span that shows these words. */
const findSpan = (on: Stage, text: string): StyledSpan | undefined =>
  on.screen.picture.lines.flat().find((span) => span.text.includes(text))

describe('the example of a plugin for the screen', () => {
  it('asks in a window, and the answer is in the header, in the status bar and in the conversation', async () => {
    const home = temporaryFolder()
    const on = await stage(fakeProvider(['Hello.']), withExample(home))
    await on.type('hi', 'enter')
    await on.settled()
    await on.type('/mood', 'enter')
    await on.seen('❯ calm')
    await on.key('down', 'enter')
    await on.seen('♥ curious')
    const lines = on.text().split('\n')
    expect(lines[0]).toBe(' The mood is curious.')
    expect(lines.at(-1)).toMatch(/│ curious$/)
    expect(findSpan(on, '♥ ')).toMatchObject({ color: '#ff5f87' })
    await on.key('M-o')
    await on.type('my own', 'enter')
    await on.seen('♥ my own')
    const { sessionId } = on.conversation
    await on.key('C-q')
    await on.code
    // Where the plugin is gone the entries are still there, by their texts.
    const again = await stage(fakeProvider([]), { home, run: { sessionId } })
    await again.drawn()
    expect(again.text()).toMatch(/Hello\.\n\n {3}Mood: curious\n\n {3}Mood: my own/)
  })

  it('marks words that are typed, draws a message in its own way, and brings a theme', async () => {
    const on = await stage(fakeProvider(['ok', 'ok']), { ...withExample(), display: { skin: 'lantern' } })
    expect(on.text()).toContain('The lantern is lit.')
    await on.type('a TODO b')
    expect(findSpan(on, 'TODO')).toMatchObject({ text: 'TODO', role: 'warning', bold: true })
    await on.key('C-c')
    await on.type('thanks', 'enter')
    await on.settled()
    expect(on.text()).toContain('❯ thanks ♥')
    await on.type('no thanks', 'enter')
    await on.settled()
    expect(on.text()).toContain('❯ no thanks\n')
  })
})

describe('themes of plugins', () => {
  it('come and go with their plugin: the default one is shown and named when the chosen one is gone', async () => {
    const on = await stage(fakeProvider([]), { ...withExample(), display: { skin: 'lantern' } })
    const display = on.kernel.use(Display)
    expect(display.skin()).toMatchObject({ name: 'lantern', toolPrefix: '┊' })
    expect(display.skins()).toContainEqual({ name: 'lantern', description: 'Warm light on a dark page', own: false })
    const gone = on.kernel.use(Plugins).disable('screen-plugin')
    await on.clock.advance(100)
    await gone
    await on.drawn()
    expect(display.skin().name).toBe('default')
  })

  it('do not take the place of a built-in one', async () => {
    const taken = plugin((ctx) => {
      ctx.add(Themes, { name: 'slate', description: 'not slate', colors: {}, branding: { welcome: 'Taken over' } })
    })
    const on = await stage(fakeProvider([]), { with: [taken], display: { skin: 'slate' } })
    expect(on.text()).not.toContain('Taken over')
    const slates = on.kernel
      .use(Display)
      .skins()
      .filter(({ name }) => name === 'slate')
    expect(slates).toHaveLength(1)
  })
})

describe('renderers and marks that fail', () => {
  it('are reported under the name of their plugin, and what they were for is seen without them', async () => {
    const fail = () => {
      throw new Error('it broke')
    }
    const broken = plugin((ctx) => {
      ctx.add(MessageRenderers, { name: 'broken', kinds: ['user', 'answer', 'notice'], lines: fail })
      ctx.add(EntryRenderers, { kind: 'visitor:x', lines: () => 'text' as never })
      ctx.add(ComposerMarks, { name: 'broken', marks: fail })
    })
    const on = await stage(fakeProvider(['Hello.']), { with: [broken] })
    await on.type('hi', 'enter')
    await on.settled()
    const ui = on.kernel.use(TerminalUi).of(on.conversation.sessionId)
    ui?.addEntry({ kind: 'visitor:x', text: 'the **entry**' })
    ui?.addEntry({ kind: 'unknown', text: 'of nobody' })
    await on.drawn()
    expect(on.text()).toContain('Hello.')
    expect(on.text()).toContain('the entry')
    expect(on.text()).toContain('of nobody')
    const names = on.kernel
      .use(Plugins)
      .problems()
      .map(({ plugin: name }) => name)
    expect(new Set(names)).toEqual(new Set(['visitor']))
  })

  it('draw as much as fits: marks of 10,000 words, lines far too long, places that are none', async () => {
    const much = plugin((ctx) => {
      ctx.add(ComposerMarks, {
        name: 'much',
        marks: (text) =>
          Array.from({ length: 10_000 }, (_, at) => ({ from: at % 7, to: at + text.length, role: 'error' })),
      })
      ctx.add(MessageRenderers, {
        name: 'much',
        kinds: ['user'],
        lines: () => Array.from({ length: 10_000 }, () => [{ text: 'x'.repeat(500) }]),
      })
    })
    const on = await stage(fakeProvider(['Hello.']), { with: [much] })
    await on.type('日本 e\u0301')
    expect(on.text()).toContain('❯ 日本 e\u0301')
    await on.key('enter')
    await on.settled()
    expect(on.screen.picture.lines).toHaveLength(24)
    expect(on.text()).toContain('Hello.')
  })

  it('an entry that is too long or no plain data is refused', async () => {
    const on = await stage(fakeProvider(['Hello.']))
    const ui = on.kernel.use(TerminalUi).of(on.conversation.sessionId)
    for (const entry of [
      { kind: 'x', text: 'y'.repeat(16_001) },
      { kind: '', text: 'y' },
      { kind: 'x', text: 'y', data: 1n },
      { kind: 'x', text: 'y', data: 'z'.repeat(16_001) },
    ])
      expect(() => ui?.addEntry(entry)).toThrow(expect.objectContaining({ code: 'ENTRY_INVALID' }))
  })
})

describe('/goto', () => {
  it('scrolls to a labelled message, and says when there is none', async () => {
    const long = Array.from({ length: 40 }, (_, at) => `- line ${at}`).join('\n')
    const on = await stage(fakeProvider([long, 'Short.', long]), {
      plugins: ['tui-panes', 'session-tree'],
      config: { plugins: { disabled: apart.filter((name) => !['tui-panes', 'session-tree'].includes(name)) } },
    })
    await on.type('/goto', 'enter')
    await on.seen('No message has a label yet')
    for (const text of ['one', 'two']) {
      await on.type(text, 'enter')
      await on.settled()
    }
    await on.type('/label here', 'enter')
    await on.seen('Labelled: here')
    await on.type('three', 'enter')
    await on.settled()
    expect(on.text()).not.toContain('Short.')
    await on.type('/goto here', 'enter')
    await on.seen('Short.')
    expect(on.text().split('\n')[0]).toContain('Short.')
    await on.type('/goto there', 'enter')
    await on.seen('No message has the label "there".')
  })
})
