/** The one writer of config.yaml and .env: locks, reads again, edits, checks, journals, writes. */
import { rename } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { Clock, Config, errorCode, Home, type PluginContext, Random, Secrets, SvcError } from 'svc/sdk'
import { BeforeConfigChange } from 'svc/sdk/hooks'
import {
  type ChangeReason,
  type ConfigChange,
  type ConfigEdit,
  formatConfigPath,
  getAtPath,
  isFixedAt,
  Plugins,
} from 'svc/sdk/host'
import { type AtomicWriteOptions, resolveLink } from 'svc/sdk/kit/files'
import { diffConfigPaths } from 'svc/sdk/kit/state'
import { readText, removeFile, toWriteError, writeText } from './atomic-write.ts'
import { type Block, isUnder, loadBlocks, wholeSchema } from './config-blocks.ts'
import { type ConfigText, configText, parseKeys } from './config-text.ts'
import { commentUnread, type EnvEdit, editEnv, readEnv } from './env-edit.ts'
import { Journal, type Texts } from './journal.ts'
import { type JsonSchema, open, type Path, schemaAt } from './json-schema.ts'
import { withLock } from './lock.ts'
import { envDiff, yamlDiff } from './masked-diff.ts'
import { newFile, refuseNewer } from './migrations.ts'
import { createLookup, expand, isVariable, type Lookup, type PathEdit, routeEdits, withReferences } from './secrets.ts'
import { migrationEdits } from './settings-migration.ts'
import { typedValue } from './typed-value.ts'
import { mapUndone, takenBack, undoable } from './undo.ts'
import { type Finding, findFindings, namesFrom, sentence } from './validate.ts'

/** Both texts; undefined stands for no file. */
export interface State {
  readonly config: string | undefined
  readonly env: string | undefined
}

/** A new text of config.yaml, or undefined for none, and why. */
export type Rewrite = ChangeReason & { readonly text: string | undefined }

type Plan = ChangeReason & {
  readonly after: State
  readonly undoes?: number
  /** The schema of the file, as far as it is known: it marks secrets. */
  readonly whole?: JsonSchema
}

type TypedEdit = PathEdit & Pick<ConfigEdit, 'typed'>

/** Everything of `ConfigFile` that writes. */
export class ConfigWriter {
  #ctx: PluginContext<unknown>
  #journal: Journal

  constructor(ctx: PluginContext<unknown>) {
    this.#ctx = ctx
    this.#journal = new Journal({ dir: ctx.dataDir, random: ctx.use(Random), log: ctx.log })
  }

  write(edits: readonly ConfigEdit[], by: ChangeReason): Promise<ConfigChange | undefined> {
    return this.#change((now) => this.#planEdits(now, edits, by))
  }

  /** Plugins are not asked: they judge changes that are made. */
  async checkEdits(edits: readonly ConfigEdit[]): Promise<void> {
    const now = await this.#read()
    const { after } = await this.#planEdits(now, edits, { author: '', reason: '' })
    if (changedTexts(now, after).config) await this.#refuseLost(now.config)
  }

