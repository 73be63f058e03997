/** Texts that a command hands to a shell: `sh -c`, `eval`, `find -exec`, documents, decoded pipes. */
import { codeOf, interpreter, literalsOf, reachesOut } from './code.ts'
import type { Command } from './normalise.ts'

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

/** The texts that this command would run. */
export function nestedTexts(command: Command): NestedText[] {
  const { name, args, input } = command
  if (isShell(name)) return shellTexts(command)
  const join = (words: readonly string[]) => (words.length ? [{ text: words.join(' '), keeps: true }] : [])
  switch (name) {
    case 'eval':
      return join(args)
    case 'trap':
      return join(args.slice(0, 1))
    case 'alias':
      return args.flatMap((word) => join([word.slice(word.indexOf('=') + 1)]))
    case 'source':
    case '.':
      return /^\/dev\/(stdin|fd\/)/.test(args[0] ?? '') && input !== undefined ? join([input]) : []
    case 'su':
    case 'script':
    case 'runuser':
      return join(optionValue(args, /^(-[a-z]*c|--command|--session-command)$/))
    case 'watch':
      return join(args.slice(args.findIndex((word) => !/^-|^\d/.test(word))))
    case 'ssh':
      return join(remote(args))
    case 'at':
    case 'batch':
      return input === undefined ? [] : join([input])
    case 'find':
    case 'fd':
    case 'fdfind':
      return executed(args).flatMap((words) => join(words.map(quote)))
    default:
      return fromCode(command)
  }
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

function shellTexts({ name, args, input, from }: Command): NestedText[] {
  const flag = /^(pwsh|powershell)$/.test(name) ? /^-(c|command)$/i : name === 'cmd' ? /^\/c$/i : /^-[a-zA-Z]*c$/
  const given = optionValue(args, flag)
  if (given.length) return [{ text: name === 'cmd' || flag.flags ? given.join(' ') : (given[0] ?? ''), keeps: false }]
  if (input !== undefined) return [{ text: input, keeps: false }]
  return from === undefined ? [] : []
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
  return args.slice(at + 1)
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
