/** Texts that a command has run: `sh -c`, `eval`, `find -exec`, documents, `git rebase --exec`, `EDITOR=...`. */
import { extractCode, interpreter, listLiterals, reachesOut } from './code.ts'
import type { Dialect } from './grammar.ts'
import { listOperands } from './options.ts'
import type { Command } from './walk.ts'

/** A text that would be run. `keeps`: in the same shell, so a `cd` in it lasts. */
export interface NestedText {
  readonly text: string
  readonly keeps: boolean
  /** The grammar it is in, when that is not the one of the text around it. */
  readonly dialect?: Dialect
}

const SHELLS = new Set('sh bash zsh dash ksh mksh ash fish rbash csh tcsh pwsh powershell cmd'.split(' '))
const TEXT_MAKERS = new Set('echo printf cat rev base64 xxd tr which command type tee'.split(' '))

/** Whether the program reads commands from its input. */
export function isShell(name: string): boolean {
  return SHELLS.has(name)
}

/** Whether all that a program does is to print. */
export function reportsText(name: string): boolean {
  return TEXT_MAKERS.has(name)
}

/** Programs that run a text in the place of a command, by their arguments and input. */
const RUNNERS: readonly (readonly [
  RegExp,
  (args: readonly string[], input: string | undefined) => readonly string[],
])[] = [
  [/^eval$/, (args) => args],
  [
    /^(invoke-expression|iex)$/,
    (args, input) => (args.length ? args.filter((word) => !/^-command$/i.test(word)) : [input ?? '']),
  ],
  [/^(trap|-c)$/, (args) => args.slice(args[0] === '--' ? 1 : 0, args[0] === '--' ? 2 : 1)],
  [/^(source|\.)$/, ([file = ''], input = '') => (/^\/dev\/(stdin|fd\/)/.test(file) ? [input] : [])],
  [/^(su|script|runuser)$/, (args) => optionValue(args, /^(-[a-z]*c|--command|--session-command)$/)],
  [/^watch$/, (args) => args.slice(args.findIndex((word) => !/^-|^\d/.test(word)))],
  [/^ssh$/, (args, input = '') => (remote(args).length ? remote(args) : [input])],
  [/^(at|batch)$/, (_args, input = '') => [input]],
]

/** The texts that this command would run. */
export function nestedTexts(command: Command): NestedText[] {
  const { name, args, input } = command
  if (isShell(name)) return shellTexts(command)
  const runner = RUNNERS.find(([programs]) => programs.test(name))
  const texts = runner ? [runner[1](args, input).join(' ')] : []
  if (name === 'alias') texts.push(...args.map((word) => word.slice(word.indexOf('=') + 1)))
  if (/^(find|fd|fdfind)$/.test(name)) texts.push(...listExecuted(args).map((words) => words.map(quote).join(' ')))
  if (!texts.length) return [...fromCode(command), ...fromOptions(command)]
  return texts.filter((text) => text !== '').map((text) => ({ text, keeps: true }))
}

function fromOptions(command: Command): NestedText[] {
  return findCarried(command).flatMap((given) => {
    const text = typeof given === 'string' ? given : given.map(quote).join(' ')
    return text.trim() ? [{ text, keeps: false }] : []
  })
}

/** `os.system("...")` and `subprocess.run(["rm", "-rf", ...])`: each text in the code, and all of them in a row. */
function fromCode(command: Command): NestedText[] {
  const base = interpreter(command.name)
  const code = base && extractCode(command)
  if (!base || !code || !reachesOut(code, base)) return []
  const literals = listLiterals(code)
  const texts = literals.filter((text) => /\s/.test(text))
  const row = literals.filter((text) => !/\s/.test(text))
  if (row.length > 1) texts.push(row.map(quote).join(' '))
  return texts.map((text) => ({ text, keeps: false }))
}

function shellTexts({ name, args, input, wrappers }: Command): NestedText[] {
  const dialect = getDialect(name)
  const encoded = dialect === 'powershell' ? optionValue(args, /^[-/]e(?:c|n.*)?$/i)[0] : undefined
  if (encoded !== undefined)
    return [{ text: Buffer.from(encoded, 'base64').toString('utf16le'), keeps: false, dialect }]
  const flag =
    dialect === 'powershell'
      ? /^[-/]c(?:o.*)?$/i
      : name === 'cmd'
        ? /^\/[ck]$/i
        : /^(-[a-zA-Z]*c|--command|-C|--init-command)$/
  const given = optionValue(args, flag)
  if (given.length)
    return [
      {
        text: name === 'cmd' || flag.flags || isFed(wrappers) ? given.join(' ') : (given[0] ?? ''),
        keeps: false,
        dialect,
      },
    ]
  return input === undefined ? [] : [{ text: input, keeps: false, dialect }]
}

