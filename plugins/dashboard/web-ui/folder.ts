/** Where the build has put the pages. */
import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

/** Beside the program; for one that runs from its sources in `dist` of the repository. */
export function findWebUi(): string {
  const built = fileURLToPath(new URL('../web-ui', import.meta.url))
  return existsSync(built) ? built : fileURLToPath(new URL('../../../dist/web-ui', import.meta.url))
}
