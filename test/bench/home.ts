/** A home after years of use. Three parts of the bench: what is read of it, one very long conversation, and maintenance. */
import type { Bench } from './bench.ts'
import { measureCommands } from './home-commands.ts'
import { importMany, inHome } from './home-fill.ts'
import { measureFreezes } from './home-freezes.ts'
import { measureRoutes } from './home-routes.ts'
import { measureSearch } from './home-search.ts'
import type { Row } from './row.ts'

const SESSIONS = 20_000
/** More than a page of any list: what is shown is the same in both homes. */
const FEW = 100

/** Commands, routes and the screen of sessions: `ours` with 20,000 conversations, `bare` with a hundred. */
export async function measureHome(bench: Bench): Promise<Row[]> {
  const homes = { full: await home(bench, 'home-full', SESSIONS), few: await home(bench, 'home-few', FEW) }
  return [...(await measureCommands(homes)), ...(await measureRoutes(homes))]
}

export async function measureMaintenance(bench: Bench): Promise<Row[]> {
  return measureFreezes(await home(bench, 'home-maintenance', SESSIONS), SESSIONS)
}

/** Search in 100,000 messages. */
export async function measureSearches(bench: Bench): Promise<Row[]> {
  return measureSearch(await home(bench, 'home-search', 0))
}

async function home(bench: Bench, name: string, count: number): Promise<Bench> {
  bench.progress(`a home with ${count} conversations`)
  const made = { ...bench, env: { ...bench.env, SVC_HOME: bench.workspace.homeLike(name, bench.model.url) } }
  await inHome(made, async (sessions) => importMany(sessions, 0, count))
  return made
}
