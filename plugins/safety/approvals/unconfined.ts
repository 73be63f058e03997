/** What is asked about a command that nothing confines: what is not understood of it, and what it would reach. */
import type { CommandKnowledge, CommandLocation } from 'svc/sdk/shell'

/** `off`: its plugin is disabled by the user; undefined: it should be there and is not. */
export type Knower = CommandKnowledge | 'off' | undefined

/** Public registries of packages: what is asked of them says which packages are used. */
/** The name of the worry about a command of which not every word is understood. */
export const NOT_UNDERSTOOD = 'not-understood'
const REGISTRIES = new Set([
  ...['registry.npmjs.org', 'registry.yarnpkg.com', 'pypi.org', 'files.pythonhosted.org', 'rubygems.org'],
  ...[
    'proxy.golang.org',
    'sum.golang.org',
    'index.crates.io',
    'static.crates.io',
    'crates.io',
    'hex.pm',
    'repo.hex.pm',
  ],
  ...['packagist.org', 'repo.packagist.org', 'pub.dev', 'repo.maven.apache.org', 'api.nuget.org'],
])
const LOOPBACK = /^(?:localhost|127\.\d+\.\d+\.\d+|0\.0\.0\.0|\[?::1\]?)$/
/** What it needs is what the project itself names: the hosts of its remotes and of its registry. */
const PROJECT_HOSTS = ['git fetch --all', 'npm ping']

/** What is known of one command. */
export interface Unconfined {
  /** Every word of it is understood: what it writes is known. */
  readonly isUnderstood: boolean
  /** Why a person is to be asked, with the name of the reason. */
  /** How many things are not. */
  readonly unknown: number
  readonly worries: readonly { readonly name: string; readonly why: string }[]
}

export async function readUnconfinedCommand(
  command: string,
  place: CommandLocation,
  knower: Knower,
): Promise<Unconfined> {
  if (knower === 'off') return { isUnderstood: false, unknown: 0, worries: [] }
  if (!knower) return refused('what would tell does not run')
  const { understood, unknown, needs } = await knower.read(command, place)
  if (!understood) return refused(unknown.join(', ') || 'some of it', unknown.length)
  const far = needs.filter(isFar)
  const own = far.length > 0 ? await projectHosts(place, knower) : new Set()
  const hosts = far.filter((need) => !own.has(need)).map((need) => need.slice('network:'.length) || 'any host')
  if (hosts.length === 0) return { isUnderstood: true, unknown: 0, worries: [] }
  return {
    isUnderstood: true,
    unknown: hosts.length,
    worries: [{ name: 'network', why: `reaches ${hosts.join(', ')}` }],
  }
}

function refused(what: string, unknown = 1): Unconfined {
  const worry = { name: NOT_UNDERSTOOD, why: `is not fully understood: ${what}` }
  return { isUnderstood: false, unknown, worries: [worry] }
}

function isFar(need: string): boolean {
  if (need === 'network') return true
  const host = need.startsWith('network:') ? need.slice('network:'.length) : undefined
  return host !== undefined && !LOOPBACK.test(host) && !REGISTRIES.has(host)
}

async function projectHosts({ project }: CommandLocation, knowledge: CommandKnowledge): Promise<ReadonlySet<string>> {
  const readings = await Promise.all(PROJECT_HOSTS.map((text) => knowledge.read(text, { cwd: project, project })))
  return new Set(readings.flatMap(({ needs }) => needs).filter((need) => need !== 'network'))
}
