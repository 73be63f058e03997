import { expect, test } from 'vitest'
import { fates } from '../support/command-fates.ts'
import { findManifest, pluginNames } from '../support/repository.ts'

test('of each slash command it is known whether what it sets survives a restart', () => {
  const commands = pluginNames().flatMap((name) => findManifest(name)?.contributes?.['slash-commands'] ?? [])
  expect(Object.keys(fates).sort()).toEqual([...commands].sort())
})
