/** Runs git in the folder of a session, so that no program is run which the repository names. */
import { Secrets, SvcError } from 'svc/sdk'
import { runProgram } from 'svc/sdk/kit/process'
import type { Context } from './workspace.ts'

const MAX_BYTES = 2 * 2 ** 20
/** Hooks, watchers, editors and signatures are programs that a repository, and so an agent, may name. */
const PLAIN = ['core.fsmonitor=false', 'core.hooksPath=/dev/null', 'core.editor=true', 'commit.gpgSign=false']
/** Filters of attributes are run by every look at a changed file: https://git-scm.com/docs/gitattributes#_filter */
const FILTER = /^filter\..+\.(?:clean|smudge|process|required)$/i

/** A diff that runs no program and tells of a deleted file only that it is deleted. */
export const PLAIN_DIFF: readonly string[] = [
  ...['--no-color', '--no-ext-diff', '--no-textconv', '--no-renames', '--irreversible-delete'],
  '--ignore-submodules=dirty',
]

export interface GitOptions {
  readonly cwd: string
  readonly signal: AbortSignal
  /** Variables besides those that git always gets. */
  readonly environment?: Readonly<Record<string, string>>
  readonly onOutput?: (text: string) => void
}

/** Resolves with the output. Throws `DASHBOARD_GIT` with what git says. */
export async function runGit(ctx: Context, options: GitOptions, args: readonly string[]): Promise<string> {
  const { cwd, signal } = options
  const plain = [...PLAIN, 'core.quotePath=false', ...(await listFilters(ctx, { cwd, signal }))]
  return readGit(ctx, options, [...plain.flatMap((each) => ['-c', each]), ...args])
}

/** Settings that switch off the filters which the repository itself names; those of the user stay. */
async function listFilters(ctx: Context, options: GitOptions): Promise<readonly string[]> {
  const output = await readGit(ctx, options, [
    'config',
    '--null',
    '--show-scope',
    '--includes',
    '--name-only',
    '--list',
  ])
  const words = output.split('\0')
  const names = words.filter((name, at) => at % 2 === 1 && FILTER.test(name) && isOwn(words[at - 1]))
  return [...new Set(names)].map((name) => (/required$/i.test(name) ? `${name}=false` : `${name}=`))
}

function isOwn(scope: string | undefined): boolean {
  return scope === 'local' || scope === 'worktree'
}

/** For what runs no program in any repository. */
export async function readGit(ctx: Context, options: GitOptions, args: readonly string[]): Promise<string> {
  const { cwd, signal, environment, onOutput } = options
  const secrets = ctx.use(Secrets)
  const home = secrets.get('HOME')
  const { output } = await runProgram({
    owner: ctx.name,
    program: 'git',
    args,
    cwd,
    environment: {
      PATH: secrets.get('PATH') ?? '/usr/bin:/bin',
      GIT_OPTIONAL_LOCKS: '0',
      GIT_TERMINAL_PROMPT: '0',
      LC_ALL: 'C',
      ...(home !== undefined && { HOME: home }),
      ...environment,
    },
    ...(onOutput && { onOutput }),
    signal,
    maxBytes: MAX_BYTES,
    fail: (message, cause) => new SvcError('DASHBOARD_GIT', message, { status: 409, cause }),
  })
  return output
}
