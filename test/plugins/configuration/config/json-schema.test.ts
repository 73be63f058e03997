import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { findNearest, isSecretAt, type JsonSchema } from '../../../../plugins/configuration/config/json-schema.ts'

describe('what a schema says', () => {
  it('marks as secret what it names and all that is inside', () => {
    const schema = z.object({
      keys: z.array(z.string()).meta({ secret: true }),
      users: z.array(z.object({ name: z.string(), pin: z.string().meta({ secret: true }) })),
    })
    const json = z.toJSONSchema(schema) as JsonSchema
    expect(isSecretAt(json, ['keys', '0'])).toBe(true)
    expect(isSecretAt(json, ['users', '1', 'pin'])).toBe(true)
    expect(isSecretAt(json, ['users', '1', 'name'])).toBe(false)
  })

  it('has a nearest name when a slip is likely', () => {
    expect(findNearest('tiemout', ['timeout', 'token'])).toBe('timeout')
    expect(findNearest('volume', ['station'])).toBeUndefined()
  })
})
