import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { homedir } from 'node:os'
import { join } from 'node:path'
import type { InlinePlugin } from 'svc'
import { type SessionSummary, Sessions, SvcError } from 'svc/sdk'
import { shellQuote } from 'svc/sdk/shell'
import { expect, test, vi } from 'vitest'
import { expectFits, openInterface, talk } from './interface.ts'

const DAY = 86_400_000

test('conversations are listed with the newest first, and the cursor stands on the open one', async () => {
  const { open, sessions, clock } = await openInterface()
  talk(sessions, 'mend the build')
  await clock.jump(3 * DAY)
  talk(sessions, 'write the docs')
  const { text } = open('sessions')
  const lines = text()
  expect(lines[0]).toBe('Sessions  3/3  / ▏')
  expect(lines.slice(1, 4).map((line) => line.replace(/ {2,}/g, '  '))).toEqual([
    '  write the docs  1  0s',
    '  mend the build  1  3d',
    '❯ • the open one  0  3d',
  ])
})

test('typing filters by title, folder and id, whatever the case', async () => {
  const { open, sessions } = await openInterface()
  talk(sessions, 'mend the Build')
  talk(sessions, 'write the docs', ['x'], '/home/anna/library')
  const { press, text } = open('sessions')
  press(':BUILD mend')
  expect(text()[1]).toContain('mend the Build')
  expect(text()[0]).toBe('Sessions  1/1  / BUILD mend▏')
  press('C-u', ':library')
  expect(text()[1]).toContain('write the docs')
  press(':zzz')
  expect(text()[1]).toBe('  Nothing found')
  expect(press('escape')).toBe('taken')
  expect(text()[0]).toContain('1/3')
  expect(press('escape')).toBe('close')
})

test('the home folder is shown as ~, in the row and below, and is found by either name', async () => {
  const { open, sessions } = await openInterface()
  talk(sessions, 'mend the build', ['x'], join(homedir(), 'src', 'app'))
  const { press, text } = open('sessions')
  press(':~/src')
  const lines = text(120)
  expect(lines[1]).toMatch(/mend the build .* ~\/src\/app /)
  expect(lines.at(-1)).toBe('~/src/app')
  press('C-u', `:${homedir()}`)
  expect(text(120)[1]).toContain('mend the build')
})

test('after a pause messages are searched, and the place is shown', async () => {
  const { open, sessions, clock, told } = await openInterface()
  talk(sessions, 'holidays', ['we flew to Lisbon in spring'])
  talk(sessions, 'lisbon maps')
  const { press, text } = open('sessions')
  press(':lisbon')
  expect(text().filter((line) => line.includes('holidays'))).toEqual([])
  await clock.advance(249)
  expect(told.redraws).toBe(0)
  await clock.advance(1)
  expect(told.redraws).toBe(1)
  expect(text()[1]).toContain('lisbon maps')
  expect(text()[2]).toMatch(/holidays {2}we flew to Lisbon in spring/)
})

test('a search that no one waits for is not made', async () => {
  const { open, clock, told } = await openInterface()
  const { press, view } = open('sessions')
  const others = clock.pending()
  press(':lisbon')
  expect(clock.pending()).toBe(others + 1)
  view.close?.()
  expect(clock.pending()).toBe(others)
  await clock.advance(1000)
  expect(told.redraws).toBe(0)
})

test('Enter switches to the conversation, and does nothing for the open one', async () => {
  const { open, sessions, told } = await openInterface()
  const { id } = talk(sessions, 'mend the build')
  const { press } = open('sessions')
  expect(press('enter')).toBe('close')
  expect(told.switched).toEqual([])
  expect(press(':mend', 'enter')).toBe('close')
  expect(told.switched).toEqual([id])
})

