/** Homes, plugin folders and `svc plugins` for the tests of the plugin manager. */
import { execFile } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import type { Manifest } from 'svc/sdk/host'
import { Control } from 'svc/sdk/host'
import { type CliResult, type CliSetting, type TestKernel, testKernel } from 'svc/sdk/testing'
import { expect, onTestFinished } from 'vitest'
import { removeFolder } from '../../../support/remove-folder.ts'
import { root } from '../../../support/repository.ts'

type KernelOptions = NonNullable<Parameters<typeof testKernel>[0]>

/** Its own folder, gone after the test. */
export function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'svc-plugins-'))
  onTestFinished(() => removeFolder(folder))
  return folder
}

/** Runs `svc plugins <words>` as a process of its own would: a fresh runtime on the home. */
export async function plugins(
  home: string,
  words: readonly string[],
  setting: CliSetting & Pick<KernelOptions, 'with' | 'env'> = {},
): Promise<CliResult> {
  const { with: brought, env, ...rest } = setting
  await using kernel = await testKernel({
    home,
    plugins: ['plugin-manager'],
    ...(brought && { with: brought }),
    ...(env && { env }),
  })
  const result = await kernel.run(['plugins', ...words], rest)
  // Tests write config.yaml as an editor does.
  expect(kernel.problems().filter(({ code }) => code !== 'CONFIG_CHANGED_OUTSIDE')).toEqual([])
  return result
}

/** The same with `--json`, parsed. */
export async function pluginsJson<T>(home: string, words: readonly string[], setting: CliSetting = {}): Promise<T> {
  const { out, err } = await plugins(home, [...words, '--json'], setting)
  expect(err).toBe('')
  return JSON.parse(out) as T
}

/** The same as a user runs it: the built program in a process. What runs the conformance kit in a child needs that. */
export async function builtPlugins(home: string, words: readonly string[], cwd: string = home): Promise<CliResult> {
  const program = join(root, 'dist', 'kernel', 'bin.cjs')
  const env = { PATH: process.env['PATH'], SVC_HOME: home }
  return new Promise((resolve) => {
    execFile(process.execPath, [program, 'plugins', ...words], { cwd, env }, (error, out, err) => {
      resolve({ code: error ? Number(error.code) : 0, out, err })
    })
  })
}

/** A process that runs in the home and can be reached. */
export async function running(home: string, options: KernelOptions = {}): Promise<TestKernel> {
  const kernel = await testKernel({ plugins: ['control'], ...options, home })
  await kernel.use(Control).serve('chat')
  return kernel
}

/** Files of a folder, by relative path. */
export type Files = Readonly<Record<string, string>>

/** Writes files and returns their folder. */
export function writeFolder(folder: string, files: Files): string {
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, name)), { recursive: true })
    writeFileSync(join(folder, name), text)
  }
  return folder
}

/** A plugin that offers nothing, or what its manifest and code say. */
export function pluginFiles(name: string, manifest: Partial<Manifest> = {}, code = 'setup() {}'): Files {
  const basics = {
    name,
    version: '1.0.0',
    sdk: '^0.1.0',
    kind: 'tool',
    description: 'Does something for a test.',
    with: ['agent'],
  }
  return {
    'plugin.json': JSON.stringify({ ...basics, ...manifest }),
    'index.js': `import * as sdk from 'svc/sdk'\nexport default sdk.definePlugin({ ${code} })\n`,
  }
}

/** A plugin in a folder of that name under `parent`. */
export function writePlugin(parent: string, name: string, manifest: Partial<Manifest> = {}, code?: string): string {
  return writeFolder(join(parent, name), pluginFiles(name, manifest, code))
}

/** Code that contributes one tool. */
export function toolCode(name: string, answer: string): string {
  const input = `{ '~standard': { version: 1, vendor: 'test', validate: (value) => ({ value }) } }`
  const tool = `{ name: '${name}', description: 'd', toolset: 't', reach: 'nothing', effect: 'pure', input: ${input}, run: async () => '${answer}' }`
  return `setup(ctx) { ctx.add(sdk.Tools, ${tool}) }`
}

export function readConfig(home: string): string {
  return readFileSync(join(home, 'config.yaml'), 'utf8')
}
