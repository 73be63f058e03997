/** Folders that a test has for itself. */
import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
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
