/** The error codes of each owner: the kernel (with the sdk) and every plugin that has an `errors.ts`. */
import { join } from 'node:path'
import type { ErrorMessages } from 'svc/sdk'
import { kernelErrors } from '../../kernel/errors.ts'
import { exists, pluginFolder, pluginNames, root } from './repository.ts'

/** Codes with a sentence each, by owner; `kernel` first, then plugins by name. */
export async function errorCatalogs(): Promise<ReadonlyMap<string, ErrorMessages>> {
  const catalogs = new Map<string, ErrorMessages>([['kernel', kernelErrors]])
  for (const name of pluginNames()) {
    const file = `${pluginFolder(name)}/errors.ts`
    if (exists(file)) catalogs.set(name, ((await import(join(root, file))) as { default: ErrorMessages }).default)
  }
  return catalogs
}
