import { virtualClock } from 'svc/sdk/testing'
import { describe, expect, test } from 'vitest'
import { Bootstrap, type BootstrapDeps } from '../../../../plugins/dashboard/desktop/bootstrap/bootstrap.ts'
import type { BootstrapEvent } from '../../../../plugins/dashboard/desktop/bootstrap/events.ts'
import { MANIFEST, STAGES, type StageResult } from '../../../../plugins/dashboard/desktop/bootstrap/stages.ts'

const marker = {
  schemaVersion: 1 as const,
  pinnedCommit: 'abcdef0',
  pinnedBranch: 'main',
  completedAt: '2026-01-01T00:00:00.000Z',
  desktopVersion: '0.2.0',
}

/** A machine on which stages go as `fails` says: by the name of the stage, with a reason. */
function machine(options: { fails?: Record<string, string>; deps?: Partial<BootstrapDeps> } = {}) {
  const { fails = {} } = options
  const events: BootstrapEvent[] = []
  const ran: string[] = []
  const stored = { marker: undefined as typeof marker | undefined }
  const bootstrap = new Bootstrap({
    clock: virtualClock(),
    readMarker: async () => stored.marker,
    writeMarker: async () => {
      stored.marker = marker
      return marker
    },
    removeMarker: async () => {
      stored.marker = undefined
    },
    manifest: async () => MANIFEST,
    runStage: async ({ name, needs_user_input: skipped }, _signal, onLine): Promise<StageResult> => {
      ran.push(name)
      onLine({ line: `\x1b[32m${name}\x1b[0m at work`, stream: 'stderr' })
      const reason = fails[name]
      return { stage: name, ok: reason === undefined, skipped, reason: reason ?? null, duration_ms: 7 }
    },
    emit: (event) => events.push(event),
    ...options.deps,
  })
  return { bootstrap, events, ran, fails, stored }
}

const names = STAGES.map(({ name }) => name)
const told = (events: readonly BootstrapEvent[]) =>
  events.flatMap((event) =>
    event.type === 'stage' ? [`${event.name} ${event.state}`] : event.type === 'log' ? [] : [event.type],
  )

