/** Secret files by device and inode: a hard link is a second name, and no path shows what it leads to. */
import type { BigIntStats } from 'node:fs'
import { lstat, opendir } from 'node:fs/promises'
import { join } from 'node:path'
import type { Clock } from 'svc/sdk'
import { findSvcLocation, listSecretLocations } from 'svc/sdk/safety'
import type { ProtectedFolders } from './protection.ts'

/** How long what was found is believed. A secret file is older than a link to it. */
const FRESH_MS = 5000
/** More is not looked at; what is nearest to the top comes first. */
const MAX_ENTRIES = 20_000
/** Large folders of code, which hold no secrets. */
const SKIPPED = new Set(['node_modules', 'npm', 'cache', 'plugins'])

type Identity = Pick<BigIntStats, 'dev' | 'ino'>

/** Which files hold secrets, whatever name they are asked by. */
export class SecretFiles {
  readonly #clock: () => Clock
  #found: Promise<ReadonlySet<string>> | undefined
  #foundAt = 0

  constructor(clock: () => Clock) {
    this.#clock = clock
  }

  /** Whether a file is one of svc's own or of the locations that hold secrets. */
  async has(file: Identity, places: ProtectedFolders): Promise<boolean> {
    const now = this.#clock().monotonic()
    if (this.#found === undefined || now - this.#foundAt > FRESH_MS) {
      this.#foundAt = now
      this.#found = findSecretFiles(places)
    }
    return (await this.#found).has(getIdentityKey(file))
  }
}

/** Level by level, so that a huge folder cannot hide a file beside it. */
async function findSecretFiles({ homes, readable, user }: ProtectedFolders): Promise<ReadonlySet<string>> {
  const keys = new Set<string>()
  const isOpen = (path: string) => findSvcLocation(path, homes, 'read', readable) === 'open'
  let level = [...homes, ...listSecretLocations(user).map(({ path }) => path)].filter(
    (path) => !path.startsWith('/proc'),
  )
  let looked = 0
  while (level.length > 0 && looked < MAX_ENTRIES) {
    const next: string[] = []
    for (const path of level.slice(0, MAX_ENTRIES - looked)) {
      looked++
      const stats = await lstat(path, { bigint: true }).catch(() => undefined)
      if (stats?.isFile()) keys.add(getIdentityKey(stats))
      else if (stats?.isDirectory() && !isOpen(path)) next.push(...(await listNames(path)))
    }
    level = next
  }
  return keys
}

async function listNames(folder: string): Promise<string[]> {
  const names: string[] = []
  try {
    for await (const { name } of await opendir(folder)) {
      if (!SKIPPED.has(name)) names.push(join(folder, name))
      if (names.length >= MAX_ENTRIES) break
    }
  } catch {
    // What svc itself cannot list, it cannot read by another name either.
  }
  return names
}

function getIdentityKey({ dev, ino }: Identity): string {
  return `${dev}:${ino}`
}
