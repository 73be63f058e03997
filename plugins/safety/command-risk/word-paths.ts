/** The paths that the words of a command name, and what is done there. */
import { extractCode } from './code.ts'
import { UNKNOWN } from './expand.ts'
import type { Script } from './normalise.ts'
import { operands } from './options.ts'
import { absolutePath, throughLinks } from './paths.ts'
import type { Command } from './walk.ts'
import { listWritten } from './written-paths.ts'

/** A path as a command names it. */
export interface NamedPath {
  /** Absolute, links that are known resolved; a part that is not known stays `UNKNOWN`. May hold `*`, `?` and `[...]`. */
  readonly path: string
  /** `name`: only its name and dates matter; `any`: the program may do whatever it likes. */
  readonly access: 'read' | 'write' | 'name' | 'any'
}

/** Words are printed or kept, never opened. */
const NO_PATHS =
  /^(echo|printf|true|false|:|write-host|write-output|exit|return|sleep|kill|seq|expr|for|case|select|apropos|man|which|type|say|whatis|tldr|unset|alias|unalias|set)$/
/** They tell names and dates of files, not what is in them. */
const ONLY_NAMES =
  /^(ls|dir|stat|test|\[|\[\[|file|cd|pushd|popd|pwd|du|df|realpath|readlink|basename|dirname|tree|exa|eza|lsattr|set-location|get-childitem|test-path|chdir|mkdir|touch|chmod|chown|rm|rmdir|unlink|shred|ssh|ssh-add|ssh-keygen|scp|sftp|open|xdg-open|get-item|direnv|export|declare|local|readonly)$/
const READERS =
  /^(cat|tac|less|more|head|tail|grep|egrep|fgrep|rg|ag|wc|sort|uniq|cut|jq|diff|cmp|awk|gawk|strings|xxd|od|hexdump|nl|bat|zcat|zgrep|md5sum|sha256sum|get-content|select-string|find|fd)$/
const COPIERS = /^(cp|mv|ln|install|rsync|copy-item|move-item)$/
const PATTERN_FIRST = /^(grep|egrep|fgrep|zgrep|rg|ag|ack|g?sed|[gmn]?awk|jq|yq|tr|select-string|perl-rename|expr)$/
const IN_CODE = /(?:~|\$HOME|\.{1,2}|[\w.-]*)(?:\/[\w.*?@+%~-]+)+\/?|(?<![\w.])\.[\w-]+(?:\.[\w-]+)*/g
const MAX_WORDS = 400
const MAX_CODE = 20_000

/** Paths that a command names, bounded. */
export function namedPaths(command: Command, { home, state }: Pick<Script, 'home' | 'state'>): NamedPath[] {
  const written = new Set(listWritten(command))
  const found = wordsWithPaths(command).slice(0, MAX_WORDS)
  return [
    ...found.map((word) => ({ word, access: chooseAccess(command, word, written) })),
    ...[...written].map((word) => ({ word, access: 'write' as const })),
  ].map(({ word, access }) => ({ access, path: resolveWord(word, command.cwd, home, state.links) }))
}

/** An unknown beginning stays: what comes after it may tell enough. */
function resolveWord(word: string, cwd: string | undefined, home: string, links: ReadonlyMap<string, string>): string {
  const path = absolutePath(word, cwd, home)
  if (path !== undefined) return throughLinks(path, links)
  if (word.includes(UNKNOWN) && /^\/|^~/.test(word)) return word.replace(/^~/, () => home)
  return word.startsWith(UNKNOWN) ? word : `${UNKNOWN}/${word}`
}

function chooseAccess({ name, args }: Command, word: string, written: ReadonlySet<string>): NamedPath['access'] {
  const isCopy = COPIERS.test(name)
  if (written.has(word) && !(isCopy && operands(args).length > 1 && operands(args).at(-1) !== word)) return 'write'
  if (ONLY_NAMES.test(name)) return 'name'
  if (/^(find|fd)$/.test(name) && !args.some((each) => /^(-exec|-delete|-ok|-fprint|-x|-X|--exec)/.test(each)))
    return 'name'
  return READERS.test(name) || isCopy ? 'read' : 'any'
}

function wordsWithPaths(command: Command): string[] {
  const { name, args, redirects } = command
  const streams = redirects.filter(({ operator }) => operator === '<').map(({ target }) => target)
  if (NO_PATHS.test(name)) return streams
  const code = extractCode(command)
  const skipped = findPatternOperand(command)
  const words = args.filter((word, at) => word !== code && word !== skipped && !isTextAt(command, at))
  const fromCode = [...words.filter((word) => /[\s"'(]/.test(word)), ...(code === undefined ? [] : [code])]
  return [
    ...streams,
    ...(command.program.includes('/') ? [command.program] : []),
    ...words.flatMap(parts),
    ...fromCode.flatMap((text) => text.slice(0, MAX_CODE).match(IN_CODE) ?? []),
  ]
}

/** The first operand of `grep`, `sed` and similar programs is not a path. */
function findPatternOperand({ name, args }: Command): string | undefined {
  if (!PATTERN_FIRST.test(name) || args.some((word) => /^(-e|-f|--regexp|--expression|--file)/.test(word)))
    return undefined
  return operands(args)[0]
}

/** Messages, names to search for, globs. */
function isTextAt({ name, args }: Command, at: number): boolean {
  const before = args[at - 1] ?? ''
  if (/^(find|fd)$/.test(name) && !args.some((word) => /^(-exec|-delete|-ok|--exec|-x)/.test(word)))
    return /^-(i?name|i?path|i?regex|i?wholename|not)$/.test(before)
  if (
    /^(rg|grep|tree|eza|fd|ag)$/.test(name) &&
    /^(-g|-e|--glob|--include|--exclude(-dir)?|-I|-E|--ignore|--regexp)$/.test(before)
  )
    return true
  if (
    /^--(env-file|exclude|include|exclude-dir|exclude-from)(=|$)/.test(args[at] as string) ||
    /^--(env-file|exclude)$/.test(before)
  )
    return true
  return /^(-m|--message|--title|--body|--description|--grep|--author|--notes)$/.test(before)
}

/** A word, and its part after an option, a host or a sign. */
function parts(word: string): string[] {
  if (word.length > 4096 || /^-+$/.test(word)) return []
  const found = word.startsWith('-') ? [] : [word]
  const [, , value] = /^(-{0,2}[\w.-]+)=([\s\S]+)$/.exec(word) ?? []
  if (value !== undefined) found.push(value)
  if (/^-[A-Za-z][~/.\uE000]/.test(word)) found.push(word.slice(2))
  if (/[@]/.test(word)) found.push(word.slice(word.lastIndexOf('@') + 1))
  if (!word.includes('://') && word.includes(':')) found.push(...word.split(':').filter((part) => part !== ''))
  return found
}
