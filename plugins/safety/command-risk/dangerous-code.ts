/** Patterns about code: what is downloaded and run, hidden, pushed over others' work, or cannot be looked into. */
import { posix } from 'node:path'
import { extractCode, harmsByFile, interpreter, reachesOut } from './code.ts'
import { isUnknown } from './expand.ts'
import { fileRun, isShell } from './nested.ts'
import { operands, option } from './options.ts'
import { type Matchers, says } from './pattern.ts'
import { handlesText } from './runners.ts'
import type { Command } from './walk.ts'

const FETCHERS = /^(curl|wget|fetch|aria2c|http|https|lynx|nc|ncat|invoke-webrequest|iwr|irm)$/

export const codePatterns = {
  'download-and-run': (command, { commands }) =>
    (runsInput(command) && chain(command).some(({ name }) => FETCHERS.test(name))) ||
    (/^(bash|sh|zsh|fish|source|\.|eval|python\d*|node|perl|ruby|iex|invoke-expression)$/.test(command.name) &&
      (command.args.some((word) => word.startsWith('/dev/fd/') || isUnknown(word)) || command.name === 'iex') &&
      commands.some(({ name }) => FETCHERS.test(name))) ||
    downloads(commands).some((file) => runs(command, file)),
  'decode-and-run': (command) =>
    runsInput(command) &&
    chain(command).some(({ name }) =>
      /^(base64|base32|basenc|xxd|openssl|gunzip|gzip|zcat|uudecode|rev|tr|gpg)$/.test(name),
    ),
  'piped-shell': ({ name, args, from, input, redirects }) =>
    isShell(name) &&
    ((from !== undefined && input === undefined && readsInput({ args })) ||
      [...args, ...redirects.map(({ target }) => target)].some((word) => /^\/dev\/(fd\/|stdin$)/.test(word))),
  'unknown-script': ({ name, args }) =>
    (isShell(name) && args.some((word, at) => /^-[a-zA-Z]*c$/.test(word) && isUnknown(args[at + 1] ?? ''))) ||
    (name === 'eval' && args.some(isUnknown)) ||
    (name === 'invoke-expression' &&
      (args.length === 0 || args.some((word) => isUnknown(word) || word.startsWith('-')))) ||
    (/^(eval|source|\.)$/.test(name) && args.some((word) => word.startsWith('/dev/fd/'))),
  'unknown-command': ({ name }) => isUnknown(name) || (name.length > 1 && /[*?]|\[.*\]/.test(name) && name !== '[['),
  'inline-code': (command) => {
    const base = interpreter(command.name)
    const code = base && extractCode(command)
    if (base === undefined || code === undefined) return false
    return command.isFile ? harmsByFile(code) : reachesOut(code, base)
  },
  'piped-code': (command) =>
    !isShell(command.name) && runsInput(command) && command.from !== undefined && command.input === undefined,
  'encoded-powershell': ({ name, args }) =>
    /^(pwsh|powershell)$/.test(name) && args.some((word) => /^[-/]e(nc.*|c)?$/i.test(word)),
  'unread-script': (_command, { unread }) => unread.length > 0,
  'forgotten-shell': ({ name, isCertain }, { state }) =>
    isCertain && state.isIncomplete && !handlesText(name) && !isUsual(name),
  'fresh-program': ({ name, args }, { commands }) =>
    name === 'chmod' &&
    args.some((word) => /^[ugoa]*\+[rwX]*x|^0?[0-7]*[1357][0-7]{0,2}$/.test(word)) &&
    operands(args)
      .slice(1)
      .some((file) => commands.some((other) => runs(other, posix.basename(file)))) &&
    commands.some(
      (other) =>
        FETCHERS.test(other.name) ||
        other.redirects.some(({ operator, target }) => operator.startsWith('>') && args.includes(target)),
    ),
  preload: ({ name, args, assigned }) =>
    assigned.some(([variable]) =>
      /^(LD_PRELOAD|LD_AUDIT|DYLD_INSERT_LIBRARIES|BASH_ENV|PROMPT_COMMAND)$/.test(variable),
    ) ||
    (/^(export|env|declare)$/.test(name) &&
      args.some((word) =>
        /^(LD_PRELOAD|LD_LIBRARY_PATH|LD_AUDIT|DYLD_INSERT_LIBRARIES|BASH_ENV|PROMPT_COMMAND|GIT_SSH_COMMAND)=/.test(
          word,
        ),
      )),
  alias: ({ name, args }) =>
    name === 'alias' && args.some((word) => /^(ls|cd|sudo|git|cat|rm|cp|mv|ssh|echo|grep)=/.test(word)),
  'git-reset-hard': (command) =>
    says(command, 'git reset --hard|--merge', 'git switch -f|--discard-changes|--force', 'git checkout -f|--force') ||
    (says(command, 'git checkout|restore !--staged') && command.args.some((word) => word === '.' || word === ':/')),
  'git-clean': (command) => says(command, 'git clean -f|--force !-n|--dry-run'),
  'git-force-push': (command) =>
    says(command, 'git push -f|-d|--force|--force-with-lease|--mirror|--delete|--prune !-n|--dry-run') ||
    (says(command, 'git push !-n|--dry-run') && command.args.some((word) => /^[+:]\S/.test(word))),
  'git-delete': (command) =>
    says(
      command,
      'git branch -D',
      'git branch -d|--delete -f|--force',
      'git stash drop|clear',
      'git reflog expire|delete',
      'git filter-branch|filter-repo|update-ref',
      'git gc --prune=now',
      'git gc --prune=all',
      'git worktree remove -f|--force',
      'git tag -d|--delete',
    ),
  'git-settings': (command) =>
    says(command, 'git config *') &&
    operands(command.args).length > 2 &&
    (option(command.args, '', ['--global', '--system']) ||
      command.args.some((word) => /^core\.(hookspath|sshcommand|fsmonitor|gitproxy)$/i.test(word))),
  publish: (command) =>
    says(
      command,
      'npm|yarn|pnpm|bun|cargo|poetry|gem|twine|hatch|uv|flit publish|unpublish|deprecate|yank|upload !--dry-run',
      'yarn|pnpm npm|recursive publish !--dry-run',
      'gem|docker|podman|nerdctl|helm|dotnet|nuget push',
      'dotnet nuget push|delete',
      'gh repo|release delete|archive|rename',
    ),
  'force-install': ({ name, args }) =>
    /^pip\d*$/.test(name) &&
    args[0] === 'install' &&
    args.some((word) => /^--break-system-packages$|^(git\+)?https?:/.test(word)),
} satisfies Matchers

