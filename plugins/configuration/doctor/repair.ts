/** `svc doctor --fix`: does what is safe, one finding after the other, and keeps what it changes. */
import { copyFileSync, mkdirSync, renameSync } from 'node:fs'
import { basename, dirname, isAbsolute, join, relative } from 'node:path'
import { type Clock, errorMessage, type Home, type Logger, logFault, type Random } from 'svc/sdk'
import type { Health, HealthFinding } from 'svc/sdk/host'
import type { RepairContext } from 'svc/sdk/operations'

type Reports = Awaited<ReturnType<Health['run']>>

export interface Repaired {
  readonly check: string
  /** What was found. */
  readonly text: string
  /** What was done, or why it was not. */
  readonly outcome: string
  readonly isFixed: boolean
}

interface RepairDeps {
  readonly home: Home
  readonly clock: Clock
  readonly random: Random
  readonly log: Logger
}

/** Of what was found, what can be repaired without a decision. One that fails stops no other. */
export async function repairAll(reports: Reports, deps: RepairDeps): Promise<Repaired[]> {
  const context = createContext(deps)
  const done: Repaired[] = []
  for (const { check, findings } of reports)
    for (const finding of findings) if (finding.repair) done.push(await repairOne(check, finding, context, deps.log))
  return done
}

async function repairOne(
  check: string,
  { text, repair }: HealthFinding,
  context: RepairContext,
  log: Logger,
): Promise<Repaired> {
  try {
    const outcome = (await repair?.(context)) ?? ''
    log.info(`svc doctor repaired: ${text} ${outcome}`)
    return { check, text, outcome, isFixed: true }
  } catch (error) {
    logFault(log, `a repair of the health check ${check} failed`, error)
    return { check, text, outcome: errorMessage(error), isFixed: false }
  }
}

/** One folder of the trash for each run, in which files have the paths that they had. */
function createContext({ home, clock, random }: RepairDeps): RepairContext {
  const time = new Date(clock.now()).toISOString().replace(/[:.]/g, '-')
  const folder = home.path('trash', 'doctor', `${time}-${random.hex(2)}`)
  const place = (path: string) => {
    const inHome = relative(home.dir, path)
    const kept = join(folder, inHome.startsWith('..') || isAbsolute(inHome) ? basename(path) : inHome)
    mkdirSync(dirname(kept), { recursive: true, mode: 0o700 })
    return kept
  }
  return {
    keep(file) {
      const kept = place(file)
      copyFileSync(file, kept)
      return kept
    },
    setAside(path) {
      const kept = place(path)
      renameSync(path, kept)
      return kept
    },
  }
}
