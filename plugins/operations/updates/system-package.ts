/** The system package that a file belongs to, and the command that upgrades it. */
import type { ChildRun } from 'svc/sdk/kit/process'
import { runChild } from 'svc/sdk/kit/process'

export interface SystemPackage {
  readonly name: string
  /** What a person types. */
  readonly upgrade: string
  readonly remove: string
}

interface Manager {
  readonly query: readonly string[]
  /** The name in what the query prints. */
  readonly name: RegExp
  readonly upgrade: string
  readonly remove: string
}

/** Sources: dpkg-query(1), rpm(8), pacman(8). */
const MANAGERS: readonly Manager[] = [
  {
    query: ['dpkg-query', '--search'],
    name: /^([a-z0-9][a-z0-9+.-]*)(?::\w+)?: /,
    upgrade: 'sudo apt-get install --only-upgrade',
    remove: 'sudo apt-get remove',
  },
  {
    query: ['rpm', '--queryformat', '%{NAME}\n', '-qf'],
    name: /^([A-Za-z0-9][\w+.-]*)$/m,
    upgrade: 'sudo dnf upgrade',
    remove: 'sudo dnf remove',
  },
  {
    query: ['pacman', '--query', '--owns', '--quiet'],
    name: /^([a-z0-9@_+][\w@+.-]*)$/m,
    upgrade: 'sudo pacman -Syu',
    remove: 'sudo pacman -R',
  },
]
const LIMIT_MS = 10_000

/** Undefined for a file that no package manager knows. */
export async function findSystemPackage(file: string, run: ChildRun): Promise<SystemPackage | undefined> {
  for (const { query, name, upgrade, remove } of MANAGERS) {
    const [program = '', ...words] = query
    const result = await runChild(program, [...words, file], run, { cwd: '/', timeoutMs: LIMIT_MS }).catch(() => {
      // Each system has one of them.
      run.signal.throwIfAborted()
      return undefined
    })
    const [, found] = (result?.code === 0 && name.exec(result.out)) || []
    if (found !== undefined) return { name: found, upgrade: `${upgrade} ${found}`, remove: `${remove} ${found}` }
  }
  return undefined
}
