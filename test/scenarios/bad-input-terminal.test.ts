/** What a terminal can do to the full screen, and people at it: nothing is lost, nothing is executed, no one is stuck. */
import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, readdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { Desk, eventually, isStill, result } from '../support/desk.ts'
import type { Reply } from '../support/model-replies.ts'
import type { RecordedRequest } from '../support/model-server.ts'
import { temporaryFolder } from '../support/temporary.ts'
import { missingTmux, type Tmux } from '../support/tmux.ts'
import { countToday } from '../support/today.ts'

const absent = missingTmux()
/** Each takes seconds; a terminal that shows nothing is waited for longer, and then its screen is told. */
const limits = { timeout: 60_000 }
const isNext = countToday(4)
/** Half of them each day. */
const story = (name: string, tell: () => Promise<void>) =>
  test.skipIf(absent !== undefined || !isNext())(name, limits, tell)
const why = absent === undefined ? '' : ` (skipped: ${absent})`

/** What differs between two runs of the same: names of sessions, durations, what turns. */
function lasting(screen: string): string {
  return screen
    .replace(/\d{8}_\d{6}_[0-9a-f]+/g, 'SESSION')
    .replace(/\d+(\.\d+)?s\b/g, 'TIME')
    .replace(/[\u2800-\u28ff]/g, '*')
    .replace(/ +$/gm, '')
    .trimEnd()
}

/** Resolves once both show the same, apart from what must differ. */
async function same(one: Tmux, two: Tmux): Promise<void> {
  await eventually(() => expect(lasting(one.screen())).toBe(lasting(two.screen())))
}

