/** Reads `config.yaml` and `.env`, keeps the last valid values, and reports problems. Does not write them. */
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { applyFixed, type Config, type ConfigProblem, isFixedAt } from '../sdk/config.ts'
import { errorMessage } from '../sdk/errors.ts'
import { type GoodCopy, LastGood, type Loss, measureLoss } from './last-good.ts'
import { type MachineFile, type MachineLayer, machinePlace, readMachine } from './machine-config.ts'
import { Seal } from './seal.ts'
import { SecretTable } from './secrets.ts'

type Values = Record<string, unknown>

/** Names that cosmiconfig looks for if there is no `config.yaml`. */
const otherNames = ['config.yml', 'config.json']

const WAY_BACK = 'svc config restore, or svc config accept if it is meant'

/** The configuration of one home. `load` reads it again; a file that is broken leaves everything as it was. */
export class ConfigStore implements Config {
  file: string
  readonly secrets: SecretTable
  readonly seal: Seal
  /** What is to be done after svc wrote the files. */
  onWritten: (() => Promise<void>) | undefined
  #home: string
  readonly #good: LastGood
  #lost: GoodCopy | undefined
  #place: MachineFile
  /** The configuration of the home. */
  #own: Values = {}
  /** What holds: the home, with the layer of the machine over it. */
  #env: Readonly<Record<string, string | undefined>>
  #values: Values = {}
  #machine: MachineLayer | undefined
  #dotenv: Record<string, string> = {}
  #problems: ConfigProblem[] = []
  #overlay: Values | undefined
  #usable = true

