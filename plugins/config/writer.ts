/** The one writer of config.yaml and .env: locks, reads again, edits, checks, journals, writes. */
import { basename, dirname, join } from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import {
  Clock,
  Config,
  type ConfigChange,
  type ConfigEdit,
  type ConfigFile,
  Home,
  type PluginContext,
  Plugins,
  Random,
  Secrets,
  SvcError,
} from 'svc/sdk'
import { readText, removeFile, resolveLink, type WriteOptions, writeText } from './atomic-write.ts'
import { type Block, loadBlocks, wholeSchema } from './blocks.ts'
import { parsePath, valueAt } from './config-path.ts'
import { type EnvEdit, editEnv, readEnv } from './env-edit.ts'
import { Journal, type JournalEntry, type Texts } from './journal.ts'
import { isSecretSchema, type JsonSchema, open, schemaAt } from './json-schema.ts'
import { withLock } from './lock.ts'
import { envDiff, yamlDiff } from './masked-diff.ts'
import { CONFIG_VERSION, refuseNewer } from './migrations.ts'
import { routed } from './route.ts'
import { expand, isVariable, type Lookup, lookupIn } from './secret-names.ts'
import { takenBack, undoable } from './undo.ts'
import { type Finding, findingsIn, sentence } from './validate.ts'
import { editYaml, type YamlEdit } from './yaml-edit.ts'
import { parseSource, readSource, type Values } from './yaml-source.ts'
import type { Path } from './yaml-steps.ts'

/** Both texts; undefined stands for no file. */
export interface State {
  readonly config: string | undefined
  readonly env: string | undefined
}

type By = { readonly author: string; readonly reason: string }
type Plan = By & {
  readonly after: State
  readonly undoes?: number
  /** The schema of the file, as far as it is known: it marks secrets. */
  readonly whole?: JsonSchema
}

/** Provided as `ConfigFile`; the commands of this plugin also use `rewrite`. */
export class ConfigWriter implements ConfigFile {
  #ctx: PluginContext<unknown>
  #journal: Journal

  constructor(ctx: PluginContext<unknown>) {
    this.#ctx = ctx
    this.#journal = new Journal({ dir: ctx.dataDir, random: ctx.use(Random), log: ctx.log })
  }

  /** Throws `CONFIG_INVALID` when an owner does not accept a new value, and what `editYaml` and `editEnv` throw. */
  async write(edits: readonly ConfigEdit[], by: By): Promise<ConfigChange | undefined> {
    const parsed = edits.map(({ path, value }) => ({ path: parsePath(path), value }))
    const forConfig = parsed.filter(({ path }) => !isVariable(path))
    const forEnv = parsed.filter(({ path }) => isVariable(path)).map(({ path, value }) => toEnvEdit(path, value))
    return this.#change(async (now) => {
      const env = editEnvText(now.env, forEnv)
      const all = [...forConfig, ...strayVariables(now.config, forEnv)]
      if (all.length === 0) return { ...by, after: { ...now, env } }
      return { ...by, ...(await this.#edited({ ...now, env }, all)) }
    })
  }

