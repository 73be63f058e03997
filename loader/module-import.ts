/**
 * Code that is imported by an address known only at run time. In the built program, which is one script, the build
 * replaces this file: with a table of the built-in plugins and the import function of program/load.ts.
 */
import { join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import type { Plugin } from '../sdk/plugin.ts'

type PluginModule = { readonly default: Plugin }

const builtIns = new Map<string, PluginModule>()

/** Evaluates a built-in plugin; `dir` is the folder of its sources. Test runners ask another process at each `import()`. */
export async function importBuiltIn(_name: string, dir: string): Promise<PluginModule> {
  const known = builtIns.get(dir)
  if (known) return known
  const module = await importAddress(pathToFileURL(join(dir, 'index.ts')).href)
  builtIns.set(dir, module)
  return module
}

/** Imports a file by its address. */
export function importAddress(address: string): Promise<PluginModule> {
  return import(address)
}

/** The running SDK at one of its entry points, `svc/sdk` or `svc/sdk/web`, without going by an address. */
export function importSdk(entry: string): Promise<object> {
  const file = entry === 'svc/sdk' ? 'index.ts' : `entries/${entry.slice('svc/sdk/'.length)}.ts`
  return importAddress(pathToFileURL(join(sdkFolder, file)).href)
}

/** The zod of the program. As built, it has the names only that the program uses. */
export function importZod(): Promise<{ readonly z: object }> {
  return import('zod')
}

const sdkFolder: string = fileURLToPath(new URL('../sdk/', import.meta.url))
