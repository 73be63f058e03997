/**
 * Which code of foreign plugins may run: what a person agreed to, by origin, real path and content. Kept in
 * `consents/` of the home, outside of config.yaml, which other programs write and share. A record that cannot be read
 * refuses everything it might cover.
 */
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import type { PluginRecord } from '../kernel/plugin-record.ts'
import { enableCommand } from '../sdk/advice.ts'
import type { ConsentChange, ConsentState, ConsentSubject } from '../sdk/consents.ts'
import { errorMessage, SvcError } from '../sdk/errors.ts'
import type { PluginOrigin } from '../sdk/plugins.ts'
import { readStamp } from './file-stamp.ts'
import { type Content, readContent } from './plugin-content.ts'

/** Larger files, and more of them, are compared but not shown. */
const MAX_SHOWN_FILE = 64 * 1024
const MAX_SHOWN = 2 ** 20

interface Consent {
  readonly origin: PluginOrigin
  readonly path: string
  readonly name: string
  readonly hash: string
  readonly files: Readonly<Record<string, string>>
  /** Milliseconds since 1970. */
  readonly at: number
  readonly by: 'person' | 'first use'
  /** Any code in this place may run. */
  readonly development?: true
}

/** Records as they were parsed last, by file: a start asks about each plugin twice. */
const records = new Map<string, { readonly stamp: string; readonly consents: Consents }>()

/** All consents, and each by origin and path. */
interface Consents {
  readonly plugins: readonly Consent[]
  readonly byPlace: ReadonlyMap<string, Consent>
}

export class ConsentStore {
  #dir: string
  #now: () => number
  /** What was read for judging many plugins at once. */
  #held: Consents | undefined

  constructor(home: string, now: () => number) {
    this.#dir = join(home, 'consents')
    this.#now = now
  }

  /**
   * Why a foreign plugin that config.yaml has on must not run, or what the user should know of it. In the home the first
   * sight of a place is a consent: naming it in config.yaml was the user's act. A project's code always waits for a
   * person.
   */
  judge(found: PluginRecord): { readonly refusal?: string; readonly notice?: string; readonly content?: Content } {
    const { name } = found.manifest
    const how = `run ${enableCommand(name)}`
    try {
      const consent = this.#find(found)
      if (!consent && found.origin === 'project')
        return { refusal: `you have not agreed to it in this project; ${how}` }
      if (!consent) {
        const content = readContent(found.dir, found.project?.settings)
        this.#record(found, content, { by: 'first use' })
        const what = `${name} is named in plugins.enabled and runs for the first time from ${found.dir}`
        return { content, notice: `${what}; its code of now counts as agreed to` }
      }
      if (consent.development)
        return { notice: `${name} runs whatever is in ${found.dir}; to end that: ${enableCommand(name)}` }
      const content = readContent(found.dir, found.project?.settings)
      return content.hash === consent.hash ? { content } : { refusal: `its code changed since you agreed; ${how}` }
    } catch (error) {
      return { refusal: `${errorMessage(error)} Once that is mended, ${how}` }
    }
  }

  /** Judges plugins one after the other, by one reading of the record. */
  judgeAll(found: readonly PluginRecord[]): ReadonlyMap<PluginRecord, ReturnType<ConsentStore['judge']>> {
    const judged = new Map<PluginRecord, ReturnType<ConsentStore['judge']>>()
    for (const each of found) {
      judged.set(each, this.judge(each))
      this.#held ??= this.#tryReadAll()
    }
    this.#held = undefined
    return judged
  }