describe('the first start', () => {
  test('has fourteen stages, each name once', () => {
    expect(new Set(names).size).toBe(14)
    expect(STAGES.filter((stage) => stage.needs_user_input).map(({ name }) => name)).toEqual(['configure', 'gateway'])
  })

  test('tells of each stage in order, and is not repeated once its marker is there', async () => {
    const { bootstrap, events, ran } = machine()
    expect(await bootstrap.run()).toEqual(marker)
    expect(told(events)).toEqual([
      'manifest',
      'manifest',
      ...names.flatMap((name) => [
        `${name} running`,
        `${name} ${name === 'configure' || name === 'gateway' ? 'skipped' : 'succeeded'}`,
      ]),
      'complete',
    ])
    // The first manifest is empty, so that a page opens at once.
    expect(events.filter(({ type }) => type === 'manifest')).toEqual([
      { type: 'manifest', stages: [], protocolVersion: 1 },
      { type: 'manifest', stages: MANIFEST.stages, protocolVersion: 1 },
    ])
    expect(events.find(({ type }) => type === 'log')).toEqual({
      type: 'log',
      stage: 'package-manager',
      line: 'package-manager at work',
      stream: 'stderr',
    })
    expect(bootstrap.snapshot()).toMatchObject({
      active: false,
      error: null,
      startedAt: Date.UTC(2026, 0, 1),
      completedAt: Date.UTC(2026, 0, 1),
      stages: { git: { state: 'succeeded', durationMs: 7, json: { stage: 'git', ok: true } } },
    })
    await bootstrap.run()
    expect(ran).toHaveLength(14)
  })

  test.for(names)('that fails at %s stays failed without running anything, until it is reset', async (name) => {
    const { bootstrap, events, ran, fails } = machine({ fails: { [name]: 'the disk is full' } })
    await expect(bootstrap.run()).rejects.toMatchObject({
      code: 'DESKTOP_BOOTSTRAP',
      message: expect.stringMatching(/: the disk is full$/),
    })
    const at = names.indexOf(name)
    expect(ran).toEqual(names.slice(0, at + 1))
    expect(told(events).slice(-2)).toEqual([`${name} failed`, 'failed'])
    expect(events.at(-1)).toMatchObject({ type: 'failed', stage: name })
    expect(bootstrap.snapshot()).toMatchObject({
      active: false,
      completedAt: null,
      stages: { [name]: { state: 'failed' } },
    })

    delete fails[name]
    await expect(bootstrap.run()).rejects.toThrow('the disk is full')
    expect(ran).toHaveLength(at + 1)
    await bootstrap.reset()
    expect(bootstrap.snapshot().error).toBeNull()
    await bootstrap.run()
    // What was done is not done again.
    expect(ran).toEqual([...names.slice(0, at + 1), ...names.slice(at)])
  })

  test('begins again after a repair', async () => {
    const { bootstrap, ran, stored } = machine()
    await bootstrap.run()
    await bootstrap.repair()
    expect(stored.marker).toBeUndefined()
    await bootstrap.run()
    expect(ran).toEqual([...names, ...names])
  })

  test('that is cancelled fails as cancelled by the user, and the stage is told', async () => {
    let isTold = false
    const { bootstrap, events } = machine({
      deps: {
        runStage: (_stage, signal) =>
          new Promise((_resolve, reject) => {
            signal.addEventListener('abort', () => {
              isTold = true
              reject(new Error('ended by SIGTERM'))
            })
          }),
      },
    })
    const run = bootstrap.run()
    await expect.poll(() => bootstrap.snapshot().stages['package-manager']?.state).toBe('running')
    expect(bootstrap.snapshot().active).toBe(true)
    expect(await bootstrap.cancel()).toBe(true)
    await expect(run).rejects.toThrow('cancelled by user')
    expect(isTold).toBe(true)
    expect(events.at(-1)).toEqual({
      type: 'failed',
      stage: 'package-manager',
      error: expect.stringContaining('cancelled by user'),
    })
    expect(await bootstrap.cancel()).toBe(false)
    await expect(bootstrap.run()).rejects.toThrow('cancelled by user')
  })

  test('is run once for all who wait for it', async () => {
    const { bootstrap, ran } = machine()
    await Promise.all([bootstrap.run(), bootstrap.run(), bootstrap.run()])
    expect(ran).toHaveLength(14)
  })

  test('on a machine that is not supported says how svc is installed there', async () => {
    const unsupported = {
      platform: 'plan9',
      activeRoot: '/svc',
      installCommand: 'npm install -g svc',
      docsUrl: 'https://example.org/install',
    }
    const { bootstrap, events, ran } = machine({ deps: { unsupportedPlatform: () => unsupported } })
    await expect(bootstrap.run()).rejects.toThrow('npm install -g svc')
    expect(events.map(({ type }) => type)).toEqual(['manifest', 'unsupported-platform', 'failed'])
    expect(bootstrap.snapshot().unsupportedPlatform).toEqual(unsupported)
    expect(ran).toEqual([])
  })

  test('keeps the last 500 lines for a page that comes late', async () => {
    const { bootstrap } = machine({
      deps: {
        runStage: async ({ name }, _signal, onLine) => {
          for (let at = 0; at < 100; at++) onLine({ line: `${name} ${at}`, stream: 'stdout' })
          return { stage: name, ok: true, skipped: false, reason: null, duration_ms: 1 }
        },
      },
    })
    await bootstrap.run()
    const { log } = bootstrap.snapshot()
    expect(log).toHaveLength(500)
    expect(log.at(-1)).toEqual({ stage: 'gateway', line: 'gateway 99', stream: 'stdout' })
  })
})