  /** Replaces the whole of config.yaml by what `make` makes of it. Throws like `write`. */
  async rewrite(
    make: (now: string | undefined) => string | Promise<string>,
    by: By,
  ): Promise<ConfigChange | undefined> {
    return this.#change(async (now) => {
      const after = { ...now, config: await make(now.config) }
      const { values } = readSource(after.config, this.#file)
      const blocks = await this.#blocks(values)
      const whole = wholeSchema(blocks)
      await this.#refuseInvalid(now, after, blocks, whole)
      return { ...by, after, whole }
    })
  }

  async undo(id?: number): Promise<ConfigChange> {
    const change = await this.#change(async (now) => {
      refuseNewer(now.config, this.#file)
      const entry = undoable(await this.#journal.list(), id)
      const after = takenBack(entry, await this.#journal.texts(entry.id), now, this.#file)
      const whole = wholeSchema(await this.#blocks(readSource(after.config ?? '', this.#file).values))
      return {
        author: 'svc config undo',
        reason: `take back change ${entry.id}: ${entry.reason}`,
        after,
        whole,
        undoes: entry.id,
      }
    })
    if (change) return change
    throw new SvcError('CONFIG_UNDO_UNKNOWN', 'There is nothing left to take back: the file is as it was before.', {
      status: 409,
    })
  }

  history(): Promise<readonly JournalEntry[]> {
    return this.#journal.list()
  }

  get #file(): string {
    return this.#ctx.use(Config).file
  }

  get #envFile(): string {
    return this.#ctx.use(Home).path('.env')
  }

  async #edited(now: State, edits: readonly YamlEdit[]): Promise<{ after: State; whole: JsonSchema }> {
    const file = this.#file
    refuseNewer(now.config, file)
    const setsSomething = edits.some(({ value }) => value !== undefined)
    // A new file is current from its first line; one without a version would count as old.
    const start = now.config ?? (setsSomething ? `config_version: ${CONFIG_VERSION}\n` : '')
    const { values } = readSource(start, file)
    const blocks = await this.#blocks(
      values,
      edits.map(({ path }) => path),
    )
    const whole = wholeSchema(blocks)
    const { config, env } = routed(edits, values, whole)
    const envText = editEnvText(now.env, env)
    const lookup = this.#lookup(envText)
    const same = (current: unknown, wanted: unknown) => {
      return isDeepStrictEqual(current, wanted) || isDeepStrictEqual(expand(current, lookup), wanted)
    }
    const text = editYaml(start, config, { file, same })
    const after = { config: now.config === undefined && !setsSomething ? undefined : text, env: envText }
    await this.#refuseInvalid(now, after, blocks, whole)
    return { after, whole }
  }

  #blocks(values: Values, paths?: readonly Path[]): Promise<Block[]> {
    const disabled = valueAt(values, ['plugins', 'disabled'])
    return loadBlocks(this.#ctx.use(Plugins), Array.isArray(disabled) ? disabled.map(String) : [], paths)
  }

  /** What was wrong before may stay; nothing may become wrong. */
  async #refuseInvalid(before: State, after: State, blocks: readonly Block[], whole: JsonSchema): Promise<void> {
    const findings = async ({ config, env }: State): Promise<Finding[]> => {
      const source = parseSource(config ?? '')
      return 'values' in source ? findingsIn(expand(source.values, this.#lookup(env)), blocks, whole) : []
    }
    const old = new Set((await findings(before)).map(sentence))
    const fresh = (await findings(after)).map(sentence).filter((text) => !old.has(text))
    if (fresh.length > 0)
      throw new SvcError('CONFIG_INVALID', `${fresh.join('; ')}. Nothing was written.`, { status: 400 })
  }

  #lookup(env: string | undefined): Lookup {
    return lookupIn(this.#ctx.use(Secrets), readEnv(env ?? ''))
  }

  async #change(plan: (now: State) => Promise<Plan>): Promise<ConfigChange | undefined> {
    const [clock, random] = [this.#ctx.use(Clock), this.#ctx.use(Random)]
    const folder = dirname(await resolveLink(this.#file))
    return withLock({ file: join(folder, '.config.svc-lock'), clock, random }, async () => {
      const before = { config: (await readText(this.#file)).text, env: (await readText(this.#envFile)).text }
      const { after, whole = open, ...by } = await plan(before)
      const texts = changedTexts(before, after)
      if (!texts.config && !texts.env) return undefined
      const entry = await this.#journal.add({ ...by, at: clock.now(), diff: this.#diff(texts, whole) }, texts)
      try {
        await this.#store(before, after)
      } catch (error) {
        await this.#journal.remove(entry.id)
        throw error
      }
      return entry
    })
  }

  #diff({ config, env }: Texts, whole: JsonSchema): string {
    const name = basename(this.#file)
    const isSecret = (path: Path) => isSecretSchema(schemaAt(whole, path))
    const parts = [
      config && yamlDiff(name, config.before, config.after, isSecret),
      env && envDiff(env.before, env.after),
    ]
    return parts.filter(Boolean).join('')
  }

  /** `.env` first, so that config.yaml never refers to what is not there. Both or neither. */
  async #store(before: State, after: State): Promise<void> {
    if (after.env !== before.env) await storeText(this.#envFile, after.env, { mode: 0o600, enforceMode: true })
    try {
      if (after.config !== before.config) await storeText(this.#file, after.config, { mode: 0o600 })
    } catch (error) {
      if (after.env !== before.env) await storeText(this.#envFile, before.env, { mode: 0o600, enforceMode: true })
      throw error
    }
  }
}

function toEnvEdit(path: Path, value: unknown): EnvEdit {
  return {
    name: path[0] as string,
    value: value === undefined || typeof value === 'string' ? value : JSON.stringify(value),
  }
}

/** A variable that stands in config.yaml by mistake leaves it when it is set or removed where it belongs. */
function strayVariables(text: string | undefined, edits: readonly EnvEdit[]): YamlEdit[] {
  const source = parseSource(text ?? '')
  const strays = edits.filter(({ name }) => 'values' in source && Object.hasOwn(source.values, name))
  return strays.map(({ name }) => ({ path: [name], value: undefined }))
}

/** A file is not made for removals. */
function editEnvText(text: string | undefined, edits: readonly EnvEdit[]): string | undefined {
  const edited = editEnv(text ?? '', edits)
  return edited === '' && text === undefined ? undefined : edited
}

function changedTexts(before: State, after: State): Texts {
  const change = (from: string | undefined, to: string | undefined) => ({
    ...(from === undefined ? {} : { before: from }),
    ...(to === undefined ? {} : { after: to }),
  })
  return {
    ...(before.config === after.config ? {} : { config: change(before.config, after.config) }),
    ...(before.env === after.env ? {} : { env: change(before.env, after.env) }),
  }
}

function storeText(file: string, text: string | undefined, options: WriteOptions): Promise<void> {
  return text === undefined ? removeFile(file) : writeText(file, text, options)
}
