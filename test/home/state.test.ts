import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { type PluginContext, Sessions } from 'svc/sdk'
import type { PluginSessionStateOptions, StateOptions } from 'svc/sdk/storage'
import { testKernel, virtualClock } from 'svc/sdk/testing'
import { expect, onTestFinished, test } from 'vitest'
import { z } from 'zod'

const places = { schema: z.object({ places: z.array(z.string()) }), initial: { places: ['Bern'] } }
type Places = z.infer<typeof places.schema>

interface WeatherOptions {
  readonly home?: string
  readonly cwd?: string
  readonly plugins?: readonly string[]
}

/** A running plugin `weather`, and its context. */
async function open({ home = createHome(), ...setting }: WeatherOptions = {}) {
  const clock = virtualClock()
  let given: PluginContext<never> | undefined
  const setup = (ctx: PluginContext<never>) => {
    given = ctx
  }
  const kernel = await testKernel({ home, clock, audit: true, with: [{ name: 'weather', setup }], ...setting })
  onTestFinished(() => kernel.stop())
  const ctx = given as PluginContext<never>
  const file = join(home, 'data', 'weather', 'state', 'places.json')
  return {
    home,
    kernel,
    clock,
    ctx,
    file,
    state: (more: Partial<StateOptions<Places>> = {}) => ctx.state('places', { ...places, ...more }),
  }
}

function createHome(): string {
  const home = mkdtempSync(join(tmpdir(), 'svc-state-'))
  onTestFinished(() => rmSync(home, { recursive: true, force: true }))
  return home
}

function write(file: string, text: string): void {
  mkdirSync(dirname(file), { recursive: true })
  writeFileSync(file, text)
}

test('state begins with its initial value and is there after a restart', async () => {
  const { home, kernel, state, file } = await open()
  expect(state().get()).toEqual({ places: ['Bern'] })
  expect(existsSync(file)).toBe(false)
  await state().set({ places: ['Thun'] })
  expect(state().get()).toEqual({ places: ['Thun'] })
  if (process.platform !== 'win32') expect(statSync(file).mode & 0o777).toBe(0o600)
  await kernel.stop()
  expect((await open({ home })).state().get()).toEqual({ places: ['Thun'] })
})

test('a value of state is frozen, so no reader changes it for another', async () => {
  const { state } = await open()
  await state().set({ places: ['Thun'] })
  expect(() => state().get().places.push('Biel')).toThrow(TypeError)
})

test('changes of one process at the same time are all kept', async () => {
  const { state } = await open()
  const names = Array.from({ length: 20 }, (_, at) => `place ${at}`)
  await Promise.all(names.map((name) => state().update((old) => ({ places: [...old.places, name] }))))
  expect(state().get().places).toEqual(['Bern', ...names])
})

test('a change that throws or does not fit the schema writes nothing', async () => {
  const { state } = await open()
  await state().set({ places: ['Thun'] })
  const broken = () => {
    throw new Error('no idea')
  }
  await expect(state().update(broken)).rejects.toThrow('no idea')
  await expect(state().set({ places: [7] } as never)).rejects.toMatchObject({ code: 'STATE_INVALID' })
  await expect(state().update((async () => places.initial) as never)).rejects.toThrow('must be synchronous')
  expect(state().get()).toEqual({ places: ['Thun'] })
})

test('a value of an earlier version is migrated, and written in the new form by the next change', async () => {
  const { state, file } = await open()
  write(file, JSON.stringify({ version: 1, value: ['Thun'] }))
  const newer = state({ version: 3, migrate: (value, version) => ({ places: version === 1 ? value : [] }) })
  expect(newer.get()).toEqual({ places: ['Thun'] })
  await newer.update((old) => old)
  expect(JSON.parse(readFileSync(file, 'utf8'))).toEqual({ version: 3, value: { places: ['Thun'] } })
})

test('a migration that fails leaves the file as it is', async () => {
  const { state, file } = await open()
  const text = JSON.stringify({ version: 1, value: ['Thun'] })
  write(file, text)
  const newer = state({ version: 2, migrate: () => ({ places: 7 }) })
  expect(() => newer.get()).toThrow('could not be migrated from schema 1 to 2')
  await expect(newer.set({ places: [] })).rejects.toMatchObject({ code: 'STATE_INVALID' })
  expect(readFileSync(file, 'utf8')).toBe(text)
})

test('state that a later version of the plugin wrote is refused and not touched', async () => {
  const { state, file } = await open()
  const text = JSON.stringify({ version: 4, value: { unknown: true } })
  write(file, text)
  expect(() => state().get()).toThrow('a later version of the plugin (schema 4, this one knows 1)')
  await expect(state().set({ places: [] })).rejects.toMatchObject({ code: 'STATE_TOO_NEW' })
  await expect(state().update((old) => old)).rejects.toMatchObject({ code: 'STATE_TOO_NEW' })
  expect(readFileSync(file, 'utf8')).toBe(text)
})

test('content that cannot be used is reported once and kept under another name', async () => {
  for (const text of [
    '{"version":1,"val',
    '{"version":1,"value":{"places":"Bern"}}',
    '[]',
    '{"version":0,"value":1}',
  ]) {
    const { state, file, kernel } = await open()
    write(file, text)
    const one = state()
    expect([one.get(), one.get()]).toEqual([places.initial, places.initial])
    expect(kernel.problems()).toMatchObject([{ plugin: 'weather', stage: 'state', code: 'STATE_INVALID' }])
    expect(readFileSync(file, 'utf8')).toBe(text)
    await one.set({ places: ['Thun'] })
    const aside = readdirSync(dirname(file)).filter((name) => name.startsWith('places.invalid-'))
    expect(aside).toHaveLength(1)
    expect(readFileSync(join(dirname(file), aside[0] as string), 'utf8')).toBe(text)
    expect(state().get()).toEqual({ places: ['Thun'] })
  }
})

