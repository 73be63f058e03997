/** Brings a plugin's code into the process. */
import { kernelOwner, runAs } from '../kernel/owner.ts'
import type { PluginRecord } from '../kernel/plugin-record.ts'
import type { Plugin } from '../sdk/plugin.ts'
import type { BundleStore } from './bundle-plugin.ts'
import { importAddress, importBuiltIn } from './module-import.ts'

/** Built-in plugins are part of the program; those of users are bundled first. */
export async function importPlugin(found: PluginRecord, staging: BundleStore): Promise<Plugin> {
  if (found.origin === 'built-in') return (await importBuiltIn(found.manifest.name, found.dir)).default
  // Stacks name lines of the plugin's own files, not of its bundle.
  process.setSourceMapsEnabled(true)
  const { stage } = await import('./bundle-plugin.ts')
  const address = await runAs(kernelOwner, () => stage(found.dir, staging))
  const { default: plugin } = (await importAddress(address)) as { default: Plugin | { readonly default: Plugin } }
  // Compilers to CommonJS make an object with `default` of `export default`.
  return typeof plugin === 'object' && 'default' in plugin ? plugin.default : plugin
}
