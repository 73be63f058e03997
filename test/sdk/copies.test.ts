import { build } from 'esbuild'
import { expect, test } from 'vitest'
import * as sdk from '../../sdk/index.ts'

type Sdk = typeof sdk

/** A second SDK, as an author gets it who bundles it into a plugin. */
async function copyOfSdk(): Promise<Sdk> {
  const { outputFiles } = await build({
    stdin: {
      contents: "export * from './index.ts'\nexport * from './entries/platform.ts'",
      resolveDir: `${import.meta.dirname}/../../sdk`,
    },
    bundle: true,
    format: 'esm',
    platform: 'node',
    write: false,
  })
  const text = outputFiles[0]?.text ?? ''
  return import(`data:text/javascript;base64,${Buffer.from(text).toString('base64')}`)
}

test('an error of one copy of the SDK is an error of the other', async () => {
  const copy = await copyOfSdk()
  expect(copy.SvcError).not.toBe(sdk.SvcError)
  expect(new copy.SvcError('X', 'x') instanceof sdk.SvcError).toBe(true)
  expect(new sdk.SvcError('X', 'x') instanceof copy.SvcError).toBe(true)
  expect(new Error('x') instanceof copy.SvcError).toBe(false)
  class Own extends sdk.SvcError {}
  expect(new sdk.SvcError('X', 'x') instanceof Own).toBe(false)
  expect(new Own('X', 'x') instanceof Own).toBe(true)
})
