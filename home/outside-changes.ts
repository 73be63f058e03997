/**
 * Notices changes of the files that decide what svc does and that something else than svc made: an editor, a script, or a
 * command of the agent. What svc wrote or was started with is recorded as digests, without any value.
 */
import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { errorMessage } from '../sdk/errors.ts'
import type { Manifest } from '../sdk/manifest.ts'
import type { ConfigStore } from './config.ts'

/** What the record is about. */
export interface Watched {
  readonly home: string
  readonly config: ConfigStore
  readonly manifests: readonly Manifest[]
  readonly now: number
}

/** A change that was noticed. */
export interface OutsideChange {
  /** A sentence for people. */
  readonly message: string
  /** A protecting key changed, or the record itself: reported until a person has seen it. */
  readonly protects: boolean
}

interface Known {
  /** When it was written, in milliseconds. */
  readonly at: number
  /** Digests by name; undefined when there was no such file. */
  readonly files: { readonly [name: string]: string | undefined }
  /** Digests of the values that protect something, by path. */
  readonly keys: { readonly [path: string]: string }
  /** What no person has seen yet. */
  readonly unseen: readonly OutsideChange[]
}

/** The kernel's own block decides which plugins run. */
const OWN_BLOCKS = ['plugins']
const SHOWN_VALUE = 40

/**
 * What changed since svc last wrote the files or a person last saw it. The present state becomes the record. `seen`: a
 * person sees what is returned. Never throws: a home that cannot be written is reported by what needs it.
 */
export function findOutsideChanges(watched: Watched, seen: boolean): readonly OutsideChange[] {
  const before = readRecord(watched)
  const state = readState(watched)
  if (before === 'forged') {
    const message = `${getRecordFile(watched.home)} was changed outside svc; what else was changed cannot be told`
    return toOutsideChanges(watched, state, [{ message, protects: true }], seen)
  }
  const fresh = before === undefined ? [] : compare(before, state, watched)
  const known = before?.unseen ?? []
  if (before !== undefined && fresh.length === 0 && known.length === 0) return []
  return toOutsideChanges(watched, state, [...known, ...fresh], seen)
}

/** Called after svc wrote the files: their present state is its own. What no person has seen yet stays. */
export function acceptChanges(watched: Watched): void {
  const before = readRecord(watched)
  if (before === 'forged') return
  store(watched, readState(watched), before?.unseen ?? [])
}

function toOutsideChanges(
  watched: Watched,
  state: ReturnType<typeof readState>,
  changes: readonly OutsideChange[],
  seen: boolean,
): readonly OutsideChange[] {
  store(watched, state, seen ? [] : changes.filter(({ protects }) => protects))
  return changes
}

function compare(before: Known, state: ReturnType<typeof readState>, watched: Watched): OutsideChange[] {
  const since = new Date(before.at).toISOString().replace(/\.\d+Z$/, 'Z')
  const names = [...new Set([...Object.keys(before.files), ...Object.keys(state.files)])]
  const paths = [...new Set([...Object.keys(before.keys), ...Object.keys(state.keys)])].sort()
  const keys = paths.filter((path) => before.keys[path] !== state.keys[path])
  const config = basename(watched.config.file)
  return names
    .filter((name) => before.files[name] !== state.files[name])
    .map((name): OutsideChange => {
      const [was, is] = [before.files[name], state.files[name]]
      const what = is === undefined ? 'removed' : was === undefined ? 'made' : 'changed'
      const ofConfig = name === config ? keys : []
      const now = ofConfig.map((path) => sentence(path, watched.config)).join(', ')
      const message = `${name} was ${what} outside svc since ${since}${now === '' ? '' : `: ${now}`}`
      return { message, protects: ofConfig.length > 0 || (name !== config && name !== '.env') }
    })
}

function sentence(path: string, config: ConfigStore): string {
  const value = config.get(path)
  if (value === undefined) return `${path} is no longer set`
  const isPlain = ['string', 'number', 'boolean'].includes(typeof value)
  const text = config.secrets.mask(String(value))
  return isPlain && text.length <= SHOWN_VALUE ? `${path} is now ${text}` : `${path} has another value now`
}

function readState({ home, config, manifests }: Watched): Pick<Known, 'files' | 'keys'> {
  const protects = manifests.flatMap((manifest) => (manifest.protects ? [manifest.protects] : []))
  const names = [basename(config.file), '.env', ...protects.flatMap(({ files = [] }) => files)]
  const files = Object.fromEntries([...new Set(names)].sort().map((name) => [name, digestOfFile(join(home, name))]))
  const blocks = [...OWN_BLOCKS, ...protects.flatMap((each) => each.settings ?? [])]
  const leaves = blocks.flatMap((path) => listLeaves(path, config.get(path)))
  return { files, keys: Object.fromEntries(leaves.map(([path, value]) => [path, digest(JSON.stringify(value))])) }
}

/** A list is one value. */
function listLeaves(path: string, value: unknown): (readonly [path: string, value: unknown])[] {
  if (value === undefined) return []
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return [[path, value]]
  return Object.entries(value).flatMap(([key, inner]) => listLeaves(`${path}.${key}`, inner))
}

function digestOfFile(file: string): string | undefined {
  try {
    return existsSync(file) ? digest(readFileSync(file)) : undefined
  } catch (error) {
    return errorMessage(error)
  }
}

function digest(data: string | Buffer): string {
  return createHash('sha256').update(data).digest('hex').slice(0, 32)
}

function getRecordFile(home: string): string {
  return join(home, 'data', 'kernel', 'own-files.json')
}

function readRecord({ home, config }: Watched): Known | 'forged' | undefined {
  const file = getRecordFile(home)
  if (!existsSync(file)) return undefined
  try {
    const { mark, record } = JSON.parse(readFileSync(file, 'utf8')) as { mark: string; record: Known }
    return config.seal.holds(JSON.stringify(record), mark) ? record : 'forged'
  } catch {
    return 'forged'
  }
}

function store({ home, config, now }: Watched, state: Pick<Known, 'files' | 'keys'>, unseen: Known['unseen']): void {
  const file = getRecordFile(home)
  const record: Known = { at: now, ...state, unseen }
  // As it is read again: without what JSON leaves out.
  const text = JSON.stringify(JSON.parse(JSON.stringify(record)))
  try {
    mkdirSync(dirname(file), { recursive: true, mode: 0o700 })
    const temporary = `${file}.${process.pid}.tmp`
    writeFileSync(temporary, `{"mark":"${config.seal.mark(text)}","record":${text}}\n`, { mode: 0o600 })
    renameSync(temporary, file)
  } catch {
    // Then the next start reports it again.
  }
}
