import type { InlinePlugin } from 'svc'
import { defineTool, type PluginContext, SlashCommands, Tools } from 'svc/sdk'
import { Plugins } from 'svc/sdk/host'
import { KeyBindings, type OverlayView, TerminalUi, type TuiContext, type ViewPlace } from 'svc/sdk/terminal'
import { fakeProvider } from 'svc/sdk/testing'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { stage } from './stage.ts'

type Work = (
  ui: TuiContext,
  args: string,
  ctx: PluginContext<never>,
) => Promise<string | undefined> | string | undefined

/** A plugin with the command `/go`, which does something with the screen. */
function withCommand(work: Work, more: (ctx: PluginContext<never>) => void = () => {}): InlinePlugin {
  return {
    name: 'visitor',
    setup(ctx: PluginContext<never>) {
      ctx.add(SlashCommands, {
        name: 'go',
        description: 'Do something with the screen',
        category: 'Info',
        surfaces: ['cli'],
        async run(args, { conversation }) {
          const ui = ctx.find(TerminalUi)?.of(conversation.sessionId)
          return ui ? work(ui, args, ctx) : 'no screen'
        },
      })
      more(ctx)
    },
  }
}

/** A list of two that answers with Enter. */
function picker(items: readonly string[], done: (chosen?: string) => void, closed: () => void = () => {}): OverlayView {
  let at = 0
  return {
    keys: 'Enter choose',
    lines: ({ width, rows }) => [
      [{ text: `room ${width}x${rows}` }],
      ...items.map((text, index) => [{ text: `${index === at ? '>' : ' '} ${text}` }]),
    ],
    input(input) {
      if (input.type !== 'key') return 'ignored'
      if (input.name === 'down') at++
      else if (input.name === 'enter') done(items[at])
      else return 'ignored'
      return 'taken'
    },
    close: closed,
  }
}

const pick = (place?: ViewPlace) =>
  withCommand(async (ui, args) => {
    const chosen = await ui.open<string>((done) => picker(['tea', 'coffee'], done), place)
    return `${args}: ${chosen ?? 'nothing'}.`
  })

describe('a view that a command opens', () => {
  it('gets its arguments, takes the keys, and its result is what the command continues with', async () => {
    const on = await stage(fakeProvider([]), { with: [pick()] })
    await on.type('/go drink', 'enter')
    await on.seen('> tea')
    expect(on.text()).toContain('room 80x23')
    expect(on.text()).toContain(' Enter choose')
    await on.key('down', 'enter')
    await on.seen('drink: coffee.')
    expect(on.text()).not.toContain('> ')
  })

  it('is closed by Escape without a result', async () => {
    const on = await stage(fakeProvider([]), { with: [pick()] })
    await on.type('/go drink', 'enter')
    await on.seen('> tea')
    await on.key('escape')
    await on.seen('drink: nothing.')
  })

  it('stands as a window over the conversation, which is seen around it', async () => {
    const place = { anchor: 'top-right', width: 30, rows: 8, margin: 1 } as const
    const on = await stage(fakeProvider([]), { with: [pick(place)] })
    await on.type('/go drink', 'enter')
    await on.seen('> tea')
    expect(on.text()).toContain('What shall we do?')
    const [, top = '', first = ''] = on.text().split('\n')
    expect(top.slice(49)).toBe(`╭${'─'.repeat(28)}╮`)
    expect(first.slice(49)).toBe(`│ room 26x6${' '.repeat(17)} │`)
    expect(on.text()).toContain('╰─ Enter choose ─')
    // The rest of the row below the window is what stood there.
    expect(first.slice(0, 3)).toBe(' │ ')
  })

  it('follows the size of the terminal while it is open', async () => {
    const on = await stage(fakeProvider([]), { with: [pick({ anchor: 'center', width: '50%', rows: '50%' })] })
    await on.type('/go drink', 'enter')
    await on.seen('room 36x10')
    Object.assign(on.screen, { columns: 40, rows: 10 })
    on.screen.put({ type: 'resize' })
    await on.drawn()
    expect(on.text()).toContain('room 16x3')
    for (const [columns, rows] of [
      [3, 2],
      [1, 1],
      [200, 60],
    ]) {
      Object.assign(on.screen, { columns, rows })
      on.screen.put({ type: 'resize' })
      await on.drawn()
      expect(on.screen.picture.lines.length).toBeLessThanOrEqual(rows as number)
    }
    expect(on.text()).toContain('> tea')
  })

  it('leaves the keys to the conversation where it does not want the focus, and Escape closes it', async () => {
    const place = { anchor: 'top', focus: false } as const
    const on = await stage(fakeProvider(['Hello.']), { with: [pick(place)] })
    await on.type('/go drink', 'enter')
    await on.seen('> tea')
    await on.type('hi', 'enter')
    await on.seen('Hello.')
    expect(on.text()).toContain('> tea')
    await on.key('escape')
    await on.seen('drink: nothing.')
    expect(on.text()).not.toContain('> tea')
  })

  it('stands above another one, and the one below has the keys again when it is closed', async () => {
    const both = withCommand(async (ui) => {
      const below = ui.open<string>((done) => picker(['below', 'b2'], done))
      const above = ui.open<string>((done) => picker(['above', 'a2'], done), { anchor: 'center' })
      return `${await above} then ${await below}`
    })
    const on = await stage(fakeProvider([]), { with: [both] })
    await on.type('/go', 'enter')
    await on.seen('> above')
    await on.key('down', 'enter')
    expect(on.text()).toContain('> below')
    await on.key('enter')
    await on.seen('a2 then below')
  })

  it('is opened by a tool as well, and hidden while a question is open', async () => {
    const tool = withCommand(
      () => undefined,
      (ctx) =>
        void ctx.add(
          Tools,
          defineTool({
            name: 'pick_drink',
            description: 'Lets the user pick a drink.',
            input: z.object({}),
            effect: 'pure',
            toolset: 'demo',
            reach: 'nothing',
            async run(_, { sessionId }) {
              const ui = ctx.find(TerminalUi)?.of(sessionId)
              const chosen = await ui?.open<string>((done) => picker(['tea', 'coffee'], done))
              return { text: `The user wants ${chosen}.` }
            },
          }),
        ),
    )
    const provider = fakeProvider([{ calls: [{ name: 'pick_drink', input: {} }] }, 'Here you are.'])
    const on = await stage(provider, { with: [tool] })
    await on.type('a drink please', 'enter')
    await on.seen('> tea')
    const answer = on.kernel
      .use(TerminalUi)
      .of(on.conversation.sessionId)
      ?.choose({
        title: 'Hot?',
        items: [{ id: 'yes', label: 'yes' }],
      })
    await on.drawn()
    expect(on.text()).toContain('Hot?')
    expect(on.text()).not.toContain('> tea')
    await on.key('escape')
    expect(await answer).toBeUndefined()
    await on.key('enter')
    await on.seen('Here you are.')
    expect(JSON.stringify(provider.requests.at(-1)?.messages)).toContain('The user wants tea.')
  })
})

