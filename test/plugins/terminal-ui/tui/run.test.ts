import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { defineTool, Sessions, SlashCommands, Tools } from 'svc/sdk'
import { ConfigFile } from 'svc/sdk/host'
import { KeyBindings, Overlays, StatusItems, ToolRenderers, Widgets } from 'svc/sdk/terminal'
import { fakeProvider, type ScriptedReply } from 'svc/sdk/testing'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { temporaryFolder } from '../../../support/temporary.ts'
import { stage } from './stage.ts'

const call = (name: string, input: unknown = {}): ScriptedReply => ({ calls: [{ name, input }] })
/** A promise and what ends it. */
function gate() {
  let open = () => {}
  const waits = new Promise<void>((resolve) => {
    open = resolve
  })
  return { waits, open: () => open() }
}

describe('the full screen', () => {
  it('answers a question, says what it cost, and says on leaving how to continue', async () => {
    const on = await stage(fakeProvider(['Hello **there**.']), { display: { show_cost: true } })
    await on.type('hi', 'enter')
    await on.settled()
    expect(on.text()).toMatch(/❯ hi\n\n {3}Hello there\.\n.*↑10 ↓5/)
    await on.key('C-d')
    expect(await on.code).toBe(0)
    expect(on.screen.closed).toBe(true)
    const { sessionId } = on.conversation
    expect(on.out.join('')).toContain(`${sessionId} · `)
    expect(on.out.join('')).toContain(
      `2 messages (1 of yours, 0 of tools)\nContinue with: svc chat --resume ${sessionId}`,
    )
  })

  it('shows a conversation again that was held before, as much of it as is wanted', async () => {
    const home = temporaryFolder()
    const first = await stage(fakeProvider([call('list_files'), 'Nothing here.']), { home })
    await first.type('what is here?', 'enter')
    await first.settled()
    const before = first.text()
    const { sessionId } = first.conversation
    await first.key('C-q')
    await first.code
    const shown = async (resume_display: string) => {
      const on = await stage(fakeProvider(['again']), { home, display: { resume_display }, run: { sessionId } })
      await on.settled()
      const text = on.text()
      await on.key('C-q')
      await on.code
      return text
    }
    const dateless = (text: string) => text.replace(/ · [\d.]+s/g, '')
    expect(dateless(await shown('full'))).toBe(dateless(before))
    const recap = await shown('minimal')
    expect(recap).toContain('Nothing here.')
    expect(recap).not.toContain('list_files')
    expect(await shown('none')).not.toContain('Nothing here.')
  })

  it('says that there is no such session before it takes the terminal', async () => {
    const opened = stage(fakeProvider(['x']), { run: { sessionId: 'nonesuch' } })
    await expect(opened).rejects.toMatchObject({ code: 'SESSION_NOT_FOUND' })
  })

  it('ends when the terminal is gone, in the middle of a turn and of a question', async () => {
    const on = await stage(fakeProvider([call('clarify', { question: 'Which?' })]))
    await on.type('go', 'enter')
    await on.seen('Which?')
    on.screen.put({ type: 'closed' })
    expect(await on.code).toBe(129)
    expect(on.conversation.open).toBe(false)
    expect(on.out).toEqual([])
  })
})

describe('while a turn is under way', () => {
  it('a draft is cleared first, then the turn is stopped, and only a second Ctrl-C leaves', async () => {
    const never = gate()
    const on = await stage(fakeProvider([{ text: 'x', gate: never.waits }]))
    await on.type('go', 'enter')
    await on.seen('Esc stops')
    await on.type('a draft', 'C-c')
    expect(on.text()).not.toContain('a draft')
    expect(on.conversation.busy).toBe(true)
    await on.clock.advance(3000)
    await on.key('C-c')
    expect(on.text()).toContain('Ctrl-C again leaves')
    await on.settled()
    expect(on.text()).toContain('interrupted')
    await on.clock.advance(2000)
    expect(on.text()).not.toContain('Ctrl-C again leaves')
    await on.key('C-c')
    expect(on.text()).toContain('Ctrl-C again leaves')
    await on.type('x')
    expect(on.text()).not.toContain('Ctrl-C again leaves')
    await on.key('C-c', 'C-c')
    expect(on.text()).toContain('Ctrl-C again leaves')
    expect(on.conversation.open).toBe(true)
    await on.key('C-c')
    expect(await on.code).toBe(0)
  })

  it('messages wait in sight, and the last is taken back with Up', async () => {
    const first = gate()
    const on = await stage(fakeProvider([{ text: 'one', gate: first.waits }, 'two', 'three']), {
      display: { busy_input_mode: 'queue' },
    })
    await on.type('a', 'enter')
    await on.seen('Esc stops')
    await on.type('second', 'enter')
    await on.type('third', 'enter')
    expect(on.text()).toMatch(/⋯ second\n ⋯ third/)
    expect(on.text()).toContain('2 queued')
    await on.key('up')
    expect(on.text()).toMatch(/❯ third/)
    expect(on.text()).not.toContain('⋯ third')
    first.open()
    await on.settled()
    expect(on.text()).toMatch(/❯ second\n\n {3}two/)
    expect(on.conversation.queue).toEqual([])
  })

  it('nothing moves twice in 16 ms, however fast the words come', async () => {
    const pieces = Array.from({ length: 500 }, (_, at) => `word${at} `)
    const on = await stage(fakeProvider([{ pieces }]))
    const before = on.screen.pictures
    const at = on.clock.monotonic()
    await on.type('go', 'enter')
    await on.settled()
    const most = Math.ceil((on.clock.monotonic() - at) / 16) + 1
    expect(on.screen.pictures - before).toBeLessThanOrEqual(most)
    expect(on.text()).toContain('word499')
  })
})

