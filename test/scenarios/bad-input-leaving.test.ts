/** Ways out of the full screen and back: keys that interrupt, signals, terminals that go away, two on one conversation. */
import { describe, expect, test } from 'vitest'
import { Desk, eventually, gone, isStill, program, programsIn, result } from '../support/desk.ts'
import type { Reply } from '../support/model-replies.ts'
import type { RecordedRequest } from '../support/model-server.ts'
import { missingTmux, type Tmux } from '../support/tmux.ts'
import { countToday } from '../support/today.ts'

const absent = missingTmux()
/** Each takes seconds; a screen that does not come is waited for longer, and then what is there is told. */
const limits = { timeout: 60_000 }
const isNext = countToday(4)
/** Half of them each day. */
const story = (name: string, tell: () => Promise<void>) =>
  test.skipIf(absent !== undefined || !isNext())(name, limits, tell)

/** Half an answer when asked to count, a dangerous command when asked to clean. */
function replies(asked: string, request: RecordedRequest): Reply {
  if (asked.includes('count')) return { deltas: 60, fault: 'stall' }
  if (asked.includes('clean') && result(request) === undefined)
    return { calls: [{ name: 'terminal', arguments: { command: 'rm -rf src' } }] }
  return `Very well, ${asked.slice(0, 40)}.`
}

const inLines = /[^-]icanon [\s\S]*[^-]echo /

/** A shell has the terminal: lines are edited by the system, what is typed is seen, no mode of ours is left. */
async function isUsable(terminal: Tmux): Promise<void> {
  await eventually(() => {
    const modes = '#{alternate_on} #{cursor_flag} #{wrap_flag} #{mouse_any_flag} #{mouse_sgr_flag}'
    expect(terminal.state(modes)).toBe('0 1 1 0 0')
  })
  terminal.line('clear; stty -a; echo us$((1))able')
  expect(await terminal.shows(/^us1able$/m)).toMatch(inLines)
}

/** A shell in which the program was started, as most people do it. */
async function fromShell(desk: Desk, shell: readonly string[]): Promise<Tmux> {
  const terminal = desk.open({ command: shell })
  await terminal.shows(/shell>/)
  terminal.line(`${process.execPath} ${program}`)
  await terminal.shows(/Ask something/)
  return terminal
}

const shellEnv = { PS1: 'shell> ', HISTFILE: '' }

function wire(desk: Desk): readonly { readonly role: string; readonly content: string }[] {
  const messages = desk.model.requests.at(-1)?.body['messages'] as { readonly role: string; readonly content: string }[]
  return messages.filter(({ role }) => role !== 'system')
}

describe(`interrupted at the terminal${absent === undefined ? '' : ` (skipped: ${absent})`}`, () => {
  story('ctrl-c takes a draft back, and the one after the next message stops the answer to it', async () => {
    const desk = await Desk.lay({ replies })
    const terminal = await desk.ready()
    terminal.type('half a thought')
    await terminal.shows(/❯ half a thought/)
    terminal.press('C-c')
    await terminal.shows(/❯ Ask something/)
    terminal.press('Up')
    await terminal.shows(/❯ half a thought/)
    terminal.press('C-c')
    await terminal.shows(/❯ Ask something/)
    terminal.line('now count')
    await terminal.shows(/word29/)
    terminal.press('C-c')
    await terminal.shows(/interrupted/)
    terminal.line('still there?')
    await terminal.shows(/Very well, still there/)
  })

  story(
    'ctrl-c denies in a dialog, closes a screen, stops an answer, and leaves when it is pressed again',
    async () => {
      const desk = await Desk.lay({ replies })
      const terminal = await desk.ready()
      terminal.line('please clean')
      await terminal.shows(/asks to run/)
      terminal.press('C-c')
      await terminal.shows(/Very well, please clean/)
      expect(wire(desk).at(-1)?.content).toMatch(/denied|not allowed|refused/i)
      terminal.press('F1')
      await eventually(() => expect(terminal.screen()).not.toContain('Ask something'))
      terminal.press('C-c')
      await terminal.shows(/Ask something/)
      terminal.line('now count')
      await terminal.shows(/word29/)
      terminal.press('C-c')
      await terminal.shows(/interrupted[\s\S]*again leaves/)
      terminal.press('C-c')
      await terminal.shows(/left with 0/)
      await isUsable(terminal)
    },
  )

  story('ctrl-c during the very start leaves nothing behind on the terminal', async () => {
    const desk = await Desk.lay({ replies })
    const terminal = desk.open()
    await eventually(() => expect(terminal.isAlternate()).toBe(true))
    terminal.press('C-c', 'C-c')
    await terminal.shows(/left with \d+/)
    await isUsable(terminal)
  })

  story('ctrl-z gives the shell its terminal, and fg brings the conversation back as it was', async () => {
    const desk = await Desk.lay({ replies, env: shellEnv })
    const terminal = await fromShell(desk, ['bash', '--norc', '-i'])
    terminal.line('hello')
    await terminal.shows(/Very well, hello/)
    terminal.type('a draft')
    await terminal.shows(/❯ a draft/)
    const before = await isStill(terminal)
    for (const _ of ['once', 'again']) {
      terminal.press('C-z')
      await terminal.shows(/Stopped/)
      expect(terminal.isAlternate()).toBe(false)
      terminal.line('clear; stty -a; echo in the sh$((1))ell')
      await terminal.shows(/^in the sh1ell$/m)
      terminal.line('fg')
      await eventually(() => expect(terminal.screen()).toBe(before))
      expect(terminal.isAlternate()).toBe(true)
    }
    terminal.press('Enter')
    await terminal.shows(/Very well, a draft/)
    terminal.press('C-c', 'C-c')
    await terminal.shows(/Continue with[\s\S]*shell>\s*$/)
  })

  story('an answer that comes while the program is stopped by ctrl-z is there after fg', async () => {
    const desk = await Desk.lay({ replies: () => ({ text: 'late but whole', delayMs: 700 }), env: shellEnv })
    const terminal = await fromShell(desk, ['bash', '--norc', '-i'])
    terminal.line('hello')
    await eventually(() => expect(desk.model.requests).toHaveLength(1))
    terminal.press('C-z')
    await terminal.shows(/Stopped/)
    terminal.resize(100, 20)
    terminal.line('fg')
    await terminal.shows(/late but whole[\s\S]*Ask something/)
    expect(
      terminal
        .screen()
        .split('\n')
        .some((line) => /^─{100}$/.test(line)),
    ).toBe(true)
  })
})

