/** Texts that a command has run: `sh -c`, `eval`, `find -exec`, documents, `git rebase --exec`, `EDITOR=...`. */
import { codeOf, interpreter, literalsOf, reachesOut } from './code.ts'
import type { Command } from './normalise.ts'
import { wordsOf } from './options.ts'

/** A text that would be run. `keeps`: in the same shell, so a `cd` in it lasts. */
export interface NestedText {
  readonly text: string
  readonly keeps: boolean
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
  [/^(trap|-c)$/, (args) => args.slice(0, 1)],
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
  if (/^(find|fd|fdfind)$/.test(name)) texts.push(...executed(args).map((words) => words.map(quote).join(' ')))
  if (!texts.length) return [...fromCode(command), ...fromOptions(command)]
  return texts.filter((text) => text !== '').map((text) => ({ text, keeps: true }))
}

function fromOptions(command: Command): NestedText[] {
  return carried(command).flatMap((given) => {
    const text = typeof given === 'string' ? given : given.map(quote).join(' ')
    return text.trim() ? [{ text, keeps: false }] : []
  })
}

/** `os.system("...")` and `subprocess.run(["rm", "-rf", ...])`: each text in the code, and all of them in a row. */
function fromCode(command: Command): NestedText[] {
  const base = interpreter(command.name)
  const code = base && codeOf(command)
  if (!base || !code || !reachesOut(code, base)) return []
  const literals = literalsOf(code)
  const texts = literals.filter((text) => /\s/.test(text))
  const row = literals.filter((text) => !/\s/.test(text))
  if (row.length > 1) texts.push(row.map(quote).join(' '))
  return texts.map((text) => ({ text, keeps: false }))
}

function shellTexts({ name, args, input, wrappers }: Command): NestedText[] {
  const flag = /^(pwsh|powershell)$/.test(name) ? /^-(c|command)$/i : name === 'cmd' ? /^\/c$/i : /^-[a-zA-Z]*c$/
  const given = optionValue(args, flag)
  if (given.length)
    return [
      { text: name === 'cmd' || flag.flags || isFed(wrappers) ? given.join(' ') : (given[0] ?? ''), keeps: false },
    ]
  return input === undefined ? [] : [{ text: input, keeps: false }]
}

/** The script file that a command runs, as far as its words tell. */
export function fileRun({ name, args }: Command): string {
  return isShell(name) || /^(source|\.)$/.test(name) ? (args.find((word) => !word.startsWith('-')) ?? '') : name
}

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
function executed(args: readonly string[]): string[][] {
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
function quote(word: string): string {
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
    ({ args }) => valuesOf(args, /^(-[a-zA-Z]*I|--use-compress-program|--to-command)$/, /^--(use-|to-)[a-z-]+=/),
  ],
  [/^rsync$/, ({ args }) => valuesOf(args, /^(-[a-zA-Z]*e|--rsh|--rsync-path)$/, /^(--rsh|--rsync-path)=/)],
  [/^(docker(-compose)?|podman|nerdctl|kubectl|oc)$/, byContainer],
  [/^(npm|pnpm|yarn)$/, byPackages],
  [/^(tmux|screen)$/, bySession],
  [/^(entr|nodemon|watchexec|hyperfine)$/, ({ args }) => [args.filter((word) => !word.startsWith('-'))]],
]

function carried(command: Command): Carried {
  return CARRIERS.find(([programs]) => programs.test(command.name))?.[1](command) ?? []
}

function byGit(command: Command): Carried {
  const [verb = '', second = ''] = wordsOf(command)
  const more = command.args.slice(command.args.indexOf(second) + 1)
  if (verb === 'rebase') return valuesOf(command.args, /^(-x|--exec)$/, /^(-x|--exec=)(?=.)/)
  if (verb === 'bisect' && second === 'run') return [more]
  if (verb === 'submodule' && second === 'foreach') return [more.join(' ')]
  if (verb === 'filter-branch' || verb === 'difftool' || verb === 'mergetool')
    return valuesOf(command.args, /^(--[a-z]+-filter|-x|--extcmd)$/, /^--extcmd=/)
  if (verb !== 'config') return []
  return command.args.filter((word) => word.startsWith('!')).map((word) => word.slice(1))
}

function byPackages(command: Command): Carried {
  const [verb = ''] = wordsOf(command)
  if (!/^(exec|x|dlx)$/.test(verb)) return []
  const rest = command.args.slice(command.args.indexOf(verb) + 1)
  const start = rest.findIndex((word) => !word.startsWith('-'))
  return start < 0 ? [] : [rest.slice(start)]
}

/** `tmux new -d 'rm x'`, `screen -dmS name rm x` */
function bySession({ args }: Command): Carried {
  const named = args.findIndex((word) => /^-[a-zA-Z]*S$/.test(word))
  return [...args.filter((word) => /\s/.test(word)), named < 0 ? [] : args.slice(named + 2)]
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

function valuesOf(args: readonly string[], option: RegExp, joined: RegExp): string[] {
  return args.flatMap((word, at) => {
    if (option.test(word)) return args[at + 1] ?? []
    return joined.test(word) ? word.replace(joined, '') : []
  })
}
