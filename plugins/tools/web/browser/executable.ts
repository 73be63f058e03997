/** Finds the browser to start. */
import { accessSync, constants } from 'node:fs'
import { delimiter, isAbsolute, join } from 'node:path'

const NAMES = ['chromium', 'google-chrome', 'google-chrome-stable', 'chromium-browser', 'chrome']
const MAC_PLACES = [
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
  '/Applications/Chromium.app/Contents/MacOS/Chromium',
]

/** Where to look: the config key, then CHROME_PATH, then the PATH. */
export interface BrowserPaths {
  readonly configured: string
  readonly chromePath: string | undefined
  readonly path: string
}

/** A path, or the sentence that says what is missing. */
export function findExecutable({ configured, chromePath, path }: BrowserPaths): { path: string } | { missing: string } {
  const named = configured || chromePath
  if (named) {
    const found = isAbsolute(named) ? runnable(named) : onPath([named], path)
    const source = configured ? 'browser.executable' : 'CHROME_PATH'
    return found ? { path: found } : { missing: `${source} names ${named}, which cannot be run` }
  }
  const found = onPath(NAMES, path) ?? MAC_PLACES.find(runnable)
  if (found) return { path: found }
  return { missing: 'needs Chromium or Chrome: install one (apt-get install chromium) or set browser.executable' }
}

function onPath(names: readonly string[], path: string): string | undefined {
  const folders = path.split(delimiter).filter((folder) => isAbsolute(folder))
  for (const name of names)
    for (const folder of folders) {
      const found = runnable(join(folder, name))
      if (found) return found
    }
  return undefined
}

function runnable(path: string): string | undefined {
  try {
    accessSync(path, constants.X_OK)
    return path
  } catch {
    // Not there, or not ours to run: the next place is tried.
    return undefined
  }
}
