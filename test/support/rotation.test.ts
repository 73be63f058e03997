import { expect, test } from 'vitest'
import { listResting } from './rotation.ts'

const files = [
  'test/faults/kill.test.ts',
  'test/plugins/work/cron/killed.test.ts',
  'test/plugins/work/cron/year.test.ts',
  'test/scenarios/one.test.ts',
]
const DAYS = [3, 4, 5]

test('each file runs on one of three days in a row, whatever order the files come in', () => {
  const rests = DAYS.map((day) => listResting(day % 2 === 0 ? files : files.toReversed(), day, []))
  for (const file of files) expect(rests.filter((resting) => resting.includes(file))).toHaveLength(2)
  expect(listResting(files, 6, [])).toEqual(rests[0])
})

test('what is about a change runs every day: the file, its folder, the source that it mirrors', () => {
  const resting = (...changed: string[]) => new Set(DAYS.flatMap((day) => listResting(files, day, changed)))
  expect(resting('test/faults/kill.test.ts')).not.toContain('test/faults/kill.test.ts')
  expect(resting('test/plugins/work/cron/support.ts')).not.toContain('test/plugins/work/cron/year.test.ts')
  expect(resting('plugins/work/cron/tick.ts')).not.toContain('test/plugins/work/cron/killed.test.ts')
  expect(resting('plugins/work/cron-cli/cli.ts')).toContain('test/plugins/work/cron/killed.test.ts')
  expect(resting('plugins/work/cron/tick.ts')).toContain('test/faults/kill.test.ts')
  expect(resting('test/faults/fixtures.ts').size).toBe(files.length)
})
