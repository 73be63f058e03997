import { conformance } from 'svc/sdk/testing'
import { expect, test } from 'vitest'
import { pluginNames } from '../support/repository.ts'
import { isToday } from '../support/today.ts'

for (const name of pluginNames().filter((_, at) => isToday(at, 2)))
  test(`the built-in plugin ${name} passes the kit that foreign plugins pass`, async () => {
    const { ok, cases } = await conformance({ builtIn: name })
    expect(cases.filter(({ result }) => result === 'failed')).toEqual([])
    expect(cases.filter(({ result }) => result === 'ok').length).toBeGreaterThan(3)
    expect(ok).toBe(true)
  })
