/** A whole day at the terminal, in a real one, with the built program: what is on the screen is what a person sees. */
import { existsSync, mkdirSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Reply } from '../support/model-replies.ts'
import { type ModelServer, type RecordedRequest, startModelServer } from '../support/model-server.ts'
import { removeFolder } from '../support/remove-folder.ts'
import { root } from '../support/repository.ts'
import { missingTmux, Tmux } from '../support/tmux.ts'
import { isToday } from '../support/today.ts'

const program = join(root, 'dist/kernel/bin.cjs')
const absent = missingTmux()
const folder = mkdtempSync(join(tmpdir(), 'svc-terminal-day-'))
let server: ModelServer

const table = '| What | State |\n|---|---|\n| parser | 完成 ✅ |\n| docs | open |'
const code = '```ts\nconst day = 1\n```'
const plan = `# Good morning\n\nToday there are **two** things:\n\n- the parser\n- the docs\n\n${table}\n\n${code}`
const SUMMARY = 'The user planned the day; plan.txt was written with three lines, then a cleaning was done. '.repeat(4)

interface Wire {
  readonly role: string
  readonly content?: unknown
}

const getText = ({ content }: Wire) => (typeof content === 'string' ? content : JSON.stringify(content ?? ''))
const call = (name: string, input: object): Reply => ({ calls: [{ name, arguments: input }] })

/** What the model says to what was said last, and to what its tools answered. */
const script: readonly (readonly [string, (isResult: boolean, last: string) => Reply])[] = [
  ['good morning', () => plan],
  ['run the tests', (done) => (done ? 'All **3** tests pass.' : call('terminal', { command: 'echo 3 tests passed' }))],
  [
    'write the plan',
    (done) => (done ? 'It is written.' : call('write_file', { path: 'plan.txt', content: 'one\ntwo\n' })),
  ],
  ['clean up', (done) => (done ? 'It is clean now.' : call('terminal', { command: 'rm -rf src' }))],
  ['count for ever', () => ({ deltas: 100_000, fault: 'slow' })],
  ['once more', () => ({ text: 'Second round: ', deltas: 100_000, fault: 'slow' })],
  [
    'wait a moment',
    (done, last) =>
      done
        ? `I heard ${last.includes('only numbers') ? 'it' : 'nothing'}.`
        : call('terminal', { command: 'sleep 4; echo waited' }),
  ],
  ['long story', () => `${'There was a day on which nothing happened at all. '.repeat(300)}\n\nThe end of the story.`],
  ['a tale', () => `${'Then came another such day, and it was no different. '.repeat(300)}\n\nThe end of the tale.`],
  ['look behind', () => 'Nothing is hidden there.'],
]

function reply({ body }: RecordedRequest): Reply {
  const messages = body['messages'] as Wire[]
  if (!body['tools']) return SUMMARY
  const last = messages.at(-1) ?? { role: 'user' }
  const asked = getText(
    messages.findLast(({ role, content }) => role === 'user' && !getText({ role, content }).startsWith('<conv')) ??
      last,
  )
  const found = script.findLast(([words]) => asked.includes(words))
  const heard = messages.slice(-3).map(getText).join('\n')
  return found ? found[1](last.role === 'tool', heard) : `That were ${asked.split('\n').length} lines.`
}

beforeAll(async () => {
  server = await startModelServer({ replies: reply })
})
afterAll(async () => {
  await server.close()
  removeFolder(folder)
})

/** A project and a home with a model in it. */
function place(name: string): { readonly cwd: string; readonly home: string } {
  const [home, cwd] = [join(folder, `home-${name}`), join(folder, `project-${name}`)]
  for (const each of [home, cwd, join(cwd, 'src')]) mkdirSync(each, { recursive: true })
  writeFileSync(join(cwd, 'package.json'), '{}\n')
  writeFileSync(join(cwd, 'src', 'old.js'), '1\n')
  const model = [
    'model:',
    '  provider: custom',
    `  base_url: ${server.url}`,
    '  default: fake-model',
    '  context_length: 200000',
  ]
  writeFileSync(
    join(home, 'config.yaml'),
    `${model.join('\n')}\ndisplay:\n  show_cost: true\n  busy_input_mode: interrupt\n`,
  )
  return { cwd, home }
}

function start(columns: number, rows: number, { cwd, home }: { cwd: string; home: string }, ...args: string[]): Tmux {
  const env = { PATH: process.env['PATH'] ?? '', HOME: folder, SVC_HOME: home, TERM: 'tmux-256color', SHELL: '/bin/sh' }
  return new Tmux({ command: [process.execPath, program, ...args], columns, rows, cwd, env })
}

