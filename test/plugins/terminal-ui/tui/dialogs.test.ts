import { type ApprovalRequest, SlashCommands } from 'svc/sdk'
import { fakeProvider } from 'svc/sdk/testing'
import { describe, expect, it } from 'vitest'
import {
  approvalQuestion,
  clarifyQuestion,
  confirmQuestion,
  type Dialog,
  Dialogs,
  QuestionDialog,
  type QuestionOptions,
  wordsQuestion,
} from '../../../../plugins/terminal-ui/tui/dialogs.ts'
import { MenuDialog } from '../../../../plugins/terminal-ui/tui/menu-dialog.ts'
import { Editor } from '../../../../plugins/terminal-ui/tui-composer/editor.ts'
import { joinSpans, layout, renderText, t } from './look.ts'
import { stage } from './stage.ts'

const look = { layout, t, field: () => new Editor(layout) }
const request: ApprovalRequest = {
  id: 'a',
  sessionId: 's',
  turnId: 't',
  tool: 'terminal',
  action: Array.from({ length: 20 }, (_, at) => `rm -rf part-${at}`).join('\n'),
  reason: 'It deletes folders recursively.',
  choices: ['once', 'session', 'always', 'deny'],
  expiresAt: 0,
}
const question = { id: 'q', sessionId: 's', turnId: 't', text: 'Which?', choices: ['red', 'blue'], expiresAt: 0 }

/** A dialog, and what it ended with. */
function open<T>(options: QuestionOptions<T>) {
  const ended: (T | undefined)[] = []
  const dialog = new QuestionDialog(options, look, (value) => ended.push(value))
  return { dialog, ended, text: (width = 80, rows = 20) => renderText(dialog.view({ width, rows })) }
}
const key = (dialog: Dialog, ...names: readonly string[]) => {
  for (const name of names) dialog.input({ type: 'key', name })
}
const write = (dialog: Dialog, text: string) => {
  for (const letter of text) dialog.input({ type: 'text', text: letter })
}

describe('the question whether a tool may run', () => {
  it.for([
    ['o', 'once'],
    ['s', 'session'],
    ['a', 'always'],
    ['d', 'deny'],
    ['4', 'deny'],
    ['O', 'once'],
  ] as const)('is answered with the key %s as %s', ([letter, choice]) => {
    const { dialog, ended } = open(approvalQuestion(request, t))
    write(dialog, 'x')
    write(dialog, letter)
    expect(ended).toEqual([choice])
  })

  it('is answered with arrows and Enter, and denied with Escape, Ctrl-C and Enter alone', () => {
    const one = open(approvalQuestion(request, t))
    key(one.dialog, 'up', 'up', 'up', 'down', 'enter')
    expect(one.ended).toEqual(['session'])
    for (const name of ['escape', 'C-c', 'enter']) {
      const other = open(approvalQuestion(request, t))
      key(other.dialog, name)
      expect(other.ended).toEqual(['deny'])
    }
  })

  it('shows the beginning of a long command, all of it with v, and its end by scrolling', () => {
    const { dialog, text } = open(approvalQuestion(request, t))
    expect(text()).toMatch(/part-5\n│ … 14 more lines, v shows all\nIt deletes folders recursively\./)
    write(dialog, 'v')
    expect(text()).toMatch(/part-11\n│ … 8 more lines\nIt deletes/)
    key(dialog, 'pagedown', 'pagedown', 'pagedown')
    expect(text()).toContain('part-19')
    expect(text(30, 3)).toMatch(/^terminal asks to run\n.*\no s a d/)
  })

  it('says why it is asked and that there is more of the command, in every room', () => {
    for (let rows = 5; rows < 30; rows++)
      for (const whole of ['', 'v']) {
        const { dialog, text } = open(approvalQuestion(request, t))
        write(dialog, whole)
        expect(text(50, rows)).toContain('It deletes folders recursively.')
        expect(text(50, rows).includes('more line')).toBe(!text(50, rows).includes('part-19'))
      }
    expect(open(approvalQuestion(request, t)).text(50, 12)).toContain('o/s/a/d or Enter · Esc deny')
  })

  it('offers only what may be chosen, takes no paste for an answer, and shows controls as what they are', () => {
    const { dialog, ended, text } = open(
      approvalQuestion({ ...request, action: 'echo \u001b[2J\u0007', choices: ['once', 'deny'] }, t),
    )
    write(dialog, 's')
    dialog.input({ type: 'paste', text: 'o' })
    expect(ended).toEqual([])
    expect(text()).toContain('│ echo ␛[2J␇')
  })
})

