/** The plugin that is examined, brought to where discovery finds it, and the runtime it is examined in. */
import { chmodSync, cpSync, existsSync, mkdirSync, readdirSync, readFileSync, realpathSync, symlinkSync } from 'node:fs'
import { basename, dirname, join, relative, resolve } from 'node:path'
import type { InlinePlugin, OpenOptions } from 'svc'
import { listClaims } from '../claims.ts'
import { SvcError } from '../errors.ts'
import type { Manifest } from '../manifest.ts'
import type { PluginInfo } from '../plugins.ts'
import type { Net } from '../ports.ts'
import { reasonNeverLoaded } from '../readers.ts'
import { type TestKernel, testKernel } from './kernel.ts'
import { declaredPackages, incompleteness, packedFiles, unpacked } from './packed.ts'

/** Which plugin: a folder, one that a program brings along, or one that is built in. @since 0.2 */
export type ConformanceSubject =
  | { readonly dir: string }
  | { readonly plugin: InlinePlugin }
  | { readonly builtIn: string }

/** Settings of the examination. @since 0.2 */
export interface ConformanceSettings {
  /** Stands in for config.yaml. */
  readonly config?: Record<string, unknown>
  /** Folders of other plugins that it needs: they are loaded with it. */
  readonly with?: readonly string[]
  /** Of a folder: the files to examine, relative to it. Left out: those that a package would publish, or all. */
  readonly files?: readonly string[]
  /** The environment; otherwise it is empty. */
  readonly env?: OpenOptions['env']
  readonly limits?: OpenOptions['limits']
}

/** Accounts and servers are out of reach, so every run is the same. */
const offline: Net = {
  request: async ({ url }) => {
    throw new SvcError('NET_UNREACHABLE', `${new URL(url).origin} is not reachable: conformance runs offline.`)
  },
}

export class Subject {
  #options: ConformanceSubject & ConformanceSettings
  #home: string
  #name: string
  /** The first of those that it runs in. */
  #role: OpenOptions['role']
  /** Where a folder is copied to. */
  #target: string | undefined
  /** What a package would publish. */
  #packed: readonly string[] | undefined
  /** Plugins that offer the same things; only one of them can run. */
  #rivals: readonly string[] = []
  /** Names of the plugins that are loaded with it. */
  readonly #companions: readonly string[]

  constructor(options: ConformanceSubject & ConformanceSettings, home: string) {
    this.#options = options
    this.#home = home
    this.#companions = (options.with ?? []).map((dir) => placeCompanion(resolve(dir), home))
    if ('dir' in options) {
      this.#name = basename(resolve(options.dir))
      this.#target = join(home, 'plugins', this.#name)
      this.#packed = placeFolder(resolve(options.dir), this.#target, options.files)
    } else this.#name = 'builtIn' in options ? options.builtIn : options.plugin.name
  }

  /** The plugin's name; that of its folder until its manifest has been read. */
  get name(): string {
    return this.#name
  }

