/** Brings a plugin's code into the process. */
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import type { Plugin } from '../sdk/plugin.ts'
import type { Found } from './found.ts'
import { kernelOwner, runAs } from './owner.ts'

/** Built-in plugins are files beside the kernel, in its own form; those of users are bundled under `cache` first. */
export async function importPlugin(found: Found, cache: string): Promise<Plugin> {
  if (found.origin === 'built-in') {
    const file = join(found.dir, `index.${import.meta.url.endsWith('.ts') ? 'ts' : 'js'}`)
    return ((await import(pathToFileURL(file).href)) as { default: Plugin }).default
  }
  const { stage } = await import('./stage.ts')
  const address = await runAs(kernelOwner, () => stage(found.dir, cache))
  return ((await import(address)) as { default: Plugin }).default
}