  /** `overlay` replaces the file: the configuration of an embedding program or a test. */
  constructor(
    home: string,
    env: Readonly<Record<string, string | undefined>>,
    overlay?: Values,
    place: MachineFile = machinePlace,
  ) {
    this.#home = home
    this.#place = place
    this.#env = env
    this.#overlay = overlay
    this.seal = new Seal(home)
    this.#good = new LastGood(home, this.seal)
    this.file = join(home, 'config.yaml')
    this.secrets = new SecretTable(env, () => this.#dotenv)
  }

  /** Returns the top-level blocks that differ from before. */
  async load(): Promise<string[]> {
    const problems: ConfigProblem[] = []
    await this.#readDotenv(problems)
    const raw = this.#overlay ?? (await this.#readFile(problems)) ?? (await this.#lastGood(problems))
    const before = this.#values
    this.#usable = raw !== undefined || Object.keys(this.#own).length > 0
    if (raw) this.#own = this.#expand(raw, '', problems) as Values
    this.#machine = await readMachine(this.#place)
    this.#values = applyFixed(this.#own, this.#machine?.values ?? {}) as Values
    if (this.#machine?.problem !== undefined) problems.push(refused(this.#machine))
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

  get machine(): MachineLayer | undefined {
    return this.#machine
  }

  /** Whether the layer of the machine decides about a dotted path. */
  fixes(path: string): boolean {
    return isFixedAt(this.#machine?.values, path.split('.'))
  }

  problems(): readonly ConfigProblem[] {
    return this.#problems
  }

  /** Whether the values come from a file, not from the program that embeds svc. */
  get inFile(): boolean {
    return this.#overlay === undefined
  }

  /** The files as they are now; the values in force stay as they are. */
  async fresh(): Promise<ConfigStore> {
    const store = new ConfigStore(this.#home, this.#env, this.#overlay, this.#place)
    await store.load()
    return store
  }

  /** The values of the home, without the layer of the machine. */
  get own(): Readonly<Values> {
    return this.#own
  }

  /** Whether config.yaml is as svc itself wrote it last. */
  isOwnText(): boolean {
    try {
      return this.#good.isExpected(existsSync(this.file) ? readFileSync(this.file, 'utf8') : undefined)
    } catch {
      return false
    }
  }

  async lost(): Promise<GoodCopy | undefined> {
    return (await this.fresh()).#lost
  }

  beforeWrite(text: string | undefined): void {
    this.#good.expect(text)
  }

  async acceptWritten(): Promise<void> {
    await this.onWritten?.()
  }

  /** Top-level blocks that nothing reads; `owned` are the blocks that plugins own. */
  unknownBlocks(owned: readonly string[]): ConfigProblem[] {
    const known = new Set(['plugins', 'config_version', ...owned.map((path) => path.split('.')[0] as string)])
    return Object.keys(this.#values)
      .filter((name) => !known.has(name))
      .map((path) => ({
        severity: 'warning',
        path,
        message: 'unknown setting (left in the file)',
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
    this.#lost = undefined
    if (!existsSync(this.file)) await this.#lookElsewhere()
    const fail = (message: string, more: Partial<ConfigProblem> = {}) => {
      problems.push({ severity: 'error', path: '', ...more, message: `${this.file}${message}` })
      return undefined
    }
    let text: string | undefined
    try {
      if (existsSync(this.file)) text = readFileSync(this.file, 'utf8')
    } catch (error) {
      return fail(` cannot be read: ${errorMessage(error)}`)
    }
    const parsed = await parseConfigText(text ?? '')
    if (!('values' in parsed)) {
      this.#lost = this.#goodCopy()
      return fail(`: ${parsed.message}`, parsed)
    }
    const loss = await this.#loss(text, Object.keys(parsed.values))
    if (loss === 'none') this.#keep(text, problems)
    if (loss === 'much')
      problems.push({
        severity: 'warning',
        path: '',
        message: `${this.file} has much less in it than before`,
        hint: WAY_BACK,
      })
    if (loss === 'all') return fail(text === undefined ? ' is gone' : ' is empty or was cut off', { hint: WAY_BACK })
    return parsed.values
  }

  /** Compares the file with its last valid state, and keeps that state if the content was lost. */
  async #loss(text: string | undefined, blocks: readonly string[]): Promise<Loss> {
    if (this.#good.has(text)) return 'none'
    const good = this.#goodCopy()
    if (good === undefined || this.#good.isExpected(text)) return 'none'
    const before = await parseConfigText(good.text)
    const now = text === undefined ? undefined : { text, blocks }
    const loss = measureLoss(now, { text: good.text, blocks: 'values' in before ? Object.keys(before.values) : [] })
    if (loss === 'all') this.#lost = good
    return loss
  }

  #goodCopy(): GoodCopy | undefined {
    try {
      const copy = this.#good.read()
      return copy === 'forged' ? undefined : copy
    } catch {
      return undefined
    }
  }

  #keep(text: string | undefined, problems: ConfigProblem[]): void {
    try {
      this.#good.keep(text)
    } catch (error) {
      const message = `could not save a backup of the last valid config: ${errorMessage(error)}`
      problems.push({ severity: 'warning', path: '', message })
    }
  }

  /** Only for a process that has no values yet; a running one keeps those it has. */
  async #lastGood(problems: ConfigProblem[]): Promise<Values | undefined> {
    if (Object.keys(this.#own).length) return undefined
    const copy = this.#good.read()
    if (copy === undefined) return undefined
    const warn = (message: string) =>
      problems.push({ severity: 'warning', path: '', message, hint: 'svc config check' })
    if (copy === 'forged') {
      warn(`${this.#good.file} is not used instead: it is not the copy that svc wrote`)
      return undefined
    }
    const parsed = await parseConfigText(copy.text)
    if (!('values' in parsed)) return undefined
    warn(`the last good config is used instead, of ${new Date(copy.at).toISOString()}`)
    return parsed.values
  }

  async #lookElsewhere(): Promise<void> {
    if (!otherNames.some((name) => existsSync(join(this.#home, name)))) return
    const { default: library } = await import('cosmiconfig')
    const { parseYaml } = await import('../sdk/kit/text/yaml.ts')
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

function refused({ file, problem = '' }: MachineLayer): ConfigProblem {
  const message = `${file}, which holds the rules of this machine, cannot be used: ${problem}. No turn runs until it is mended`
  return { severity: 'error', path: '', message, hint: 'the administrator of this machine can mend it' }
}

/** An empty text needs no parser, which costs a start its time. */
async function parseConfigText(text: string): ReturnType<typeof parse> {
  return text.trim() === '' ? { values: {} } : parse(text)
}

const parse = async (text: string) => (await import('../sdk/kit/text/yaml.ts')).parseYaml(text)
