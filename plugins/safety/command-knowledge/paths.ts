/** Whether a path may be read or written without a question: in the project, in the temporary folder, harmless files of the system. */
import { realpathSync } from 'node:fs'
import { homedir, tmpdir } from 'node:os'
import { posix } from 'node:path'
import { findSecretLocation, findSvcLocation } from 'svc/sdk/safety'
import { ANY, PATHS, TOKEN } from './values.ts'

const HARMLESS = [
  ...['/usr', '/bin', '/sbin', '/lib', '/lib32', '/lib64', '/opt/homebrew', '/nix/store', '/sys'],
  ...['/etc/os-release', '/etc/hostname', '/etc/hosts', '/etc/debian_version', '/etc/lsb-release', '/etc/timezone'],
  ...['/etc/localtime', '/etc/issue', '/etc/resolv.conf', '/etc/services', '/etc/shells', '/etc/alpine-release'],
  ...['/etc/redhat-release', '/proc/cpuinfo', '/proc/meminfo', '/proc/version', '/proc/loadavg', '/proc/uptime'],
  ...['/proc/mounts', '/proc/stat', '/proc/sys', '/proc/self/status', '/proc/filesystems'],
]
const DEVICES = new Set(
  ['null', 'zero', 'urandom', 'random', 'stdin', 'stdout', 'stderr', 'tty', 'full', 'fd/1', 'fd/2'].map(
    (name) => `/dev/${name}`,
  ),
)
const OUTPUTS = new Set(['/dev/null', '/dev/stdout', '/dev/stderr', '/dev/tty', '/dev/fd/1', '/dev/fd/2'])
/** What git, editors, shells and package managers run, and what svc reads: a write there is a command. */
const RUN_BY_OTHERS =
  /(?:^|\/)(?:\.git|\.hg|\.svn|\.husky|\.githooks|\.svc|\.vscode|\.idea|\.fleet|\.zed|\.devcontainer|\.cargo|\.mvn|\.claude|\.cursor|\.yarn|\.direnv|\.venv|venv|node_modules|vendor\/bin)(?:\/|$)|(?:^|\/)(?:\.envrc|\.npmrc|\.yarnrc[^/]*|\.pnpmfile\.c?js|\.gitmodules|\.gitattributes|\.gitconfig|\.mcp\.json|\.bash[^/]*|\.profile|\.z(?:shrc|shenv|profile|login)|\.vimrc|\.nvimrc|\.exrc|\.inputrc|\.pre-commit-config\.yaml|\.lefthook[^/]*|lefthook\.ya?ml|\.tool-versions|\.?mise\.toml|\.bazelrc|\.netrc|\.gdbinit|\.lldbinit|\.dir-locals\.el|\.ssh|sitecustomize\.py|usercustomize\.py|[^/]*\.pth)$/i
/** Written again by the tools that made it, so it is not lost when it is deleted. */
const OUTPUT_FOLDER =
  /(?:^|\/)(?:node_modules|dist|build|out|target|coverage|htmlcov|__pycache__|tmp|temp|logs?|\.(?:next|nuxt|output|svelte-kit|turbo|parcel-cache|cache|vite|nyc_output|pytest_cache|mypy_cache|ruff_cache|tox|gradle|eggs|docusaurus|angular|coverage|terraform)|[^/]+\.egg-info|_build|site|storybook-static|test-results|playwright-report|cmake-build-[^/]+)(?:\/|$)/

/** Judges paths against one project. The answers are phrases for people; undefined means that it is fine. */
export class Paths {
  readonly project: string
  readonly #home = homedir()
  readonly #temporary: readonly string[]
  readonly #real = new Map<string, string>()

  readonly #homes: readonly string[]

  /** `homes`: folders of svc. */
  constructor(project: string, homes: readonly string[] = []) {
    this.#homes = homes
    this.project = this.real(project, '/')
    this.#temporary = [...new Set([tmpdir(), '/tmp'].map((folder) => this.real(folder, '/')))]
  }