  /** What discovery says of it; no code of the plugin runs. */
  async survey(): Promise<PluginInfo | undefined> {
    const [info, others] = await this.#look()
    if (!info) return undefined
    this.#name = getName(info)
    this.#role = Array.isArray(info.manifest.in) ? info.manifest.in[0] : undefined
    this.#rivals = others.filter(({ manifest }) => isRival(info.manifest, manifest)).map(getName)
    return (await this.#look())[0]
  }

  /** Why nothing would ever load it; undefined when something does. */
  async neverLoaded({ manifest, origin }: PluginInfo): Promise<string | undefined> {
    if (origin === 'built-in' || origin === 'embedded') return undefined
    await using kernel = await this.idle()
    return reasonNeverLoaded(
      manifest,
      kernel.plugins.list().map((other) => other.manifest),
    )
  }

  /** What its users would lack; undefined when nothing, and for what is no folder. */
  async incomplete(): Promise<string | undefined> {
    if (!('dir' in this.#options) || this.#target === undefined) return undefined
    if (this.#packed && !this.#packed.includes('plugin.json')) return unpacked('plugin.json')
    return incompleteness(this.#target, resolve(this.#options.dir))
  }

  async #look(): Promise<[info: PluginInfo | undefined, others: readonly PluginInfo[]]> {
    await using kernel = await this.idle()
    const all = kernel.plugins.list()
    const info = all.find((each) => (this.#target ? each.dir === this.#target : getName(each) === this.name))
    return [info, all.filter((each) => each !== info)]
  }

  /** A runtime that knows the plugin and has loaded nothing. */
  idle(): Promise<TestKernel> {
    return testKernel({ home: this.#home, config: this.#config() })
  }

  /** A runtime with the plugin in it: loaded, or left out for a reason. */
  open(): Promise<TestKernel> {
    const { env, limits } = this.#options
    return testKernel({
      home: this.#home,
      config: this.#config(),
      audit: true,
      net: offline,
      ...('plugin' in this.#options
        ? { with: [this.#options.plugin], plugins: this.#companions }
        : { plugins: [...this.#companions, this.name] }),
      ...(env && { env }),
      ...(this.#role && { role: this.#role }),
      ...(limits && { limits }),
    })
  }

  /** The author knows the folder, not its copy. */
  withOwnPaths(text: string): string {
    if (!('dir' in this.#options) || !this.#target) return text
    const { dir } = this.#options
    return text.replaceAll(this.#target, dir).replaceAll(relative(process.cwd(), this.#target), dir)
  }

  #config(): Record<string, unknown> {
    const { plugins, ...rest } = this.#options.config ?? {}
    return {
      ...rest,
      plugins: { ...(plugins as object), enabled: [this.name, ...this.#companions], disabled: this.#rivals },
    }
  }
}

function getName({ manifest }: PluginInfo): string {
  return manifest.name
}

/**
 * Copies what a package would publish, or all of a folder that is no package, to where users' plugins are. Only the packages that
 * it declares are linked: what lies beside them by chance is not there for its users.
 */
function placeFolder(dir: string, target: string, given?: readonly string[]): readonly string[] | undefined {
  mkdirSync(dirname(target), { recursive: true })
  if (!existsSync(dir)) return undefined
  const packed = given ?? packedFiles(dir)
  // The manifest is read in any case, so that what is wrong can be said.
  const files =
    packed && new Set([...packed, 'plugin.json', 'package.json'].filter((path) => existsSync(join(dir, path))))
  if (files) for (const path of files) cpSync(join(dir, path), join(target, path))
  else cpSync(dir, target, { recursive: true, filter: isSource })
  makeWritable(target)
  if (existsSync(join(dir, 'package.json'))) for (const name of declaredPackages(dir)) linkPackage(name, dir, target)
  else linkAll(dir, target)
  return packed
}

/** Returns its name. Throws `PLUGIN_MANIFEST` when the folder is no plugin. */
function placeCompanion(dir: string, home: string): string {
  const file = join(dir, 'plugin.json')
  if (!existsSync(file)) throw new SvcError('PLUGIN_MANIFEST', `There is no plugin.json in ${dir}.`)
  const { name } = JSON.parse(readFileSync(file, 'utf8')) as { name?: unknown }
  const known = typeof name === 'string' ? name : basename(dir)
  placeFolder(dir, join(home, 'plugins', known))
  return known
}

function isSource(path: string): boolean {
  return !['node_modules', '.git'].includes(basename(path))
}

/** Links a package from where Node finds it for the author; one that is not installed is missing for the plugin, too. */
function linkPackage(name: string, dir: string, target: string): void {
  const place = findPlace(join('node_modules', name), dir)
  if (place === undefined) return
  const link = join(target, 'node_modules', name)
  mkdirSync(dirname(link), { recursive: true })
  symlinkSync(realpathSync(place), link, 'junction')
}

function linkAll(dir: string, target: string): void {
  const modules = findPlace('node_modules', dir)
  if (modules) symlinkSync(modules, join(target, 'node_modules'), 'junction')
}

/** A path in this folder or the nearest one above it that has it. */
function findPlace(path: string, dir: string): string | undefined {
  const place = join(dir, path)
  if (existsSync(place)) return place
  return dirname(dir) === dir ? undefined : findPlace(path, dirname(dir))
}

function isRival(one: Manifest, other: Manifest): boolean {
  const own = listClaims(one).map(({ key }) => key)
  return one.name !== other.name && listClaims(other).some(({ key }) => own.includes(key))
}

/** Copies keep the mode of a read-only folder, and without rights of root they could not be removed then. */
function makeWritable(folder: string): void {
  chmodSync(folder, 0o700)
  for (const entry of readdirSync(folder, { withFileTypes: true }))
    if (entry.isDirectory()) makeWritable(join(folder, entry.name))
}
