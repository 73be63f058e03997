import { platformConfigSchema } from 'svc/sdk/platform'
import { expect, test } from 'vitest'
import { z } from 'zod'

const schema = platformConfigSchema(z.object({}))
const check = async (value: unknown) => schema['~standard'].validate(value)

test.for([
  [{ session_reset: { mode: 'dayly' } }, ['session_reset', 'mode']],
  [{ session_reset: { at_hour: 24 } }, ['session_reset', 'at_hour']],
  [{ session_reset: { at_hour: 1.5 } }, ['session_reset', 'at_hour']],
  [{ session_reset: { idle_minutes: 0 } }, ['session_reset', 'idle_minutes']],
  [{ session_reset: { idle_minutes: 'ten' } }, ['session_reset', 'idle_minutes']],
  [{ session_reset: { mod: 'daily' } }, ['session_reset', 'mod']],
  [{ session_reset: { constructor: 1 } }, ['session_reset', 'constructor']],
  [{ session_reset: 'daily' }, ['session_reset']],
  [{ channels: { 7: { model: 7.5, prompt: ['x'] } } }, ['channels', '7', 'model']],
  [{ channels: { 7: { modell: 'x' } } }, ['channels', '7', 'modell']],
  [{ channels: { 7: 'gpt' } }, ['channels', '7']],
  [{ channels: ['x'] }, ['channels']],
] as const)('a wrong value inside a shared key is an error at its place: %j', async ([value, path]) => {
  const { issues } = (await check(value)) as { issues?: readonly { path?: unknown; message: string }[] }
  expect(issues?.[0]?.path).toEqual(path)
})

test('what is right inside a shared key is taken as it is', async () => {
  const value = {
    session_reset: { mode: 'both', at_hour: null, idle_minutes: 5 },
    channels: { '-100': { provider: 'x', model: 'y' }, general: { prompt: 'z' }, empty: {}, none: null },
  }
  const result = (await check(value)) as { value?: Record<string, unknown> }
  expect(result.value).toMatchObject({
    session_reset: value.session_reset,
    channels: { '-100': { provider: 'x', model: 'y' }, general: { prompt: 'z' }, empty: {} },
  })
})
