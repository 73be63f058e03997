/** What of this machine a confined program sees: the system and the tools of the user, without what holds secrets. */
import { accessSync, constants, readdirSync, readFileSync } from 'node:fs'
import { basename, dirname, join, sep } from 'node:path'
import { findSecretLocation, listSecretLocations } from 'svc/sdk/safety'
import { isWithin, type Machine, readStats, realPath } from './machine.ts'

/** Programs and their settings. `/usr` and the legacy folders beside it. */
export const SYSTEM_FOLDERS: readonly string[] = ['/bin', '/sbin', '/lib', '/lib32', '/lib64', '/libx32']
const SYSTEM = [
  ...['/usr', '/etc', '/opt', '/nix', '/gnu', '/home/linuxbrew/.linuxbrew', '/sys/devices/system/cpu'],
  ...['/var/lib/dpkg', '/var/lib/rpm', '/var/lib/pacman', '/var/lib/apk', '/var/lib/flatpak'],
]
/** Of the user's home: compilers, interpreters, what they have fetched, and who the user is for git. */
const TOOLS = [
  ...['.cargo/bin', '.cargo/env', '.cargo/config.toml', '.cargo/registry', '.cargo/git', '.rustup', '.nvm', '.fnm'],
  ...['.volta', '.asdf', '.pyenv', '.rbenv', '.rvm', '.sdkman', '.local/bin', '.local/lib', '.local/share/fnm'],
  ...['.local/share/mise', '.local/share/pnpm', '.local/share/uv', '.local/share/pipx', '.local/pipx', '.deno', '.bun'],
  ...['.ghcup', '.cabal', '.stack', '.opam', '.elan', '.juliaup', '.julia', '.dotnet', '.nix-profile', 'go', 'sdk'],
  ...['.m2/repository', '.gradle/wrapper', '.gem', '.local/share/gem', '.conda', 'miniconda3', 'anaconda3'],
  ...['miniforge3', '.pub-cache', 'flutter', '.npm-global', '.local/share/virtualenvs', '.cache/ms-playwright'],
  ...['.cache/puppeteer', '.gitconfig', '.config/git', '.gitignore', '.gitignore_global', '.config/mise', 'bin'],
]
/** Variables that name such a folder. */
const TOOL_VARIABLES = [
  ...['CARGO_HOME', 'RUSTUP_HOME', 'GOROOT', 'GOPATH', 'NVM_DIR', 'PYENV_ROOT', 'RBENV_ROOT', 'VOLTA_HOME', 'ASDF_DIR'],
  ...['JAVA_HOME', 'VIRTUAL_ENV', 'CONDA_PREFIX', 'PNPM_HOME', 'BUN_INSTALL', 'DENO_INSTALL', 'ANDROID_HOME'],
]
/** Those that keep credentials beside programs are shown in parts. */
const IN_PARTS = ['.cargo']
const SECRET_IN_SETTINGS = /extraheader|\bpassword\b|:\/\/[^/\s@]*:[^/\s@]+@/i

/** Folders and files of this machine that can be read, where they exist. */
export function findVisible(machine: Machine, environment: Readonly<Record<string, string>>): string[] {
  const { home, svcHomes } = machine
  const inHome = TOOLS.map((name) => join(home, name))
  const named = TOOL_VARIABLES.flatMap((name) => environment[name] ?? [])
  const onPath = (environment['PATH'] ?? '').split(':').map(getInstallFolder)
  const wide = (path: string) =>
    !path.startsWith(sep) ||
    path.split(sep).length < 3 ||
    IN_PARTS.some((name) => path === join(home, name)) ||
    [home, join(home, '.local'), join(home, '.config'), '/home', ...svcHomes].some((each) => isWithin(each, path)) ||
    svcHomes.some((each) => isWithin(path, each)) ||
    findSecretLocation(path, home) !== undefined
  const asked = [
    ...inHome,
    ...[...named, ...onPath, getInstallFolder(dirname(process.execPath))].filter((path) => !wide(path)),
  ]
  const more = asked.filter((path) => !SYSTEM.some((folder) => isWithin(path, folder)))
  return [...new Set([...SYSTEM, ...more])].filter((path) => readStats(path) !== undefined && !isSecretSetting(path))
}

/** `/a/tool` of `/a/tool/bin`: its libraries are beside it. */
function getInstallFolder(folder: string): string {
  const path = folder === '' ? folder : realPath(folder)
  return ['bin', 'shims'].includes(basename(path)) ? dirname(path) : path
}

function isSecretSetting(path: string): boolean {
  if (basename(path) !== '.gitconfig') return false
  try {
    return SECRET_IN_SETTINGS.test(readFileSync(path, 'utf8'))
  } catch {
    return true
  }
}

/** What holds secrets, or belongs to svc, in the folders that are shown. */
export function findHidden(machine: Machine, shown: readonly string[]): string[] {
  const listed = listSecretLocations(machine.home).map(({ path }) => path)
  const keys = listNames('/etc/ssh').filter((name) => /^ssh_host_.*_key$/.test(name))
  const all = [...listed, ...keys.map((name) => join('/etc/ssh', name)), ...machine.svcHomes]
  // Each costs a mount: what this user cannot read needs none.
  const paths = all.filter((path) => shown.some((folder) => isWithin(path, folder)) && isReadable(path))
  return [...new Set(paths.map(realPath))]
}

/** What a home shows of itself when it is the working folder: what is not hidden, without secrets. */
export function findOpenOfHome(machine: Machine): string[] {
  return listNames(machine.home)
    .filter((name) => !name.startsWith('.'))
    .map((name) => join(machine.home, name))
    .filter((path) => !machine.svcHomes.some((each) => isWithin(path, each)))
    .slice(0, 200)
}

function isReadable(path: string): boolean {
  try {
    accessSync(path, constants.R_OK)
    return true
  } catch {
    return false
  }
}

function listNames(folder: string): string[] {
  try {
    return readdirSync(folder)
  } catch {
    return []
  }
}
