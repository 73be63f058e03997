/**
 * Loads the built program. `dist/kernel/program.cjs` holds the kernel, the SDK, the libraries and the built-in plugins
 * of a question, `others.cjs` the remaining plugins. Both run from their compiled form, because finding, reading and compiling modules is most of what a start would cost.
 * Everything built gets the program here, so that it is there once.
 */
import { mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { Script } from 'node:vm'
import { locateHome } from '../home/home-folder.ts'
import { liveOn, withUsualSettings } from './v8-settings.ts'

/** The entrances of the program by name. Calling one evaluates its module, at the first time, and returns its exports. */
export type Program = Readonly<Record<string, () => unknown>>

/** Put in by the build: compiled code fits one text only, and V8 compares no more than its length. */
declare const PROGRAM_HASH: string

/** `program` has what most runs need, `others` the remaining plugins. */
type ScriptName = keyof typeof shownNames

/** The compiled form keeps the name it was made with, which stack traces show: it must not be a place. */
const shownNames = { program: 'svc/program.cjs', others: 'svc/others.cjs' } as const

const folder: string = import.meta.dirname
/** Code compiled under one set of V8's options does not fit another; most processes have none. */
const options: string =
  process.env['NODE_OPTIONS'] || process.execArgv.length > 0
    ? `-${process.getBuiltinModule('node:v8').cachedDataVersionTag()}`
    : ''
const version: string = `${PROGRAM_HASH}-${process.versions.v8}-${process.arch}`
const kind: string = `${version}${options}.cache`
const requireHere: NodeJS.Require = createRequire(join(folder, 'program.cjs'))
const address: string = pathToFileURL(join(folder, 'program.cjs')).href
const importOutside = (url: string): Promise<unknown> => import(url)
/** The program of this installation. The first run with a Node of this kind keeps what it compiled. */
export const program: Program = runProgram()

function runProgram(): Program {
  const exports = {}
  evaluate('program')(exports, requireHere, address, importOutside, loadOtherPlugins)
  return exports
}

/** The plugins that are not in the program, by name. Read when the first of them is needed; the settings of V8 are brief by then. */
function loadOtherPlugins(shared: (name: string) => unknown): unknown {
  return withUsualSettings(() => evaluate('others'))(shared, requireHere, address, importOutside)
}

/** The function that a script of this folder consists of. */
function evaluate(name: ScriptName): (...given: readonly unknown[]) => unknown {
  // The build output is pure ASCII, which takes half the memory.
  const source = readFileSync(join(folder, `${name}.cjs`), 'latin1')
  const cachedData = readCompiled(name)
  const script = new Script(source, { filename: shownNames[name], ...(cachedData ? { cachedData } : {}) })
  const made = script.runInThisContext()
  if (!cachedData || script.cachedDataRejected) keepAtExit(name, script)
  return made
}

/** Beyond the ten listeners of one event that Node takes for a leak: plugins have theirs. */
function keepAtExit(name: ScriptName, script: Script): void {
  process.setMaxListeners(process.getMaxListeners() + 1)
  process.once('exit', () => keep(name, script))
}

/**
 * Beside the program; where that may not be written, in the home of the user. With options of V8 in the home only: they can
 * differ from run to run, and the installation is not the place to collect that.
 */
function listCacheFolders(): string[] {
  const home = join(locateHome(process.env).root, 'cache')
  return options === '' ? [folder, home] : [home]
}

function readCompiled(name: ScriptName): Buffer | undefined {
  for (const place of listCacheFolders()) {
    try {
      return readFileSync(join(place, `${name}-${kind}`))
    } catch {
      // Made by the first run with this kind of Node.
    }
  }
  return undefined
}

/**
 * At the end of a run, so that what was compiled on the way is in it. V8 does not survive a damaged file, so it must be
 * whole on the disk before it has its name.
 */
function keep(name: ScriptName, script: Script): void {
  liveOn()
  const data = script.createCachedData()
  const cacheName = `${name}-${kind}`
  for (const place of listCacheFolders()) {
    try {
      if (place !== folder) mkdirSync(place, { recursive: true, mode: 0o700 })
      const temporary = join(place, `${cacheName}.${process.pid}`)
      writeFileSync(temporary, data, { flush: true })
      renameSync(temporary, join(place, cacheName))
      if (place !== folder) removeOthers(place)
      return
    } catch {
      // Try the next folder. Without a cache the program only starts slower, which needs no message.
    }
  }
}

/** Left by earlier versions, by other versions of Node and with other options: no other code cleans them up. */
function removeOthers(place: string): void {
  const plain = `-${version}.cache`
  for (const name of readdirSync(place)) {
    const isOurs = name.endsWith(kind) || name.endsWith(plain) || (options === '' && name.includes(`-${version}-`))
    if (/^(program|others)-.*\.cache$/.test(name) && !isOurs) rmSync(join(place, name), { force: true })
  }
}
