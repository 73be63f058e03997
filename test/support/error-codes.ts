/** The error codes of each owner: the sdk, the rooms of the program, and every plugin that has an `errors.ts`. */
import { join } from 'node:path'
import type { ErrorMessages } from 'svc/sdk'
import { homeErrors } from '../../home/errors.ts'
import { kernelErrors } from '../../kernel/errors.ts'
import { loaderErrors } from '../../loader/errors.ts'
import { programErrors } from '../../program/errors.ts'
import { sdkErrors } from '../../sdk/error-codes.ts'
import { exists, pluginFolder, pluginNames, root } from './repository.ts'

/** What every plugin may throw, too. */
const ofProgram = {
  sdk: sdkErrors,
  kernel: kernelErrors,
  home: homeErrors,
  loader: loaderErrors,
  program: programErrors,
} satisfies Record<string, ErrorMessages>

/** Codes with a sentence each, by owner; `sdk` and the rooms first, then plugins by name. */
export async function errorCatalogs(): Promise<ReadonlyMap<string, ErrorMessages>> {
  const catalogs = new Map<string, ErrorMessages>(Object.entries(ofProgram))
  for (const name of pluginNames()) {
    const file = `${pluginFolder(name)}/errors.ts`
    if (exists(file)) catalogs.set(name, ((await import(join(root, file))) as { default: ErrorMessages }).default)
  }
  return catalogs
}
