/** The folder of a snapshot. */
import { createHash } from 'node:crypto'
import { existsSync, realpathSync } from 'node:fs'
import { homedir } from 'node:os'
import { basename, dirname, join } from 'node:path'
import type { EnvironmentFiles } from 'svc/sdk/shell'

const MARKERS = `.git .hg .svn .jj
  package.json deno.json pyproject.toml setup.py requirements.txt Cargo.toml go.mod pom.xml build.gradle build.gradle.kts
  composer.json Gemfile mix.exs CMakeLists.txt Makefile`.split(/\s+/)

/** A folder with its own snapshots. */
export interface Project {
  /** Absolute, without links. */
  readonly root: string
  /** 16 hexadecimal digits that stand for it in the store. */
  readonly key: string
  /** Recognised by its files or its snapshots; other folders are only working folders. */
  readonly isMarked: boolean
  /** Its files are in another environment, which has this name for people. Left out: on this machine. */
  readonly there?: { readonly files: EnvironmentFiles; readonly label: string }
}

/**
 * The nearest folder from `cwd` upwards that is a project: by its files, or because it has had snapshots (`isKnown`).
 * Without one it is `cwd` itself. The user's home and what is above never are.
 */
export function findProject(cwd: string, isKnown: (project: Project) => boolean): Project {
  const start = realPath(cwd)
  for (let folder = start; !isTooWide(folder); folder = dirname(folder)) {
    const project = { ...createProject(folder), isMarked: true }
    if (isKnown(project) || MARKERS.some((marker) => existsSync(join(folder, marker)))) return project
  }
  return createProject(start)
}

/** The root of the file system, the user's home, or a folder that holds it: too much for a project. */
export function isTooWide(folder: string): boolean {
  const home = realPath(homedir())
  return folder === dirname(folder) || home === folder || home.startsWith(`${folder}/`)
}

/** The path without links; for a missing file, as far as it exists. */
export function realPath(path: string): string {
  try {
    return realpathSync(path)
  } catch {
    // Removed, perhaps by the very turn that is to be undone.
    const parent = dirname(path)
    return parent === path ? path : join(realPath(parent), basename(path))
  }
}

function createProject(root: string): Project {
  return { root, key: createHash('sha256').update(root).digest('hex').slice(0, 16), isMarked: false }
}
