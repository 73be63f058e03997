/** What only one plugin may have: its name, services, config block and contributions. Known before any code runs. */
import type { Manifest } from './manifest.ts'
import type { PluginOrigin } from './plugins.ts'

/** One such thing. */
export interface Claim {
  /** The same for two plugins that claim the same. */
  readonly key: string
  /** Why no other plugin may claim it. */
  readonly reason: (owner: { readonly manifest: Manifest; readonly origin: PluginOrigin }) => string
}

/** Name, services, config block and contributions of a plugin. */
export function claimsOf({ name, provides = [], config, contributes = {} }: Manifest): Claim[] {
  const claims: Claim[] = [
    { key: `name ${name}`, reason: ({ origin }) => `a plugin of this name is there already (${origin})` },
  ]
  for (const id of provides) {
    const toUse = (owner: { readonly manifest: Manifest }) =>
      `as ${owner.manifest.name} does; to use it: svc plugins disable ${owner.manifest.name}`
    claims.push({ key: `service ${id}`, reason: (owner) => `it provides "${id}", ${toUse(owner)}` })
  }
  if (config)
    claims.push({
      key: `config ${config}`,
      reason: (owner) => `it owns the config block "${config}", as ${owner.manifest.name} does; disable one of them`,
    })
  for (const point in contributes)
    for (const key of contributes[point] ?? []) {
      if (key === '*') continue
      claims.push({
        key: `item ${point} ${key}`,
        reason: ({ manifest: { name: other } }) =>
          `it adds ${point} "${key}", as ${other} does; to use it: svc plugins disable ${other}`,
      })
    }
  return claims
}
