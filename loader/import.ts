/** Brings a plugin's code into the process. */
import { dirname } from 'node:path'
import { fileURLToPath } from 'node:url'
import { currentOwner, kernelOwner, runAs } from '../kernel/owner.ts'
import type { PluginRecord } from '../kernel/plugin-record.ts'
import type { Plugin } from '../sdk/plugin.ts'
import type { BundleStore } from './bundle-plugin.ts'
import { importAddress, importBuiltIn } from './module-import.ts'
import type { Content } from './plugin-content.ts'
import type { PluginPack } from './user-plugin-pack.ts'

/** What `importPlugin` needs besides the plugin. */
export interface ImportDeps {
  readonly staging: BundleStore
  readonly openPack: () => Promise<PluginPack>
}

/**
 * Built-in plugins are part of the program; those of users are in the pack of the home or are bundled first. `content`: what was
 * agreed to and read a moment ago.
 */
export async function importPlugin(
  found: PluginRecord,
  content: Content | undefined,
  { staging, openPack }: ImportDeps,
): Promise<Plugin> {
  if (found.origin === 'built-in') return (await importBuiltIn(found.manifest.name, found.dir)).default
  const owner = currentOwner()
  const pack = content && (await openPack())
  const packed = content && (await pack?.find(found, content))
  if (packed) return packed.load(owner)
  // Stacks name lines of the plugin's own files, not of its bundle.
  process.setSourceMapsEnabled(true)
  const { stage } = await import('./bundle-plugin.ts')
  const address = await runAs(kernelOwner, () => stage(found.dir, staging))
  if (content) pack?.add(found, content, dirname(fileURLToPath(address)))
  const { default: plugin } = (await importAddress(address)) as { default: Plugin | { readonly default: Plugin } }
  // Compilers to CommonJS make an object with `default` of `export default`.
  return typeof plugin === 'object' && 'default' in plugin ? plugin.default : plugin
}