/** The commands that feed this one, nearest first. */
function chain(command: Command): Command[] {
  const found: Command[] = []
  for (let at = command.from; at && found.length < 20; at = at.from) found.push(at)
  return found
}

function readsInput({ args }: Pick<Command, 'args'>): boolean {
  return args.every((word) => /^-|^\/dev\/stdin$/.test(word)) || args.includes('-s')
}

function runsInput(command: Command): boolean {
  const { name, args } = command
  if (isShell(name)) return readsInput(command)
  if (/^(source|\.)$/.test(name)) return args.length === 0 || args[0] === '/dev/stdin' || args[0] === '-'
  const base = interpreter(name)
  return base !== undefined && base !== 'awk' && (args.length === 0 || args[0] === '-')
}

const known = new WeakMap<readonly Command[], readonly string[]>()

/** Files that something was downloaded into; computed once for a script. */
function downloads(commands: readonly Command[]): readonly string[] {
  const files = known.get(commands) ?? findDownloads(commands)
  known.set(commands, files)
  return files
}

function findDownloads(commands: readonly Command[]): string[] {
  return commands
    .filter(({ name }) => FETCHERS.test(name))
    .flatMap(({ args, redirects }) => [
      ...redirects.filter(({ operator }) => operator.startsWith('>') && operator !== '>&').map(({ target }) => target),
      ...args.filter((_, at) => /^(-[a-zA-Z]*[oO]|--output(-document)?)$/.test(args[at - 1] ?? '')),
      ...args.filter((word) => /^https?:/.test(word)),
    ])
    .map((file) => posix.basename(file))
    .filter((file) => !/^(-|null|)$/.test(file))
}

/** Whether a command runs the file of this name. */
function runs(command: Command, file: string): boolean {
  const words = interpreter(command.name) === undefined ? fileRun(command) : command.args
  return words.some((word) => posix.basename(word).toLowerCase() === file.toLowerCase())
}

const COMMON_PROGRAMS = new Set(
  'npm npx pnpm yarn bun node deno python python3 pip pip3 uv cargo go make cmake docker kubectl bash sh zsh tsc vitest jest pytest ruff find xargs tar awk env time timeout source . if then'.split(
    ' ',
  ),
)

/** Programs that a session would hardly give another meaning: only asked about when nothing is known of the shell any more. */
function isUsual(name: string): boolean {
  return COMMON_PROGRAMS.has(name)
}