describe('a view that does harm', () => {
  const hostile = (view: Partial<OverlayView>) =>
    withCommand(async (ui) => {
      const usual: OverlayView = { keys: '', lines: () => [[{ text: 'hostile' }]], input: () => 'taken' }
      const result = await ui.open(() => Object.defineProperties({ ...usual }, Object.getOwnPropertyDescriptors(view)))
      return `ended with ${result}`
    })
  const fail = () => {
    throw new Error('the view broke')
  }
  const problems = (kernel: { use: Awaited<ReturnType<typeof stage>>['kernel']['use'] }) =>
    kernel
      .use(Plugins)
      .problems()
      .map(({ plugin, code, message }) => `${plugin} ${code} ${message}`)

  it('is closed and reported by the name of its plugin when it throws in any of its parts', async () => {
    for (const view of [
      { lines: fail },
      { lines: () => 'text' as never },
      { input: fail },
      {
        get keys(): string {
          return fail()
        },
      },
      { cursor: { row: 'x', column: 1 } as never },
    ]) {
      const on = await stage(fakeProvider([]), { with: [hostile(view)] })
      await on.type('/go', 'enter')
      await on.drawn()
      await on.type('x')
      await on.seen('ended with undefined')
      expect(problems(on.kernel)).toEqual([expect.stringMatching(/^visitor VIEW_FAILED a view failed: /)])
      expect(on.text()).toContain('visitor: a view failed')
    }
  })

  it('cannot keep the user by taking every key', async () => {
    const on = await stage(fakeProvider([]), { with: [hostile({})] })
    for (const keys of [['escape', 'escape'], ['C-c']]) {
      await on.type('/go', 'enter')
      await on.seen('hostile')
      await on.type('x', 'enter', 'C-d')
      await on.key('escape')
      expect(on.text()).toContain('hostile')
      await on.type('x')
      await on.key(...keys)
      await on.seen('ended with undefined')
      await on.drawn()
      expect(on.text()).not.toContain('hostile')
    }
  })

  it('sees as many of its 10,000 lines as fit, and is reported', async () => {
    const lines = () => Array.from({ length: 10_000 }, (_, at) => [{ text: `hostile ${at} ${'x'.repeat(10_000)}` }])
    const on = await stage(fakeProvider([]), { with: [hostile({ lines })] })
    await on.type('/go', 'enter')
    await on.seen('hostile 22')
    expect(on.screen.picture.lines).toHaveLength(24)
    await on.drawn()
    expect(problems(on.kernel)).toEqual([expect.stringContaining('visitor VIEW_TOO_LONG a view drew 10000 lines')])
    await on.key('C-c')
    await on.seen('ended with undefined')
  })

  it('ends with its plugin, and with the interface', async () => {
    const closed: string[] = []
    const results: unknown[] = []
    const visitor = withCommand(async (ui) => {
      results.push(await ui.open<string>((done) => picker(['tea'], done, () => void closed.push('view'))))
      return undefined
    })
    const on = await stage(fakeProvider([]), { with: [visitor] })
    await on.type('/go', 'enter')
    await on.seen('> tea')
    const gone = on.kernel.use(Plugins).disable('visitor')
    await on.clock.advance(100)
    await on.drawn()
    await gone
    await on.drawn()
    expect(on.text()).not.toContain('> tea')
    expect(closed).toEqual(['view'])
    expect(results).toEqual([undefined])
  })
})

