/**
 * What only one plugin may have: its name, services, config block, shell commands, contributions and their aliases. Known
 * before any code runs.
 */
import { disableCommand } from './advice.ts'
import type { Manifest } from './manifest.ts'
import type { PluginOrigin } from './plugins.ts'

/** One such thing. @since 0.1 */
export interface Claim {
  /** The same for two plugins that claim the same. */
  readonly key: string
  /** Why no other plugin may claim it. */
  readonly reason: (owner: { readonly manifest: Manifest; readonly origin: PluginOrigin }) => string
}

/** The key of the claim to one name in a contribution point. */
export function itemClaim(point: string, name: string): string {
  return `item ${point} ${name}`
}

/** Name, services, config block, shell commands, contributions and aliases of a plugin. @since 0.2 */
export function listClaims({
  name,
  provides = [],
  config,
  contributes = {},
  aliases = {},
  cli = [],
}: Manifest): Claim[] {
  const replace = (other: string) => `as ${other} does; to use it: ${disableCommand(other)}`
  const claims: Claim[] = [
    { key: `name ${name}`, reason: ({ origin }) => `a plugin of this name is there already (${origin})` },
  ]
  for (const id of provides)
    claims.push({
      key: `service ${id}`,
      reason: ({ manifest }) => `it provides "${id}", ${replace(manifest.name)}`,
    })
  if (config)
    claims.push({
      key: `config ${config}`,
      reason: (owner) => `it owns the config block "${config}", as ${owner.manifest.name} does; disable one of them`,
    })
  for (const { name: command } of cli)
    claims.push({
      key: itemClaim('cli', command),
      reason: ({ manifest }) => `it adds the shell command "svc ${command}", ${replace(manifest.name)}`,
    })
  for (const names of [contributes, aliases])
    for (const point in names)
      for (const key of names[point] ?? []) {
        if (key === '*') continue
        claims.push({
          key: itemClaim(point, key),
          reason: ({ manifest }) => `it adds ${point} "${key}", ${replace(manifest.name)}`,
        })
      }
  return claims
}