  /** Absolute and without links, as far as it exists: `..` is the folder above the one that a link leads to. */
  real(path: string, cwd: string): string {
    let at = path.startsWith('/') ? '/' : cwd
    for (const part of path.split('/')) {
      if (part === '' || part === '.') continue
      at = part === '..' ? posix.dirname(at) : this.#step(posix.join(at, part))
    }
    return at
  }

  #step(path: string): string {
    const known = this.#real.get(path)
    if (known !== undefined) return known
    const real = resolveRealPath(path)
    this.#real.set(path, real)
    return real
  }

  isInProject(real: string): boolean {
    return isWithin(real, this.project)
  }

  read(path: string, cwd: string): string | undefined {
    const real = this.#place(path, cwd)
    if (real === undefined) return undefined
    if (real === '') return 'a path that is not known before it runs'
    const secret = this.#secret(real)
    if (secret) return `${path}, which ${secret}`
    if (DEVICES.has(real) || DEVICES.has(path)) return undefined
    const isFine = this.#isOwn(path, real) || HARMLESS.some((folder) => isWithin(real, folder))
    return isFine ? undefined : `a path outside the project: ${path} (read)`
  }

  write(path: string, cwd: string): string | undefined {
    const real = this.#place(path, cwd)
    if (real === undefined) return undefined
    if (real === '') return 'a path that is not known before it runs'
    if (OUTPUTS.has(real) || OUTPUTS.has(path)) return undefined
    const secret = this.#secret(real)
    if (secret) return `${path}, which ${secret}`
    if (!this.#isOwn(path, real)) return `a path outside the project: ${path} (written)`
    const isRun = RUN_BY_OTHERS.test(real.slice(this.isInProject(real) ? this.project.length : 0))
    return isRun ? `a change to ${path}, which other programs run or read` : undefined
  }

  /** Whether it is deleted with all that is in it: only what tools make again. */
  remove(path: string, cwd: string, how: 'file' | 'folder'): string | undefined {
    const real = this.#place(path, cwd)
    if (!real) return 'a deletion of files that are not known before it runs'
    if (!this.#isOwn(path, real) || real === this.project) return `a deletion outside the project: ${path}`
    const below = real.slice(this.isInProject(real) ? this.project.length : 0)
    if (!this.isInProject(real))
      return how === 'folder' && posix.dirname(real) === '/' ? `a deletion of ${path}` : undefined
    if (OUTPUT_FOLDER.test(below))
      return /(?:^|\/)\.git(?:\/|$)/.test(below) ? `a deletion in .git: ${path}` : undefined
    if (how === 'folder') return `a deletion of a folder that is not build output: ${path}`
    return this.write(path, cwd)
  }

  #secret(real: string): string | undefined {
    const homes = this.#homes.map((home) => this.real(home, '/'))
    const isOwnHome = findSvcLocation(real, homes) === 'closed'
    return isOwnHome ? 'belongs to svc' : findSecretLocation(real, this.#home)
  }

  /** Undefined: files of the project, whichever they are. Empty: not known. */
  #place(path: string, cwd: string): string | undefined {
    if (path === PATHS) return undefined
    if (path.includes(ANY) || path.includes(PATHS) || path.includes('\0')) return ''
    return this.real(path.replaceAll(TOKEN, 'x'), cwd)
  }

  #isOwn(path: string, real: string): boolean {
    if (this.isInProject(real)) return true
    const temporary = path.startsWith('/') ? this.#temporary.find((folder) => isWithin(real, folder)) : undefined
    if (temporary === undefined) return false
    const [first = ''] = real.slice(temporary.length + 1).split('/')
    return first !== '' && !/^(?:\.|ssh-|tmux-|snap)/.test(first) && !isWithin(this.project, `${temporary}/${first}`)
  }
}

function resolveRealPath(path: string): string {
  try {
    return realpathSync.native(path)
  } catch {
    // It does not exist or is not readable: return the path itself.
    return path
  }
}

export function isWithin(path: string, folder: string): boolean {
  return path === folder || path.startsWith(folder === '/' ? '/' : `${folder}/`)
}