test('state of 100 MB is refused and nothing is lost', async () => {
  const { state } = await open()
  await state().set({ places: ['Thun'] })
  await expect(state().set({ places: ['x'.repeat(100_000_000)] })).rejects.toMatchObject({
    code: 'STATE_TOO_LARGE',
    message: expect.stringContaining('95.4 MiB as JSON; 16 MiB is the limit'),
  })
  expect(state().get()).toEqual({ places: ['Thun'] })
})

test('a file of more than 16 MiB is not read into memory, and not replaced', async () => {
  const { state, file } = await open()
  const text = JSON.stringify({ version: 1, value: { places: ['x'.repeat(17_000_000)] } })
  write(file, text)
  expect(() => state().get()).toThrow('16 MiB is the limit')
  await expect(state().set({ places: [] })).rejects.toMatchObject({ code: 'STATE_TOO_LARGE' })
  expect(statSync(file).size).toBe(text.length)
})

test('a listener hears changes of this process and of another one, and ends with the plugin', async () => {
  const { state, file, clock, kernel } = await open()
  const heard: string[][] = []
  state().onChange(({ places }) => void heard.push([...places]))
  const mine = state()
  mine.onChange(() => {
    throw new Error('broken listener')
  })
  await clock.advance(3000)
  expect(heard).toEqual([])
  write(file, JSON.stringify({ version: 1, value: { places: ['Chur'] } }))
  await clock.advance(1000)
  expect(heard).toEqual([['Chur']])
  expect(kernel.problems()).toMatchObject([{ plugin: 'weather', stage: 'state', message: 'broken listener' }])
  await kernel.plugins.disable('weather')
  expect([clock.pending(), kernel.plugins.info('weather')?.holds]).toEqual([0, {}])
})

test('state per project belongs to the folder that svc was started in', async () => {
  const [home, one, two] = [createHome(), createHome(), createHome()]
  const at = async (cwd: string) => (await open({ home, cwd })).state({ per: 'project' })
  await (await at(one)).set({ places: ['Thun'] })
  expect((await at(one)).get()).toEqual({ places: ['Thun'] })
  expect((await at(two)).get()).toEqual(places.initial)
  expect((await open({ home, cwd: one })).state().get()).toEqual(places.initial)
})

test('a name that is no file name, and an initial value that does not fit, are refused', async () => {
  const { ctx } = await open()
  for (const name of ['', 'Places', '../places', 'a/b', 'x'.repeat(65)])
    expect(() => ctx.state(name, places)).toThrow('is not a name for state of weather')
  expect(() => ctx.state('places', { ...places, initial: {} as never })).toThrow('cannot be stored')
  expect(() => ctx.state('places', { ...places, version: 0 })).toThrow('a whole number')
})

/** Two turns of a session, each with a place that was stored in it. */
async function talk(more: Partial<PluginSessionStateOptions<string>> = {}) {
  const opened = await open({ plugins: ['sessions'] })
  const state = () => opened.ctx.sessionState('place', { schema: z.string(), initial: 'nowhere', ...more })
  const sessions = opened.kernel.use(Sessions)
  const session = sessions.create({ surface: 'cli', cwd: '/' })
  for (const [turn, place] of ['Bern', 'Thun'].entries()) {
    const turnId = `turn_${turn}`
    const start = { type: 'turn.start', text: place, provider: 'p', model: 'm' } as const
    session.record({ turnId, events: [start], messages: [{ role: 'user', text: place }] })
    state().set(session.id, place)
    const end = { type: 'turn.end', reason: 'completed', usage: {} } as const
    session.record({ turnId, events: [end], messages: [{ role: 'assistant', text: 'noted' }] })
  }
  return { ...opened, sessions, session, state }
}

test('state of a session is copied by a branch and restored when messages are taken back', async () => {
  const { sessions, session, state } = await talk()
  expect(state().get(session.id)).toBe('Thun')
  const branch = sessions.branch(session.id)
  state().set(branch.id, 'Chur')
  expect([state().get(session.id), state().get(branch.id)]).toEqual(['Thun', 'Chur'])
  session.rewind(2)
  expect(state().get(session.id)).toBe('Bern')
})

test('state of a session that keeps its value has nothing to do with messages that are taken back', async () => {
  const { session, state } = await talk({ undo: 'keeps' })
  session.rewind(0)
  expect(state().get(session.id)).toBe('Thun')
})

test('an export carries state of a session, and a removal takes it away', async () => {
  const { sessions, session, state } = await talk()
  const archive = sessions.export(session.id)
  await sessions.remove([session.id])
  expect(() => state().get(session.id)).toThrow(expect.objectContaining({ code: 'SESSION_NOT_FOUND' }))
  sessions.import(archive)
  expect(state().get(session.id)).toBe('Thun')
})

test('state of a session of a later version is refused and kept, one of an earlier version is migrated', async () => {
  const { session, ctx, state } = await talk()
  const later = ctx.sessionState('place', {
    version: 2,
    schema: z.object({ name: z.string() }),
    initial: { name: '' },
    migrate: (value) => ({ name: value }),
  })
  expect(later.get(session.id)).toEqual({ name: 'Thun' })
  later.set(session.id, { name: 'Chur' })
  expect(() => state().get(session.id)).toThrow('later version')
  expect(() => state().set(session.id, 'Biel')).toThrow('later version')
  expect(later.get(session.id)).toEqual({ name: 'Chur' })
})
