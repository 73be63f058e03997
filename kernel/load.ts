/**
 * Loads the built program. `dist/kernel/program.cjs` holds the kernel, the SDK, all built-in plugins and the libraries;
 * it runs from its compiled form, because finding, reading and compiling modules is most of what a start would cost.
 * Everything built gets the program here, so that it is there once.
 */
import { readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { Script } from 'node:vm'
import { locateHome } from './home.ts'

/** The entrances of the program by name. Calling one evaluates its module, at the first time, and returns its exports. */
export type Program = Readonly<Record<string, () => unknown>>

/** Put in by the build: compiled code fits one text only, and V8 compares no more than its length. */
declare const PROGRAM_HASH: string

const folder: string = import.meta.dirname
/** Code compiled under one set of V8's options does not fit another; most processes have none. */
const options: string = process.env['NODE_OPTIONS']
  ? `-${process.getBuiltinModule('node:v8').cachedDataVersionTag()}`
  : ''
const cacheName: string = `program-${PROGRAM_HASH}-${process.versions.v8}-${process.arch}${options}.cache`
/** The program of this installation. The first run with a Node of this kind keeps what it compiled. */
export const program: Program = run(join(folder, 'program.cjs'))

function run(file: string): Program {
  // The build leaves nothing but ASCII in it, which is read and held in half the space.
  const source = `(function(exports,require,module,fileUrl,importOutside){${readFileSync(file, 'latin1')}\n})`
  const cachedData = compiled()
  // The compiled form keeps the name it was made with, which stack traces show: it must not be a place.
  const script = new Script(source, { filename: 'svc/program.cjs', ...(cachedData ? { cachedData } : {}) })
  const module = { exports: {} }
  const importOutside = (address: string) => import(address)
  script.runInThisContext()(module.exports, createRequire(file), module, pathToFileURL(file).href, importOutside)
  if (!cachedData || script.cachedDataRejected) process.once('exit', () => keep(script.createCachedData()))
  return module.exports
}

/** Beside the program; where that may not be written, in the home of the user. */
function places(): string[] {
  return [folder, join(locateHome(process.env).root, 'cache')]
}

function compiled(): Buffer | undefined {
  for (const place of places()) {
    try {
      return readFileSync(join(place, cacheName))
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
function keep(data: Buffer): void {
  for (const place of places()) {
    try {
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

/** Left by earlier versions and by other versions of Node: no other code cleans them up. */
function removeOthers(place: string): void {
  for (const name of readdirSync(place))
    if (/^program-.*\.cache$/.test(name) && name !== cacheName) rmSync(join(place, name), { force: true })
}