  async #planEdits(now: State, edits: readonly ConfigEdit[], by: ChangeReason): Promise<Plan> {
    const parsed = edits.map((edit) => ({ ...edit, path: parseKeys(edit.path) }))
    for (const { path } of parsed) this.#refuseFixed(path)
    const forConfig = parsed.filter(({ path }) => !isVariable(path))
    const forEnv = parsed.filter(({ path }) => isVariable(path)).map(({ path, value }) => toEnvEdit(path, value))
    const env = editEnvText(now.env, forEnv)
    const all = [...forConfig, ...(await this.#strayVariables(now.config, forEnv))]
    if (all.length === 0) return { ...by, after: { ...now, env } }
    return { ...by, ...(await this.#edited({ ...now, env }, all)) }
  }

  async #read(): Promise<State> {
    return { config: (await readText(this.#file)).text, env: (await readText(this.#envFile)).text }
  }

  async replace(text: string, base: string, by: ChangeReason): Promise<ConfigChange | undefined> {
    if (text === base) return undefined
    return this.rewrite(async (now = newFile) => {
      const merged = await this.#text.merge(base, now, text)
      if ('text' in merged) return { ...by, text: merged.text }
      const message = `${this.#file} was changed by another program at line ${merged.conflictLine} while you edited.`
      throw new SvcError('CONFIG_EDIT_CONFLICT', `${message} Nothing was written; bring your change in again.`, {
        status: 409,
      })
    })
  }

  /** Replaces the whole of config.yaml by what `make` makes of it. Throws like `write`. */
  async rewrite(make: (now: string | undefined) => Promise<Rewrite>): Promise<ConfigChange | undefined> {
    return this.#change(async (now) => {
      const { text, ...by } = await make(now.config)
      const after = { ...now, config: text }
      const blocks = await this.#blocks((await this.#text.read(text ?? '')).values)
      const whole = wholeSchema(blocks)
      await this.#refuseInvalid(now, after, blocks, whole)
      return { ...by, after, whole }
    })
  }

  async undo(id?: number): Promise<ConfigChange> {
    const change = await this.#change(async (now) => {
      const text = this.#text
      refuseNewer((await text.read(now.config ?? '')).values, text.file)
      const entry = undoable(await this.#journal.list(), id)
      const after = await takenBack(entry, await this.#journal.texts(entry.id), now, text)
      const whole = wholeSchema(await this.#blocks((await text.read(after.config ?? '')).values))
      const reason = `take back change ${entry.id}: ${entry.reason}`
      return { author: 'svc config undo', reason, after, whole, undoes: entry.id }
    })
    if (change) return change
    throw new SvcError('CONFIG_UNDO_UNKNOWN', 'There is nothing left to take back: the file is as it was before.', {
      status: 409,
    })
  }

  async restore(): Promise<ConfigChange | undefined> {
    const lost = await this.#ctx.use(Config).lost()
    if (lost === undefined) {
      const message = `${this.#file} is not lost: nothing was put back. To take a change back: svc config undo`
      throw new SvcError('CONFIG_NOT_LOST', message, { status: 409 })
    }
    await this.#moveAsideUnreadable()
    const by = { author: 'svc config restore', reason: `put back the state of ${new Date(lost.at).toISOString()}` }
    return this.#change(async (now) => ({ ...by, after: { ...now, config: lost.text } }), true)
  }

  /** A file that is no text could not stand in the journal. It stays beside the new one. */
  async #moveAsideUnreadable(): Promise<void> {
    try {
      await readText(this.#file)
    } catch (error) {
      if (errorCode(error) !== 'CONFIG_UNREADABLE') throw error
      const time = new Date(this.#ctx.use(Clock).now()).toISOString().replaceAll(/[:.]/g, '-')
      const aside = `${this.#file}.unreadable-${time}`
      await rename(this.#file, aside)
      this.#ctx.log.warn(`${this.#file} was no text. It is kept as ${aside}.`)
    }
  }

  async accept(): Promise<void> {
    const config = this.#ctx.use(Config)
    config.beforeWrite((await readText(this.#file)).text)
    await config.acceptWritten()
  }

  async tidy(by: ChangeReason): Promise<ConfigChange | undefined> {
    return this.#change(async (now) => ({ ...by, after: { ...now, env: now.env && commentUnread(now.env) } }))
  }

  async migrateSettings(plugin: string, by: ChangeReason): Promise<ConfigChange | undefined> {
    const { manifest } = this.#ctx.use(Plugins).info(plugin) ?? {}
    if (!manifest) throw new SvcError('PLUGIN_UNKNOWN', `There is no plugin ${plugin}.`, { status: 404 })
    const path = manifest.config?.split('.') ?? ['plugins', 'entries', plugin]
    return this.#change(async (now) => {
      const values = (await this.#text.read(now.config ?? '')).values
      if (getAtPath(values, path) === undefined) return { ...by, after: now }
      return { ...by, ...(await this.#edited(now, [], [path])) }
    })
  }

  async history(): Promise<ConfigChange[]> {
    const entries = await this.#journal.list()
    const undoneBy = mapUndone(entries)
    return entries.map((entry) => {
      const by = undoneBy.get(entry.id)
      return by === undefined ? entry : { ...entry, undoneBy: by }
    })
  }

  async text(): Promise<string> {
    return (await readText(this.#file)).text ?? newFile
  }

  get #text(): ConfigText {
    return configText(this.#ctx)
  }

  get #file(): string {
    return this.#ctx.use(Config).file
  }

  get #envFile(): string {
    return this.#ctx.use(Home).path('.env')
  }

  /** `touched`: blocks to bring to the form of their plugins, besides those that edits are in. */
  async #edited(
    now: State,
    edits: readonly TypedEdit[],
    touched: readonly Path[] = [],
  ): Promise<{ after: State; whole: JsonSchema }> {
    const setsSomething = edits.some(({ value }) => value !== undefined)
    const start = now.config ?? (setsSomething ? newFile : '')
    const { values } = await this.#text.read(start)
    refuseNewer(values, this.#file)
    const paths = [...edits.map(({ path }) => path), ...touched]
    const blocks = await this.#blocks(values, paths)
    const whole = wholeSchema(blocks)
    const { config, env } = routeEdits(
      edits.map((edit) => parseTypedEdit(edit, whole)),
      values,
      whole,
    )
    const envText = editEnvText(now.env, env)
    const lookup = this.#lookup(envText)
    const changes = config.map(({ path, value }) => {
      return { path, value: withReferences(getAtPath(values, path), value, lookup) }
    })
    const isWritten = (path: Path) =>
      touched.some((other) => isUnder(other, path)) ||
      edits.some((edit) => edit.value !== undefined && isUnder(edit.path, path))
    const steps = blocks.flatMap((block) => (isWritten(block.path) ? migrationEdits(values, block) : []))
    const text = await this.#text.edit(start, [...steps, ...changes])
    const after = { config: now.config === undefined && !setsSomething ? undefined : text, env: envText }
    await this.#refuseInvalid(now, after, blocks, whole)
    return { after, whole }
  }

  /** A variable that stands in config.yaml by mistake leaves it when it is set or removed where it belongs. */
  async #strayVariables(text: string | undefined, edits: readonly EnvEdit[]): Promise<PathEdit[]> {
    const parsed = await this.#text.parse(text ?? '')
    const strays = edits.filter(({ name }) => 'values' in parsed && Object.hasOwn(parsed.values, name))
    return strays.map(({ name }) => ({ path: [name], value: undefined }))
  }

  /** It would be written and change nothing. */
  #refuseFixed(path: Path): void {
    const { machine } = this.#ctx.use(Config)
    if (!machine || isVariable(path) || !isFixedAt(machine.values, path)) return
    const what = `${formatConfigPath(path)} is fixed for this machine by ${machine.file}`
    throw new SvcError('CONFIG_FIXED', `${what}; only its administrator can change it. Nothing was written.`, {
      status: 403,
    })
  }

  /** What is written into an empty file would take the place of all that was in it before. */
  async #refuseLost(text: string | undefined): Promise<void> {
    // A broken one is mended by writing.
    if (!('values' in (await this.#text.parse(text ?? '')))) return
    if ((await this.#ctx.use(Config).lost()) === undefined) return
    const message = `${this.#file} is gone, empty or cut off. Put its last good state back with \`svc config restore\`, or keep it as it is with \`svc config accept\`. Nothing was written.`
    throw new SvcError('CONFIG_LOST', message, { status: 409 })
  }

  #blocks(values: unknown, paths?: readonly Path[]): Promise<Block[]> {
    return loadBlocks(this.#ctx, values, paths)
  }

  /** What was wrong before may stay; nothing may become wrong. */
  async #refuseInvalid(before: State, after: State, blocks: readonly Block[], whole: JsonSchema): Promise<void> {
    const names = namesFrom(this.#ctx.use(Plugins))
    const findings = async ({ config, env }: State): Promise<Finding[]> => {
      const parsed = await this.#text.parse(config ?? '')
      return 'values' in parsed ? findFindings(expand(parsed.values, this.#lookup(env)), blocks, whole, names) : []
    }
    const old = new Set((await findings(before)).map(sentence))
    const fresh = (await findings(after)).map(sentence).filter((text) => !old.has(text))
    if (fresh.length > 0)
      throw new SvcError('CONFIG_INVALID', `${fresh.join('; ')}. Nothing was written.`, { status: 400 })
  }

  #lookup(env: string | undefined): Lookup {
    return createLookup(this.#ctx.use(Secrets), readEnv(env ?? ''))
  }

  async #change(plan: (now: State) => Promise<Plan>, isRestore = false): Promise<ConfigChange | undefined> {
    const [clock, random] = [this.#ctx.use(Clock), this.#ctx.use(Random)]
    const folder = dirname(followLink(this.#file))
    return withLock({ file: join(folder, '.config.svc-lock'), clock, random }, async () => {
      const before = await this.#read()
      const { after, whole = open, ...by } = await plan(before)
      const texts = changedTexts(before, after)
      if (!texts.config && !texts.env) return undefined
      if (texts.config && !isRestore) await this.#refuseLost(before.config)
      await this.#ask(before, after, by)
      const entry = await this.#journal.add({ ...by, at: clock.now(), diff: await this.#diff(texts, whole) }, texts)
      try {
        if (texts.config) this.#ctx.use(Config).beforeWrite(after.config)
        await this.#store(before, after)
      } catch (error) {
        await this.#journal.remove(entry.id)
        throw error
      }
      await this.#ctx.use(Config).acceptWritten()
      return entry
    })
  }

  /** A plugin may deny the change. A text that cannot be parsed has no values. */
  async #ask(before: State, after: State, { author, reason }: ChangeReason): Promise<void> {
    const values = async (text: string | undefined) => {
      const parsed = await this.#text.parse(text ?? '')
      return 'values' in parsed ? (parsed.values as Readonly<Record<string, unknown>>) : {}
    }
    const [now, next] = [await values(before.config), await values(after.config)]
    const variables = diffConfigPaths(readEnv(before.env ?? ''), readEnv(after.env ?? ''))
    const paths = [...diffConfigPaths(now, next), ...variables]
    const request = { source: 'svc', by: { author, reason }, paths, before: now, after: next } as const
    const verdict = await this.#ctx.call(BeforeConfigChange, request)
    if (verdict?.decision !== 'deny' && verdict?.decision !== 'ask') return
    const why = verdict.reason ?? verdict.questions?.[0]?.reason ?? 'a plugin denied it'
    throw new SvcError('CONFIG_CHANGE_DENIED', `Nothing was written: ${why}.`, { status: 403 })
  }

  async #diff({ config, env }: Texts, whole: JsonSchema): Promise<string> {
    const name = basename(this.#file)
    const ofConfig = config ? await yamlDiff(name, [config.before, config.after], this.#text, whole) : ''
    return ofConfig + (env ? envDiff(env.before, env.after) : '')
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

/** The edit with the value that the user meant. */
function parseTypedEdit({ path, value, typed }: TypedEdit, whole: JsonSchema): PathEdit {
  return { path, value: typed && typeof value === 'string' ? typedValue(value, schemaAt(whole, path)) : value }
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

function followLink(file: string): string {
  try {
    return resolveLink(file)
  } catch (error) {
    throw toWriteError(file, error)
  }
}

function storeText(file: string, text: string | undefined, options: AtomicWriteOptions): Promise<void> {
  return text === undefined ? removeFile(file) : writeText(file, text, options)
}