test('r renames once the list has the keys; Escape leaves the title as it was', async () => {
  const { open, sessions } = await openInterface()
  talk(sessions, 'old')
  const { press, text, view } = open('sessions')
  press('home', 'r')
  expect(view.keys).toBe('Enter rename · Esc cancel')
  expect(text().some((line) => line === 'New title: old▏')).toBe(true)
  press('backspace', ':x', 'escape')
  expect(text()[1]).toContain('old')
  press('r', 'C-u', ':日本語 😀', 'enter')
  expect(sessions.list().map(({ title }) => title)).toContain('日本語 😀')
  expect(text()[1]).toContain('日本語 😀')
})

test('letters filter at first, so that a word may begin with r or d', async () => {
  const { open, sessions } = await openInterface()
  talk(sessions, 'docker')
  const { press, text } = open('sessions')
  press(':dock')
  expect(text()[0]).toContain('/ dock')
  press('down', ':d', ':x')
  expect(text()[0]).toContain('/ dockx')
  expect(sessions.list()).toHaveLength(2)
})

test('a second d removes: a copy is in the trash before, and u brings everything back', async () => {
  const { open, sessions, kernel } = await openInterface()
  const { id } = talk(sessions, 'mend the build', ['one', 'two'])
  const before = sessions.export(id)
  const { press, text } = open('sessions')
  press('home', ':d')
  expect(text().join('\n')).toContain('Press d again')
  expect(sessions.list().some((session) => session.id === id)).toBe(true)
  press('escape', ':d')
  expect(sessions.list().some((session) => session.id === id)).toBe(true)
  press(':d')
  await vi.waitFor(() => expect(sessions.list().some((session) => session.id === id)).toBe(false), { timeout: 10_000 })
  const [file = ''] = readdirSync(join(kernel.home, 'trash'))
  const copy = JSON.parse(readFileSync(join(kernel.home, 'trash', file), 'utf8'))
  expect(copy).toMatchObject({ format: 'svc-session', version: 1, session: { id } })
  const command = `svc sessions import ${shellQuote(join(kernel.home, 'trash', file))}`
  await vi.waitFor(() => expect(text(200).join('\n')).toContain(command), { timeout: 10_000 })
  press(':u')
  await vi.waitFor(() => expect(sessions.list().some((session) => session.id === id)).toBe(true))
  expect(sessions.export(id)).toEqual(before)
  await vi.waitFor(() => expect(text()[1]).toContain('mend the build'))
})

test('a copy that is gone from the trash is said, and what is there stays', async () => {
  const { open, sessions, kernel } = await openInterface()
  const { id } = talk(sessions, 'mend the build', ['one', 'two'])
  const { press, text } = open('sessions')
  press('home', ':dd')
  await vi.waitFor(() => expect(text(200).join('\n')).toContain('svc sessions import'))
  const folder = join(kernel.home, 'trash')
  for (const file of readdirSync(folder)) writeFileSync(join(folder, file), '')
  const count = sessions.list().length
  press(':u')
  await vi.waitFor(() => expect(text(200).join('\n')).toContain(`The copy of session "${id}" is no longer in`))
  expect(sessions.list()).toHaveLength(count)
})

test('what is in the trash can be imported by the shell command', async () => {
  const { open, sessions, kernel } = await openInterface({ plugins: ['sessions-cli'] })
  const { id } = talk(sessions, 'mend the build')
  open('sessions').press('home', ':dd')
  await vi.waitFor(() => expect(sessions.list().some((session) => session.id === id)).toBe(false), { timeout: 10_000 })
  const [file = ''] = readdirSync(join(kernel.home, 'trash'))
  expect(await kernel.run(['sessions', 'import', join(kernel.home, 'trash', file)])).toMatchObject({ code: 0 })
  expect(sessions.list().some((session) => session.id === id)).toBe(true)
})

test('the open conversation is not removed, and neither is one of which no copy can be written', async () => {
  const { open, sessions, session, kernel } = await openInterface()
  const { press, text } = open('sessions')
  press('tab', ':dd')
  expect(text().join('\n')).toContain('is open')
  expect(sessions.list().some(({ id }) => id === session.id)).toBe(true)
  const { id } = talk(sessions, 'precious')
  writeFileSync(join(kernel.home, 'trash'), 'no folder')
  const again = open('sessions')
  again.press('home', ':dd')
  await vi.waitFor(() => expect(again.text().join('\n')).toContain('Nothing was removed'), { timeout: 10_000 })
  expect(sessions.list().some((each) => each.id === id)).toBe(true)
})

