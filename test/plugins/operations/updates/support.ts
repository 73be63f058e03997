/** An installation of the built program, and versions of it that a registry or a repository offers. */
import { execFileSync, spawn } from 'node:child_process'
import { cpSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished } from 'vitest'
import { startNpmRegistry } from '../../../support/npm-registry.ts'
import { root } from '../../../support/repository.ts'
import { temporaryFolder } from '../../../support/temporary.ts'

export const NAME = '@svc-agent/svc'

/** The program as it is published, in a version of its own, without what npm would have to build. */
export function writeProgram(dir: string, version: string): void {
  mkdirSync(dir, { recursive: true })
  const filter = (path: string) => !/[\\/]dist[\\/](types|web-ui)$|[\\/]install-stamp\.json$/.test(path)
  cpSync(join(root, 'dist'), join(dir, 'dist'), { recursive: true, filter })
  writeFileSync(join(dir, 'package.json'), JSON.stringify(describe(version)))
}

export function describe(version: string) {
  const engines = (JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { engines: unknown }).engines
  return { name: NAME, version, type: 'module', bin: { svc: 'dist/kernel/bin.cjs' }, engines }
}

/** As `npm install --global` makes it: the folder of the package, and a link to its entry file. */
export function installGlobally(version: string) {
  const place = temporaryFolder()
  // Where Node looks for libraries of packages that are below.
  symlinkSync(join(root, 'node_modules'), join(place, 'node_modules'))
  const scope = join(place, 'prefix/lib/node_modules/@svc-agent')
  const base = join(scope, 'svc')
  writeProgram(base, version)
  const bin = join(place, 'prefix/bin/svc')
  mkdirSync(join(place, 'prefix/bin'), { recursive: true })
  symlinkSync('../lib/node_modules/@svc-agent/svc/dist/kernel/bin.cjs', bin)
  mkdirSync(join(place, 'home'), { mode: 0o700 })
  writeFileSync(join(place, 'home/config.yaml'), 'model:\n  provider: demo\n')
  return { place, base, bin, home: join(place, 'home'), versions: join(scope, '.svc.versions') }
}

/** A package as npm packs one, for a registry. */
export function packProgram(version: string, change?: (dir: string) => void): Buffer {
  const place = temporaryFolder()
  writeProgram(join(place, 'package'), version)
  change?.(join(place, 'package'))
  return pack(place)
}

/** A package whose program only answers what a rehearsal asks. */
export function packSmall(version: string, program: string, manifest: object = describe(version)): Buffer {
  const place = temporaryFolder()
  writeSmall(join(place, 'package'), version, program, manifest)
  return pack(place)
}

/** The same as a folder; returns it. */
export function writeSmall(
  dir: string,
  version: string,
  program: string,
  manifest: object = describe(version),
): string {
  mkdirSync(join(dir, 'dist/kernel'), { recursive: true })
  writeFileSync(join(dir, 'package.json'), JSON.stringify(manifest))
  writeFileSync(join(dir, 'dist/kernel/bin.cjs'), program)
  return dir
}

/** Answers as a version that works, and leaves updates to the program that was installed at first. */
export function smallProgram(version: string): string {
  return `const [first] = process.argv.slice(2)
if (first === '--version') console.log('${version}')
if (first === 'chat') console.log('rehearsal')
if (first === 'update') require(require('node:fs').realpathSync(process.argv[1]).replace('bin.cjs', 'bin.own.cjs'))
`
}

function pack(place: string): Buffer {
  execFileSync('tar', ['--use-compress-program=gzip -1', '-cf', 'package.tgz', 'package'], { cwd: place })
  return readFileSync(join(place, 'package.tgz'))
}

export async function openRegistry() {
  const registry = await startNpmRegistry()
  onTestFinished(() => registry.close())
  return registry
}

export interface Place {
  readonly place: string
  readonly bin: string
  readonly home: string
}

/** Does not block: the registry answers in this process. */
export async function svc({ place, bin, home }: Place, words: readonly string[], env: Record<string, string> = {}) {
  const child = spawn(process.execPath, [bin, ...words], {
    cwd: place,
    env: { PATH: process.env['PATH'], HOME: place, SVC_HOME: home, npm_config_cache: join(place, 'npm-cache'), ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let [out, err] = ['', '']
  child.stdout.on('data', (text) => {
    out += text
  })
  child.stderr.on('data', (text) => {
    err += text
  })
  const code = await new Promise<number | null>((resolve) => child.once('close', resolve))
  return { code, out, err }
}

export const ask = async (at: Place, words: readonly string[], env?: Record<string, string>) => {
  const said = await svc(at, [...words, '--json'], env)
  expect(said).toMatchObject({ code: 0 })
  return JSON.parse(said.out) as Record<string, unknown>
}

export const version = async (at: Place) => (await svc(at, ['--version'])).out.trim()
