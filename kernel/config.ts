/** Reads `config.yaml` and `.env`, keeps the last good values, and says what is wrong. Writing is not done here. */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { Config, ConfigProblem } from '../sdk/config.ts'
import { errorMessage } from '../sdk/errors.ts'
import { SecretTable } from './secrets.ts'

type Values = Record<string, unknown>

/** Names that cosmiconfig looks for when there is no `config.yaml`. */
const otherNames = ['config.yml', 'config.json']

/** The configuration of one home. `load` reads it again; a file that is broken leaves everything as it was. */
export class ConfigStore implements Config {
  file: string
  readonly secrets: SecretTable
  #home: string
  #values: Values = {}
  #dotenv: Record<string, string> = {}
  #problems: ConfigProblem[] = []
  #overlay: Values | undefined
  #usable = true

  /** `overlay` stands in for the file: what an embedding program or a test configures. */
  constructor(home: string, env: Readonly<Record<string, string | undefined>>, overlay?: Values) {
    this.#home = home
    this.#overlay = overlay
    this.file = join(home, 'config.yaml')
    this.secrets = new SecretTable(env, () => this.#dotenv)
  }

  /** Returns the top-level blocks that differ from before. */
  async load(): Promise<string[]> {
    const problems: ConfigProblem[] = []
    await this.#readDotenv(problems)
    const raw = this.#overlay ?? (await this.#readFile(problems)) ?? (await this.#lastGood(problems))
    const before = this.#values
    this.#usable = raw !== undefined || Object.keys(before).length > 0
    if (raw) this.#values = this.#expand(raw, '', problems) as Values
    this.#problems = problems
    const names = new Set([...Object.keys(before), ...Object.keys(this.#values)])
    return [...names].filter((name) => JSON.stringify(before[name]) !== JSON.stringify(this.#values[name]))
  }

  get(path: string): unknown {
    let value: unknown = this.#values
    for (const part of path.split('.')) {
      if (typeof value !== 'object' || value === null) return undefined
      value = (value as Values)[part]
    }
    return value ?? undefined
  }

  /** Whether there are values to go by: of the file, or the last good ones. */
  get usable(): boolean {
    return this.#usable
  }

  problems(): readonly ConfigProblem[] {
    return this.#problems
  }

  /** Top-level blocks that nothing reads; `owned` are the blocks that plugins own. */
  unknownBlocks(owned: readonly string[]): ConfigProblem[] {
    const known = new Set(['plugins', 'config_version', ...owned.map((path) => path.split('.')[0] as string)])
    return Object.keys(this.#values)
      .filter((name) => !known.has(name))
      .map((path) => ({
        severity: 'warning',
        path,
        message: 'nothing reads this; it is kept',
        hint: 'svc config check',
      }))
  }

  async #readDotenv(problems: ConfigProblem[]): Promise<void> {
    const file = join(this.#home, '.env')
    if (!existsSync(file)) {
      this.#dotenv = {}
      return
    }
    try {
      const { default: dotenv } = await import('dotenv')
      this.#dotenv = dotenv.parse(readFileSync(file))
    } catch (error) {
      problems.push({ severity: 'error', path: '', message: `${file} cannot be read: ${errorMessage(error)}` })
    }
  }

  async #readFile(problems: ConfigProblem[]): Promise<Values | undefined> {
    if (!existsSync(this.file)) await this.#lookElsewhere()
    if (!existsSync(this.file)) return {}
    let text: string
    try {
      text = readFileSync(this.file, 'utf8')
    } catch (error) {
      problems.push({ severity: 'error', path: '', message: `${this.file} cannot be read: ${errorMessage(error)}` })
      return undefined
    }
    const parsed = text.trim() === '' ? { values: {} } : (await import('./yaml.ts')).parseYaml(text)
    if ('values' in parsed) {
      this.#keep(text, problems)
      return parsed.values
    }
    problems.push({ severity: 'error', path: '', ...parsed, message: `${this.file}: ${parsed.message}` })
    return undefined
  }

  /** A copy of the last file that could be read: what a new process goes by when the file is broken. */
  get #copy(): string {
    return join(this.#home, 'cache', 'config.last-good.yaml')
  }

  #keep(text: string, problems: ConfigProblem[]): void {
    try {
      if (existsSync(this.#copy) && readFileSync(this.#copy, 'utf8') === text) return
      mkdirSync(dirname(this.#copy), { recursive: true, mode: 0o700 })
      writeFileSync(this.#copy, text, { mode: 0o600 })
    } catch (error) {
      const message = `no copy of the good config could be kept: ${errorMessage(error)}`
      problems.push({ severity: 'warning', path: '', message })
    }
  }

  /** Only for a process that has no values yet; a running one keeps those it has. */
  async #lastGood(problems: ConfigProblem[]): Promise<Values | undefined> {
    if (Object.keys(this.#values).length || !existsSync(this.#copy)) return undefined
    const { parseYaml } = await import('./yaml.ts')
    const parsed = parseYaml(readFileSync(this.#copy, 'utf8'))
    if (!('values' in parsed)) return undefined
    problems.push({
      severity: 'warning',
      path: '',
      message: 'the last good config is used instead',
      hint: 'svc config check',
    })
    return parsed.values
  }

  async #lookElsewhere(): Promise<void> {
    if (!otherNames.some((name) => existsSync(join(this.#home, name)))) return
    const { default: library } = await import('cosmiconfig')
    const { parseYaml } = await import('./yaml.ts')
    const read = (_file: string, text: string) => parseYaml(text)
    const explorer = library.cosmiconfig('svc', {
      searchPlaces: otherNames,
      loaders: { '.yml': read, '.json': read },
      cache: false,
    })
    const found = await explorer.search(this.#home)
    if (found) this.file = found.filepath
  }

  /** `${NAME}` in texts becomes the value of the variable; one that is not set stays as written and is pointed out. */
  #expand(value: unknown, path: string, problems: ConfigProblem[]): unknown {
    if (typeof value === 'string' && value.includes('${'))
      return value.replace(/\$\{([A-Za-z_][A-Za-z0-9_]*)\}/g, (whole, name: string) => {
        const found = this.secrets.get(name)
        if (found === undefined)
          problems.push({
            severity: 'error',
            path,
            message: `${name} is not set`,
            hint: `svc config set ${name} <value>`,
          })
        return found ?? whole
      })
    if (Array.isArray(value)) return value.map((item, at) => this.#expand(item, `${path}.${at}`, problems))
    if (typeof value !== 'object' || value === null) return value
    const entries = Object.entries(value).map(([key, item]) => {
      return [key, this.#expand(item, path ? `${path}.${key}` : key, problems)] as const
    })
    return Object.fromEntries(entries)
  }
}