describe('a question of the model', () => {
  it('is read to its end, on as many rows as it takes, and by scrolling where there is no room for them', () => {
    const text = `${'What would you like to have for dinner on this day? '.repeat(4)}\nTell me.`
    const { dialog } = open(clarifyQuestion({ ...question, text }, t))
    expect(renderText(dialog.view({ width: 40, rows: 20 }))).toContain('Tell me.')
    expect(renderText(dialog.view({ width: 40, rows: 8 }))).toMatch(/… \d more lines · PgDn\n❯ 1 · red/)
    key(dialog, 'pagedown', 'pagedown')
    expect(renderText(dialog.view({ width: 40, rows: 8 }))).toMatch(/Tell me\.\n❯ 1 · red/)
  })

  it('is answered by a number, by choice, or in own words', () => {
    const byNumber = open(clarifyQuestion(question, t))
    write(byNumber.dialog, '2')
    const byArrow = open(clarifyQuestion(question, t))
    key(byArrow.dialog, 'down', 'enter')
    const byWords = open(clarifyQuestion(question, t))
    write(byWords.dialog, 'vgreen, 2 of them')
    key(byWords.dialog, 'home', 'delete', 'enter')
    expect([byNumber.ended, byArrow.ended, byWords.ended]).toEqual([['blue'], ['blue'], ['green, 2 of them']])
  })

  it('takes no empty answer, and none when it is cancelled', () => {
    const { dialog, ended } = open(clarifyQuestion({ ...question, choices: [] }, t))
    key(dialog, 'enter')
    expect(ended).toEqual([])
    key(dialog, 'escape')
    expect(ended).toEqual([undefined])
  })
})

it('a confirmation is no unless someone says yes', () => {
  const answers = [['enter'], ['escape'], ['C-c'], ['up', 'enter']].map((keys) => {
    const { dialog, ended } = open(confirmQuestion('Throw it away?', t))
    key(dialog, ...keys)
    return ended[0]
  })
  expect(answers).toEqual([false, false, false, true])
  const { dialog, ended } = open(confirmQuestion('Throw it away?', t))
  write(dialog, 'y')
  expect(ended).toEqual([true])
})

it('a secret is never seen, however it is typed, and arrives whole', () => {
  const { dialog, ended, text } = open(wordsQuestion({ text: 'Key?', secret: true }))
  write(dialog, 'v1')
  dialog.input({ type: 'paste', text: 'geheim 👩‍💻' })
  expect(text()).toContain('❯ ••••••••••\n')
  expect(text()).not.toMatch(/v1|geheim/)
  expect(dialog.view({ width: 8, rows: 5 }).cursor).toEqual({ row: 1, column: 7 })
  key(dialog, 'enter')
  expect(ended).toEqual(['v1geheim 👩‍💻'])
})

describe('a menu', () => {
  const items = Array.from({ length: 50 }, (_, at) => ({ id: `id-${at}`, label: `item ${at}`, detail: `about ${at}` }))
  const menu = () => {
    const ended: (string | undefined)[] = []
    const dialog = new MenuDialog({ title: 'Pick', items, current: 'id-30' }, look, (id) => ended.push(id))
    return { dialog, ended, text: (rows = 9) => renderText(dialog.view({ width: 60, rows })) }
  }

  it('begins at what is in force and shows what is around it', () => {
    const { dialog, ended, text } = menu()
    expect(text()).toContain('❯ ● item 30  about 30')
    const chosen = dialog
      .view({ width: 60, rows: 9 })
      .lines.filter((line) => line.some(({ role }) => role === 'selected'))
    expect(chosen.map((line) => [layout.lineWidth(line), ...new Set(line.map(({ role }) => role))])).toEqual([
      [60, 'selected'],
    ])
    expect(text().split('\n')).toHaveLength(9)
    key(dialog, 'down', 'pagedown', 'up', 'enter')
    expect(ended).toEqual(['id-37'])
  })

  it('has its details in a separate column, and drops none for a long label', () => {
    const items = ['a', 'a much longer label', 'x'.repeat(90)].map((label, at) => ({
      id: label,
      label,
      detail: `d${at}`,
    }))
    const { lines } = new MenuDialog({ title: 'Pick', items }, look, () => {}).view({ width: 60, rows: 9 })
    expect(new Set(lines.slice(1, 4).map((line) => joinSpans(line).search(/d\d/)))).toEqual(new Set([33]))
  })

  it('shows labels that begin with what was typed first, then others, then those whose detail has it', () => {
    const items = ['Another server (OpenAI-compatible)', 'Azure OpenAI', 'OpenAI', 'Groq'].map((label, at) => ({
      id: label,
      label,
      detail: at === 3 ? 'speaks like OpenAI' : '',
    }))
    const ended: (string | undefined)[] = []
    const dialog = new MenuDialog({ title: 'Pick', items }, look, (id) => void ended.push(id))
    write(dialog, 'openai')
    key(dialog, 'enter')
    expect(ended).toEqual(['OpenAI'])
  })

  it('is filtered by words in any order, and says when nothing fits', () => {
    const { dialog, ended, text } = menu()
    write(dialog, '17 item')
    expect(text().match(/item \d+/g)).toEqual(['item 17'])
    write(dialog, 'x')
    expect(text()).toContain('Nothing fits.')
    key(dialog, 'enter')
    expect(ended).toEqual([])
    key(dialog, 'backspace', 'enter')
    expect(ended).toEqual(['id-17'])
  })
})