type Setup = Parameters<NonNullable<NonNullable<Parameters<typeof stage>[1]>['with']>[number]['setup']>[0]

describe('what plugins bring', () => {
  const opened: string[] = []
  const extras = {
    name: 'extras',
    contributes: {
      tools: ['count'],
      screens: ['help'],
      widgets: ['plan', 'broken'],
      'status-items': ['branch'],
      'key-bindings': ['C-x'],
      'tool-views': ['count'],
    },
    setup(ctx: Setup) {
      ctx.add(
        Tools,
        defineTool({
          name: 'count',
          description: 'Counts',
          input: z.object({}),
          effect: 'pure',
          toolset: 'test',
          reach: 'nothing',
          run: async () => 'one\ntwo',
        }),
      )
      ctx.add(ToolRenderers, { name: 'count', tools: ['count'], title: () => 'to two' })
      ctx.add(StatusItems, { name: 'branch', line: () => [{ text: 'main' }] })
      ctx.add(Widgets, { name: 'plan', lines: () => [[{ text: 'step 1 of 3' }]] })
      ctx.add(Widgets, {
        name: 'broken',
        lines: () => {
          throw new Error('broken')
        },
      })
      ctx.add(KeyBindings, { key: 'C-x', description: 'Say', run: (ui) => ui.toast('said by a key') })
      ctx.add(Overlays, {
        name: 'help',
        title: 'Help',
        open: () => ({
          keys: 'Esc close',
          lines: ({ rows }) => [[{ text: `a screen of ${rows} rows` }]],
          input: (input) => (input.type === 'text' && input.text === 'q' ? 'close' : 'ignored'),
          close: () => opened.push('closed'),
        }),
      })
    },
  }
  const start = (replies: readonly ScriptedReply[]) =>
    stage(fakeProvider(replies), { plugins: ['extras'], with: [extras] })

  it('widgets, words in the bar, keys and views of tools are seen; one that fails harms no one', async () => {
    const on = await start([call('count'), 'Counted.'])
    expect(on.text()).toMatch(/step 1 of 3[\s\S]*│ main/)
    await on.key('C-x')
    expect(on.text()).toContain('said by a key')
    await on.clock.advance(5000)
    expect(on.text()).not.toContain('said by a key')
    await on.type('count', 'enter')
    await on.settled()
    expect(on.text()).toContain('✓ count to two · 2 lines')
    await on.key('C-t')
    expect(on.text()).toMatch(/one\n.*two/)
    await on.type('/fold', 'escape', 'enter')
    await on.drawn()
    expect(on.text()).not.toMatch(/one\n.*two/)
  })

  it('a screen is opened by its key and from the palette, and closed by itself or with Escape', async () => {
    const on = await start(['x'])
    await on.type('?')
    expect(on.text()).toMatch(/^a screen of 23 rows\n[\s\S]*Esc close$/)
    await on.type('q')
    expect(on.text()).toContain('Ask something')
    await on.key('C-p')
    await on.type('help')
    expect(on.text()).toContain('❯   Help')
    await on.key('enter')
    expect(on.text()).toContain('a screen of')
    await on.key('escape')
    expect(on.text()).toContain('Ask something')
    expect(opened).toEqual(['closed', 'closed'])
  })
})

