import { findThreat } from 'svc/sdk/kit/text'
import { expect, test } from 'vitest'

const fine = [
  'Prefers tabs. Do not tell the user to reboot.',
  'The password is kept in the vault of the team.',
  'Use the token endpoint of the staging server.',
  'The system uses pnpm; run pnpm test before each commit.',
  'Rules for imports are in biome.json; ignore the old eslint file.',
]

test.for(fine)('%j may be remembered', (text) => {
  expect(findThreat(text)).toBeUndefined()
})

const busy = ['eyJa-', 'password=', 'ignore ', 'curl $', 'curl $a', 'sk-', '<memory ', 'do not ', 'system: ']

test.for(busy)('a memory full of %j is judged without delay', (text) => {
  expect(() => findThreat(text.repeat(100_000))).not.toThrow()
})
