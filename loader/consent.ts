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
import { type Content, readContent } from './content.ts'
import { readStamp } from './file-stamp.ts'

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
const records = new Map<string, { readonly stamp: string; readonly plugins: readonly Consent[] }>()

export class ConsentStore {
  #dir: string
  #now: () => number

  constructor(home: string, now: () => number) {
    this.#dir = join(home, 'consents')
    this.#now = now
  }

  /**
   * Why a foreign plugin that config.yaml has on must not run, or what the user should know of it. In the home the first
   * sight of a place is a consent: naming it in config.yaml was the user's act. A project's code always waits for a
   * person.
   */
  judge(found: PluginRecord): { readonly refusal?: string; readonly notice?: string } {
    const { name } = found.manifest
    const how = `run ${enableCommand(name)}`
    try {
      const consent = this.#find(found)
      if (!consent && found.origin === 'project')
        return { refusal: `you have not agreed to it in this project; ${how}` }
      if (!consent) {
        this.#record(found, readContent(found.dir, found.project?.settings), { by: 'first use' })
        const what = `${name} is named in plugins.enabled and runs for the first time from ${found.dir}`
        return { notice: `${what}; its code of now counts as agreed to` }
      }
      if (consent.development)
        return { notice: `${name} runs whatever is in ${found.dir}; to end that: ${enableCommand(name)}` }
      const { hash } = readContent(found.dir, found.project?.settings)
      return hash === consent.hash ? {} : { refusal: `its code changed since you agreed; ${how}` }
    } catch (error) {
      return { refusal: `${errorMessage(error)} Once that is mended, ${how}` }
    }
  }

  inspect(found: PluginRecord): ConsentState {
    const path = realpathSync(found.dir)
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
    const path = existsSync(dir) ? realpathSync(dir) : dir
    return this.#read().find((consent) => isSame(consent, { origin, path }))
  }

  #record(found: PluginRecord, content: Content, more: Pick<Consent, 'by'> & { development?: true | false }): void {
    const { origin, dir, manifest } = found
    const { hash } = content
    const fresh = {
      origin,
      path: realpathSync(dir),
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
    const stat = statSync(this.#file, { bigint: true, throwIfNoEntry: false })
    if (!stat) return []
    if (process.platform !== 'win32' && (Number(stat.mode) & 0o022) !== 0)
      throw this.#unreadable(`it can be written by others; look into it, then run: chmod 600 "${this.#file}"`)
    const stamp = readStamp(stat, Date.now())
    const known = records.get(this.#file)
    if (stamp !== undefined && known?.stamp === stamp) return known.plugins
    try {
      const { plugins } = JSON.parse(readFileSync(this.#file, 'utf8')) as { plugins: Consent[] }
      if (plugins.every(({ origin, path, hash, files }) => origin && path && hash && files)) {
        if (stamp !== undefined) records.set(this.#file, { stamp, plugins })
        return plugins
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
