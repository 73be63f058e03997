/** Chooses the files that a call is about. */
import type { FileAccess } from './access.ts'
import { accessThere, describeThere, type There } from './environment-files.ts'
import { accessHere } from './local-files.ts'
import type { Judge } from './opened.ts'
import { findPlaces, type ProtectedFolders } from './protection.ts'
import type { FileDeps } from './tools.ts'

/** Whose files; without a session those of this machine. */
export interface FileOwner {
  readonly sessionId?: string | undefined
  /** Of the session, on this machine. */
  readonly cwd: string
}

/** The folders that rules are about. */
export function findRulePlaces(deps: FileDeps): Promise<ProtectedFolders> {
  return findPlaces(deps.home(), deps.safeRoot(), deps.readable())
}

/** What files that are opened are judged by. */
export async function createJudge(deps: FileDeps): Promise<Judge> {
  return { places: await findRulePlaces(deps), secrets: deps.secrets }
}

/** The environment of the session; undefined for this machine. Throws `FILE_ENVIRONMENT`, and what opening it throws. */
export async function findThere({ sessionId, cwd }: FileOwner, deps: FileDeps): Promise<There | undefined> {
  const environment = sessionId === undefined ? undefined : await deps.environment({ sessionId, cwd })
  return environment && describeThere(environment, deps.safeRoot())
}

/** Throws as `findThere`. */
export async function openAccess(owner: FileOwner, deps: FileDeps): Promise<FileAccess> {
  const there = await findThere(owner, deps)
  return there ? accessThere(there) : accessHere(await createJudge(deps), owner.cwd, deps)
}
