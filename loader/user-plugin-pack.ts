/**
 * The plugins of a home as one script that runs from its compiled form: a file for each plugin would have to be found, read,
 * checked and compiled at every start. A plugin is in it by the hash of the content that its user agreed to. What
 * a run had to import on its own is added when that run ends; a plugin without a script never is.
 */
import { createHash, hash } from 'node:crypto'
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { SourceMap } from 'node:module'
import { basename, dirname, join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { cachedDataVersionTag } from 'node:v8'
import { Script } from 'node:vm'
import type { Seal } from '../home/seal.ts'
import type { PackedPlugin } from '../kernel/kernel-options.ts'
import { currentOwner, type Owner, runAs } from '../kernel/owner.ts'
import type { PluginRecord } from '../kernel/plugin-record.ts'
import type { Plugin } from '../sdk/plugin.ts'
import { SDK_VERSION } from './manifest.ts'
import { importSdk, importZod } from './module-import.ts'
import type { Content } from './plugin-content.ts'
import { nameBundle } from './plugin-sources.ts'
import { packFiles, readScriptFacts, type ScriptFacts } from './user-plugin-script.ts'

/** What stacks show as the file of the script. */
const SHOWN_NAME = 'svc/plugins.cjs'
const sdkRoot: string = fileURLToPath(new URL('../sdk/', import.meta.url))

interface Entry extends ScriptFacts {
  readonly id: string
  /** The name of the plugin. */
  readonly plugin: string
  readonly dir: string
  /** The folder of its bundle, which has the source map. */
  readonly bundle: string
  /** The first line of its code in the script, counted from 1. */
  readonly line: number
  /** Lines of its code. */
  readonly lines: number
}

/** The file is a line of JSON with these, the script, and its compiled form. */
interface Head {
  readonly mark: string
  readonly entries: readonly Entry[]
  /** Bytes of the script. */
  readonly size: number
  /** The Node version of the compiled form; left out: the script is not compiled yet. */
  readonly compiled?: string
}

/** A plugin that this run imported on its own. */
interface Addition extends ScriptFacts {
  readonly plugin: string
  readonly dir: string
  /** The folder of its bundle. */
  readonly bundle: string
  /** As it was when the seal of the bundle had just been checked: the end of the run may be days later. */
  readonly code: string
}

type Evaluate = (
  module: { exports: unknown },
  exports: unknown,
  require: (name: string) => unknown,
  ...timers: unknown[]
) => void

/** What knows the places of one script. */
export interface StackReader {
  /** The stack with places in the sources of plugins. */
  map(stack: string): string
  /** The plugin that the first frame of the script belongs to. */
  findPlugin(stack: string): string | undefined
}

/** Where a pack is, and what it needs. */
export interface PackDeps {
  /** The folder of the bundles. */
  readonly cache: string
  readonly seal: Seal
  /** Called for a pack that was modified from outside; it is not used. */
  readonly onTampered: (file: string) => void
  /** Has stacks read by the pack; returns what ends that. */
  readonly addStackReader: (reader: StackReader) => () => void
  /** Does work of V8 with compiled code. */
  readonly withBriefSettings: <T>(work: () => T) => T
  /** Told of a timer that a plugin set. */
  readonly onTimer?: (owner: Owner, timer: NodeJS.Timeout) => void
}

export class PluginPack implements StackReader {
  readonly #deps: PackDeps
  readonly #additions: Map<string, Addition> = new Map()
  readonly #used: Set<string> = new Set()
  readonly #loaded: Map<string, Plugin> = new Map()
  /** What scripts require, by name. */
  readonly #modules: Map<string, unknown> = new Map()
  readonly #maps: Map<string, SourceMap | undefined> = new Map()
  #entries: ReadonlyMap<string, Entry> | undefined
  #text = ''
  #compiled: Buffer | undefined
  #script: Script | undefined
  #table: Readonly<Record<string, Evaluate>> | undefined
  #isCurrent = true
  #takeOff = () => {}

  constructor(deps: PackDeps) {
    this.#deps = deps
  }

  /** The plugin with this content; undefined if it is not in the pack. */
  async find(found: PluginRecord, content: Content): Promise<PackedPlugin | undefined> {
    const entry = this.#read().get(packId(found, content))
    if (!entry) return undefined
    for (const name of entry.needs) if (!this.#modules.has(name)) this.#modules.set(name, await importNeed(name))
    return { isQuiet: entry.isQuiet, load: (owner) => this.#load(entry, owner) }
  }

  #load({ id, plugin: name }: Entry, loader: Owner | undefined): Plugin {
    this.#used.add(id)
    const own = loader?.name === name ? loader : undefined
    if (own) owners.set(name, own)
    const known = this.#loaded.get(id)
    if (known) return known
    const module: { exports: unknown } = { exports: {} }
    const timers = this.#timers(() => currentOwner() ?? owners.get(name))
    const evaluate = () => this.#evaluated()[id]?.(module, module.exports, (name) => this.#modules.get(name), ...timers)
    own ? runAs(own, evaluate) : evaluate()
    const plugin = unwrap(module.exports)
    this.#loaded.set(id, plugin)
    return plugin
  }

  /** The plugin was imported on its own, from the bundle in `folder`: it is in the pack from the next start on. */
  add(found: PluginRecord, content: Content, folder: string): void {
    const { manifest, dir } = found
    const facts = readScriptFacts(folder)
    // What was bundled must be what was agreed to, and not what the folder held a moment later.
    const isSame = basename(folder) === nameBundle(dir, ownFiles(content))
    if (!facts || !isSame) return
    const code = readCode(folder)
    if (code === undefined) return
    this.#additions.set(packId(found, content), {
      ...facts,
      plugin: manifest.name,
      dir,
      bundle: basename(folder),
      code,
    })
  }

  /** At the end of a run: writes what is new. Without it the next start is only slower, so failures need no message. */
  keep(): void {
    this.#takeOff()
    if (this.#additions.size === 0 && (this.#isCurrent || !this.#script)) return
    try {
      if (this.#additions.size > 0) this.#writeAnew()
      else if (this.#script) this.#write([...this.#read().values()], this.#text, this.#script)
    } catch {
      // The folder may be full or closed to us.
    }
  }

  map(stack: string): string {
    return stack.replace(/svc\/plugins\.cjs:(\d+):(\d+)/g, (place, line, column) => {
      const entry = this.#entryAt(Number(line))
      if (!entry) return place
      const found = this.#mapOf(entry)?.findEntry(Number(line) - entry.line, Number(column) - 1)
      if (!found || !('originalSource' in found)) return place
      const source = resolve(this.#deps.cache, entry.bundle, found.originalSource)
      return `${source}:${found.originalLine + 1}:${found.originalColumn + 1}`
    })
  }

  findPlugin(stack: string): string | undefined {
    const line = /svc\/plugins\.cjs:(\d+):/.exec(stack)?.[1]
    return line === undefined ? undefined : this.#entryAt(Number(line))?.plugin
  }

  /** Compiled code fits one V8 with one set of options. */
  #kind(): string {
    const tag = this.#deps.withBriefSettings(cachedDataVersionTag)
    return `${process.versions.v8}-${process.arch}-${tag}`
  }

  get #file(): string {
    return join(this.#deps.cache, 'plugins.pack')
  }

  #entryAt(line: number): Entry | undefined {
    return [...this.#read().values()].find((each) => line >= each.line && line < each.line + each.lines)
  }

  #mapOf({ id, bundle }: Entry): SourceMap | undefined {
    if (!this.#maps.has(id)) this.#maps.set(id, readMap(join(this.#deps.cache, bundle, packFiles.map)))
    return this.#maps.get(id)
  }

  /** The entries of the pack; none if the file is missing or svc did not write it. */
  #read(): ReadonlyMap<string, Entry> {
    this.#entries ??= this.#readFile()
    return this.#entries
  }

  #readFile(): ReadonlyMap<string, Entry> {
    let bytes: Buffer
    try {
      bytes = readFileSync(this.#file)
    } catch {
      return new Map()
    }
    const at = bytes.indexOf('\n')
    const head = parseHead(bytes.toString('utf8', 0, at))
    const rest = bytes.subarray(at + 1)
    if (!head || !this.#deps.seal.holds(markedText(head, rest), head.mark)) {
      this.#deps.onTampered(this.#file)
      rmSync(this.#file, { force: true })
      return new Map()
    }
    this.#text = rest.toString('utf8', 0, head.size)
    this.#isCurrent = head.compiled === this.#kind()
    if (this.#isCurrent) this.#compiled = rest.subarray(head.size)
    return new Map(head.entries.map((entry) => [entry.id, entry]))
  }

  #evaluated(): Readonly<Record<string, Evaluate>> {
    if (this.#table) return this.#table
    const cachedData = this.#compiled
    const options = { filename: SHOWN_NAME, ...(cachedData && { cachedData }) }
    const script = this.#deps.withBriefSettings(() => new Script(this.#text, options))
    if (script.cachedDataRejected === true) this.#isCurrent = false
    this.#script = script
    this.#takeOff = this.#deps.addStackReader(this)
    this.#table = script.runInThisContext() as Readonly<Record<string, Evaluate>>
    return this.#table
  }

  /** Timers that keep the name of the plugin with them. */
  #timers(owner: () => Owner | undefined): readonly unknown[] {
    const named = (work: unknown, whose: Owner | undefined) =>
      whose && typeof work === 'function' ? (...given: unknown[]) => runAs(whose, () => work(...given)) : work
    const wrap = (set: typeof setTimeout | typeof setInterval | typeof setImmediate) => {
      const wrapped = (work: unknown, ...rest: unknown[]) => {
        const whose = owner()
        const timer = (set as (...given: unknown[]) => NodeJS.Timeout)(named(work, whose), ...rest)
        if (whose) this.#deps.onTimer?.(whose, timer)
        return timer
      }
      return Object.defineProperty(wrapped, promisify.custom, { value: set[promisify.custom as never] })
    }
    return [wrap(setTimeout), wrap(setInterval), wrap(setImmediate)]
  }

  /** The additions, and of what was there all but other versions of the same plugins. Compiled by the next run, as it uses it. */
  #writeAnew(): void {
    const fresh = new Set([...this.#additions.values()].map(({ plugin }) => plugin))
    const old = [...this.#read().values()].filter(
      ({ id, plugin, dir }) => this.#used.has(id) || (!fresh.has(plugin) && existsSync(dir)),
    )
    const lines = this.#text.split('\n')
    const kept = old.map((entry) => ({
      ...entry,
      code: lines.slice(entry.line - 1, entry.line - 1 + entry.lines).join('\n'),
    }))
    const added = [...this.#additions].map(([id, addition]) => ({ ...addition, id }))
    const entries: Entry[] = []
    let text = '(function () { return {\n'
    let line = 2
    for (const { code, ...entry } of [...kept, ...added]) {
      const count = code.split('\n').length
      text += `${JSON.stringify(entry.id)}${asMethod(code)},\n`
      entries.push({ ...entry, line: line + 1, lines: count })
      line += count + 2
    }
    this.#write(entries, `${text}} })()`)
  }

  #write(entries: readonly Entry[], text: string, script?: Script): void {
    const compiled = script && this.#deps.withBriefSettings(() => script.createCachedData())
    const rest = Buffer.concat([Buffer.from(text), compiled ?? Buffer.of()])
    const head = { entries, size: Buffer.byteLength(text), ...(compiled && { compiled: this.#kind() }) }
    const mark = this.#deps.seal.mark(markedText(head, rest))
    mkdirSync(dirname(this.#file), { recursive: true })
    const temporary = `${this.#file}.${process.pid}`
    writeFileSync(temporary, Buffer.concat([Buffer.from(`${JSON.stringify({ mark, ...head })}\n`), rest]), {
      mode: 0o600,
      flush: true,
    })
    renameSync(temporary, this.#file)
  }
}

/** The parameters and the body of the method that a plugin is in the script. Its code begins in the second line. */
function asMethod(code: string): string {
  return `(module, exports, require, setTimeout, setInterval, setImmediate) { 'use strict'\n${code}\n}`
}

/** The script of a bundle; undefined if it has none that can be part of a larger one: a mistake in one would be one in all. */
function readCode(folder: string): string | undefined {
  try {
    const code = readFileSync(join(folder, packFiles.script), 'utf8').trimEnd()
    new Script(`({ only${asMethod(code)} })`)
    return code
  } catch {
    return undefined
  }
}

/** The newest generation of each plugin of a pack, for what its code does when no one knows any more who called it. */
const owners = new Map<string, Owner>()

/** The content, the place and the SDK: the place is in the code. */
function packId({ dir }: PluginRecord, content: Content): string {
  const known = ids.get(content)
  if (known !== undefined) return known
  const id = `${basename(dir)}-${hash('sha256', [SDK_VERSION, sdkRoot, dir, content.hash].join('\0')).slice(0, 32)}`
  ids.set(content, id)
  return id
}

const ids = new WeakMap<Content, string>()

/** Without packages and settings, which are named in parentheses. */
function ownFiles({ files }: Content): ReadonlyMap<string, string> {
  return new Map([...files].filter(([file]) => !file.startsWith('(')))
}

async function importNeed(name: string): Promise<unknown> {
  if (name.startsWith('node:')) return process.getBuiltinModule(name)
  if (name !== 'zod') return importSdk(name)
  const { z } = await importZod()
  return Object.defineProperties({}, { ...Object.getOwnPropertyDescriptors(z), ...zodNames(z) })
}

function zodNames(z: object): PropertyDescriptorMap {
  return { z: { value: z }, default: { value: z }, __esModule: { value: true } }
}

/** What a module of ES or CommonJS exports as its default. */
function unwrap(exports: unknown): Plugin {
  const { __esModule: isModule, default: value } = (exports ?? {}) as { __esModule?: boolean; default?: unknown }
  const plugin = (isModule === true ? value : exports) as Plugin | { readonly default: Plugin }
  return typeof plugin === 'object' && plugin !== null && 'default' in plugin ? plugin.default : plugin
}

function markedText({ entries, size, compiled }: Omit<Head, 'mark'>, rest: Buffer): string {
  const hash = createHash('sha256')
    .update('plugins.pack\0')
    .update(JSON.stringify([entries, size, compiled ?? '']))
  return hash.update('\0').update(rest).digest('hex')
}

function parseHead(line: string): Head | undefined {
  try {
    const head = JSON.parse(line) as Head
    return typeof head.mark === 'string' && Array.isArray(head.entries) ? head : undefined
  } catch {
    return undefined
  }
}

function readMap(file: string): SourceMap | undefined {
  try {
    return new SourceMap(JSON.parse(readFileSync(file, 'utf8')))
  } catch {
    return undefined
  }
}
