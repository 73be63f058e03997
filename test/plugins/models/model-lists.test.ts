import { mkdirSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setImmediate as round } from 'node:timers/promises'
import { Clock, Home, type PluginContext, Random } from 'svc/sdk'
import { virtualClock } from 'svc/sdk/testing'
import { expect, onTestFinished, test } from 'vitest'
import { ModelLists } from '../../../plugins/models/model-lists.ts'
import { removeFolder } from '../../support/remove-folder.ts'

function open() {
  const folder = mkdtempSync(join(tmpdir(), 'svc-models-'))
  onTestFinished(() => removeFolder(folder))
  const clock = virtualClock()
  const warnings: string[] = []
  const services: Record<string, unknown> = {
    [Clock.id]: clock,
    [Home.id]: { path: (...parts: string[]) => join(folder, ...parts) },
    [Random.id]: { hex: () => 'abcd' },
  }
  const ctx = {
    use: ({ id }: { id: string }) => services[id],
    log: { warn: (text: string) => warnings.push(text) },
  } as unknown as PluginContext<unknown>
  return { clock, warnings, folder, file: join(folder, 'cache', 'model-lists.json'), lists: () => new ModelLists(ctx) }
}

const one = { provider: 'groq', model: 'one' }
/** Where virtual clocks begin. */
const NOW = virtualClock().now()

test('what a server said is remembered for other processes, and is fresh for an hour', async () => {
  const { clock, lists } = open()
  const first = lists()
  expect([first.find(one), first.fresh('groq')]).toEqual([undefined, undefined])
  first.remember('groq', [{ id: 'one', contextWindow: 5 }])
  first.remember('xai', [{ id: 'two' }])
  const second = lists()
  expect(second.find(one)).toEqual({ model: { id: 'one', contextWindow: 5 }, fresh: true, at: NOW })
  expect(second.find({ provider: 'groq', model: 'two' })).toBeUndefined()
  await clock.advance(60 * 60_000)
  expect(second.find(one)).toMatchObject({ fresh: false })
  expect(second.fresh('groq')).toBeUndefined()
  first.remember('groq', [{ id: 'three' }])
  await round()
  expect(second.find(one)).toBeUndefined()
  expect(second.fresh('groq')).toEqual([{ id: 'three' }])
  await clock.advance(31 * 24 * 60 * 60_000)
  first.remember('xai', [{ id: 'two' }])
  await round()
  expect(second.find({ provider: 'groq', model: 'three' })).toBeUndefined()
})

test('an empty list says nothing and takes nothing away', () => {
  const { lists } = open()
  const all = lists()
  all.remember('groq', [{ id: 'one' }])
  all.remember('groq', [])
  expect(all.find(one)).toEqual({ model: { id: 'one' }, fresh: true, at: NOW })
})

test.for(['not json', '{"groq":7,"xai":{"at":1,"models":[{}]}}', 'null'])('a cache of %s is done without', (text) => {
  const { lists, file, folder } = open()
  mkdirSync(join(folder, 'cache'))
  writeFileSync(file, text)
  const all = lists()
  expect(all.find(one)).toBeUndefined()
  all.remember('groq', [{ id: 'one' }])
  expect(all.find(one)).toEqual({ model: { id: 'one' }, fresh: true, at: NOW })
})

test('a cache that cannot be written is said and does no harm', () => {
  const { lists, folder, warnings } = open()
  writeFileSync(join(folder, 'cache'), 'a file in the way')
  const all = lists()
  all.remember('groq', [{ id: 'one' }])
  expect(all.find(one)).toBeUndefined()
  expect(warnings).toContain('the lists of models cannot be remembered')
  expect(readFileSync(join(folder, 'cache'), 'utf8')).toBe('a file in the way')
})
