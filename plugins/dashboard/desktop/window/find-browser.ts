/** Browsers that have windows without tabs: Chromium and what is made of it. */
import { existsSync } from 'node:fs'
import { delimiter, join } from 'node:path'

const LINUX = [
  'chromium',
  'chromium-browser',
  'google-chrome',
  'google-chrome-stable',
  'microsoft-edge',
  'brave-browser',
]
const MAC = ['Chromium', 'Google Chrome', 'Microsoft Edge']
const WINDOWS = ['Google\\Chrome\\Application\\chrome.exe', 'Microsoft\\Edge\\Application\\msedge.exe']

/** The first that is installed, or the one that `SVC_DESKTOP_BROWSER` names; undefined if there is none. */
export function findBrowser(get: (name: string) => string | undefined): string | undefined {
  const named = get('SVC_DESKTOP_BROWSER')
  if (named !== undefined) return existsSync(named) ? named : undefined
  return listPlaces(get).find((file) => existsSync(file))
}

function listPlaces(get: (name: string) => string | undefined): readonly string[] {
  if (process.platform === 'darwin') return MAC.map((name) => `/Applications/${name}.app/Contents/MacOS/${name}`)
  if (process.platform === 'win32') {
    const roots = ['PROGRAMFILES', 'PROGRAMFILES(X86)', 'LOCALAPPDATA'].flatMap((name) => get(name) ?? [])
    return WINDOWS.flatMap((path) => roots.map((root) => join(root, path)))
  }
  const folders = (get('PATH') ?? '').split(delimiter).filter((folder) => folder !== '')
  return LINUX.flatMap((name) => folders.map((folder) => join(folder, name)))
}
