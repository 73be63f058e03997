import { homedir } from 'node:os'
import { join } from 'node:path'
import type { InlinePlugin } from 'svc'
import { type Session, SlashCommands, type TurnEventData } from 'svc/sdk'
import { Language, Toolsets } from 'svc/sdk/host'
import { toRegistration } from 'svc/sdk/kit/async'
import { type BackgroundProcess, BackgroundProcesses } from 'svc/sdk/shell'
import { KeyBindings, Overlays, StatusItems, type StyledLine, Widgets } from 'svc/sdk/terminal'
import { expect, test } from 'vitest'
import { expectFits, openInterface, talk, toInput } from './interface.ts'

const words: Readonly<Record<string, string>> = { 'Begin anew': 'Neu anfangen', Session: 'Sitzung', Help: 'Hilfe' }

const german: InlinePlugin = {
  name: 'german',
  provides: ['language'],
  contributes: { 'slash-commands': ['new', 'compress'] },
  setup(ctx) {
    ctx.provide(Language, () => ({
      locale: 'de',
      locales: [],
      text: (english) => words[english] ?? english,
      match: () => undefined,
      ready: async () => {},
      onChange: () => toRegistration(() => {}),
    }))
    const run = async () => undefined
    ctx.add(SlashCommands, { name: 'compress', description: 'Make it shorter', category: 'Context', run })
    ctx.add(SlashCommands, {
      name: 'new',
      aliases: ['reset'],
      description: 'Begin anew',
      category: 'Session',
      argsHint: '[title]',
      run,
    })
  },
}

