import { appendFileSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { History, type HistoryEntry } from '../../../../plugins/terminal-ui/tui-composer/history.ts'
import { temporaryFolder } from '../../../support/temporary.ts'

function place() {
  const file = join(temporaryFolder(), 'data/history.jsonl')
  const failures: unknown[] = []
  const open = () => new History({ file, failed: (error) => failures.push(error) })
  return { file, failures, open }
}

const add = (history: History, ...texts: readonly string[]) => {
  for (const text of texts) history.add(text, Promise.resolve({ text }))
}

function all(history: History, beginning = ''): string[] {
  const found: string[] = []
  for (let entry = history.older(beginning); entry; entry = history.older(beginning)) found.push(entry.text)
  history.leave()
  return found
}

test('what one process adds is there at once, and for others when they look again', async () => {
  const { file, open, failures } = place()
  const [one, two] = [open(), open()]
  add(one, 'first', 'with\ntwo lines')
  expect(all(one)).toEqual(['with\ntwo lines', 'first'])
  await one.close()
  add(two, 'third')
  await two.close()
  expect(all(two)).toEqual(['third', 'with\ntwo lines', 'first'])
  one.refresh()
  await one.close()
  expect(all(one)).toEqual(['third', 'with\ntwo lines', 'first'])
  expect([statSync(file).mode & 0o777, failures]).toEqual([0o600, []])
})

test('any texts come back as they were, the newest of equal ones once', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(fc.string({ unit: 'grapheme', maxLength: 8 }), { maxLength: 12 }), async (texts) => {
      const { open } = place()
      const history = open()
      add(history, ...texts)
      await history.close()
      const next = open()
      await next.close()
      const kept = texts.filter((text) => text.trim() !== '')
      expect(all(next)).toEqual([...new Set(kept.reverse())])
    }),
    { numRuns: 15 },
  )
})

test('broken lines are passed over, and one that is not finished yet is read later', async () => {
  const { file, open, failures } = place()
  mkdirSync(dirname(file), { recursive: true })
  writeFileSync(file, '{"text":"good"}\nnonsense\n[1]\n{"text":5}\nnull\n{"text":"ha')
  const history = open()
  await history.close()
  expect(all(history)).toEqual(['good'])
  appendFileSync(file, 'lf"}\n')
  history.refresh()
  await history.close()
  expect([all(history), failures]).toEqual([['half', 'good'], []])
})

test('a thousand entries are kept, and a file that is twice as long is made shorter', async () => {
  const { file, open } = place()
  mkdirSync(dirname(file), { recursive: true })
  writeFileSync(file, Array.from({ length: 2500 }, (_, index) => `{"text":"entry ${index}"}\n`).join(''))
  const history = open()
  await history.close()
  expect(all(history)).toHaveLength(1000)
  expect(readFileSync(file, 'utf8').split('\n')).toHaveLength(1001)
  const other = open()
  add(history, 'newest')
  await history.close()
  await other.close()
  expect(all(other)[0]).toMatch(/^(newest|entry 2499)$/)
  expect(readFileSync(file, 'utf8')).toMatch(/^\{"text":"entry 1500"\}\n[\s\S]*\{"text":"newest"\}\n$/)
})

test('a file that cannot be written is told of, and this process has its entries all the same', async () => {
  const { file, open, failures } = place()
  mkdirSync(file, { recursive: true })
  const history = open()
  add(history, 'mine')
  await history.close()
  expect(all(history)).toEqual(['mine'])
  expect(failures.length).toBeGreaterThan(0)
})

test('going forth again ends in the draft, and only what begins alike is shown', () => {
  const history = place().open()
  add(history, 'git log', 'ls', 'git status', 'git ')
  expect(history.older('git ')?.text).toBe('git status')
  expect(history.older('git ')?.text).toBe('git log')
  expect(history.older('git ')).toBeUndefined()
  expect((history.newer() as HistoryEntry).text).toBe('git status')
  expect([history.newer(), history.newer()]).toEqual(['draft', undefined])
})

test('a search finds the newest first, in any case', () => {
  const history = place().open()
  add(history, 'Deploy one', 'other', 'deploy two')
  expect([0, 1, 2].map((skip) => history.find('DEPLOY', skip)?.text)).toEqual(['deploy two', 'Deploy one', undefined])
})
