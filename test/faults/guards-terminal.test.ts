/** A missing guard denies on the surfaces that are left: the full screen, plain lines, scripts and background processes. */
import { spawn } from 'node:child_process'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { missingTmux, Tmux } from '../support/tmux.ts'
import { isToday } from '../support/today.ts'
import { type BuiltManifest, guards, SabotagedBuild } from './guards-build.ts'
import { type Attempt, DONE, type Effects, GuardCase, listWays, nothing, type Way, whole } from './guards-case.ts'
import { readSchema } from './guards-wrong.ts'

type Settings = Readonly<Record<string, unknown>>

for (const { name } of guards) await readSchema(name)

let build: SabotagedBuild
beforeAll(() => {
  build = new SabotagedBuild()
})
afterAll(() => build.close())

/** One that shows itself at the start and one that shows itself at the call. */
const twoWays = (guard: BuiltManifest): readonly Way[] =>
  listWays(guard, 'one').filter(({ name }) => /at setup|at call/.test(name))

const inBackground: Attempt = (commands) =>
  commands.map((command) => ({ name: 'terminal', arguments: { command, background: true } }))

const inScript: Attempt = (commands) =>
  commands.map((command) => ({
    name: 'execute_code',
    arguments: { code: `await terminal(${JSON.stringify({ command })})` },
  }))

const createSettings = ({ guards: gates = [] }: Pick<BuiltManifest, 'guards'>): Settings =>
  gates.includes('tools:offering') ? { tools: { disabled: ['terminal', 'code_execution'] } } : {}

interface Seen {
  readonly effects: Effects
  readonly shown: string
}

/** `svc chat -q`, where the tools differ. */
const asked =
  (attempt: Attempt) =>
  async (way: Way, config: Settings): Promise<Seen> => {
    const it = await GuardCase.open(build, way, { config, attempt })
    const shown = await run(it, ['chat', '-q', it.prepare('asked')])
    const effects = it.effects('asked')
    const heard = it.heard()
    await it.close()
    return { effects, shown: `${shown}\n${heard}` }
  }

async function run(it: GuardCase, words: readonly string[]): Promise<string> {
  const child = spawn(process.execPath, [it.bin, ...words], {
    cwd: it.project,
    env: it.environment,
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let shown = ''
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (text) => {
      shown += text
    })
  await new Promise((resolve) => child.on('close', resolve))
  return shown
}

const ENDED = /I have done what I could|guards this and|requires it to succeed|service budgets|left with|TURN_REFUSED/
const QUESTION = /d · deny|d = deny/

/** A conversation in a real terminal; its questions are answered with no. A question there has no time limit. */
const typed =
  (...words: readonly string[]) =>
  async (way: Way, config: Settings): Promise<Seen> => {
    const it = await GuardCase.open(build, way, { config })
    const text = it.prepare('typed')
    const command = [process.execPath, it.bin, 'chat', ...words]
    const env = { ...it.environment, TERM: 'xterm-256color' }
    const tmux = new Tmux({ command, columns: 160, rows: 60, cwd: it.project, env })
    try {
      await tmux.shows(/[>❯›]|left with/)
      tmux.line(text)
      const first = await tmux.shows(new RegExp(`${ENDED.source}|${QUESTION.source}`))
      if (!ENDED.test(first)) tmux.line('d')
      const shown = await tmux.shows(ENDED)
      return { effects: it.effects('typed'), shown }
    } finally {
      await tmux.close()
      await it.close()
    }
  }

const surfaces: Readonly<Record<string, (way: Way, config: Settings) => Promise<Seen>>> = {
  'in a script': asked(inScript),
  'in the background': asked(inBackground),
  'on the full screen': typed(),
  'in plain lines': typed('--plain'),
}

for (const [name, act] of Object.entries(surfaces))
  describe.skipIf(/screen|plain/.test(name) && missingTmux() !== undefined)(name, () => {
    test('with all guards in place a file is written, and the hard line holds', { timeout: 60_000 }, async () => {
      const { effects, shown } = await act(whole, {})
      expect(effects, shown).toMatchObject({ wrote: true, deleted: false, crossed: false })
      expect(shown).toContain(DONE)
    })

    const cases = guards.flatMap((guard, index) =>
      twoWays(guard)
        .filter((_, at) => isToday(at + index, 4))
        .map((way) => ({ guard, way, title: `${guard.name} ${way.name}` })),
    )
    test.concurrent.each(cases)(
      'nothing happens on this surface: $title',
      { timeout: 60_000 },
      async ({ guard, way }) => {
        const { effects, shown } = await act(way, createSettings(guard))
        expect(effects, shown).toMatchObject(nothing)
        if (guard.guards?.includes('model:calling')) expect(effects.asked, shown).toBe(0)
      },
    )
  })