describe('what else a plugin can do to the screen', () => {
  it('reads and writes the draft, sets the title, rings, notifies, and lends the terminal', async () => {
    const work = withCommand(async (ui) => {
      ui.setTitle('my title')
      ui.bell()
      const how = ui.notify('Done', 'all of it')
      const code = await ui.runProgram(async () => 7)
      ui.draft = 'one\ntwo'
      ui.insert(' three')
      return `${how} ${code}`
    })
    const on = await stage(fakeProvider([]), { with: [work] })
    await on.type('/go', 'enter')
    await on.seen('notification 7')
    expect(on.screen.said).toEqual(expect.arrayContaining(['title my title', 'bell', 'notify Done: all of it', 'lend']))
    expect(on.text()).toMatch(/❯ one\n {3}two three/)
    const ui = on.kernel.use(TerminalUi).of(on.conversation.sessionId)
    expect(ui?.draft).toBe('one\ntwo three')
    ui?.setTitle(undefined)
    expect(on.screen.said.at(-1)).toMatch(/^title svc · /)
  })

  it('scrolls to a message: a question, an answer, a call', async () => {
    const long = (word: string) => `${word}\n\n${Array.from({ length: 30 }, (_, at) => `- line ${at}`).join('\n')}`
    const provider = fakeProvider([long('Alpha'), { calls: [{ name: 'list_files', input: {} }] }, long('Beta')])
    const on = await stage(provider)
    for (const text of ['again', 'again']) {
      await on.type(text, 'enter')
      await on.settled()
    }
    const ui = on.kernel.use(TerminalUi).of(on.conversation.sessionId) as TuiContext
    const first = () => on.text().split('\n')[0]
    expect(ui.scrollTo(1)).toBe(true)
    await on.drawn()
    expect(on.text().split('\n').slice(0, 2).join()).toContain('Alpha')
    expect(ui.scrollTo(2)).toBe(true)
    await on.drawn()
    expect(on.text().split('\n').slice(0, 2).join()).toContain('❯ again')
    expect(on.text()).toContain('list_files')
    expect(ui.scrollTo(4)).toBe(true)
    await on.drawn()
    expect(first()).toContain('list_files')
    expect(ui.scrollTo(99)).toBe(false)
    await on.key('escape', 'escape')
    expect(on.text()).toContain('line 29')
  })

  it('hears of keys that are released only while a view that wants them has the keys', async () => {
    const heard: string[] = []
    const game = withCommand((ui) => {
      void ui.open(() => ({
        keys: '',
        releases: true,
        lines: () => [[{ text: 'game' }]],
        input(input) {
          if (input.type !== 'key') return 'ignored'
          heard.push(input.released ? `${input.name} up` : input.name)
          return input.name === 'escape' ? 'ignored' : 'taken'
        },
      }))
      return undefined
    })
    const on = await stage(fakeProvider([]), { with: [game, { name: 'other', setup: bind(heard) }] })
    const release = (name: string) => on.screen.put({ type: 'key', name, released: true })
    release('f9')
    await on.type('/go', 'enter')
    await on.seen('game')
    expect(on.screen.said).toContain('releases true')
    await on.key('left')
    release('left')
    release('escape')
    await on.drawn()
    expect(on.text()).toContain('game')
    await on.key('escape')
    expect(on.screen.said.at(-1)).toBe('releases false')
    expect(heard).toEqual(['left', 'left up', 'escape up', 'escape'])
  })
})

const bind = (heard: string[]) => (ctx: PluginContext<never>) =>
  void ctx.add(KeyBindings, { key: 'f9', description: 'Note it', run: () => void heard.push('bound') })
