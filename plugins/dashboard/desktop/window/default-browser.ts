/** Where no browser with an app mode is installed: a page in the browser of the user, which cannot be driven. */
import { spawn } from 'node:child_process'
import type { WindowShell } from './window.ts'

export function defaultBrowserShell(onFailure: (error: Error) => void): WindowShell {
  return {
    name: 'default-browser',
    open: async ({ url }) => {
      openPage(url, onFailure)
      return {
        // No one tells when a tab is closed.
        closed: new Promise(() => {}),
        isControlled: false,
        navigate: async (next) => openPage(next, onFailure),
        focus: async () => {},
        trust: async () => {},
        close: async () => {},
      }
    },
  }
}

function openPage(url: string, onFailure: (error: Error) => void): void {
  const [file, ...args] =
    process.platform === 'darwin'
      ? ['open', url]
      : process.platform === 'win32'
        ? ['rundll32', 'url.dll,FileProtocolHandler', url]
        : ['xdg-open', url]
  const child = spawn(file, args, { stdio: 'ignore', detached: true, windowsHide: true })
  child.once('error', onFailure)
  child.unref()
}
