/** Whole pages in files, so that the model can read on where a result was cut. The newest hundred are kept. */
import { createHash } from 'node:crypto'
import { mkdir, readdir, rename, rm, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'

const MOST_FILES = 100

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
  await dropOldest(folder)
  return file
}

function hash(text: string): string {
  return createHash('sha256').update(text).digest('hex').slice(0, 12)
}

async function dropOldest(folder: string): Promise<void> {
  const names = await readdir(folder)
  if (names.length <= MOST_FILES) return
  const files = await Promise.all(names.map(async (name) => ({ name, at: await changedAt(join(folder, name)) })))
  const old = files.sort((one, two) => two.at - one.at).slice(MOST_FILES)
  await Promise.all(old.map(({ name }) => rm(join(folder, name), { force: true })))
}

/** Another call may have dropped it meanwhile. */
async function changedAt(file: string): Promise<number> {
  return stat(file).then(
    ({ mtimeMs }) => mtimeMs,
    () => 0,
  )
}
