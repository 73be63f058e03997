/** Random stories of files: edits of every kind, snapshots, rollbacks, and what must be there after each. */
import { chmodSync, lstatSync, mkdirSync, renameSync, type Stats, symlinkSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import fc from 'fast-check'
import { expect } from 'vitest'
import { removeFolder } from '../../../support/remove-folder.ts'
import { listTree, openStore, projectFolder } from './support.ts'

/** Folders of one story. Each has its own edits, so each is a random sequence of edits and rollbacks by itself. */
export const FOLDERS = 100

const NAMES = [
  'a',
  'b',
  'dir/a',
  'dir/b',
  'dir/sub/c',
  'dir/sub/d',
  'dir',
  'dir/sub',
  'x y',
  '\u00fc\u{1f600}',
  '-n',
  'l\nf',
]
const CONTENTS = [
  '',
  'one\n',
  'one\r\ntwo\r\n',
  '\u0000\u00ff\u0001',
  'no end',
  'x'.repeat(5000),
  '$Id$\n',
  '#!/bin/sh\n',
]
const LINKS = ['a', 'missing', '/etc/hostname', '../..', 'dir', 'dir/sub/c']
const MODES = [0o644, 0o755, 0o600, 0o444, 0o750]

const edit = fc.record({
  kind: fc.constantFrom('write', 'write', 'write', 'remove', 'link', 'folder', 'mode', 'move'),
  name: fc.constantFrom(...NAMES),
  other: fc.constantFrom(...NAMES),
  value: fc.nat(1000),
})
type Edit = typeof edit extends fc.Arbitrary<infer T> ? T : never

const round = fc.record({
  edits: fc.array(fc.array(edit, { minLength: 1, maxLength: 3 }), { minLength: FOLDERS, maxLength: FOLDERS }),
  /** Back to this snapshot, of those there are, and perhaps forth again. */
  target: fc.nat(1000),
  undo: fc.boolean(),
})

/** So many stories; throws with the seed of the first that does not hold. */
export async function tellStories(numRuns: number): Promise<void> {
  // From a number, so that a story that fails is told by it.
  const story = fc.asyncProperty(fc.integer(), tell)
  await fc.assert(story, { numRuns, endOnFailure: true })
}

async function tell(seed: number): Promise<void> {
  const store = openStore({ config: { max_snapshots: 100 } })
  const dir = projectFolder()
  const trees = new Map<string, readonly string[]>()
  for (const { edits, target, undo } of fc.sample(round, { seed, numRuns: 2 + Math.abs(seed % 2) })) {
    applyAll(dir, edits)
    const { id } = await store.take(dir, 'edited')
    if (id) trees.set(id, listTree(dir))
    applyAll(
      dir,
      edits.map((steps) => [...steps].reverse()),
    )
    const present = listTree(dir)
    const [chosen, tree] = [...trees][target % trees.size] as [string, readonly string[]]
    const done = await store.restore(dir, chosen)
    expect(done.leftAlone).toEqual([])
    expect(listTree(dir)).toEqual(tree)
    if (!undo) continue
    await store.restore(dir, 'undo')
    expect(listTree(dir)).toEqual(present)
  }
}

function applyAll(dir: string, edits: readonly (readonly Edit[])[]): void {
  for (const [at, steps] of edits.entries()) for (const step of steps) apply(join(dir, `folder-${at}`), step)
}

function apply(dir: string, { kind, name, other, value }: Edit): void {
  const path = join(dir, name)
  const pick = <T>(list: readonly T[]) => list[value % list.length] as T
  const there = readStats(path)
  if (kind === 'mode') {
    if (there?.isFile()) chmodSync(path, pick(MODES))
    return
  }
  if (kind === 'move') {
    const goal = join(dir, other)
    if (!there || `${goal}/`.startsWith(`${path}/`) || `${path}/`.startsWith(`${goal}/`)) return
    clear(goal, dir)
    renameSync(path, goal)
    return
  }
  clear(path, dir)
  if (kind === 'write') writeFileSync(path, `${pick(CONTENTS)}${value % 3 === 0 ? value : ''}`, 'latin1')
  if (kind === 'link') symlinkSync(pick(LINKS), path)
  if (kind === 'folder') mkdirSync(path)
}

/** Makes room: nothing at the path, and only folders above it. */
function clear(path: string, top: string): void {
  const above = dirname(path)
  if (!readStats(above)?.isDirectory()) {
    if (above !== top) clear(above, top)
    mkdirSync(above, { recursive: true })
  }
  removeFolder(path)
}

/** Undefined when nothing is there, also because something else is in the place of its folder. */
function readStats(path: string): Stats | undefined {
  try {
    return lstatSync(path)
  } catch {
    return undefined
  }
}