describe('a command', () => {
  const choosing = {
    name: 'choosing',
    contributes: { 'slash-commands': ['pick'], screens: ['help'] },
    setup(ctx: Setup) {
      ctx.add(SlashCommands, {
        name: 'pick',
        description: 'Pick',
        category: 'Test',
        async run(_args, { conversation, signal }) {
          const items = [{ id: 'one', label: 'One' }]
          const id = await conversation.front.choose?.({ title: 'Which one?', items }, signal)
          return id === undefined ? undefined : `You took ${id}.`
        },
      })
      const view = {
        keys: 'Esc close',
        lines: () => [[{ text: 'all there is to know' }]],
        input: () => 'ignored' as const,
      }
      ctx.add(Overlays, { name: 'help', command: 'help', title: 'Help', open: () => view })
    },
  }
  const start = () => stage(fakeProvider(['x']), { plugins: ['choosing'], with: [choosing] })

  it('that was left without doing anything is not shown, and one that says something is', async () => {
    const on = await start()
    await on.type('/pick', 'escape', 'enter')
    await on.seen('Which one?')
    await on.clock.advance(2000)
    await on.key('escape')
    await on.drawn()
    expect(on.text()).not.toContain('/pick')
    await on.type('/pick', 'escape', 'enter')
    await on.seen('Which one?')
    await on.key('enter')
    await on.seen('You took one.')
    expect(on.text()).toMatch(/❯ \/pick\n\n {3}You took one\./)
  })

  it('/help alone opens the screen of that name, and says what fits when words follow', async () => {
    const on = await start()
    await on.type('/help', 'escape', 'enter')
    expect(on.text()).toContain('all there is to know')
    await on.key('escape')
    await on.type('/help pick', 'escape', 'enter')
    await on.seen('❯ /help pick')
    expect(on.text()).not.toContain('all there is to know')
  })
})

describe('the commands of the screen', () => {
  it('/statusbar hides the bar and keeps that, /copy copies answers, /redraw draws all again', async () => {
    const written: unknown[] = []
    const file = {
      name: 'remembering-file',
      provides: ['config-file'],
      setup: (ctx: Setup) => {
        const write = async (edits: readonly unknown[]) => void written.push(...edits)
        ctx.provide(ConfigFile, () => ({ write }) as unknown as ConfigFile)
      },
    }
    const on = await stage(fakeProvider(['First.', 'Second.']), { plugins: ['remembering-file'], with: [file] })
    await on.type('a', 'enter')
    await on.settled()
    await on.type('b', 'enter')
    await on.settled()
    const typed = async (line: string) => {
      await on.type(line, 'escape', 'enter')
      await on.settled()
    }
    await typed('/copy')
    await typed('/copy 2')
    await typed('/copy 3')
    expect(on.screen.said.filter((said) => said.startsWith('copy'))).toEqual(['copy Second.', 'copy First.'])
    expect(on.text()).toContain('There is no such answer.')
    const forgotten = on.screen.said.filter((said) => said === 'forget').length
    await typed('/redraw')
    expect(on.screen.said.filter((said) => said === 'forget').length).toBeGreaterThan(forgotten)
    expect(on.text()).toContain('fake-1 │')
    await typed('/sb off')
    while (on.text().includes('fake-1 │')) await on.drawn()
    expect(written).toEqual([{ path: 'display.statusbar', value: false }])
  })
})

it.for([
  ['with', 'idempotent'],
  ['without', 'pure'],
] as const)('the line below names a tool %s an effect while it runs', async ([, effect]) => {
  const work = gate()
  const build = defineTool({
    name: 'build',
    description: 'Builds.',
    input: z.object({}),
    effect,
    toolset: 'test',
    reach: 'nothing',
    run: async () => {
      await work.waits
      return 'built'
    },
  })
  const tools = { name: 'build-tools', contributes: { tools: ['build'] }, setup: (ctx: Setup) => ctx.add(Tools, build) }
  const on = await stage(fakeProvider([call('build'), 'Done.']), { plugins: ['build-tools'], with: [tools] })
  await on.type('go', 'enter')
  await on.seen('running build… ')
  work.open()
  await on.settled()
  expect(on.text()).not.toContain('running build')
})

it('/prompt opens the editor of the user with the text that follows it, and the result becomes the draft', async () => {
  const folder = temporaryFolder()
  const editor = join(folder, 'editor')
  writeFileSync(editor, '#!/bin/sh\nprintf "%s, edited" "$(cat "$1")" > "$1.new" && mv "$1.new" "$1"\n', {
    mode: 0o755,
  })
  const on = await stage(fakeProvider([]), { env: { VISUAL: editor, PATH: process.env['PATH'] ?? '' } })
  await on.type('/prompt a plan', 'escape', 'enter')
  await on.seen('❯ a plan, edited')
})

it('the bell rings at the end of a turn for those who want it, and the title says where one is', async () => {
  const on = await stage(fakeProvider(['x']), { display: { bell_on_complete: true } })
  await on.type('a', 'enter')
  await on.settled()
  expect(on.screen.said).toContain('bell')
  expect(on.screen.said.filter((said) => said.startsWith('title')).at(-1)).toMatch(/^title svc · /)
})

it('messages that are taken back are seen no more', async () => {
  const on = await stage(fakeProvider(['First.', 'Second.']))
  await on.type('a', 'enter')
  await on.settled()
  await on.type('b', 'enter')
  await on.settled()
  on.kernel.use(Sessions).open(on.conversation.sessionId).rewind(2)
  on.conversation.touched()
  await on.drawn()
  expect(on.text()).toContain('First.')
  expect(on.text()).not.toContain('Second.')
})
