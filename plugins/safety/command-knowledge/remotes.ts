/** Hosts that programs reach by their settings: the remotes of git, the registry of packages. */
import { readFileSync } from 'node:fs'
import { posix } from 'node:path'

/** The registry that `.npmrc` of the project names, or the public one. */
export function registryHost(project: string): string {
  const address = /^registry\s*=\s*(\S+)/m.exec(readText(posix.join(project, '.npmrc')))?.[1]
  return (address && parseRemoteHost(address)) || 'registry.npmjs.org'
}

/** The host of each remote, by its name. A worktree has the settings of its repository. */
export function readRemotes(gitFolder: string): ReadonlyMap<string, string> {
  const common = readText(posix.join(gitFolder, 'commondir')).trim()
  const text = readText(posix.join(posix.resolve(gitFolder, common || '.'), 'config'))
  const found = new Map<string, string>()
  for (const [, name = '', body = ''] of text.matchAll(/^\[remote "([^"\n]+)"\]\n((?:(?!\[).*\n?)*)/gm)) {
    const address = /^\s*url\s*=\s*(.+)$/m.exec(body)?.[1]?.trim()
    if (address) found.set(name, parseRemoteHost(address) ?? '')
  }
  return found
}

/** Of `https://host/x`, `git@host:x`, `ssh://git@host:22/x`; undefined for a folder or an unusual transport. */
export function parseRemoteHost(address: string): string | undefined {
  const [, host] =
    /^(?:https?|ssh|git|git\+ssh):\/\/(?:[^/@\s]*@)?([\w.-]+)(?::\d+)?(?:\/|$)/.exec(address) ??
    /^(?:[\w.-]+@)?([\w-]+(?:\.[\w-]+)+):(?!\/\/)/.exec(address) ??
    []
  return host?.toLowerCase()
}

function readText(path: string): string {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    // No such file: nothing is set.
    return ''
  }
}