function getDialect(name: string): Dialect {
  if (/^(pwsh|powershell)$/.test(name)) return 'powershell'
  return name === 'fish' || name === 'cmd' ? name : 'posix'
}

/** Files that a command runs, as far as its words tell: scripts, and what tools read to know what to run. */
export function fileRun(command: Pick<Command, 'name' | 'program' | 'args'>): string[] {
  const { name, program, args } = command
  if (isShell(name) || /^(source|\.)$/.test(name) || interpreter(name) !== undefined) {
    const file = args.find((word, at) => !word.startsWith('-') && !/^-(c|e|r|m|-eval)$/.test(args[at - 1] ?? ''))
    return file === undefined ? [] : [file]
  }
  if (name === 'git')
    return HOOKED.test(listOperands(command)[0] ?? '') ? HOOKS.map((hook) => `.git/hooks/${hook}`) : []
  const given = args.filter((_, at) => /^(-f|--file|--makefile|--justfile)$/.test(args[at - 1] ?? ''))
  const read = RECIPES.find(([programs]) => programs.test(name))?.[1]
  return read ? (given.length ? given : [...read]) : [program]
}

/** Where tools read what to run. */
const RECIPES: readonly (readonly [RegExp, readonly string[]])[] = [
  [/^g?make$/, ['GNUmakefile', 'makefile', 'Makefile']],
  [/^(npm|pnpm|yarn|bun)$/, ['package.json']],
  [/^just$/, ['justfile', 'Justfile', '.justfile']],
  [/^task$/, ['Taskfile.yml', 'Taskfile.yaml']],
]
const HOOKED = /^(commit|merge|rebase|checkout|switch|push|pull|am|cherry-pick|worktree|gc|revert)$/
const HOOKS = [
  ...['pre-commit', 'prepare-commit-msg', 'commit-msg', 'post-commit', 'pre-push', 'pre-rebase', 'post-checkout'],
  ...['post-merge', 'pre-merge-commit', 'post-rewrite', 'applypatch-msg', 'pre-applypatch', 'post-applypatch'],
]

/** `xargs` and its like add words of their input. */
export function isFed(wrappers: Command['wrappers']): boolean {
  return wrappers.some(([name]) => name === 'xargs' || name === 'parallel')
}

/** The words from the one after the option on. */
function optionValue(args: readonly string[], option: RegExp): readonly string[] {
  const at = args.findIndex((word) => option.test(word))
  return at < 0 ? [] : args.slice(at + 1)
}

/** What comes after the host. */
function remote(args: readonly string[]): readonly string[] {
  let at = 0
  while (at < args.length && args[at]?.startsWith('-')) at += /^-[bcDEeFIiJLlmOopQRSWw]$/.test(args[at] ?? '') ? 2 : 1
  const rest = args.slice(at + 1)
  return rest[0] === '--' ? rest.slice(1) : rest
}

/** The commands between `-exec` and `;` or `+`. */
function listExecuted(args: readonly string[]): string[][] {
  const found: string[][] = []
  let open: string[] | undefined
  for (const word of args) {
    if (/^(-exec|-execdir|-ok|-okdir|-x|-X|--exec|--exec-batch)$/.test(word)) {
      open = []
      found.push(open)
    } else if (word === ';' || (word === '+' && open?.at(-1) === '{}')) open = undefined
    else open?.push(word)
  }
  return found.filter((words) => words.length)
}

