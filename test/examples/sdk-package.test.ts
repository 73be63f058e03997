/** The packages that are published: packed by the script, served by a registry, and used as an author would. */
import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { runBuilt } from '../support/built.ts'
import { type NpmRegistry, startNpmRegistry } from '../support/npm-registry.ts'
import { attempt, cleanEnvironment } from '../support/packed.ts'
import { removeFolder } from '../support/remove-folder.ts'
import { root } from '../support/repository.ts'

const LIMIT_MS = 240_000
const folder = mkdtempSync(join(tmpdir(), 'svc-sdk-package-'))
const author = join(folder, 'author')
let registry: NpmRegistry
let env: NodeJS.ProcessEnv
let archives: readonly string[]

beforeAll(async () => {
  registry = await startNpmRegistry()
  env = {
    ...cleanEnvironment(),
    npm_config_registry: registry.url,
    npm_config_cache: join(folder, 'cache'),
    npm_config_audit: 'false',
    npm_config_fund: 'false',
  }
  const packed = await attempt(process.execPath, [join(root, '.ci/pack.mjs'), folder], root, env)
  expect(packed).toMatchObject({ code: 0 })
  archives = packed.out.trim().split('\n')
  for (const file of archives) registry.publishArchive(readFileSync(file), readManifest(file))
  mkdirSync(author)
  const scope = {
    name: 'svc-plugin-first',
    version: '1.0.0',
    type: 'module',
    main: 'index.ts',
    keywords: ['svc-plugin'],
  }
  writeFileSync(join(author, 'package.json'), JSON.stringify(scope))
  expect(await attempt('npm', ['install', '--save-dev', 'svc@npm:@svc-agent/sdk'], author, env)).toMatchObject({
    code: 0,
  })
}, LIMIT_MS)

afterAll(async () => {
  await registry?.close()
  removeFolder(folder)
})

function readManifest(archive: string): Record<string, unknown> {
  const text = execFileSync('tar', ['-xzOf', archive, 'package/package.json'], { encoding: 'utf8' })
  return JSON.parse(text) as Record<string, unknown>
}

function listFiles(archive: string): string[] {
  return execFileSync('tar', ['-tzf', archive], { encoding: 'utf8' }).trim().split('\n')
}

const plugin = `import { definePlugin, type PluginContext, defineService, Tools } from 'svc/sdk'
import { ConversationOpened } from 'svc/sdk/hooks'
import { Storage } from 'svc/sdk/storage'
import { safeLine } from 'svc/sdk/kit/terminal'

export interface Weather { readonly city: string }
export const Weather = defineService<Weather>('first-weather')

export default definePlugin({
  setup(ctx: PluginContext<undefined>) {
    const find = () => ctx.find(Storage)
    ctx.on(ConversationOpened, () => {})
    ctx.provide(Weather, () => ({ city: safeLine(\`Bern \${typeof find}\`) }))
    ctx.all(Tools)
  },
})
`

test('the SDK is a small package without native code, and both names have a scope', () => {
  const manifests = archives.map((file) => readManifest(file))
  expect(manifests.map(({ name }) => name)).toEqual(['@svc-agent/svc', '@svc-agent/sdk'])
  const [program = '', sdk = ''] = archives
  expect(readManifest(sdk)).not.toHaveProperty('dependencies')
  expect(readManifest(sdk)).not.toHaveProperty('scripts')
  expect(statSync(sdk).size).toBeLessThan(1024 * 1024)
  const files = listFiles(sdk)
  expect(files.filter((file) => /\.(node|cjs|ts)$/.test(file) && !file.endsWith('.d.ts'))).toEqual([])
  for (const file of ['sdk/README.md', 'sdk/api.txt', 'CONTRIBUTING.md']) {
    expect(files).toContain(`package/${file}`)
    expect(listFiles(program)).toContain(`package/${file}`)
  }
  expect(JSON.stringify(readManifest(program))).not.toContain('svc-source')
})

test('each path that the manifest of a package exports is in the package', () => {
  for (const archive of archives) {
    const files = listFiles(archive)
    const targets = JSON.stringify(readManifest(archive)['exports']).match(/\.\/[^"]+\.(js|ts|cjs)(?=")/g) ?? []
    const missing = targets.filter((path) => !path.includes('*') && !files.includes(`package/${path.slice(2)}`))
    expect(missing).toEqual([])
  }
})

test('a plugin compiles against the installed SDK under the name svc', { timeout: LIMIT_MS }, async () => {
  expect(existsSync(join(author, 'node_modules', 'svc', 'dist', 'kernel'))).toBe(false)
  writeFileSync(join(author, 'index.ts'), plugin)
  const compilerOptions = {
    module: 'nodenext',
    target: 'es2023',
    strict: true,
    noEmit: true,
    skipLibCheck: false,
    typeRoots: [join(root, 'node_modules', '@types')],
    types: ['node'],
  }
  writeFileSync(join(author, 'tsconfig.json'), JSON.stringify({ compilerOptions, files: ['index.ts'] }))
  const tsc = join(root, 'node_modules/typescript/bin/tsc')
  expect(await attempt(process.execPath, [tsc, '-p', '.'], author, env)).toEqual({ code: 0, out: '', err: '' })
  writeFileSync(
    join(author, 'index.ts'),
    plugin.replace("'Bern", "1 + 'Bern").replace('city: safeLine(', 'town: safeLine('),
  )
  const { code, out } = await attempt(process.execPath, [tsc, '-p', '.'], author, env)
  expect({ code, out }).toMatchObject({ code: expect.any(Number), out: expect.stringContaining('town') })
  expect(code).not.toBe(0)
})

test('the tokens of the installed SDK are those of the program, and its test kit says what to install', async () => {
  const script = `import { Tools } from 'svc/sdk'
import * as hooks from 'svc/sdk/hooks'
console.log(Tools.id, hooks.ConversationOpened.id)
await import('svc/sdk/testing').catch((error) => console.log(error.message))`
  const { out } = await attempt(process.execPath, ['--input-type=module', '-e', script], author, env)
  expect(out).toContain('tools ')
  expect(out).toContain('svc@npm:@svc-agent/svc')
})

test('the program runs the plugin that was written against the small package', { timeout: LIMIT_MS }, () => {
  writeFileSync(join(author, 'index.ts'), plugin)
  const manifest = {
    name: 'first',
    version: '1.0.0',
    sdk: '^0.2.0',
    kind: 'service',
    description: 'The first of an author.',
  }
  const relations = { provides: ['first-weather'], optional: ['storage'], with: ['agent'] }
  writeFileSync(join(author, 'plugin.json'), JSON.stringify({ ...manifest, ...relations }))
  const home = join(folder, 'home')
  mkdirSync(home)
  const { code, out, err } = runBuilt(['plugins', 'verify', author], { home })
  expect({ code, out, err }).toMatchObject({ code: 0, out: expect.stringContaining('keeps the contracts of svc') })
})
