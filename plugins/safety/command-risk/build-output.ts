/** Whether what is deleted can be made again: build output below the working folder, and files in temporary folders. */
import { spawn } from 'node:child_process'
import { posix } from 'node:path'
import type { Fit } from './dangerous.ts'
import { isFed } from './nested.ts'
import type { Script } from './normalise.ts'
import { operands } from './options.ts'
import { absolutePath, isInside, throughLinks } from './paths.ts'
import type { Command } from './walk.ts'

const PATTERNS = new Set(['recursive-delete', 'find-delete', 'delete-by-pattern', 'fed-delete', 'forced-delete'])
const FOLDERS = new Set(
  (
    'node_modules dist build target out .next .nuxt .output .svelte-kit .turbo .parcel-cache .cache .vite .astro .docusaurus ' +
    'coverage .nyc_output __pycache__ .pytest_cache .mypy_cache .ruff_cache .tox .nox .venv venv .eggs htmlcov .gradle ' +
    '.dart_tool .angular .serverless .terraform .webpack .rollup.cache .eslintcache .sass-cache .jest-cache .vercel .expo ' +
    'cmake-build-debug cmake-build-release DerivedData storybook-static test-results playwright-report _build deps tmp ' +
    'package-lock.json yarn.lock pnpm-lock.yaml bun.lockb .tsbuildinfo .stack-work dist-newstyle .bundle zig-cache zig-out'
  ).split(' '),
)
const TEMPORARY = /^\/(?:private\/)?(?:tmp|var\/tmp|var\/folders\/[^/]+\/[^/]+\/T)\/[^/*?]/
/** Ignored by git and yet not to be made again. */
const PRECIOUS =
  /(?:^|\/)(?:\.env[^/]*|\.git|\.svc|data|uploads?|storage|backups?|secrets?|keys?|certs?|volumes?|db|database|media|notes|[^/]*\.(?:db|sqlite3?|pem|key|sql|dump))(?:\/|$)/i
/** Files that programs leave behind. */
const JUNK =
  /^(?:\.DS_Store|Thumbs\.db|desktop\.ini|\*\.(?:pyc|pyo|orig|rej|tmp|swp|o|class|tsbuildinfo)|\*~|\.\*\.sw[op])$/
const LIMIT_MS = 500
const MAX_TARGETS = 20

/** The dangers without those that only delete what can be made again. */
export async function withoutBuildOutput(fits: readonly Fit[], script: Script): Promise<readonly Fit[]> {
  const deletes = fits.filter(({ name }) => PATTERNS.has(name))
  if (!deletes.length) return fits
  const commands = [...new Set(deletes.flatMap((fit) => fit.commands))]
  const harmless = new Set<Command>()
  for (const command of commands) if (await canBeMadeAgain(command, script)) harmless.add(command)
  return fits.filter(
    ({ name, commands: fitting }) => !PATTERNS.has(name) || fitting.some((each) => !harmless.has(each)),
  )
}

async function canBeMadeAgain(command: Command, script: Script): Promise<boolean> {
  const words = listTargets(command, script)
  const isFew = words !== undefined && words.length > 0 && words.length <= MAX_TARGETS
  if (!isFew || command.wrappers.some(([name]) => /^(sudo|doas|xargs|parallel|su)$/.test(name ?? ''))) return false
  const kinds = words.map((word) => classifyPath(absolutePath(word, command.cwd, script.home), script))
  if (kinds.includes('precious')) return false
  const unclear = kinds.filter((kind) => typeof kind !== 'string').map(({ path }) => path)
  return unclear.length === 0 || (!changesIgnoring(script) && (await ignores(script.cwd, unclear)))
}

/** Whether a path can be made again, is not to be deleted unasked, or is for git to decide. */
function classifyPath(path: string | undefined, script: Script): 'output' | 'precious' | { readonly path: string } {
  const { state, ground, cwd } = script
  if (path === undefined || throughLinks(path, state.links) !== path || ground.real.has(path)) return 'precious'
  if (ground.homes.some((home) => isInside(home, path) || isInside(path, home))) return 'precious'
  if (isTemporary(path, script) || isKnown(path, cwd)) return 'output'
  const isOurs = isInside(path, cwd) && path !== cwd && !/[*?[]/.test(path)
  return isOurs && !PRECIOUS.test(path.slice(cwd.length)) ? { path } : 'precious'
}

/** What is deleted; for `find`, the names that it chooses by. */
function listTargets(command: Command, { cwd, commands }: Script): readonly string[] | undefined {
  const { name, args } = command
  if (name === 'find' || name === 'fd') {
    const chosen = args.flatMap((word, at) => (args[at - 1] === '-name' ? [word] : []))
    const start = args[0] !== undefined && !args[0].startsWith('-') ? args[0] : '.'
    if (args.some((word) => /^-(o|or)$/.test(word)) && chosen.length < 2) return undefined
    return chosen.length && !args.includes('!') && !args.includes('-not')
      ? chosen.map((word) => posix.join(start, word))
      : undefined
  }
  // `rm -rf {}` of a search is judged with the search.
  if (args.includes('{}') && isOfSearch(commands)) return [`${cwd}/node_modules`]
  return operands(args)
}

/** `{}` means the results of `find`, not input from another program. */
function isOfSearch(commands: readonly Command[]): boolean {
  return (
    commands.some(({ name, args }) => name === 'find' && args.includes('{}')) &&
    commands.every(({ name, wrappers }) => !/^(parallel|xargs)$/.test(name) && !isFed(wrappers))
  )
}

function isTemporary(path: string, { home, cwd }: Script): boolean {
  // A project may be in a temporary folder: there it is a project all the same.
  return TEMPORARY.test(path) && ![home, cwd].some((folder) => isInside(folder, path)) && !isInside(path, cwd)
}

/** Some folder on the way, below the working folder, is one of those that tools make. */
function isKnown(path: string, cwd: string): boolean {
  if (!isInside(path, cwd) || path === cwd) return false
  const parts = path.slice(cwd.length).split('/').filter(Boolean)
  if (parts.includes('.git')) return false
  return (
    JUNK.test(parts.at(-1) ?? '') || parts.some((part) => FOLDERS.has(part) || /\.egg-info$|^cmake-build-/.test(part))
  )
}

/** A session that says what git ignores would say that of sources. */
function changesIgnoring({ state }: Script): boolean {
  return [...state.written.keys()].some((path) => /\/\.gitignore$|\/\.git\/|\/\.config\/git\//.test(path))
}

/** Git ignores all of them and keeps nothing that is in them. */
async function ignores(cwd: string, paths: readonly string[]): Promise<boolean> {
  const ignored = await git(cwd, ['check-ignore', '--', ...paths])
  if (ignored === undefined || ignored.trim().split('\n').length !== paths.length) return false
  return (await git(cwd, ['ls-files', '--', ...paths])) === ''
}

/** What git prints; undefined when it fails or takes too long. */
function git(cwd: string, args: readonly string[]): Promise<string | undefined> {
  return new Promise((resolve) => {
    const child = spawn('git', ['-c', 'core.fsmonitor=false', '-c', 'core.quotePath=false', ...args], {
      cwd,
      stdio: ['ignore', 'pipe', 'ignore'],
      timeout: LIMIT_MS,
      env: {
        PATH: '/usr/local/bin:/usr/bin:/bin',
        GIT_OPTIONAL_LOCKS: '0',
        GIT_CONFIG_NOSYSTEM: '1',
        HOME: '/nonexistent',
      },
    })
    let text = ''
    child.stdout.on('data', (data: Buffer) => {
      if (text.length < 65_536) text += data.toString('utf8')
    })
    child.on('error', () => resolve(undefined))
    child.on('close', (code) => resolve(code === 0 ? text : undefined))
  })
}
