/** Plugin folders that the user named with `--plugin`, or an embedding program with `dirs`: run in place, without an installation. */
import { existsSync, readFileSync, realpathSync } from 'node:fs'
import { dirname, join, relative, resolve } from 'node:path'
import { withoutSecrets } from '../home/hidden-environment.ts'
import { isForeign, type PluginRecord } from '../kernel/plugin-record.ts'
import { SvcError } from '../sdk/errors.ts'
import { inspect, readRoot } from './discover.ts'
import { sdkProblem } from './manifest.ts'

/** The folders of one run. */
export interface NamedFolders {
  /** Absolute, without links. */
  readonly dirs: readonly string[]
  /** Names of their plugins. */
  readonly plugins: readonly string[]
  /** Everything that can run, as `withNamedFolders` of what was found. */
  readonly found: readonly PluginRecord[]
  /** Which installed plugins do not run because of them, one sentence each. */
  readonly notices: readonly string[]
}

/** Reads what was given as `option`. Throws `PLUGIN_MANIFEST` with file and line, and `CLI_USAGE` for one name in two folders. */
export async function readNamedFolders(
  typed: readonly string[],
  found: readonly PluginRecord[],
  cwd: string,
  option: '--plugin' | 'dirs' = '--plugin',
): Promise<NamedFolders> {
  const dirs = [...new Set(typed.map((dir) => checkFolder(resolve(cwd, dir), option)))]
  const named = await Promise.all(dirs.map(readFolder))
  for (const [at, { manifest, dir, problem }] of named.entries()) {
    if (problem) throw new SvcError('PLUGIN_MANIFEST', `${option}: ${problem}.`, { status: 400 })
    const other = named.slice(0, at).find((each) => each.manifest.name === manifest.name)
    if (other) throw new SvcError('CLI_USAGE', `${option}: ${other.dir} and ${dir} are both named "${manifest.name}".`)
    const own = found.find((each) => each.origin === 'built-in' && each.manifest.name === manifest.name)
    if (own)
      throw new SvcError(
        'PLUGIN_MANIFEST',
        `${option}: ${join(dir, 'plugin.json')}: "${manifest.name}" is a built-in plugin; choose another name.`,
      )
  }
  const replaced = found.filter((each) => isForeign(each) && named.some((one) => isSameName(one, each)))
  const notices = replaced.map(({ manifest: { name }, dir }) => {
    const folder = named.find((one) => one.manifest.name === name)?.dir
    return `${option}: ${name} runs from ${folder} instead of ${dir}`
  })
  const plugins = named.map(({ manifest }) => manifest.name)
  return { dirs, plugins, found: merge(found, named), notices }
}

/** The same with the plugins of these folders, each in the place of an installed one of its name. */
export async function withNamedFolders(
  found: readonly PluginRecord[],
  dirs: readonly string[],
): Promise<readonly PluginRecord[]> {
  return merge(found, await Promise.all(dirs.map(readFolder)))
}

function merge(found: readonly PluginRecord[], named: readonly PluginRecord[]): readonly PluginRecord[] {
  const others = found.filter((each) => !isForeign(each) || !named.some((one) => isSameName(one, each)))
  const at = others.findIndex(isForeign)
  return at < 0 ? [...others, ...named] : [...others.slice(0, at), ...named, ...others.slice(at)]
}

const isSameName = (a: PluginRecord, b: PluginRecord): boolean => a.manifest.name === b.manifest.name

function checkFolder(dir: string, option: string): string {
  if (existsSync(join(dir, 'plugin.json'))) return realpathSync(dir)
  const what = existsSync(dir) ? `there is no plugin.json in ${dir}` : `there is no folder ${dir}`
  throw new SvcError('PLUGIN_MANIFEST', `${option}: ${what}. To begin a plugin: svc plugins new NAME`, { status: 400 })
}

/** While its plugin.json is broken the folder keeps the name that it had: what runs stays known by it. */
const lastNames: Map<string, string> = new Map()

async function readFolder(dir: string): Promise<PluginRecord> {
  const read = inspect(dir, 'command-line', readRoot(dirname(dir)))
  const problem = read.problem ?? (await sdkProblem(read.manifest))
  if (problem === undefined) {
    lastNames.set(dir, read.manifest.name)
    return read
  }
  const name = lastNames.get(dir) ?? read.manifest.name
  return { ...read, manifest: { ...read.manifest, name }, problem: await locate(join(dir, 'plugin.json'), problem) }
}

/** The problem behind the file and the line that it is about. */
async function locate(file: string, problem: string): Promise<string> {
  if (!problem.includes('plugin.json')) return problem
  const text = existsSync(file) ? readFileSync(file, 'utf8') : ''
  const shown = relative(process.cwd(), file)
  const place = (line: number, column: number) => `${shown.startsWith('..') ? file : shown}:${line}:${column}`
  const fault = await findSyntaxError(text)
  if (fault) return `${place(fault.line, fault.column + 1)}: ${fault.text}`
  const field = /"([^"]+)"/.exec(problem)?.[1]
  const at = field === undefined ? undefined : await findField(text, field)
  return `${at ? place(at.line, at.col) : place(1, 1)}: ${problem}`
}

/** JSON.parse of Node 20 does not name a line. */
async function findSyntaxError(text: string): Promise<{ line: number; column: number; text: string } | undefined> {
  const { transform } = await import('esbuild')
  try {
    await withoutSecrets(() => transform(text, { loader: 'json', logLevel: 'silent' }))
    return undefined
  } catch (error) {
    const [first] =
      (error as { errors?: { text: string; location: { line: number; column: number } | null }[] }).errors ?? []
    return first?.location ? { ...first.location, text: first.text } : undefined
  }
}

/** JSON is YAML, and the YAML reader knows places. */
async function findField(text: string, field: string): Promise<{ line: number; col: number } | undefined> {
  const { isMap, isScalar, LineCounter, parseDocument } = await import('yaml')
  const lineCounter = new LineCounter()
  const { contents } = parseDocument(text, { lineCounter })
  const pair = isMap(contents) ? contents.items.find(({ key }) => isScalar(key) && key.value === field) : undefined
  const offset = isScalar(pair?.key) ? pair.key.range?.[0] : undefined
  return offset === undefined ? undefined : lineCounter.linePos(offset)
}
