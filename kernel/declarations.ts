/** What one generation registers, compared with its manifest: plans, help and consents are made from manifests alone. */

import type { ExtensionPoint } from '../sdk/declarations.ts'
import { SvcError } from '../sdk/errors.ts'
import type { Manifest } from '../sdk/manifest.ts'
import type { Ground } from './host.ts'
import type { Owner } from './owner.ts'
import { isRoleList } from './plan.ts'
import type { PluginRecord } from './plugin-record.ts'

export class Declarations {
  readonly #found: PluginRecord
  readonly #owner: Owner
  readonly #ground: Pick<Ground, 'services' | 'points' | 'role'>
  /** What it replaced and wrapped. */
  readonly #powers: Set<string> = new Set()

  constructor(found: PluginRecord, owner: Owner, ground: Pick<Ground, 'services' | 'points' | 'role'>) {
    this.#found = found
    this.#owner = owner
    this.#ground = ground
  }

  /** Throws `PLUGIN_MANIFEST_LIES` if it did not register exactly what its manifest says. */
  check(): true {
    const { manifest, origin } = this.#found
    if (origin === 'embedded') return true
    const { services, points } = this.#ground
    const done = points.ownedBy(this.#owner)
    const commands = (manifest.cli ?? []).map(({ name }) => name)
    const problems = [
      ...compare('provides', manifest.provides ?? [], services.ownedBy(this.#owner)),
      ...compare('cli', commands, done['cli'] ?? []),
      ...this.#comparePoints(done),
      ...this.#unusedPowers(),
      ...(this.#declaresAliases() ? this.#compareAliases(points.aliasesBy(this.#owner)) : []),
    ]
    if (problems.length === 0) return true
    throw new SvcError('PLUGIN_MANIFEST_LIES', `plugin.json and behaviour differ: ${problems.join('; ')}`)
  }

  /** The user agreed to what the manifest says that it replaces and wraps, and to nothing else. */
  checkPower(what: string, key: string, declared: readonly string[] = []): void {
    this.#powers.add(`${what} ${key}`)
    if (this.#found.origin === 'embedded' || declared.includes(key)) return
    throw new SvcError('PLUGIN_MANIFEST_LIES', `${what} "${key}" is not in plugin.json`)
  }

  /** What is wrong with a name that a plugin of a user registers after it was set up; undefined if its manifest has it. */
  findLate(what: string, key: string, advice = ''): SvcError | undefined {
    const { manifest, origin } = this.#found
    if (origin === 'embedded' || origin === 'built-in' || this.#isDynamic(what)) return undefined
    const declared = what === 'provides' ? manifest.provides : manifest.contributes?.[what]
    const said = [...(declared ?? []), ...(manifest.aliases?.[what] ?? [])]
    if (said.includes(key) || said.includes('*')) return undefined
    return new SvcError('PLUGIN_MANIFEST_LIES', `${what} "${key}" is not in plugin.json${advice}`)
  }

  /** Names of an item that the manifest has to have. */
  listNames<T>(point: ExtensionPoint<T>, item: T): string[] {
    return [point.key(item), ...(this.#declaresAliases() ? (point.aliases?.(item) ?? []) : [])]
  }

  /** Whether its contributions to the point belong to processes of another role. */
  isElsewhere(point: string): boolean {
    const { in: roles } = this.#found.manifest
    if (roles === undefined || isRoleList(roles) || roles[point] === undefined) return false
    return !roles[point].includes(this.#ground.role)
  }

  #comparePoints(points: Readonly<Record<string, readonly string[]>>): string[] {
    const declared = this.#found.manifest.contributes ?? {}
    const all = new Set([...Object.keys(declared), ...Object.keys(points)])
    const here = [...all].filter((point) => point !== 'cli' && !this.isElsewhere(point))
    return here.flatMap((point) => {
      const [said, done] = [declared[point] ?? [], points[point] ?? []]
      return compare(point, said, this.#isDynamic(point) ? said.filter((key) => done.includes(key)) : done)
    })
  }

  /** Of a point whose keys are only known at run time the aliases are not known either. */
  #compareAliases(done: Readonly<Record<string, readonly string[]>>): string[] {
    const { aliases = {}, contributes }: Manifest = this.#found.manifest
    const said = Object.keys(aliases).filter((point) => !this.isElsewhere(point))
    return [...new Set([...said, ...Object.keys(done)])]
      .filter((point) => !contributes?.[point]?.includes('*') && !this.#isDynamic(point))
      .flatMap((point) => {
        return compare(`alias of ${point}`, said.includes(point) ? (aliases[point] ?? []) : [], done[point] ?? [])
      })
  }

  /** Powers that its manifest has and that it did not use. */
  #unusedPowers(): string[] {
    const { replaces = {}, wraps = [] } = this.#found.manifest
    const declared = [
      ...Object.entries(replaces).flatMap(([point, keys]) => keys.map((key) => `replaces ${point} ${key}`)),
      ...wraps.map((id) => `wraps ${id}`),
    ]
    return declared
      .filter((power) => !this.#powers.has(power))
      .map((power) => `${power}, which is promised, is missing`)
  }

  /** Whether items of the point come and go while the plugin runs. */
  #isDynamic(point: string): boolean {
    return this.#found.manifest.dynamic?.includes(point) === true
  }

  /** A plugin of a user that has no `aliases` in its manifest may be written for an SDK that did not have that field. */
  #declaresAliases(): boolean {
    return this.#found.origin === 'built-in' || this.#found.manifest.aliases !== undefined
  }
}

/** `*` in the manifest means keys that are only known at run time. */
function compare(what: string, said: readonly string[], done: readonly string[]): string[] {
  if (said.includes('*')) return []
  const missing = said.filter((key) => !done.includes(key)).map((key) => `${what} "${key}" is promised but missing`)
  const extra = done.filter((key) => !said.includes(key)).map((key) => `${what} "${key}" is not in plugin.json`)
  return [...missing, ...extra]
}