/** A word so that reading it again gives the same. */
export function quote(word: string): string {
  return /^[\w./~{}+=:@%-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`
}

const LOADED_BY_PROGRAMS = /^(LD_PRELOAD|LD_AUDIT|DYLD_INSERT_LIBRARIES|BASH_ENV)$/
/** Variables whose value a program runs. */
const RUN_BY_PROGRAMS =
  /^(GIT_SSH_COMMAND|GIT_(SEQUENCE_)?EDITOR|GIT_PAGER|GIT_EXTERNAL_DIFF|GIT_ASKPASS|EDITOR|VISUAL|(MAN)?PAGER|BROWSER|LESSOPEN|PROMPT_COMMAND|SUDO_ASKPASS|RSYNC_RSH)$/

/** What setting a variable has programs run; undefined when it is a variable like any other. */
export function carriedByVariable(name: string, value: string): string | undefined {
  if (LOADED_BY_PROGRAMS.test(name)) return `export ${name}=_`
  return RUN_BY_PROGRAMS.test(name) ? value : undefined
}

type Carried = readonly (string | readonly string[])[]

/** Programs that have others run, and the commands in their arguments: each is a text or the words of one. */
const CARRIERS: readonly (readonly [RegExp, (command: Command) => Carried])[] = [
  [/^git$/, byGit],
  [
    /^(bsd)?tar$/,
    ({ args }) =>
      listOptionValues(args, /^(-[a-zA-Z]*I|--use-compress-program|--to-command)$/, /^--(use-|to-)[a-z-]+=/),
  ],
  [/^rsync$/, ({ args }) => listOptionValues(args, /^(-[a-zA-Z]*e|--rsh|--rsync-path)$/, /^(--rsh|--rsync-path)=/)],
  [/^(docker(-compose)?|podman|nerdctl|kubectl|oc)$/, byContainer],
  [/^(npm|pnpm|yarn)$/, byPackages],
  [/^(tmux|screen)$/, bySession],
  [
    /^g?sed$/,
    ({ args }) => args.flatMap((word) => /(?:^|[;{}\n])\s*[\d$]*e\s+(.+)$/m.exec(word.slice(0, 4000))?.[1] ?? []),
  ],
  [
    /^(crontab|sbatch)$/,
    ({ input = '' }) => input.split('\n').map((line) => line.replace(/^\s*(?:@\w+|(?:\S+\s+){5})/, '')),
  ],
  [
    /^(make|gmake)$/,
    ({ args, input = '' }) =>
      args.some((word, at) => /^(-|\/dev\/stdin)$/.test(word) && /^-f$|file$/.test(args[at - 1] ?? ''))
        ? input.split('\n').map((line) => line.replace(/^\t[@-]*/, ''))
        : [],
  ],
  [/^(entr|nodemon|watchexec|hyperfine)$/, ({ args }) => [args.filter((word) => !word.startsWith('-'))]],
]

function findCarried(command: Command): Carried {
  return CARRIERS.find(([programs]) => programs.test(command.name))?.[1](command) ?? []
}

function byGit(command: Command): Carried {
  const [verb = '', second = ''] = listOperands(command)
  const more = command.args.slice(command.args.indexOf(second) + 1)
  const remote = command.args.find((word) => word.startsWith('ext::'))
  if (remote !== undefined) return [remote.slice(5).replace(/%(.)/g, (_, char: string) => (char === 'S' ? '' : char))]
  const settings = command.args.flatMap((word, at) => {
    const value =
      command.args[at - 1] === '-c'
        ? /^(?:core\.(?:pager|editor|sshcommand|fsmonitor|askpass)|pager\.\w+|alias\.\w+|sequence\.editor|credential\.helper)=!?([\s\S]+)$/i.exec(
            word,
          )?.[1]
        : undefined
    return value === undefined ? [] : [value]
  })
  if (settings.length) return settings
  if (verb === 'rebase') return listOptionValues(command.args, /^(-x|--exec)$/, /^(-x|--exec=)(?=.)/)
  if (verb === 'bisect' && second === 'run') return [more]
  if (verb === 'submodule' && second === 'foreach') return [more.join(' ')]
  if (verb === 'filter-branch' || verb === 'difftool' || verb === 'mergetool')
    return listOptionValues(command.args, /^(--[a-z]+-filter|-x|--extcmd)$/, /^--extcmd=/)
  if (verb !== 'config') return []
  return command.args.filter((word) => word.startsWith('!')).map((word) => word.slice(1))
}

function byPackages(command: Command): Carried {
  const [verb = ''] = listOperands(command)
  if (!/^(exec|x|dlx)$/.test(verb)) return []
  const rest = command.args.slice(command.args.indexOf(verb) + 1)
  const start = rest.findIndex((word) => !word.startsWith('-'))
  return start < 0 ? [] : [rest.slice(start)]
}

/** `tmux new -d 'rm x'`, `screen -dmS name rm x` */
function bySession({ args }: Command): Carried {
  const named = args.findIndex((word) => /^-[a-zA-Z]*S$/.test(word))
  const typed = args.filter((word) => /\s/.test(word)).map((word) => word.replace(/(?:\^[MJ]|\\[nr])+$/, ''))
  return [...typed, named < 0 ? [] : args.slice(named + 2)]
}

/** What comes after the container: `docker exec -it web rm x`, `kubectl exec pod -- rm x`. */
function byContainer({ args }: Command): Carried {
  const at = args.indexOf('exec')
  if (at < 0 || at > 6) return []
  const dashes = args.indexOf('--', at)
  if (dashes >= 0) return [args.slice(dashes + 1)]
  let next = at + 1
  while (args[next]?.startsWith('-'))
    next += /^-([a-zA-Z]*[uewnc]|-user|-env|-workdir|-index|-namespace|-container)$/.test(args[next] ?? '') ? 2 : 1
  return [args.slice(next + 1)]
}

function listOptionValues(args: readonly string[], option: RegExp, joined: RegExp): string[] {
  return args.flatMap((word, at) => {
    if (option.test(word)) return args[at + 1] ?? []
    return joined.test(word) ? word.replace(joined, '') : []
  })
}
