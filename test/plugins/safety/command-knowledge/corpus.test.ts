import { afterAll, expect, test } from 'vitest'
import { cpuMs } from '../../../support/cpu-time.ts'
import { corpus, makeProject, readIn } from './project.ts'

const { project, remove } = makeProject()
afterAll(remove)

/**
 * At first sight, before anything was tuned: 107 of 583 everyday commands asked and 4 of 559 dangerous ones were
 * understood. The fresh corpora were written after the tuning, and measured once: 9 of 198 asked, 6 of 134 were understood.
 * A third pair, at first sight: 2 of 126 asked, 4 of 156 were understood. Pinned is what tuning left. Of the everyday ones
 * that ask, `env`, `history`, `cd -`, `popd` and inline code are meant to.
 */
const PINNED = { everyday: 5, 'fresh-everyday': 3, 'third-everyday': 2 }

test.each(Object.entries(PINNED))('at most a few of the commands in %s ask', (name, most) => {
  const read = readIn(project)
  const asked = corpus(name).filter((command) => !read(command).understood)
  expect(asked.length, asked.join('\n')).toBeLessThanOrEqual(most)
})

test('without knowledge of what the session wrote, scripts that git has unchanged are still understood', () => {
  const read = readIn(project, {})
  const asked = corpus('everyday').filter((command) => !read(command).understood)
  expect(asked.length, asked.join('\n')).toBeLessThanOrEqual(7)
})

test.each(['dangerous', 'fresh-dangerous', 'third-dangerous'])('nothing in %s is understood', (name) => {
  const read = readIn(project)
  expect(corpus(name).filter((command) => read(command).understood)).toEqual([])
})

/** It starts what the project says; that the project is svc itself is not known here. */
const STARTS_PROJECT = 'npm start -- config set approvals.mode off'

test.each([
  'dangerous',
  'fresh-dangerous',
  'guard-dangerous',
  'last-dangerous',
  'later-dangerous',
  'second-dangerous',
  'hard-line',
])('nothing of the corpus %s of the judge of dangers is understood', (name) => {
  const read = readIn(project)
  const commands = corpus(name, '../command-risk/corpus').filter((command) => command !== STARTS_PROJECT)
  expect(commands.filter((command) => read(command).understood)).toEqual([])
})

test('everything that is not understood is said in words', () => {
  const read = readIn(project)
  for (const command of corpus('dangerous')) expect(read(command).unknown.join(''), command).toMatch(/\w/)
})

test('an everyday command is read in a few milliseconds', () => {
  const read = readIn(project)
  const all = corpus('everyday')
  const took = cpuMs(() => {
    for (const command of all) read(command)
  })
  expect(took / all.length).toBeLessThan(25)
})
