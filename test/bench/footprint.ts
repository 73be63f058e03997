/** What an installation takes on disk: the product and everything it needs in production, by the lock file. */
import { existsSync, lstatSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { type Lock, productionFolders } from './lock-file.ts'
import { createRow, type Row } from './row.ts'

const MB = 1_000_000
const BLOCK = 512

/** `root` is the repository, installed and built. */
export function measureFootprint(root: string): Row[] {
  const { files } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { files: string[] }
  const lock = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8')) as Lock
  const installed = productionFolders(lock).filter((folder) => existsSync(join(root, folder)))
  const dependencies = installed.map((folder) => measureSize(join(root, folder)))
  const own = ['package.json', ...files].map((file) => measureSize(join(root, file)))
  const dist = measureSize(join(root, 'dist'))
  return [
    createRow('production install', 'MB', { ours: [sum([...dependencies, ...own]) / MB] }, { max: 100 }),
    createRow('packages of it', 'count', { ours: [installed.length + 1] }, { max: 150 }),
    createRow('dist of it', 'MB', { ours: [dist / MB] }),
  ]
}

/** On disk; packages inside other packages are counted on their own. */
function measureSize(path: string): number {
  const stat = lstatSync(path, { throwIfNoEntry: false })
  if (!stat) return 0
  // Windows does not report blocks.
  const own = stat.blocks === undefined ? stat.size : stat.blocks * BLOCK
  if (!stat.isDirectory()) return own
  const inside = readdirSync(path).filter((name) => name !== 'node_modules')
  return own + sum(inside.map((name) => measureSize(join(path, name))))
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0)
}