/** All that can be read of a dialog in a room, going down with PageDown. */
function readThrough(dialog: Dialog, room: { readonly width: number; readonly rows: number }): string {
  const seen: string[] = []
  for (let page = 0; page < 200; page++) {
    const { lines } = dialog.view(room)
    expect(lines.length).toBeLessThanOrEqual(room.rows)
    for (const line of lines) expect(layout.lineWidth(line)).toBeLessThanOrEqual(room.width)
    seen.push(renderText({ lines }))
    key(dialog, 'pagedown')
  }
  return seen.join('\n')
}

describe('what is to be decided', () => {
  const five = ['cd /srv && ls -la', 'rm -rf /srv/one', 'rm -rf /srv/two', 'rm -rf /srv/three', 'echo done']
  const words = Array.from({ length: 430 }, (_, at) => `word${at}`)
  const long = words.join(' ')
  const menu = (title: string) =>
    new MenuDialog(
      {
        title,
        items: [
          { id: 'y', label: 'Yes' },
          { id: 'n', label: 'No' },
        ],
      },
      look,
      () => {},
    )
  const dialogs: Record<string, (text: string) => Dialog> = {
    menu,
    approval: (action) => open(approvalQuestion({ ...request, action }, t)).dialog,
    'the reason of an approval': (reason) => open(approvalQuestion({ ...request, action: 'ls', reason }, t)).dialog,
    confirmation: (text) => open(confirmQuestion(text, t)).dialog,
    question: (text) => open(clarifyQuestion({ ...question, text }, t)).dialog,
    choice: (text) => open(clarifyQuestion({ ...question, choices: ['red', text] }, t)).dialog,
    words: (text) => open(wordsQuestion({ text })).dialog,
  }

  it.for(Object.keys(dialogs).filter((name) => name !== 'choice'))('keeps the lines that it has in a %s', (name) => {
    const text = renderText(dialogs[name]?.(five.join('\n')).view({ width: 80, rows: 24 }) ?? { lines: [] })
    for (const line of five) expect(text.split('\n').map((each) => each.replace('│ ', ''))).toContain(line)
  })

  it.for(
    Object.keys(dialogs).flatMap((name) => [
      [name, 80, 24] as const,
      [name, 80, 12] as const,
      [name, 40, 8] as const,
      [name, 60, 5] as const,
    ]),
  )('can be read to its end in a %s of %i columns and %i rows', ([name, width, rows]) => {
    expect(long.length).toBeGreaterThan(3000)
    const dialog = dialogs[name]?.(long)
    if (!dialog) throw new Error('none')
    if (name === 'approval') write(dialog, 'v')
    const text = readThrough(dialog, { width, rows }).replace(/\s*\n│? ?/g, ' ')
    expect(words.filter((word) => !text.includes(word))).toEqual([])
  })

  it('is said to go on below, until its end is seen', () => {
    const dialog = menu(long)
    expect(renderText(dialog.view({ width: 80, rows: 24 }))).toMatch(/… \d+ more lines · PgDn\n>\n❯ {3}Yes\n {4}No\n/)
    readThrough(dialog, { width: 80, rows: 24 })
    expect(renderText(dialog.view({ width: 80, rows: 24 }))).not.toContain('more line')
    key(dialog, 'pageup')
    expect(renderText(dialog.view({ width: 80, rows: 24 }))).toContain('more line')
  })

  it('is whole for what Enter takes, also where the list is narrow', () => {
    const label = `delete ${words.slice(0, 20).join(' ')}`
    const dialog = new MenuDialog(
      {
        title: 'Pick',
        items: [
          { id: 'a', label },
          { id: 'b', label },
        ],
      },
      look,
      () => {},
    )
    expect(renderText(dialog.view({ width: 60, rows: 12 })).match(/word19/g)).toHaveLength(1)
  })
})

