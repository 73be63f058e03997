/** The bundles of this home, read again where a file changed. */
import { mkdir, readdir, readFile, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { type Clock, errorMessage, SvcError } from 'svc/sdk'
import { writeAtomically } from 'svc/sdk/kit/files'
import { type Bundle, MAX_CHARS, parseBundle, toSlug } from './bundle.ts'

/** For so long what was read is taken as the present state. */
const FRESH_MS = 2000
const MAX_FILES = 500

export interface BundleProblem {
  readonly file: string
  readonly reason: string
}

export interface BundleChanges {
  readonly added: readonly string[]
  readonly removed: readonly string[]
  readonly unchanged: readonly string[]
  readonly total: number
}

type Parsed = Bundle | { readonly problem: string }

interface Known {
  readonly mark: string
  readonly parsed: Parsed
}

interface Snapshot {
  readonly at: number
  readonly bundles: readonly Bundle[]
  readonly problems: readonly BundleProblem[]
}

export class BundleStore {
  readonly #folder: string
  readonly #clock: () => Clock
  readonly #listeners: Set<() => void> = new Set()
  #files: ReadonlyMap<string, Known> = new Map()
  #snapshot: Snapshot | undefined

  constructor(folder: string, clock: () => Clock) {
    this.#folder = folder
    this.#clock = clock
  }

  /** Those that were read last, at once. */
  known(): readonly Bundle[] {
    return this.#snapshot?.bundles ?? []
  }

  async all(): Promise<Pick<Snapshot, 'bundles' | 'problems'>> {
    const snapshot = this.#snapshot
    return snapshot && this.#clock().monotonic() - snapshot.at < FRESH_MS ? snapshot : this.#read()
  }

  async find(name: string): Promise<Bundle> {
    const slug = toSlug(name)
    const found = (await this.#read()).bundles.find((bundle) => bundle.slug === slug)
    if (found) return found
    throw new SvcError('BUNDLE_NOT_FOUND', `There is no bundle ${slug || name}. svc bundles list shows them.`)
  }

  /** Looks at all files now. */
  async reload(): Promise<BundleChanges> {
    const before = this.known().map(({ slug }) => slug)
    const after = (await this.#read()).bundles.map(({ slug }) => slug)
    return {
      added: after.filter((slug) => !before.includes(slug)),
      removed: before.filter((slug) => !after.includes(slug)),
      unchanged: after.filter((slug) => before.includes(slug)),
      total: after.length,
    }
  }

  onChange(listener: () => void): () => void {
    this.#listeners.add(listener)
    return () => void this.#listeners.delete(listener)
  }

  /** Throws `BUNDLE_INVALID`, and `BUNDLE_EXISTS` unless it may be replaced. Returns the bundle as it is read. */
  async create(
    bundle: {
      readonly name: string
      readonly description?: string
      readonly skills: readonly string[]
      readonly instruction?: string
    },
    options: { readonly replaces: boolean },
  ): Promise<Bundle> {
    const slug = toSlug(bundle.name)
    const existing = (await this.#read()).bundles.find((each) => each.slug === slug)
    if (existing && !options.replaces)
      throw new SvcError('BUNDLE_EXISTS', `There is a bundle ${slug} already. Add --force to replace it.`)
    const file = existing?.file ?? join(this.#folder, `${slug}.yaml`)
    const { stringify } = await import('yaml')
    const text = stringify(bundle)
    const parsed = await parseBundle(text, slug, file)
    if ('problem' in parsed) throw new SvcError('BUNDLE_INVALID', `The bundle cannot be used: ${parsed.problem}.`)
    await this.#change(async () => {
      await mkdir(this.#folder, { recursive: true, mode: 0o700 })
      await writeAtomically(file, text)
    })
    return parsed
  }

  async remove({ file }: Bundle): Promise<void> {
    await this.#change(() => rm(file, { force: true }))
  }

  /** Throws `BUNDLE_DISK`; what was there is there then. */
  async #change(work: () => Promise<unknown>): Promise<void> {
    try {
      await work()
    } catch (cause) {
      const text = `${this.#folder} cannot be written (${errorMessage(cause)}). Nothing was changed.`
      throw new SvcError('BUNDLE_DISK', text, { cause })
    }
    await this.#read()
  }

  async #read(): Promise<Snapshot> {
    const names = (await this.#names()).slice(0, MAX_FILES)
    const files = new Map<string, Known>()
    for (const name of names) {
      const known = await this.#look(name)
      if (known) files.set(name, known)
    }
    const bundles = new Map<string, Bundle>()
    const problems: BundleProblem[] = []
    for (const [name, { parsed }] of files) {
      const file = join(this.#folder, name)
      if ('problem' in parsed) problems.push({ file, reason: parsed.problem })
      else if (bundles.has(parsed.slug)) problems.push({ file, reason: `another file has the name ${parsed.slug}` })
      else bundles.set(parsed.slug, parsed)
    }
    const isChanged = !isSame(this.#files, files)
    this.#files = files
    const sorted = [...bundles.values()].sort((one, two) => (one.slug < two.slug ? -1 : 1))
    this.#snapshot = { at: this.#clock().monotonic(), bundles: sorted, problems }
    if (isChanged) for (const listener of this.#listeners) listener()
    return this.#snapshot
  }

  async #names(): Promise<readonly string[]> {
    try {
      return (await readdir(this.#folder)).filter((name) => /^[^.].*\.ya?ml$/.test(name)).sort()
    } catch (error) {
      if (['ENOENT', 'ENOTDIR'].includes((error as NodeJS.ErrnoException).code ?? '')) return []
      throw error
    }
  }

  async #look(name: string): Promise<Known | undefined> {
    const file = join(this.#folder, name)
    const facts = await stat(file).catch(() => undefined)
    if (!facts?.isFile()) return undefined
    const mark = `${facts.mtimeMs}:${facts.size}`
    const known = this.#files.get(name)
    if (known?.mark === mark) return known
    if (facts.size > 4 * MAX_CHARS) return { mark, parsed: { problem: 'it is too large' } }
    return { mark, parsed: await parseBundle(await readFile(file, 'utf8'), name.replace(/\.ya?ml$/, ''), file) }
  }
}

function isSame(one: ReadonlyMap<string, Known>, two: ReadonlyMap<string, Known>): boolean {
  return one.size === two.size && [...one].every(([name, { mark }]) => two.get(name)?.mark === mark)
}
