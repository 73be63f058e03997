/** Bounds the number of files in a folder. */
import { readdir, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'

/**
 * Removes all but the `count` files of a folder that were changed last. Another process may remove files meanwhile.
 * @since 0.1
 */
export async function keepNewest(folder: string, count: number): Promise<void> {
  const names = await readdir(folder)
  if (names.length <= count) return
  const files = await Promise.all(names.map(async (name) => ({ name, at: await getChangeTime(join(folder, name)) })))
  const old = files.sort((one, two) => two.at - one.at).slice(count)
  await Promise.all(old.map(({ name }) => rm(join(folder, name), { force: true })))
}

async function getChangeTime(path: string): Promise<number> {
  return stat(path).then(
    ({ mtimeMs }) => mtimeMs,
    () => 0,
  )
}
