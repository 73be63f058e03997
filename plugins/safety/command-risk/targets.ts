/** The files and folders that a danger acts on. */
import type { Fit } from './dangerous.ts'
import { UNKNOWN } from './expand.ts'
import type { Script } from './normalise.ts'
import { operands } from './options.ts'
import { absolutePath, throughLinks } from './paths.ts'
import type { Command } from './walk.ts'
import { listWritten } from './written-paths.ts'

const BY_OPERANDS = new Set(
  'recursive-delete delete-system-file delete-by-pattern forced-delete shred-files truncate-file open-mode recursive-mode recursive-owner set-user-id immutable-file history'.split(
    ' ',
  ),
)
const BY_WRITES = new Set('sensitive-write program-path move-away'.split(' '))
const MAX_TARGETS = 32

/** Absolute paths; undefined when not all of them are known. */
export function findTargetPaths({ name, commands }: Fit, script: Script): readonly string[] | undefined {
  const words = commands.map((command) =>
    listTargetWords(name, command).map((word) => resolvePath(word, command, script)),
  )
  const found = new Set(words.flat())
  const isKnown = words.every((paths) => paths.length > 0) && !found.has(undefined)
  return isKnown && found.size <= MAX_TARGETS ? [...found].filter((path) => path !== undefined) : undefined
}

function listTargetWords(pattern: string, command: Command): readonly string[] {
  if (BY_WRITES.has(pattern)) return listWritten(command)
  if (!BY_OPERANDS.has(pattern)) return []
  return operands(command.args).slice(/^(chmod|chown|chgrp|chattr)$/.test(command.name) ? 1 : 0)
}

function resolvePath(word: string, { cwd }: Command, { home, ground, state }: Script): string | undefined {
  const path = word.includes(UNKNOWN) ? undefined : absolutePath(word, cwd, home)
  return path === undefined ? undefined : throughLinks(ground.real.get(path) ?? path, state.links)
}
