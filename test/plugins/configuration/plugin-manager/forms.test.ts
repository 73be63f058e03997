/** Forms in which authors ship a plugin: CommonJS, compiled TypeScript, and bundles that hold a copy of the SDK. */
import { join } from 'node:path'
import { build } from 'esbuild'
import { Tools } from 'svc/sdk'
import { expect, test, vi } from 'vitest'
import { root } from '../../../support/repository.ts'
import { type Files, pluginFiles, plugins, running, temporaryFolder, toolCode, writeFolder } from './support.ts'

vi.setConfig({ testTimeout: 60_000 })

const greeter = { sdk: '^0.2.0', contributes: { tools: ['greet'] } }
const code = `import * as sdk from 'svc/sdk'\nexport default sdk.definePlugin({ ${toolCode('greet', 'hi')} })\n`
const packaged = (main: string): Files => ({
  'package.json': JSON.stringify({ name: 'svc-plugin-hello', version: '1.0.0', main }),
})

/** Bundles the plugin; `svc/sdk` is the built one, taken into the bundle, or stays an import. */
async function bundle(format: 'esm' | 'cjs', sdk: 'inside' | 'outside'): Promise<string> {
  const { outputFiles } = await build({
    stdin: { contents: code, resolveDir: root, loader: 'ts' },
    bundle: true,
    write: false,
    format,
    platform: 'node',
    ...(sdk === 'inside' ? { alias: { 'svc/sdk': join(root, 'dist/sdk/index.js') } } : { external: ['svc/sdk'] }),
  })
  return outputFiles[0]?.text ?? ''
}

test.for([
  [
    'CommonJS, written by hand',
    'main.cjs',
    async () => `const sdk = require('svc/sdk')\nmodule.exports = sdk.definePlugin({ ${toolCode('greet', 'hi')} })\n`,
  ],
  ['CommonJS, compiled from TypeScript', 'main.cjs', () => bundle('cjs', 'outside')],
  ['CommonJS with a copy of the SDK', 'dist/main.cjs', () => bundle('cjs', 'inside')],
  ['an ES module with a copy of the SDK', 'dist/main.mjs', () => bundle('esm', 'inside')],
] as const)('%s is installed, runs and gives its tool', async ([, main, makeCode]) => {
  const [home, folder] = [temporaryFolder(), temporaryFolder()]
  const { 'plugin.json': manifest = '' } = pluginFiles('hello', greeter)
  const source = writeFolder(folder, { 'plugin.json': manifest, ...packaged(main), [main]: await makeCode() })
  expect(await plugins(home, ['install', source, '--yes', '--no-verify'])).toMatchObject({ code: 0, err: '' })
  await using chat = await running(home, { plugins: ['control', 'hello'] })
  expect(chat.plugins.info('hello')).toMatchObject({ status: 'started' })
  expect(
    await chat
      .all(Tools)
      .get('greet')
      ?.run({}, {} as never),
  ).toBe('hi')
  expect(chat.problems()).toEqual([])
})
