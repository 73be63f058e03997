/** This program: how it is started again, and what it was built from. */
import { createHash } from 'node:crypto'
import { existsSync, readFileSync, realpathSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { tryParseJson } from 'svc/sdk'
import { readInstallStamp } from './bootstrap/files.ts'
import type { ProgramOptions } from './bootstrap/stage-program.ts'
import { runProgram } from './child-program.ts'

export interface OwnProgram {
  /** Its words up to the command of svc. */
  readonly command: readonly string[]
  /** The folder with its package.json. */
  readonly root: string
  readonly version: string
}

export function findOwnProgram(): OwnProgram {
  const entry = realpathSync(process.argv[1] ?? process.execPath)
  let root = dirname(entry)
  while (!existsSync(join(root, 'package.json')) && dirname(root) !== root) root = dirname(root)
  const described = tryParseJson(readText(join(root, 'package.json')))?.value as { version?: unknown } | undefined
  return {
    command: [process.execPath, ...process.execArgv, entry],
    root,
    version: typeof described?.version === 'string' ? described.version : '0.0.0',
  }
}

/** What an installation is pinned to: the commit of its stamp or checkout, or else a digest of what describes it. */
export async function readPin(
  root: string,
  options: ProgramOptions,
): Promise<{ commit: string; branch: string | null }> {
  const stamp = await readInstallStamp(root)
  if (stamp && stamp.commit.length >= 7) return { commit: stamp.commit, branch: stamp.branch }
  if (existsSync(join(root, '.git'))) {
    const ask = async (...words: string[]) => {
      const end = await runProgram(['git', '-C', root, ...words], { ...options, timeoutMs: 5000 })
      return end.code === 0 ? end.lines[0]?.trim() : undefined
    }
    const commit = await ask('rev-parse', 'HEAD')
    if (commit !== undefined && commit.length >= 7)
      return { commit, branch: (await ask('rev-parse', '--abbrev-ref', 'HEAD')) ?? null }
  }
  const described = await readFile(join(root, 'package.json')).catch(() => Buffer.from(root))
  return { commit: `package-${createHash('sha256').update(described).digest('hex').slice(0, 16)}`, branch: null }
}

function readText(file: string): string {
  return existsSync(file) ? readFileSync(file, 'utf8') : ''
}
