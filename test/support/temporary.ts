/** Folders that a test has for itself. */
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join, relative } from 'node:path'
import { onTestFinished } from 'vitest'
import { removeFolder } from './remove-folder.ts'

/** A fresh folder that is removed when the test is over. */
export function temporaryFolder(): string {
  const dir = mkdtempSync(join(tmpdir(), 'svc-test-'))
  onTestFinished(() => removeFolder(dir))
  return dir
}

/** Writes files by their paths below a folder, folders included. Anything but text becomes JSON. */
export function writeFiles(dir: string, files: Readonly<Record<string, unknown>>): void {
  for (const [path, content] of Object.entries(files)) {
    mkdirSync(dirname(join(dir, path)), { recursive: true })
    writeFileSync(join(dir, path), typeof content === 'string' ? content : JSON.stringify(content))
  }
}

/** The files below a folder with their contents, by their paths; links are not followed. */
export function readTree(dir: string): Record<string, string> {
  const files = readdirSync(dir, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile())
  const paths = files.map(({ parentPath, name }) => join(parentPath, name)).sort()
  return Object.fromEntries(paths.map((path) => [relative(dir, path), readFileSync(path, 'latin1')]))
}