test('the open conversation is in the list although its page was not read yet; the others come page by page', async () => {
  const { open, sessions, clock, told } = await openInterface()
  await clock.advance(DAY)
  for (let at = 0; at < 700; at++) talk(sessions, `talk ${at}`)
  const { press, text, view } = open('sessions')
  expect(text().some((line) => line.startsWith('❯ • the open one'))).toBe(true)
  expect(text()[0]).toContain('101/101')
  await clock.advance(5)
  expect(text()[0]).toContain('401/401')
  expect(text().some((line) => line.startsWith('❯ • the open one'))).toBe(true)
  press('home', 'r', 'C-u', ':another title', 'enter')
  expect(text()[1]).toContain('another title')
  expect(text()[0]).toContain('1/401')
  await clock.advance(100)
  expect(text()[0]).toContain('1/701')
  press('end')
  expect(text().some((line) => line.startsWith('❯ • the open one'))).toBe(true)
  const { redraws } = told
  const again = open('sessions')
  again.view.close?.()
  view.close?.()
  await clock.advance(1000)
  expect(told.redraws).toBe(redraws)
})

test('ten thousand conversations open at once, scroll and filter', async () => {
  const titles = ['日本語のタイトル', '👩‍👩‍👧‍👦 family', 'plain \u001b[31mwords', 'مرحبا بالعالم']
  const all = Array.from({ length: 10_000 }, (_, at): SessionSummary => {
    const place = { surface: 'cli', cwd: `/home/anna/プロジェクト/${at}`, title: `${titles[at % 4]} ${at}` }
    return { id: `s${at}`, ...place, createdAt: 0, updatedAt: at, messageCount: at + 1, usage: {} }
  })
  const asked: number[] = []
  const { open, layout, clock, told } = await openInterface({ with: [createSessionsPlugin(all, asked)] })
  const { press, text, view } = open('sessions')
  // What is seen is there at once, and no page keeps a key waiting for long.
  expect(text(80, 24)[0]).toMatch(/^Sessions {2}1\/\d+ {2}\/ ▏$/)
  expect(asked).toEqual([100])
  await clock.advance(1000)
  expect(Math.max(...asked)).toBe(300)
  expect(told.redraws).toBe(asked.length - 1)
  for (const [width, rows] of [
    [40, 12],
    [80, 24],
    [200, 50],
    [80, 1],
    [1, 1],
    [3, 2],
  ] as const)
    for (const key of ['down', 'pagedown', 'end', 'up', 'pageup', 'home']) {
      press(key)
      expectFits(layout, view.lines({ width, rows }), { width, rows })
    }
  press('end')
  expect(text(80, 24)[0]).toBe('Sessions  10000/10000')
  expect(text(80, 24).filter((line) => line.startsWith('❯'))).toHaveLength(1)
  press('/', ':family 777')
  await clock.advance(300)
  expect(text(80, 10)[0]).toMatch(/^Sessions {2}1\/\d+ {2}\/ family 777▏$/)
  expect(text(80, 10)[1]).toContain('family 777')
})

/** Sessions that are only listed. */
function createSessionsPlugin(all: readonly SessionSummary[], asked: number[]): InlinePlugin {
  return {
    name: 'many-sessions',
    provides: ['sessions'],
    setup(ctx) {
      const session = { id: 'open', cwd: '/', surface: 'cli', history: () => [], events: () => [] }
      const list = ({ limit = 100, offset = 0 }) => {
        asked.push(limit)
        return all.slice(offset, offset + limit)
      }
      const summary = (id: string) => {
        throw new SvcError('SESSION_NOT_FOUND', id)
      }
      const shelf = { list, summary, search: () => [], create: () => session, open: () => session }
      ctx.provide(Sessions, () => shelf as unknown as Sessions)
    },
  }
}