describe(`text that is no text${why}`, () => {
  story('five megabytes that are pasted reach the model whole, and the next message is typed as ever', async () => {
    const desk = await Desk.lay({ window: 8_000_000, replies: (asked) => `I read ${asked.length} characters.` })
    const terminal = await desk.ready()
    const lines = Array.from({ length: 100_000 }, (_, at) => `line ${at} is one of many in this paste, héllo 你好`)
    const text = lines.join('\n')
    terminal.paste(text)
    await terminal.shows(/Pasted text #1: 100,?000 lines/)
    terminal.type(' what is this?')
    await terminal.shows(/what is this\?/)
    terminal.press('Enter')
    await terminal.shows(/I read \d+ characters/)
    expect(desk.asked[0] === `${text} what is this?`).toBe(true)
    terminal.line('still there?')
    await terminal.shows(/I read 12 characters/)
  })

  story('a paste that the model refuses as too long is explained, can be had back, and is undone', async () => {
    const message = "This model's maximum context length is 16000 tokens, however you requested 1200000 tokens."
    const refusal: Reply = { fault: { status: 400, code: 'context_length_exceeded', message } }
    const desk = await Desk.lay({
      window: 16_000,
      replies: (asked, { raw }) => (raw.length > 2 ** 20 ? refusal : `I read ${asked.length} characters.`),
    })
    const terminal = await desk.ready()
    terminal.paste('a word and another one\n'.repeat(230_000))
    await terminal.shows(/Pasted text #1/)
    terminal.press('Enter')
    await terminal.shows(/too long|context/i)
    terminal.press('Up')
    await terminal.shows(/❯ .*Pasted text #1/)
    terminal.press('C-c')
    await terminal.shows(/❯ Ask something/)
    terminal.line('/undo --yes')
    await terminal.shows(/taken back|undone/i)
    terminal.line('still there?')
    await terminal.shows(/I read 12 characters/)
  })

  const evil = [
    '\x1b]0;EVILTITLE\x07',
    '\x1b]52;c;RVZJTENMSVA=\x07',
    '\x1b]52;c;RVZJTENMSVA=\x1b\\',
    '\x1b[31mscarlet\x1b[0m',
    '\x1b[2J\x1b[3J\x1b[H',
    '\x1b[?1049l\x1b[?25l\x1b[?1000l\x1b[?2004l\x1b[?7l\x1b[5;10r',
    '\x1b7\x1b[1;1HHOME\x1b8',
    '\x9b31mC1\x9d0;EVILTITLE\x9c',
    '\x1bP$q"p\x1b\\\x1bc\x0e\x05\x07\x08\x7f',
    'first\rsecond',
    '\u202egnp.exe\u202c',
  ].join('')
  const modes =
    '#{alternate_on} #{cursor_flag} #{wrap_flag} #{scroll_region_upper} #{scroll_region_lower} #{pane_title}'

  async function untouched(desk: Desk, act: (terminal: Tmux) => Promise<void>): Promise<void> {
    const terminal = await desk.ready()
    terminal.line('good day')
    await terminal.shows(/Very well/)
    const ours = '1 1 0 0 23 svc · project'
    await eventually(() => expect(terminal.state(modes)).toBe(ours))
    await act(terminal)
    const screen = terminal.coloredScreen()
    await eventually(() => expect(terminal.state(modes)).toBe(ours))
    expect(terminal.clipboard()).not.toContain('EVILCLIP')
    expect(screen).toMatch(/scarlet/)
    expect(screen).not.toMatch(/\x1b\[(0;)?31m[^\x1b]*scarlet/)
    expect(screen).not.toContain('\u202e')
    expect(screen.split('\n')[0]).not.toMatch(/^\W*HOME/)
    terminal.line('and now?')
    await terminal.shows(/and now\?[\s\S]*Very well/)
  }

  story('escape sequences in what the model says are shown and do nothing', async () => {
    const desk = await Desk.lay({
      replies: (asked) => (asked === 'speak' ? { text: [...`${evil}`, ' the end'] } : 'Very well.'),
    })
    await untouched(desk, async (terminal) => {
      terminal.line('speak')
      await terminal.shows(/the end/)
    })
  })

  story('escape sequences in what a tool prints are shown and do nothing, folded and unfolded', async () => {
    const replies = (asked: string, request: RecordedRequest): Reply => {
      if (asked !== 'look' || result(request) !== undefined) return 'Very well.'
      return { calls: [{ name: 'terminal', arguments: { command: 'cat evil.txt; echo; echo the end' } }] }
    }
    const desk = await Desk.lay({ replies })
    desk.write('evil.txt', evil.replaceAll('first', '\nfirst'))
    await untouched(desk, async (terminal) => {
      terminal.line('look')
      await terminal.shows(/look[\s\S]*Very well/)
      terminal.press('C-t')
      await terminal.shows(/scarlet[\s\S]*the end/)
    })
  })

  story('a command with escape sequences that asks to be allowed is seen as it is', async () => {
    const replies = (asked: string, request: RecordedRequest): Reply => {
      if (asked !== 'clean' || result(request) !== undefined) return 'Very well.'
      return { calls: [{ name: 'terminal', arguments: { command: `rm -rf src # ${evil}` } }] }
    }
    const desk = await Desk.lay({ replies })
    await untouched(desk, async (terminal) => {
      terminal.line('clean')
      await terminal.shows(/asks to run[\s\S]*rm -rf src[\s\S]*deny/)
      terminal.press('v')
      await terminal.shows(/scarlet/)
      terminal.press('d')
      await terminal.shows(/clean[\s\S]*Very well/)
      terminal.press('C-t')
      await terminal.shows(/scarlet/)
    })
  })
})

describe(`terminals of any size${why}`, () => {
  story(
    'a terminal that shrinks to one cell and comes back shows what it showed, and what was typed meanwhile',
    async () => {
      const desk = await Desk.lay({ replies: () => 'A **short** answer.\n\n- one\n- two' })
      const terminal = await desk.ready()
      terminal.line('hello')
      await terminal.shows(/two/)
      const before = await isStill(terminal)
      for (const [columns, rows] of [
        [1, 1],
        [20, 5],
        [2, 30],
        [200, 2],
        [1, 1],
      ] as const)
        terminal.resize(columns, rows)
      terminal.type('typed blindly')
      terminal.resize(20, 5)
      await terminal.shows(/typed blindly/)
      terminal.resize(80, 24)
      await terminal.shows(/❯ typed blindly/)
      terminal.press('C-c')
      await eventually(() => expect(lasting(terminal.screen())).toBe(lasting(before)))
      terminal.line('and again')
      await terminal.shows(/and again[\s\S]*two/)
    },
  )

  const rm = (_: string, request: RecordedRequest): Reply => {
    if (result(request) !== undefined) return 'Very well.'
    return {
      text: 'I shall clean up first, if you agree with it. ',
      calls: [
        // So long that both say how long: it is left out when it is short, and the line is cut elsewhere then.
        { name: 'terminal', arguments: { command: 'rm -rf src && sleep 0.3 && echo built anew in a long folder' } },
      ],
    }
  }

  story('a dialog that is open while the terminal changes its size looks as if it had been opened there', async () => {
    const desk = await Desk.lay({ replies: rm })
    const [resized, fresh] = await Promise.all([
      desk.ready({ columns: 100, rows: 30 }),
      desk.ready({ columns: 50, rows: 16 }),
    ])
    for (const terminal of [resized, fresh]) terminal.line('please clean up the folder in which we are now')
    await Promise.all([resized, fresh].map((terminal) => terminal.shows(/deny/)))
    for (const [columns, rows] of [
      [20, 5],
      [1, 1],
      [120, 40],
      [50, 16],
    ] as const)
      resized.resize(columns, rows)
    await same(resized, fresh)
    for (const terminal of [resized, fresh]) terminal.press('o')
    await Promise.all([resized, fresh].map((terminal) => terminal.shows(/Very well/)))
    await same(resized, fresh)
  })

  story(
    'an answer that streams while the terminal changes its size looks as if it had come to one of that size',
    async () => {
      const desk = await Desk.lay({ replies: () => ({ deltas: 400, text: '# Numbers\n\n', fault: 'slow' }) })
      const [resized, fresh] = await Promise.all([
        desk.ready({ columns: 100, rows: 30 }),
        desk.ready({ columns: 50, rows: 16 }),
      ])
      for (const terminal of [resized, fresh]) terminal.line('count')
      await resized.shows(/word/)
      const sizes = [
        [20, 5],
        [1, 1],
        [120, 40],
        [33, 9],
        [50, 16],
        [81, 25],
        [50, 16],
      ] as const
      for (const [columns, rows] of sizes) {
        resized.resize(columns, rows)
        // The line above the place where one types is as long as the terminal is wide; small ones have none.
        if (rows >= 16) await resized.shows(new RegExp(`^─{${columns}}$`, 'm'))
      }
      await Promise.all([resized, fresh].map((terminal) => terminal.shows(/word98 word99\n\W*Ask something/)))
      await same(resized, fresh)
      for (const terminal of [resized, fresh]) terminal.press('PageUp', 'PageUp')
      await same(resized, fresh)
    },
  )
})

const replies = (asked: string): Reply => `Very well, ${asked}.`

describe(`what was set up wrong${why}`, () => {
  story('a skin and a language that do not exist are named, and those that are always there are shown', async () => {
    const desk = await Desk.lay({ config: ['display:', '  skin: nosuchskin', '  language: klingon'], replies })
    const terminal = await desk.ready()
    await terminal.shows(/nosuchskin/)
    await terminal.shows(/klingon/)
    terminal.line('hello')
    await terminal.shows(/Very well, hello/)
  })

  story('a plugin that fails is named, and what it says does not tear the screen', async () => {
    const desk = await Desk.lay({ replies, config: ['plugins:', '  enabled: [sulky]'] })
    const manifest = {
      name: 'sulky',
      version: '1.0.0',
      sdk: '^0.1.0',
      kind: 'tool',
      description: 'Fails at the end of each turn.',
      with: ['agent'],
    }
    const source = [
      "import { definePlugin, TurnEnded } from 'svc/sdk'",
      'const fail = () => { throw new Error("out of sorts") }',
      'export default definePlugin({ setup(ctx) { ctx.on(TurnEnded, fail) } })',
    ]
    mkdirSync(join(desk.home, 'plugins/sulky'), { recursive: true })
    writeFileSync(join(desk.home, 'plugins/sulky/plugin.json'), JSON.stringify(manifest))
    writeFileSync(join(desk.home, 'plugins/sulky/index.js'), source.join('\n'))
    const terminal = await desk.ready()
    terminal.line('hello')
    await terminal.shows(/Very well, hello[\s\S]*sulky: .*out of sorts/)
    const screen = await terminal.shows(/❯ Ask something/)
    expect(screen).not.toContain('svc: sulky')
  })

  /** Writes one line into the file that it is told. */
  const write = (asked: string, request: RecordedRequest): Reply =>
    asked.startsWith('write') && result(request) === undefined
      ? { calls: [{ name: 'write_file', arguments: { path: `${asked.slice(6)}.txt`, content: 'one\n' } }] }
      : `Very well, ${asked}.`

  story('a snapshot that there is not is said so, and files and snapshots stay as they are', async () => {
    const desk = await Desk.lay({ replies: write })
    const terminal = await desk.ready()
    terminal.line('write one')
    await terminal.shows(/Very well, write one/)
    for (const number of ['99', '0', '99999999999999999999']) {
      terminal.line(`/rollback ${number}`)
      await terminal.shows(new RegExp(`no snapshot ${number} `))
    }
    expect(desk.has('one.txt')).toBe(true)
    terminal.line('/rollback 1 --yes')
    await eventually(() => expect(desk.has('one.txt')).toBe(false))
  })

  story('without git tools run as ever, and that there are no snapshots is said once', async () => {
    const path = programsWithout('git')
    const desk = await Desk.lay({ replies: write, env: { PATH: path } })
    const terminal = await desk.ready()
    terminal.line('write one')
    await terminal.shows(/Very well, write one/)
    await terminal.shows(/git/i)
    terminal.line('write two')
    await terminal.shows(/Very well, write two/)
    expect(desk.has('two.txt')).toBe(true)
    expect(terminal.screen().match(/No snapshot of the files/g)).toHaveLength(1)
    terminal.line('/rollback')
    await terminal.shows(/rollback[\s\S]*git/i)
  })
})

/** A folder with everything that is in the folders of PATH, save one program. */
function programsWithout(name: string): string {
  const folder = temporaryFolder()
  for (const from of ['/usr/bin', '/bin'])
    for (const each of readdirSync(from))
      if (each !== name && !existsSync(join(folder, each))) symlinkSync(join(from, each), join(folder, each))
  execFileSync('sh', ['-c', `! PATH=${folder} command -v ${name}`])
  return folder
}
