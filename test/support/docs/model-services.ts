/** What follows from the entries of model services: the variables, names and aliases of a manifest, and a table. */
import type { EnvironmentVariable, Manifest } from 'svc/sdk/host'
import { vendors } from '../../../plugins/providers/provider-anthropic/vendors.ts'
import { type CatalogEntry, catalog } from '../../../plugins/providers/provider-openai/catalog.ts'
import { pluginFolder } from '../repository.ts'
import { byText, code, codes, table } from './markdown.ts'

/** The parts of an entry that documents need. */
interface ModelEntry {
  readonly id: string
  readonly label: string
  readonly aliases?: readonly string[]
  readonly keyNames: readonly string[]
  /** The key is for this plugin's servers only if they ask for one. */
  readonly isKeyOptional: boolean
  readonly addresses: readonly string[]
  readonly addressName?: string
  readonly hosts: readonly string[]
  readonly since?: number
}

/** Plugins whose manifest is made from a list of entries. */
const ENTRIES: Readonly<Record<string, readonly ModelEntry[]>> = {
  'provider-openai': catalog.map(toEntry),
  'provider-anthropic': vendors.map((vendor) => ({ ...vendor, isKeyOptional: false, addresses: [vendor.address] })),
}

function toEntry(entry: CatalogEntry): ModelEntry {
  const names = [entry.keyName, ...('otherKeyNames' in entry ? (entry.otherKeyNames ?? []) : [])]
  const own = { ...entry, keyNames: names.filter((name) => name !== undefined) }
  if (entry.kind === 'hosted') {
    const { address, hosts } = entry
    return { ...own, hosts, isKeyOptional: false, addresses: address === undefined ? [] : [address] }
  }
  return { ...own, hosts: [], isKeyOptional: true, addresses: entry.kind === 'local' ? entry.addresses : [] }
}

/** Manifests with parts that are made from entries, by their path. */
export const modelManifests: readonly { readonly path: string; make(manifest: Manifest): Manifest }[] = Object.entries(
  ENTRIES,
).map(([plugin, entries]) => ({
  path: `${pluginFolder(plugin)}/plugin.json`,
  make: (manifest) => ({
    ...manifest,
    env: mergeVariables([...entries.flatMap(listKeyVariables), ...entries.flatMap(listAddressVariables)]),
    contributes: { ...manifest.contributes, providers: entries.map(({ id }) => id) },
    aliases: { ...manifest.aliases, providers: entries.flatMap(({ aliases = [] }) => aliases).sort(byText) },
  }),
}))

/** A variable that several services take stands there once, with what it is for each. */
function mergeVariables(all: readonly EnvironmentVariable[]): EnvironmentVariable[] {
  const names = [...new Set(all.map(({ name }) => name))]
  return names.flatMap((name) => {
    const same = all.filter((each) => each.name === name)
    const description = [...new Set(same.map((each) => each.description))].join(' ')
    return same.slice(0, 1).map((first) => ({ ...first, description }))
  })
}

/** The table of a README, one row for each entry. */
export function modelTable(plugin: string): string {
  const rows = (ENTRIES[plugin] ?? []).map(
    ({ id, aliases = [], label, addresses, keyNames, isKeyOptional, addressName }) => [
      code(id) + (aliases.length > 0 ? ` (${codes(aliases)})` : ''),
      label,
      codes(addresses) || 'an address in `config.yaml`',
      codes(keyNames) + (isKeyOptional && keyNames.length > 0 ? ', if the server wants one' : ''),
      addressName === undefined ? '' : code(addressName),
    ],
  )
  return table(['`model.provider`', 'Service', 'Address', 'Key', 'Variable with another address'], rows)
}

function listKeyVariables({ id, label, keyNames, isKeyOptional, hosts, since }: ModelEntry): EnvironmentVariable[] {
  const isAny = id === 'custom'
  return keyNames.map((name, at) => {
    const others = keyNames.slice(0, at)
    const when = others.length > 0 ? `, when ${others.join(' and ')} ${others.length > 1 ? 'are' : 'is'} not set` : ''
    const where = isKeyOptional ? ', if it wants one' : `; sent to ${hosts.join(' and ')} only`
    return {
      name,
      description: `Key for ${isAny ? 'the server at model.base_url' : label}${when}${where}.`,
      secret: true,
      ...(since && { since }),
    }
  })
}

function listAddressVariables({ label, addresses, addressName, since }: ModelEntry): EnvironmentVariable[] {
  if (addressName === undefined) return []
  const what = addresses.length > 0 ? `Another address of ${label}` : `Your address of ${label}`
  const description = `${what}, when \`providers\` in config.yaml names none.`
  return [{ name: addressName, description, ...(since && { since }) }]
}
