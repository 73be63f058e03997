/**
 * A missing guard denies on every surface of the gateway: HTTP, chat and webhook; a third of the ways a day. The command line:
 * guards-cli.test.ts.
 */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { isToday } from '../support/today.ts'
import { guards, SabotagedBuild } from './guards-build.ts'
import { disabled, listWays, nothing, whole } from './guards-case.ts'
import { surfaces, throughGateway } from './guards-gateway.ts'
import { readSchema } from './guards-wrong.ts'

for (const { name } of guards) await readSchema(name)

let build: SabotagedBuild
/** Webhooks have no terminal unless that is said. */
const allowed = {
  tools: { surfaces: { webhook: { enabled: ['terminal'] } } },
}
const settingsFor = (gates: readonly string[] = []) =>
  gates.includes('tools:offering') ? { tools: { disabled: ['terminal'] } } : allowed

beforeAll(() => {
  build = new SabotagedBuild()
})
afterAll(() => build.close())

test('with all guards in place every surface writes a file, and none deletes unasked or crosses the hard line', async () => {
  const { effects, health } = await throughGateway(build, whole, allowed)
  for (const surface of surfaces)
    expect({ surface, ...effects[surface] }).toMatchObject({ surface, wrote: true, deleted: false, crossed: false })
  expect(health).toMatchObject({ readiness: { checks: { guards: { status: 'ok' } } } })
})

for (const [index, guard] of guards.entries())
  describe(`${guard.name} guards ${guard.guards?.join() ?? 'what others rest on'}`, () => {
    test.concurrent.each(listWays(guard, 'one').filter((_, at) => isToday(at + index, 16)))(
      'nothing happens in the gateway: $name',
      { timeout: 90_000 },
      async (way) => {
        const { effects, isUp, said, heard, answers, health } = await throughGateway(
          build,
          way,
          settingsFor(guard.guards),
        )
        for (const surface of surfaces) {
          expect({ surface, ...effects[surface] }, said).toMatchObject({ surface, ...nothing })
          if (guard.guards?.includes('model:calling')) expect(effects[surface].asked, said).toBe(0)
        }
        // What throws at every call keeps chats from beginning a turn at all: then there is no gate that could name it.
        const says =
          way.name === 'sabotaged at call' ? new RegExp(`sabotaged at call|${way.says.source}`, 'is') : way.says
        expect([said, heard, ...answers].join('\n')).toMatch(says)
        const isGone = /absent|known by its name|at call/.test(way.name)
        if (isUp && !isGone) expect(health).toMatchObject({ readiness: { checks: { guards: { status: 'degraded' } } } })
      },
    )

    test('disabled by the user, a guard is said at the start and in the health, and the hard line still holds', async () => {
      const outcome = await throughGateway(build, disabled(guard), settingsFor(guard.guards))
      for (const surface of surfaces) expect(outcome.effects[surface].crossed, surface).toBe(false)
      if (guard.permanent) {
        for (const surface of surfaces)
          expect(outcome.effects[surface], surface).toMatchObject({ wrote: true, deleted: false })
        return
      }
      expect(outcome.said).toContain(`svc: not guarded: ${guard.name}: plugins.disabled in config.yaml names it`)
      const entry = expect.objectContaining({ plugin: guard.name, state: 'disabled' })
      expect(outcome.status).toMatchObject({ unguarded: expect.arrayContaining([entry]) })
      const checks = { guards: { status: 'degraded', not_running: expect.arrayContaining([entry]) } }
      expect(outcome.health).toMatchObject({ readiness: { checks } })
    })
  })