test('help has commands by category in the language of the user, then keys and screens', async () => {
  const { open, told } = await openInterface({ with: [german] })
  const { text, press, view } = open('help')
  const lines = text(80, 60)
  expect(lines[0]).toMatch(/^Hilfe {2}1\/\d+ {2}\/ ▏$/)
  expect(lines[1]).toBe('Sitzung')
  expect(lines).toContain('  /new [title] /reset         Neu anfangen')
  const names = lines.slice(
    2,
    lines.findIndex((line, at) => at > 1 && !/^[❯ ] \//.test(line)),
  )
  expect(names.map((line) => line.slice(2).split(' ')[0])).toEqual(
    names.map((line) => line.slice(2).split(' ')[0]).toSorted(),
  )
  // Where there is little room, what a command does matters more than what may follow its name.
  expect(text(40, 60)).toContain('  /new          Neu anfangen')
  // Anyone who comes first, the categories that svc knows stand above all others.
  const others = lines.indexOf('Context')
  expect(lines.slice(3, others)).toContain('Tools & Skills')
  expect(lines[others + 1]).toBe('  /compress                   Make it shorter')
  expect(lines).toContain('Keys')
  expect(lines).toContain('  Page Up Page Down           Scroll')
  expect(lines).toContain('  Ctrl-X                      Show sessions')
  expect(lines).toContain('  usage                       Tokens and cost')
  press(':anfangen')
  expect(press('enter')).toBe('close')
  expect(told.inserted).toEqual(['/new '])
  press('C-u', 'end')
  expect(press('enter')).toBe('close')
  await Promise.resolve()
  expect(told.shown).toEqual(['session'])
  expect(view.keys).toContain('Esc close')
})

test('keys show their screens', async () => {
  const { kernel, ui, told } = await openInterface()
  const names = kernel
    .all(KeyBindings)
    .all()
    .map(({ key }) => key)
  for (const key of names) await kernel.all(KeyBindings).get(key)?.run(ui)
  expect(names).toEqual(['C-x', 'C-b', 'f2'])
  expect(told.shown).toEqual(['sessions', 'processes', 'agents'])
})

const start = (text: string): TurnEventData => ({ type: 'turn.start', text, provider: 'fake', model: 'fake-1' })
const end: TurnEventData = { type: 'turn.end', reason: 'completed', usage: {} }

function subagents(session: Session) {
  session.record({
    turnId: 'turn_1',
    events: [
      start('look at all of it'),
      { type: 'subagent.start', id: 'a', goal: 'read the 日本語 docs' },
      { type: 'subagent.start', id: 'b', goal: 'read the code' },
      { type: 'subagent.progress', id: 'a', text: 'opening\nthe first' },
      { type: 'subagent.complete', id: 'b', ok: false, text: 'no code\u001b[2J here' },
    ],
  })
}

test('subagents stand below their turn, with what they said last, and are followed', async () => {
  const { open, session, clock, told, kernel } = await openInterface()
  subagents(session)
  const { text, view } = open('agents')
  expect(text(70, 12).slice(0, 4)).toEqual([
    'Subagents  1/2',
    '1. look at all of it',
    '❯ ├─ ● read the 日本語 docs  opening the first',
    '  └─ ✗ read the code  no code here',
  ])
  session.record({ turnId: 'turn_1', events: [{ type: 'subagent.complete', id: 'a', ok: true, text: 'all read' }] })
  await clock.advance(1000)
  expect(told.redraws).toBe(1)
  expect(text(70, 12)[2]).toBe('❯ ├─ ✓ read the 日本語 docs  all read')
  expect(text(70, 12)).toContain('all read')
  view.close?.()
  const waiting = clock.pending()
  await kernel.plugins.disable('tui-panes')
  expect(clock.pending()).toBe(waiting)
})

test('a subagent that outlives its turn is told of in a later one', async () => {
  const { open, session } = await openInterface()
  subagents(session)
  session.record({ turnId: 'turn_1', events: [end] })
  const complete: TurnEventData = { type: 'subagent.complete', id: 'a', ok: true, text: 'late' }
  session.record({ turnId: 'turn_2', events: [start('again'), complete, end] })
  expect(open('agents').text(70, 12)[2]).toBe('❯ ├─ ✓ read the 日本語 docs  late')
})

test('a subagent that was at work when its turn ended is shown as stopped', async () => {
  const { open, session } = await openInterface()
  subagents(session)
  session.record({ turnId: 'turn_1', events: [end] })
  session.record({ turnId: 'turn_2', events: [start('again'), { type: 'subagent.start', id: 'a', goal: 'more' }, end] })
  expect(open('agents').text(70, 12).slice(1, 6)).toEqual([
    '2. again',
    '❯ └─ ○ more',
    '1. look at all of it',
    '  ├─ ○ read the 日本語 docs  opening the first',
    '  └─ ✗ read the code  no code here',
  ])
})

function processHost() {
  const state = (id: string, more: Partial<BackgroundProcess>): BackgroundProcess => ({
    ...{ id, sessionId: '', command: id, status: 'running', pid: 1, startedAt: Date.UTC(2026, 0, 1) - 120_000 },
    ...more,
  })
  let all = [
    state('one', { command: 'npm run\n dev' }),
    state('two', { command: 'make', status: 'exited', exitCode: 2 }),
  ]
  const killed: string[] = []
  const plugin: InlinePlugin = {
    name: 'some-processes',
    provides: ['processes'],
    setup(ctx) {
      const processes = {
        list: async () => all,
        output: async (id: string) => ({
          text: `first of ${id}\n10 %\r55 %\r\nlast\u001b[31m red\u0007\n`,
          omitted: 0,
        }),
        kill: async (id: string) => {
          killed.push(id)
          all = all.map((each) => (each.id === id ? { ...each, status: 'exited', exitCode: 143 } : each))
        },
      }
      ctx.provide(BackgroundProcesses, () => processes as unknown as BackgroundProcesses)
    },
  }
  return { plugin, killed, replace: (next: BackgroundProcess[]) => (all = next) }
}

test('background processes are listed with the end of their output, and a second k ends one', async () => {
  const host = processHost()
  const { open, clock } = await openInterface({ with: [host.plugin] })
  const { text, press, view } = open('processes')
  expect(text(60, 12)[1]).toBe('  Nothing runs in the background')
  await clock.advance(0)
  expect(text(60, 12).slice(0, 3)).toEqual([
    'Background processes  1/2',
    '❯ ✗ make                                              exit 2',
    '  ● npm run dev                                           2m',
  ])
  expect(text(60, 12).slice(-6, -3)).toEqual(['first of two', '55 %', 'last red'])
  press(':k')
  expect(text(60, 12).join('\n')).not.toContain('Press k')
  press('down', ':k')
  expect(text(60, 12).join('\n')).toContain('Press k again')
  expect(host.killed).toEqual([])
  press(':k')
  await clock.advance(1)
  expect(host.killed).toEqual(['one'])
  expect(text(60, 12)[2]).toContain('exit 143')
  expect(view.keys).toContain('k k')
})

test('running processes are counted in the status bar, some time after the conversation came up', async () => {
  const host = processHost()
  const { kernel, ui, clock, renderText } = await openInterface({ with: [host.plugin] })
  const item = kernel.all(StatusItems).get('processes')
  const shown = () => renderText([(item?.line(ui.conversation) ?? []) as StyledLine])[0]
  expect(shown()).toBe('')
  await clock.advance(2000)
  shown()
  await clock.advance(0)
  expect(shown()).toContain('1')
  host.replace([])
  await clock.advance(2000)
  shown()
  await clock.advance(0)
  expect(shown()).toBe('')
})

test('queued messages can be taken back to be edited, and be removed', async () => {
  const images = [{ mediaType: 'image/png', data: '' }]
  const queue = [
    { id: 'q1', text: 'first\nthing' },
    { id: 'q2', text: 'with a picture', images },
    { id: 'q3', text: 'third' },
  ]
  const { open, told, ui } = await openInterface({ queue })
  const { text, press, view } = open('queue')
  expect(text(60, 12).slice(0, 2)).toEqual(['Queued messages  1/3', '❯ first thing'])
  press('down')
  expect(press('enter')).toBe('taken')
  expect(text(60, 12).join('\n')).toContain('with pictures')
  press(':d')
  expect(ui.conversation.queue).toHaveLength(3)
  press(':d')
  expect(ui.conversation.queue.map(({ id }) => id)).toEqual(['q1', 'q3'])
  press('home')
  expect(press('enter')).toBe('close')
  expect(told.inserted).toEqual(['first\nthing'])
  expect(text(60, 12).slice(0, 2)).toEqual(['Queued messages  1/1', '❯ third'])
  expect(view.keys).toContain('Enter edit')
  press(':dd')
  expect(text(60, 12)).toEqual(['Queued messages  0', '  Nothing is queued'])
  expect(view.keys).toBe('Esc close')
})

test('usage has a bar for each turn that is as long as what it took, and the sum', async () => {
  const { open, session } = await openInterface()
  const took = (input: number, output: number): TurnEventData => ({
    type: 'usage',
    usage: { input, output, costUsd: 0.01 },
  })
  session.record({ turnId: 'turn_1', events: [start('small'), took(1000, 0), end] })
  session.record({ turnId: 'turn_2', events: [start('large'), took(2000, 100), took(1500, 400), end] })
  const { text } = open('usage')
  const lines = text(80, 12)
  expect(lines[1]).toMatch(/^❯ 2\. large +█{19} +4k +\$0\.0200$/)
  expect(lines[2]).toMatch(/^ {2}1\. small +█{4}[▊▉] +1k +\$0\.0100$/)
  expect(lines).toContain('All turns  4.5k read · 500 written · $0.0300')
  expect(lines).toContain('Turn 2  fake-1 · 3.5k read · 500 written · $0.0200')
  expect(text(40, 12)[1]).toMatch(/^❯ 2\. large +█{9} +4k$/)
})

test('tools are shown with what is off and why, and are switched by their slash command', async () => {
  const toolsets: InlinePlugin = {
    name: 'some-toolsets',
    provides: ['toolsets'],
    setup(ctx) {
      const list = () => [
        { name: 'file', on: true, tools: [{ name: 'read_file', on: true }] },
        {
          name: 'web',
          on: false,
          because: 'tools.disabled names it',
          tools: [{ name: 'web_search', on: false, missing: 'needs a key' }],
        },
        { name: 'vision', on: true, tools: [{ name: 'look', on: true, missing: 'needs a model' }] },
      ]
      ctx.provide(Toolsets, () => ({ list, edits: () => [], unknown: () => [] }))
    },
  }
  const { open, told } = await openInterface({ with: [toolsets] })
  const { text, press } = open('tools')
  expect(text(60, 12).slice(0, 7)).toEqual([
    'Tools  1/3',
    'file',
    '❯ ● read_file',
    'web',
    '  ○ web_search  tools.disabled names it',
    'vision',
    '  ◐ look  needs a model',
  ])
  press(': ', 'down', 'C-t')
  expect(told.typed).toEqual(['/tools disable read_file', '/tools enable web'])
})

test('the details of a conversation are its facts, the whole of one below', async () => {
  const { open, session, sessions } = await openInterface({ cwd: join(homedir(), 'project') })
  sessions.rename(session.id, 'a title that is far too long to stand beside its label in forty columns')
  const { text } = open('session')
  expect(text(40, 12)[1]).toMatch(/^❯ Title +a title that/)
  expect(text(40, 12).slice(-2).join(' ')).toContain('far too long to stand')
  expect(text(80, 20)).toContain(`  Id                 ${session.id}`)
  expect(text(80, 20)).toContain('  Folder             ~/project')
})

test('every screen fits whatever its room, with titles in any script and nothing that a terminal obeys', async () => {
  const host = processHost()
  const { kernel, open, layout, session, sessions, clock } = await openInterface({ with: [host.plugin, german] })
  const wild = '日本語😀 \u001b]0;evil\u0007 e\u0301 مرحبا \t tab 👩‍👩‍👧‍👦'
  session.record({
    turnId: 'turn_1',
    events: [
      { ...start(wild), model: wild } as TurnEventData,
      { type: 'subagent.start', id: wild, goal: wild },
      { type: 'usage', usage: { input: 5 } },
    ],
  })
  talk(sessions, 'title', [wild])
  sessions.rename(session.id, wild)
  for (const name of kernel
    .all(Overlays)
    .all()
    .map((screen) => screen.name)) {
    const { view } = open(name)
    await clock.advance(1)
    for (const key of ['down', ':k', ':d', 'escape', 'tab', ':😀', 'C-u', 'end', 'enter']) {
      view.input(toInput(key))
      for (const width of [1, 40, 80, 200])
        for (const rows of [1, 2, 5, 24]) expectFits(layout, view.lines({ width, rows }), { width, rows })
    }
    expect(view.keys).toMatch(/Esc|Enter/)
    expect(layout.width(view.keys)).toBeLessThan(40)
  }
})

test('all that the interface is given is there', async () => {
  const { kernel } = await openInterface()
  expect(
    kernel
      .all(Widgets)
      .all()
      .map(({ name }) => name),
  ).toEqual(['todo'])
  expect(
    kernel
      .all(StatusItems)
      .all()
      .map(({ name }) => name),
  ).toEqual(['processes', 'branch'])
  expect(kernel.all(Overlays).all()).toHaveLength(9)
})