describe('several dialogs', () => {
  it('are shown one after the other, and one that no one needs any more goes', async () => {
    const dialogs = new Dialogs(() => {})
    const needed = new AbortController()
    const ask = (title: string, signal?: AbortSignal) =>
      dialogs.ask<boolean>((done) => new QuestionDialog(confirmQuestion(title, t), look, done), signal)
    const [one, two, three] = [ask('one'), ask('two', needed.signal), ask('three')]
    const title = () => joinSpans(dialogs.current?.view({ width: 40, rows: 9 }).lines[0] ?? [])
    expect(title()).toBe('one')
    needed.abort()
    expect(await two).toBeUndefined()
    if (dialogs.current) write(dialogs.current, 'y')
    expect(await one).toBe(true)
    expect(title()).toBe('three')
    dialogs.cancelAll()
    expect(await three).toBe(false)
    expect(dialogs.current).toBeUndefined()
  })

  it('fit into any room, and keep what was typed while the terminal changes', () => {
    const { dialog } = open(clarifyQuestion(question, t))
    write(dialog, 'own words that are longer than the room')
    for (let width = 1; width < 60; width += 3)
      for (let rows = 1; rows < 12; rows++) {
        const { lines, cursor } = dialog.view({ width, rows })
        expect(lines.length).toBeLessThanOrEqual(rows)
        for (const line of lines) expect(layout.lineWidth(line)).toBeLessThanOrEqual(width)
        expect(cursor && cursor.row < rows && cursor.column < width).toBe(true)
      }
    expect(renderText(dialog.view({ width: 80, rows: 9 }))).toContain('own words that are longer than the room')
  })
})

const call = (name: string, input: unknown = {}) => ({ calls: [{ name, input }] })
type Setup = Parameters<NonNullable<NonNullable<Parameters<typeof stage>[1]>['with']>[number]['setup']>[0]

describe('dialogs in a conversation', () => {
  it('a command is approved with a key and denied with another, and both are written down', async () => {
    const command = 'rm -rf sources && rm -rf notes'
    const on = await stage(fakeProvider([call('terminal', { command }), call('terminal', { command }), 'Done.']))
    await on.type('clean up', 'enter')
    await on.seen('terminal asks to run')
    expect(on.text()).toContain(`│ ${command}`)
    on.screen.columns = 40
    on.screen.put({ type: 'resize' })
    await on.seen('o · once')
    // A letter that follows another one at once belongs to the draft.
    await on.clock.advance(500)
    await on.type('o')
    await on.seen('· allowed once')
    await on.seen('asks to run')
    await on.clock.advance(500)
    await on.type('d')
    await on.settled()
    expect(on.text()).toMatch(/✓ terminal .* · allowed once.*\n┊ ✗ terminal .* · denied\n\n/)
    expect(on.text()).not.toMatch(/Not allowed|by cli/)
    expect(on.text()).toContain('Done.')
  })

  it('a letter that was meant for the draft does not answer', async () => {
    let open = () => {}
    const asked = new Promise<void>((resolve) => {
      open = resolve
    })
    const on = await stage(
      fakeProvider([
        { ...(call('clarify', { question: 'Sure?', choices: ['yes', 'no'] }) as object), gate: asked },
        'ok',
      ]),
    )
    await on.type('go', 'enter')
    await on.seen('Esc stops')
    open()
    // Someone who types all the time, and whose draft is one letter long whenever the dialog comes.
    await on.type('1')
    // The dialog, not the line of the call that opens it.
    while (!/^\W*1 · yes/m.test(on.text())) await on.type('', 'backspace').then(() => on.type('1'))
    for (const letter of ['1', '2']) await on.type(letter)
    expect(on.text()).toMatch(/^\W*1 · yes/m)
    await on.clock.advance(500)
    await on.type('2', 'enter')
    await on.settled()
    expect(on.text()).toMatch(/\? Sure\?\n.*→ no/)
    expect(on.text()).toContain('↳ 112')
  })

  it('what throws something away is asked about, and Enter keeps it', async () => {
    const wiped: string[] = []
    const wipe = {
      name: 'wiping',
      contributes: { 'slash-commands': ['wipe'] },
      setup: (ctx: Setup) => {
        ctx.add(SlashCommands, {
          name: 'wipe',
          description: 'Wipe',
          category: 'Test',
          destructive: true,
          run: async () => {
            wiped.push('wiped')
            return 'All gone.'
          },
        })
      },
    }
    const on = await stage(fakeProvider(['x']), { plugins: ['wiping'], with: [wipe] })
    await on.type('/wipe', 'escape', 'enter')
    await on.seen('o · once')
    await on.key('enter')
    for (const [key, count] of [
      ['c', 0],
      ['o', 1],
      ['n', 1],
      ['y', 2],
    ] as const) {
      await on.type('/wipe', 'escape', 'enter')
      await on.seen('c · cancel')
      await on.type(key)
      await on.seen('Ask something')
      expect(wiped).toHaveLength(count)
    }
  })
})