  #tryReadAll(): Consents | undefined {
    try {
      return this.#readAll()
    } catch {
      // Each judgement says why.
      return undefined
    }
  }

  inspect(found: PluginRecord): ConsentState {
    const path = realpathSync.native(found.dir)
    const { hash, files } = readContent(found.dir, found.project?.settings)
    const consent = this.#find(found)
    const basics = { hash, path, files: files.size, changes: consent ? this.#changes(consent, files, found) : [] }
    if (!consent) return { ...basics, agreed: 'none' }
    if (consent.development) return { ...basics, agreed: 'development' }
    return { ...basics, agreed: consent.hash === hash ? 'yes' : 'changed' }
  }

  agree(found: PluginRecord, hash: string, { development = false }: { readonly development?: boolean } = {}): void {
    const content = readContent(found.dir, found.project?.settings)
    if (content.hash !== hash)
      throw new SvcError('CONSENT_CHANGED', `${found.dir} was changed while you were asked. Nothing was agreed to.`)
    this.#record(found, content, { by: 'person', ...(development ? { development } : {}) })
  }

  forget(found: ConsentSubject): void {
    const mine = this.#find(found)
    if (mine) this.#write(this.#read().filter((other) => !isSame(other, mine)))
  }

  get #file(): string {
    return join(this.#dir, 'consents.json')
  }

  #find({ origin, dir }: ConsentSubject): Consent | undefined {
    return this.#readAll().byPlace.get(placeKey({ origin, path: findRealPath(dir) }))
  }

  #record(found: PluginRecord, content: Content, more: Pick<Consent, 'by'> & { development?: true | false }): void {
    const { origin, dir, manifest } = found
    const { hash } = content
    const fresh = {
      origin,
      path: realpathSync.native(dir),
      name: manifest.name,
      hash,
      files: Object.fromEntries(content.files),
    }
    const others = this.#read().filter((other) => !isSame(other, fresh))
    this.#keepTexts(dir, content)
    const { development, by } = more
    this.#write([...others, { ...fresh, at: this.#now(), by, ...(development ? { development: true } : {}) }])
  }

  #read(): readonly Consent[] {
    return this.#readAll().plugins
  }

  #readAll(): Consents {
    if (this.#held) return this.#held
    const stat = statSync(this.#file, { bigint: true, throwIfNoEntry: false })
    if (!stat) return { plugins: [], byPlace: new Map() }
    if (process.platform !== 'win32' && (Number(stat.mode) & 0o022) !== 0)
      throw this.#unreadable(`it can be written by others; look into it, then run: chmod 600 "${this.#file}"`)
    const stamp = readStamp(stat, Date.now())
    const known = records.get(this.#file)
    if (stamp !== undefined && known?.stamp === stamp) return known.consents
    try {
      const { plugins } = JSON.parse(readFileSync(this.#file, 'utf8')) as { plugins: Consent[] }
      if (plugins.every(({ origin, path, hash, files }) => origin && path && hash && files)) {
        // The first of two for one place counts.
        const byPlace = new Map(plugins.toReversed().map((consent) => [placeKey(consent), consent]))
        const consents = { plugins, byPlace }
        if (stamp !== undefined) records.set(this.#file, { stamp, consents })
        return consents
      }
    } catch (cause) {
      throw this.#unreadable(errorMessage(cause))
    }
    throw this.#unreadable('it does not hold consents')
  }

  #unreadable(why: string): SvcError {
    const what = `What you agreed to is not known: ${this.#file} cannot be used: ${why}.`
    return new SvcError('CONSENT_UNREADABLE', `${what} To agree again, delete the file.`)
  }

  #write(plugins: readonly Consent[]): void {
    const before = this.#read()
    store(this.#dir, 'consents.json', { version: 1, plugins })
    this.#held = undefined
    const kept = new Set(plugins.map(({ hash }) => hash))
    for (const { hash } of before) if (!kept.has(hash)) rmSync(this.#texts(hash), { force: true })
  }

  #texts(hash: string): string {
    return join(this.#dir, `${hash}.json`)
  }

  /** So that a later change can be shown line by line. */
  #keepTexts(dir: string, { hash, files }: Content): void {
    const texts: Record<string, string> = {}
    let size = 0
    for (const file of files.keys()) {
      const text = shownText(join(dir, file))
      if (text === undefined || file.split('/').includes('node_modules')) continue
      size += text.length
      if (size > MAX_SHOWN) break
      texts[file] = text
    }
    store(this.#dir, `${hash}.json`, texts)
  }

  #changes(
    { hash, files: before }: Consent,
    after: ReadonlyMap<string, string>,
    { dir }: PluginRecord,
  ): ConsentChange[] {
    const texts = existsSync(this.#texts(hash))
      ? (JSON.parse(readFileSync(this.#texts(hash), 'utf8')) as Record<string, string>)
      : {}
    const names = [...new Set([...Object.keys(before), ...after.keys()])].sort()
    return names.flatMap((file): ConsentChange[] => {
      if (before[file] === after.get(file)) return []
      const [old, fresh] = [texts[file], after.has(file) ? shownText(join(dir, file)) : undefined]
      const what = before[file] === undefined ? 'added' : after.has(file) ? 'changed' : 'removed'
      return [
        { file, what, ...(old === undefined ? {} : { before: old }), ...(fresh === undefined ? {} : { after: fresh }) },
      ]
    })
  }
}

function placeKey({ origin, path }: Pick<Consent, 'origin' | 'path'>): string {
  return `${origin} ${path}`
}

function findRealPath(dir: string): string {
  try {
    return realpathSync.native(dir)
  } catch {
    return dir
  }
}

function isSame(a: Pick<Consent, 'origin' | 'path'>, b: Pick<Consent, 'origin' | 'path'>): boolean {
  return a.origin === b.origin && a.path === b.path
}

/** Written atomically and readable by the owner only. */
function store(dir: string, name: string, value: unknown): void {
  mkdirSync(dir, { recursive: true, mode: 0o700 })
  const temporary = join(dir, `.${name}.${process.pid}`)
  writeFileSync(temporary, `${JSON.stringify(value, undefined, 1)}\n`, { mode: 0o600, flush: true })
  chmodSync(temporary, 0o600)
  renameSync(temporary, join(dir, name))
}

function shownText(path: string): string | undefined {
  if (!existsSync(path) || !statSync(path).isFile() || statSync(path).size > MAX_SHOWN_FILE) return undefined
  const text = readFileSync(path, 'utf8')
  return text.includes('\0') || text.includes('\ufffd') ? undefined : text
}
