import { expect, test } from 'vitest'
import { Recent } from '../../../../plugins/terminal-ui/typography/recent-cache.ts'

test('what is asked for again stays, what is not goes, and there is never more than the size', () => {
  const recent = new Recent<string>(10)
  const made: string[] = []
  const ask = (key: string) =>
    recent.get(key, () => {
      made.push(key)
      return key
    })
  for (let index = 0; index < 100; index++) {
    expect(ask('often')).toBe('often')
    expect(ask(`${index}`)).toBe(`${index}`)
    expect(recent.size).toBeLessThanOrEqual(10)
  }
  expect(made.filter((key) => key === 'often')).toHaveLength(1)
  ask('0')
  expect(made.filter((key) => key === '0')).toHaveLength(2)
})
