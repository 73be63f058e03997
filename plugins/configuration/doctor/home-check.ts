/** The files of the home: what others can read, and what killed processes left behind. */
import { chmodSync, existsSync, lstatSync, readdirSync, readFileSync, type Stats, statSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { Clock, Home } from 'svc/sdk'
import type { HealthCheck, HealthFinding } from 'svc/sdk/host'
import { getFolderNextTo, isTemporaryName } from 'svc/sdk/kit/files'
import { hasEnded, isPidInUse, parseHolder } from 'svc/sdk/kit/process'
import { formatCount, quotePath } from 'svc/sdk/kit/terminal'

interface HomeDeps {
  readonly home: () => Home
  readonly clock: () => Clock
}

interface Entry {
  readonly path: string
  readonly name: string
  readonly mode: number
  readonly bytes: number
  readonly ageMs: number
  readonly kind: 'file' | 'folder' | 'socket' | 'link'
}

const DAY_MS = 86_400_000
const HOUR_MS = 3_600_000
const MAX_JSON_BYTES = 2 ** 20
const MAX_LOCK_BYTES = 4096
/** Folders with many files of people: looked at for their own rights only. */
const UNVISITED = new Set(['skills', 'workspace', 'npm', 'plugins', 'profiles', 'trash', 'mcp-installs'])

export function homeCheck({ home, clock }: HomeDeps): HealthCheck {
  return {
    name: 'home',
    title: 'Home',
    order: 12,
    async check(signal) {
      const { dir } = home()
      if (!existsSync(dir)) return [{ state: 'ok', text: 'Nothing is stored yet.' }]
      const entries = listEntries(dir, clock().now(), signal)
      const findings = [
        ...openFindings(dir, entries),
        ...entries.flatMap((entry) => [staleLock(entry), deadSocket(entry), leftover(entry), brokenJson(dir, entry)]),
        ...entries.map((entry) => lonelyLog(entry)),
        ...brokenLinks(dir),
        ...unfinishedRestores(dir, clock().now()),
      ].filter((finding) => finding !== undefined)
      return findings.length > 0
        ? findings
        : [
            {
              state: 'ok',
              text: `${formatCount(entries.length, 'file and folder', 'files and folders')} are in order.`,
            },
          ]
    },
  }
}

function classify(stat: Stats): Entry['kind'] {
  if (stat.isDirectory()) return 'folder'
  if (stat.isSocket()) return 'socket'
  return stat.isSymbolicLink() ? 'link' : 'file'
}

function listEntries(dir: string, now: number, signal: AbortSignal): Entry[] {
  const entries: Entry[] = []
  const visit = (path: string, name: string, depth: number) => {
    signal.throwIfAborted()
    const stat = lstatSync(path, { throwIfNoEntry: false })
    if (!stat) return
    const kind = classify(stat)
    entries.push({ path, name, mode: stat.mode & 0o777, bytes: stat.size, ageMs: now - stat.mtimeMs, kind })
    if (kind !== 'folder' || (depth === 1 && UNVISITED.has(name))) return
    for (const each of readdirSync(path)) visit(join(path, each), each, depth + 1)
  }
  visit(dir, '', 0)
  return entries
}

/** The home itself and what is below `data` and next to `.env`: keys, conversations, tokens. */
function openFindings(dir: string, entries: readonly Entry[]): HealthFinding[] {
  if (process.platform === 'win32') return []
  const isPrivate = ({ path, name }: Entry) =>
    path === dir || path.startsWith(join(dir, 'data')) || /^auth\.json$|\.(?:key|db)$|^mcp-tokens$/.test(name)
  // A closed home closes all below it.
  const [top] = entries
  const open = entries.filter((entry) => entry.kind !== 'link' && (entry.mode & 0o077) !== 0 && isPrivate(entry))
  if (open.length === 0) return []
  const isShut = top !== undefined && (top.mode & 0o077) === 0
  return [
    {
      state: 'warning',
      text: `${formatCount(open.length, 'file or folder', 'files or folders')} with private content can be ${isShut ? 'read by others if the home is opened' : 'read by others'}, such as ${open[0]?.path}.`,
      fix: `chmod -R go-rwx ${quotePath(dir)}`,
      repair: async () => {
        for (const { path, mode } of open) chmodSync(path, mode & 0o700)
        return `The rights of others were taken from ${formatCount(open.length, 'file or folder', 'files or folders')}.`
      },
    },
  ]
}

function staleLock({ path, name, kind, bytes }: Entry): HealthFinding | undefined {
  if (kind !== 'file' || !/lock$/.test(name) || bytes > MAX_LOCK_BYTES) return undefined
  const holder = parseHolder(readFileSync(path, 'utf8'))
  if (!holder || !hasEnded(holder)) return undefined
  return remains(path, `${path} is a lock of process ${holder.pid}, which has ended.`)
}

function deadSocket({ path, name, kind }: Entry): HealthFinding | undefined {
  const pid = Number(/^(\d+)\.sock$/.exec(name)?.[1] ?? 0)
  if (pid === 0 || (kind !== 'socket' && kind !== 'file') || isPidInUse(pid)) return undefined
  return remains(path, `${path} is a socket of process ${pid}, which has ended.`)
}

/** Of a write that was cut: the file itself has its old content. */
function leftover({ path, name, kind, ageMs }: Entry): HealthFinding | undefined {
  const isPart = isTemporaryName(name) || /\.(?:backup-part|restoring)-[0-9a-f]+$/.test(name)
  if (kind !== 'file' || !isPart || ageMs < HOUR_MS) return undefined
  return remains(path, `${path} is a part of a write that was cut off.`)
}

/** State that a plugin cannot read is replaced by its initial value at the next use; until then it is in the way. */
function brokenJson(dir: string, { path, name, kind, bytes }: Entry): HealthFinding | undefined {
  const isState = path.startsWith(join(dir, 'data')) || path.startsWith(join(dir, 'cache'))
  if (kind !== 'file' || !isState || !name.endsWith('.json') || name.includes('.invalid-') || bytes > MAX_JSON_BYTES)
    return undefined
  try {
    JSON.parse(readFileSync(path, 'utf8'))
    return undefined
  } catch {
    return remains(path, `${path} is not JSON: it was cut off or changed.`)
  }
}

/** The log of a database that is not there would be taken for that of a new one. */
function lonelyLog({ path, kind }: Entry): HealthFinding | undefined {
  const database = /^(.*\.db)-(?:wal|shm|journal)$/.exec(path)?.[1]
  if (kind !== 'file' || database === undefined || existsSync(database)) return undefined
  return remains(path, `${path} is the log of a database that is not there.`)
}

function brokenLinks(dir: string): HealthFinding[] {
  const plugins = join(dir, 'plugins')
  const names = existsSync(plugins) ? readdirSync(plugins) : []
  return names
    .map((name) => join(plugins, name))
    .filter((path) => lstatSync(path).isSymbolicLink() && !statSync(path, { throwIfNoEntry: false }))
    .map((path) => remains(path, `${path} leads to a folder that is not there.`))
}

/** What a restore unpacked before it was killed. */
function unfinishedRestores(dir: string, now: number): HealthFinding[] {
  const draft = getFolderNextTo(dir, 'restoring')
  const stat = lstatSync(draft, { throwIfNoEntry: false })
  if (!stat || now - stat.mtimeMs < DAY_MS) return []
  return [
    {
      ...remains(draft, `${draft} is an unfinished restore of a backup.`),
      fix: `rm -r ${quotePath(draft)} (in ${quotePath(dirname(draft))})`,
    },
  ]
}

/** Nothing needs it; it is moved, not removed. */
function remains(path: string, text: string): HealthFinding {
  return {
    state: 'warning',
    text,
    fix: `rm ${quotePath(path)}`,
    repair: async ({ setAside }) => `It was moved to ${setAside(path)}.`,
  }
}
