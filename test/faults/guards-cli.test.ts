/**
 * A missing guard denies: each guard that a manifest declares is made invalid, absent, slow and failing in the built
 * program, and `svc chat -q` attempts what it protects. Other surfaces: guards-gateway.test.ts and guards-terminal.test.ts.
 */

import { execFileSync, spawn } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { isToday } from '../support/today.ts'
import { hooks } from '../support/tokens.ts'
import { guards, SabotagedBuild } from './guards-build.ts'
import { type Attempt, disabled, GuardCase, listWays, nothing, type Way, whole } from './guards-case.ts'
import { readSchema } from './guards-wrong.ts'

for (const { name } of guards) await readSchema(name)

let build: SabotagedBuild
beforeAll(async () => {
  build = new SabotagedBuild()
  // Keeps the compiled form, which all others use.
  await inCase(whole, {}, (it) => chat(it))
})
afterAll(() => build.close())

async function inCase<T>(
  way: Way,
  config: Readonly<Record<string, unknown>>,
  work: (it: GuardCase) => Promise<T>,
): Promise<T> {
  const it = await GuardCase.open(build, way, { config })
  try {
    return await work(it)
  } finally {
    await it.close()
  }
}

/** `svc chat -q`; what it said, what the model was told and what happened. */
async function chat(it: GuardCase, words: readonly string[] = []) {
  const child = spawn(process.execPath, [it.bin, 'chat', '-q', it.prepare('cli'), ...words], {
    cwd: it.project,
    env: it.environment,
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let said = ''
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (text) => {
      said += text
    })
  const code = await new Promise<number | null>((resolve) => void child.on('close', resolve))
  return { code, said, heard: it.heard(), effects: it.effects('cli') }
}

/** A tool that is switched off, so that there is something for the toolsets to protect. */
const switchedOff = { tools: { disabled: ['terminal'] } }
const settingsFor = (gates: readonly string[] = []) => (gates.includes('tools:offering') ? switchedOff : {})

test('every gate of the SDK is guarded by a plugin of this installation', () => {
  const gates = hooks().flatMap(({ token }) => (token.gate ? [token.id] : []))
  expect(gates.length).toBeGreaterThan(2)
  const guarded = guards.flatMap(({ guards: gates = [] }) => gates)
  expect([...new Set(guarded)].sort()).toEqual(gates.sort())
})

test('with all guards in place a file is written, a deletion waits for a person, and the hard line holds', async () => {
  const { code, effects, heard } = await inCase(whole, {}, (it) => chat(it))
  expect({ code, effects }).toEqual({ code: 0, effects: { wrote: true, deleted: false, crossed: false, asked: 2 } })
  expect(heard).toContain('no setting and no answer allows')
})

test('with all guards in place a tool that is switched off does nothing', async () => {
  const { effects } = await inCase(whole, switchedOff, (it) => chat(it))
  expect(effects).toMatchObject(nothing)
})

test('without command-risk, which cannot be left out, nothing is reset unasked and no home is deleted', async () => {
  const attempt: Attempt = () =>
    ['git reset --hard', 'rm -rf ~'].map((command) => ({ name: 'terminal', arguments: { command } }))
  const config = { plugins: { disabled: ['command-risk'] } }
  const it = await GuardCase.open(build, { ...whole, config }, { attempt })
  const file = join(it.prepare('cli') && it.project, 'work.txt')
  const git = (...words: string[]) =>
    execFileSync('git', ['-c', 'user.name=a', '-c', 'user.email=a@b', ...words], { cwd: it.project })
  writeFileSync(file, 'yesterday')
  for (const words of [
    ['init', '-q'],
    ['add', '.'],
    ['commit', '-qm', 'one'],
  ])
    git(...words)
  writeFileSync(file, 'today')
  const { heard } = await chat(it)
  expect(readFileSync(file, 'utf8')).toBe('today')
  expect(heard).toContain('no setting and no answer allows')
  expect(heard).toContain('no person is reachable who could be asked')
  await it.close()
})

for (const [index, guard] of guards.entries())
  describe(`${guard.name} guards ${guard.guards?.join() ?? 'what others rest on'}`, () => {
    test.concurrent.each(listWays(guard, 'each').filter((_, at) => isToday(at + index, 8)))(
      'nothing happens: $name',
      { timeout: 60_000 },
      async (way) => {
        const { effects, said, heard } = await inCase(way, settingsFor(guard.guards), (it) => chat(it))
        expect(effects, said).toMatchObject(nothing)
        if (guard.guards?.includes('model:calling')) expect(effects.asked, said).toBe(0)
        expect(`${said}\n${heard}`).toMatch(way.says)
      },
    )

    test('disabled by the user: it is said at the start, and the hard line still holds', async () => {
      const { effects, said, heard } = await inCase(disabled(guard), settingsFor(guard.guards), (it) => chat(it))
      expect(effects.crossed).toBe(false)
      expect(heard).toContain('no setting and no answer allows')
      if (guard.permanent) expect(effects).toMatchObject({ wrote: true, deleted: false })
      else expect(said).toContain(`svc: not guarded: ${guard.name}: plugins.disabled in config.yaml names it`)
    })
  })
