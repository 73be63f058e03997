/** For `svc uninstall`: the script that fish reads, and the lines that people add to the files of bash and zsh. */
import { existsSync, readFileSync, rmSync } from 'node:fs'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { writeAtomically } from 'svc/sdk/kit/files'
import type { UninstallItem } from 'svc/sdk/operations'
import { FISH_START } from './scripts.ts'

/** As `svc completion --help` says it. */
const LINE = /^[ \t]*eval "\$\(svc completion (?:bash|zsh)\)"[ \t]*\r?\n?/gm

/** `get` gives variables of the environment. */
export function findCompletions(get: (name: string) => string | undefined): readonly UninstallItem[] {
  const user = get('HOME') ?? homedir()
  const fish = join(get('XDG_CONFIG_HOME') ?? join(user, '.config'), 'fish', 'completions', 'svc.fish')
  const files = ['.bashrc', '.bash_profile', '.profile'].map((name) => join(user, name))
  const items: UninstallItem[] = [...files, join(get('ZDOTDIR') ?? user, '.zshrc')]
    .filter((file) => new RegExp(LINE).test(readText(file)))
    .map((file) => ({
      text: `Remove the line for completion from ${file}`,
      remove: () => writeAtomically(file, readText(file).replace(LINE, '')),
    }))
  if (!readText(fish).includes(FISH_START)) return items
  return [...items, { text: `Remove ${fish}`, remove: async () => rmSync(fish, { force: true }) }]
}

function readText(file: string): string {
  return existsSync(file) ? readFileSync(file, 'utf8') : ''
}
