/** Whether a file is the program svc, under whatever name. */
import { realpathSync } from 'node:fs'
import { posix } from 'node:path'
import { absolutePath } from './paths.ts'

let own: string | undefined | false

/** The file that this process runs. */
function ownProgram(): string | undefined {
  if (own === undefined) {
    try {
      own = realpathSync(process.argv[1] ?? '')
    } catch {
      own = false
    }
  }
  return own || undefined
}

/** `svc`, `bin.cjs` in a folder of a kernel, and every path that leads to the program of this process. */
export function isSvcProgram(word: string, cwd: string | undefined, home: string): boolean {
  const name = posix.basename(word)
  if (name === 'svc' || /^svc\.(cjs|mjs|js|exe|cmd|ps1)$/.test(name)) return true
  if (/(^|\/)kernel\/bin\.(cjs|mjs|js|ts)$/.test(word) || /^bin\.cjs$/.test(name)) return true
  const program = ownProgram()
  const path = absolutePath(word, cwd, home)
  if (program === undefined || path === undefined || !/[./]/.test(word)) return false
  try {
    return realpathSync(path) === program
  } catch {
    return false
  }
}
