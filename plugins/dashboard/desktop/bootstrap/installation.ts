/** The stages about the program itself: its files, its launcher, its libraries. */
import { chmod, lstat, mkdir, readFile, readlink, rm, stat, symlink } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { SvcError, tryParseJson } from 'svc/sdk'
import { writeAtomically } from 'svc/sdk/kit/files'
import { z } from 'zod'
import { runProgram } from '../child-program.ts'
import { AGENT_FOLDER } from './files.ts'
import { broken, type StageWork } from './stage-deps.ts'

const PROBE_MS = 20_000
/** Native code that the program loads. */
const NATIVE = ['better-sqlite3', '@lydell/node-pty']
const NATIVE_PROBE = `
const { createRequire } = require('node:module')
const load = createRequire(process.argv[1])
const Database = load('better-sqlite3')
const row = new Database(':memory:').prepare('select sqlite_version() as version').get()
console.log('better-sqlite3: SQLite ' + row.version)
load('@lydell/node-pty')
console.log('@lydell/node-pty: loaded')
`

const packageFile = z.object({
  name: z.string(),
  version: z.string(),
  engines: z.object({ node: z.string() }).optional(),
  dependencies: z.record(z.string(), z.string()).optional(),
  bin: z.record(z.string(), z.string()).optional(),
})
type PackageFile = z.infer<typeof packageFile>

/** Whether this Node is one that the program was made for. */
export const checkRuntime: StageWork = async (deps) => {
  const { engines } = await readPackage(deps.root)
  const wanted = engines?.node ?? '*'
  const { satisfies } = await import('semver')
  if (!satisfies(process.versions.node, wanted)) {
    const text = `Node ${process.versions.node} runs this program, which needs ${wanted}. Install a newer one.`
    throw new SvcError('DESKTOP_STAGE', text)
  }
  deps.log(`Node ${process.versions.node} (${process.platform} ${process.arch}) is one of ${wanted}`)
  return undefined
}

/** `svc-agent/program` leads to the installation, so that what refers to it outlives an update that moves it. */
export const linkProgram: StageWork = async (deps) => {
  const { name, version, bin } = await readPackage(deps.root)
  const entry = bin?.[name]
  if (entry === undefined || !(await stat(join(deps.root, entry)).catch(() => undefined)))
    throw new SvcError('DESKTOP_STAGE', `${deps.root} holds no built program. Build it, or install svc again.`)
  const folder = join(deps.home, AGENT_FOLDER)
  await mkdir(folder, { recursive: true, mode: 0o700 })
  const link = join(folder, 'program')
  const there = await lstat(link).catch(() => undefined)
  if (there && !there.isSymbolicLink())
    throw new SvcError('DESKTOP_STAGE', `${link} is not a link that svc made. Move it away.`)
  if (there && (await readlink(link)) === deps.root) return { skipped: `${link} leads to ${deps.root} already` }
  await rm(link, { force: true })
  await symlink(deps.root, link, 'junction')
  deps.log(`${name} ${version}: ${link} leads to ${deps.root}`)
  return undefined
}

/** `svc-agent/bin/svc` runs the program with this Node, whatever the path of a desktop holds. */
export const writeLauncher: StageWork = async (deps) => {
  const folder = join(deps.home, AGENT_FOLDER, 'bin')
  await mkdir(folder, { recursive: true, mode: 0o700 })
  const isWindows = process.platform === 'win32'
  const file = join(folder, isWindows ? 'svc.cmd' : 'svc')
  const there = await stat(file).catch(() => undefined)
  if (there && !there.isFile()) throw new SvcError('DESKTOP_STAGE', `${file} is not a file. Move it away.`)
  const words = deps.program
  const text = isWindows
    ? `@echo off\r\n${words.map((word) => `"${word}"`).join(' ')} %*\r\n`
    : `#!/bin/sh\nexec ${words.map(quote).join(' ')} "$@"\n`
  await writeAtomically(file, text, { mode: 0o755 })
  await chmod(file, 0o755)
  const end = await runProgram([file, '--version'], { ...deps, timeoutMs: PROBE_MS })
  if (end.code !== 0) throw broken(file, end)
  deps.log(`${file}: ${end.lines[0] ?? ''}`)
  return undefined
}

/** Whether all libraries of the program are where it looks for them. */
export const checkLibraries: StageWork = async (deps) => {
  const names = Object.keys((await readPackage(deps.root)).dependencies ?? {})
  const missing: string[] = []
  for (const name of names) if (!(await hasLibrary(deps.root, name))) missing.push(name)
  if (missing.length > 0) {
    const text = `${missing.join(', ')} ${missing.length === 1 ? 'is' : 'are'} missing. Run npm install in ${deps.root}.`
    throw new SvcError('DESKTOP_STAGE', text)
  }
  deps.log(`${names.length} libraries are there`)
  return undefined
}

/** Whether native libraries load in this Node: they are made for one version and one machine. */
export const checkNativeModules: StageWork = async (deps) => {
  const words = [process.execPath, '-e', NATIVE_PROBE, join(deps.root, 'package.json')]
  const end = await runProgram(words, { ...deps, timeoutMs: PROBE_MS, onLine: (line) => deps.log(line) })
  if (end.code !== 0) throw broken(`Loading ${NATIVE.join(' and ')}`, end)
  return undefined
}

async function readPackage(root: string): Promise<PackageFile> {
  const file = join(root, 'package.json')
  const text = await readFile(file, 'utf8').catch((cause: unknown) => {
    throw new SvcError('DESKTOP_STAGE', `${file} cannot be read. Install svc again.`, { cause })
  })
  const parsed = packageFile.safeParse(tryParseJson(text)?.value)
  if (!parsed.success) throw new SvcError('DESKTOP_STAGE', `${file} does not describe svc. Install it again.`)
  return parsed.data
}

async function hasLibrary(root: string, name: string): Promise<boolean> {
  for (let at = root; ; at = dirname(at)) {
    if (await stat(join(at, 'node_modules', name, 'package.json')).catch(() => undefined)) return true
    if (dirname(at) === at) return false
  }
}

function quote(word: string): string {
  return `'${word.replaceAll("'", "'\\''")}'`
}