/** No line is wider than the terminal, and what frames something is closed. */
function sound(screen: string, columns: number): void {
  for (const line of screen.split('\n')) expect([...line].length).toBeLessThanOrEqual(columns)
  expect(screen).not.toMatch(/\{\w+[},]/)
}

describe.skipIf(absent !== undefined)(`a day at the terminal${absent ? ` (${absent})` : ''}`, () => {
  // One width each day.
  test.for(
    (
      [
        [40, 24],
        [80, 30],
        [200, 50],
      ] as const
    ).filter((_, at) => isToday(at, 3)),
  )(
    'at %d columns: chat, tools, approval, paste, completion, rollback, compression, background, resume',
    { timeout: 120_000 },
    async ([columns, rows]) => {
      const where = place(String(columns))
      const terminal = start(columns, rows, where)
      const say = async (text: string, pattern: RegExp) => {
        terminal.line(text)
        const screen = await terminal.shows(pattern)
        sound(screen, columns)
        return screen
      }
      try {
        sound(await terminal.shows(/❯/), columns)

        const morning = await say('good morning', /const day = 1/)
        expect(morning).toContain('完成 ✅')
        const bars = morning.split('\n').filter((line) => /(What|───|parser|docs) *[│┼]/.test(line))
        expect(bars.length).toBeGreaterThanOrEqual(4)
        expect(new Set(bars.map((line) => line.search(/[│┼]/))).size).toBe(1)

        await say('run the tests', /All 3 tests pass\./)

        const written = await say('write the plan', /It is written\./)
        expect(written).toMatch(/\+ ?one/)
        expect(readFileSync(join(where.cwd, 'plan.txt'), 'utf8')).toBe('one\ntwo\n')

        const asked = await say('clean up', /rm -rf src[\s\S]*deletes/i)
        expect(existsSync(join(where.cwd, 'src'))).toBe(true)
        expect(asked).toMatch(/once/i)
        terminal.press('o')
        sound(await terminal.shows(/It is clean now\./), columns)
        expect(existsSync(join(where.cwd, 'src'))).toBe(false)

        terminal.paste(Array.from({ length: 12 }, (_, at) => `pasted line ${at}`).join('\n'))
        await terminal.shows(/Pasted text #1: 12 lines/)
        terminal.press('Enter')
        await terminal.shows(/That were 12 lines\./)

        terminal.type('/roll')
        await terminal.shows(/\/rollback/)
        terminal.press('Tab')
        await terminal.shows(/before write_file/)
        terminal.press('Enter')
        await terminal.shows(/before/)
        await say('/rollback 99', /99/)
        await say('/rollback 1 now', /Restored/)
        expect(existsSync(join(where.cwd, 'src', 'old.js'))).toBe(true)

        await say('/background look behind the house', /Nothing is hidden there\./)

        await say('tell me a long story', /The end of the story\./)
        await say('and a tale', /The end of the tale\./)
        await say('/compress --keep 1', /[Cc]ompressed|→/)
        await say('run the tests', /All 3 tests pass\./)

        await say('/title A good day', /A good day/)
        terminal.press('C-d')
        const left = await terminal.shows(/left with 0/)
        expect(left).toMatch(/svc (chat )?--resume/)
        expect(terminal.isAlternate()).toBe(false)
      } finally {
        await terminal.close()
      }

      const again = start(columns, rows, where, 'chat', '--continue')
      try {
        await again.shows(/All 3 tests pass\./)
        again.line('good morning')
        await again.shows(/const day = 1/)
      } finally {
        again.close()
      }
    },
  )

  test.for(
    (
      [
        [40, 24],
        [80, 24],
        [200, 40],
      ] as const
    ).filter((_, at) => isToday(at + 1, 3)),
  )(
    'at %d columns an answer is interrupted by typing, a tool hears a word while it runs, and Escape stops',
    {
      timeout: 120_000,
    },
    async ([columns, rows]) => {
      const terminal = start(columns, rows, place(`steer-${columns}`))
      try {
        await terminal.shows(/❯/)
        terminal.line('count for ever')
        await terminal.shows(/word5 word6/)
        terminal.line('run the tests')
        await terminal.shows(/All 3 tests pass\./)

        terminal.line('wait a moment')
        await terminal.shows(/sleep 4/)
        terminal.line('/steer only numbers, please')
        await terminal.shows(/only numbers, please/)
        await terminal.shows(/^(?![\s\S]*Esc stops)[\s\S]*I heard it\./)

        terminal.line('once more')
        await terminal.shows(/Second round: word0 word1[\s\S]*Esc stops/)
        terminal.press('Escape')
        // A letter that comes with the Escape would be a key with Alt.
        await terminal.shows(/^(?![\s\S]*Esc stops)[\s\S]*interrupted/)
        terminal.line('good morning')
        await terminal.shows(/const day = 1/)
      } finally {
        await terminal.close()
      }
    },
  )
})
