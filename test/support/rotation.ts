/**
 * In CI a third of the slow files run each day, so that all of them run in three days: those of today, and those about what was changed
 * in the last hours. `SVC_TEST_ROTATE=1` switches it on; `npm run test:slow` runs all of them.
 */
import { execFileSync } from 'node:child_process'
import { dirname } from 'node:path'
import { DAY, DAYS, IS_ALL } from './today.ts'

export const IS_ROTATING: boolean = process.env['SVC_TEST_ROTATE'] === '1' && !IS_ALL

const HOURS = 4
/** More than this is the whole history in one commit, as in a shallow clone. */
const MAX_CHANGED = 600

/** Those of the files that do not run today. Paths from the root of the repository, with slashes. */
export function listResting(files: readonly string[], day: number = DAY, changed: readonly string[] = listChanged()) {
  return files.toSorted().filter((file, at) => (at + day) % DAYS !== 0 && !changed.some((path) => isAbout(file, path)))
}

/** A changed file is the test itself, one next to it, or a source of the folder that it mirrors. */
function isAbout(file: string, path: string): boolean {
  const folder = dirname(file)
  const isShared = ['test/faults', 'test/scenarios', 'test/examples', 'test/contracts'].includes(folder)
  if (isShared) return path === file
  return path.startsWith(`${folder}/`) || path.startsWith(`${folder.slice('test/'.length)}/`)
}

function listChanged(): string[] {
  try {
    const said = execFileSync('git', ['log', `--since=${HOURS}.hours`, '--name-only', '--pretty='], {
      encoding: 'utf8',
    })
    const paths = [...new Set(said.split('\n').filter((path) => path !== ''))]
    return paths.length > MAX_CHANGED ? [] : paths
  } catch {
    // Not a checkout: the files of today run.
    return []
  }
}