describe(`a terminal or a program that goes away${absent === undefined ? '' : ` (skipped: ${absent})`}`, () => {
  story('when the window is closed during an answer the program ends, and the talk goes on in another', async () => {
    const desk = await Desk.lay({ replies })
    const terminal = await desk.ready()
    terminal.line('hello')
    await terminal.shows(/Very well, hello/)
    terminal.line('now count')
    await terminal.shows(/word29/)
    const programs = programsIn(terminal)
    expect(programs).toHaveLength(1)
    await terminal.close()
    const other = await desk.ready({ args: ['-c'] })
    await other.shows(/hello[\s\S]*Very well, hello[\s\S]*now count[\s\S]*word29/)
    other.line('thank you')
    await other.shows(/Very well, thank you/)
    expect(wire(desk).map(({ role }) => role)).toEqual(['user', 'assistant', 'user', 'assistant', 'user'])
    expect(wire(desk)[3]?.content).toMatch(/word0 .*word29/)
  })

  story('when the window is closed while a dialog is open the command is not run', async () => {
    const desk = await Desk.lay({ replies })
    desk.write('src', 'the only copy')
    const terminal = await desk.ready()
    terminal.line('please clean')
    await terminal.shows(/asks to run/)
    await terminal.close()
    expect(desk.has('src')).toBe(true)
    const other = await desk.ready({ args: ['-c'] })
    await other.shows(/please clean/)
    other.line('thank you')
    await other.shows(/Very well, thank you/)
  })

  for (const signal of ['SIGHUP', 'SIGTERM'] as const)
    story(`${signal} ends it, the terminal is given back, and what came stays`, async () => {
      const desk = await Desk.lay({ replies })
      const terminal = await desk.ready()
      terminal.line('now count')
      await terminal.shows(/word29/)
      const programs = programsIn(terminal)
      for (const pid of programs) process.kill(pid, signal)
      await gone(programs)
      await terminal.shows(/left with/)
      await isUsable(terminal)
      const other = await desk.ready({ args: ['-c'] })
      await other.shows(/now count[\s\S]*word29/)
    })

  story('after kill -9 during an answer the same terminal takes commands, and the talk goes on in it', async () => {
    const desk = await Desk.lay({ replies, env: shellEnv })
    const terminal = await fromShell(desk, ['sh', '-i'])
    terminal.line('now count')
    await terminal.shows(/word29/)
    for (const pid of programsIn(terminal)) process.kill(pid, 'SIGKILL')
    await eventually(() => expect(terminal.isAlternate()).toBe(false))
    terminal.press('Enter')
    await isUsable(terminal)
    terminal.line(`${process.execPath} ${program} -c`)
    // The answer that was cut off is continued with, without anyone's asking.
    await terminal.shows(/now count[\s\S]*word29[\s\S]*Very well, Your answer was cut off/)
    terminal.line('thank you')
    await terminal.shows(/Very well, thank you/)
    expect(wire(desk).map(({ role }) => role)).toEqual(['user', 'assistant', 'user', 'assistant', 'user'])
  })

  story(
    'a window on a talk that answers in another one says so, and what was typed there can be sent later',
    async () => {
      const desk = await Desk.lay({ replies })
      const one = await desk.ready()
      one.line('hello')
      const [id = ''] = /\d{8}_\d{6}_[0-9a-f]+/.exec(await one.shows(/Very well, hello/)) ?? []
      const two = await desk.ready({ args: ['chat', '--resume', id] })
      await two.shows(/Very well, hello/)
      one.line('now count')
      await one.shows(/word29/)
      two.line('me too')
      await two.shows(/Another svc .*has a turn under way/)
      one.press('Escape')
      await one.shows(/interrupted/)
      two.press('Up')
      await two.shows(/❯ me too/)
      two.press('Enter')
      await two.shows(/Very well, me too/)
      one.line('and me')
      await one.shows(/Very well, and me/)
      const said = wire(desk).flatMap(({ role, content }) => (role === 'user' ? [content] : []))
      expect(said).toEqual(['hello', 'now count', 'me too', 'and me'])
    },
  )
})
