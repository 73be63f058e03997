/** The service `ProcessSandbox`, whose work is imported when it is first used. */
import type { ProcessSandbox } from 'svc/sdk/shell'
import type { Launcher } from './launcher.ts'
import { type Machine, realPath } from './machine.ts'
import { lackedNeeds } from './missing-access.ts'
import { readNeeds } from './needs.ts'
import { findProject } from './project.ts'

export interface ConfinementDeps {
  readonly machine: Machine
  readonly variable: (name: string) => string | undefined
  readonly warn: (text: string) => void
}

/** Makes it. Nothing is looked up before the first call. */
export function lazyConfinement(deps: ConfinementDeps): ProcessSandbox {
  const machine = {
    ...deps.machine,
    home: realPath(deps.machine.home),
    svcHomes: deps.machine.svcHomes.map(realPath),
  }
  let made: Promise<Launcher> | undefined
  const launcher = () => {
    made ??= import('./launcher.ts').then(({ Launcher }) => new Launcher({ ...deps, machine }))
    return made
  }
  return {
    status: async () => (await launcher()).status(),
    findProject: async (cwd) => findProject(cwd, machine),
    readNeeds: (needs, cwd) => readNeeds(needs, cwd, machine).map(({ need, permits }) => ({ need, permits })),
    launch: async (program, place) => (await launcher()).launch(program, place),
    lacked: (output, place) => lackedNeeds(output, place, machine),
  }
}
