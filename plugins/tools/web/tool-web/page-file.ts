/** Whole pages in files, so that the model can read on where a result was cut. The newest hundred are kept. */
import { createHash } from 'node:crypto'
import { mkdir, rename, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { keepNewest } from 'svc/sdk/kit/files'

const MAX_FILES = 100

/** A page to keep; `key` tells calls apart that keep the same page at once. */
export interface KeptPage {
  readonly url: string
  readonly text: string
  readonly key: string
}

/** Writes the page and returns the path of its file; the same address has the same file. */
export async function keepPage(folder: string, page: KeptPage): Promise<string> {
  await mkdir(folder, { recursive: true, mode: 0o700 })
  const host = new URL(page.url).hostname.replace(/[^a-z0-9.-]/g, '_').slice(0, 60)
  const file = join(folder, `${host}-${hash(page.url)}.md`)
  const draft = `${file}.${hash(page.key)}`
  await writeFile(draft, page.text, { mode: 0o600 })
  await rename(draft, file)
  await keepNewest(folder, MAX_FILES)
  return file
}

function hash(text: string): string {
  return createHash('sha256').update(text).digest('hex').slice(0, 12)
}
