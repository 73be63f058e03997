/** What is known of programs, read from the tables when it is first asked for. */
import build from './tables/build.json' with { type: 'json' }
import files from './tables/files.json' with { type: 'json' }
import git from './tables/git.json' with { type: 'json' }
import services from './tables/services.json' with { type: 'json' }
import web from './tables/web.json' with { type: 'json' }

/**
 * An entry of a table: names, then `options | operands | more` in as many texts as it takes. A name may have verbs:
 * `git log`, `docker compose ps`.
 *
 * Options: `-abc` letters, `-#` a number, `-o:kind` and `--out:kind` with a value, `--color?` with `=text` or nothing,
 * `-W*` a beginning, `-name` whole where `more` has `long`. Operands: kinds in order, the last with `*` for all others;
 * `pattern!-e` is left out when the option is given; a last kind without `*` after one with it is the last operand.
 * Kinds are those of `Kind`. More: `needs=a,b`, `rule=name`, `prints=token|paths|same`, `any` for arguments of no
 * consequence, `bare` for a program that may do without a verb, `code=a,b` for files of the project that it runs.
 */
export interface Known {
  readonly name: string
  readonly options: ReadonlyMap<string, OptionShape>
  readonly prefixes: readonly (readonly [prefix: string, kind: Kind])[]
  readonly operands: readonly Operand[]
  readonly needs: readonly string[]
  readonly rule: string | undefined
  readonly prints: string | undefined
  readonly code: readonly string[]
  readonly flags: ReadonlySet<string>
}

/** Paths are checked, `config` and `script` also for who wrote them; `arg` is checked if it looks like a path. */
export type Kind =
  | 'text'
  | 'number'
  | 'read'
  | 'write'
  | 'arg'
  | 'url'
  | 'host'
  | 'port'
  | 'code'
  | 'config'
  | 'script'
  | 'none'
  | 'never'

export interface OptionShape {
  readonly value: 'none' | 'optional' | 'required'
  readonly kind: Kind
}

export interface Operand {
  readonly kind: Kind
  readonly many: boolean
  readonly unless: readonly string[]
}

let lines: ReadonlyMap<string, string> | undefined
const read = new Map<string, Known>()

/** The line of a program or of a verb of it (`git log`). */
export function findKnown(name: string): Known | undefined {
  lines ??= indexByName([...files, ...git, ...build, ...web, ...services])
  const known = read.get(name)
  const line = lines.get(name)
  if (known || line === undefined) return known
  const made = parseEntry(name, line)
  read.set(name, made)
  return made
}

/** How many programs and verbs the tables have. */
export function countKnown(): { readonly programs: number; readonly verbs: number } {
  findKnown('')
  const names = [...(lines?.keys() ?? [])]
  return {
    programs: new Set(names.map((name) => name.split(' ')[0])).size,
    verbs: names.filter((name) => name.includes(' ')).length,
  }
}

function indexByName(entries: readonly (readonly string[])[]): ReadonlyMap<string, string> {
  const index = new Map<string, string>()
  for (const [names = '', ...parts] of entries) {
    for (const words of product(names.split(' ').map((word) => word.split(',')))) {
      // `git worktree list` makes `git worktree` known, as what needs one more word.
      for (let length = 1; length < words.length; length++) {
        const name = words.slice(0, length).join(' ')
        if (!index.has(name)) index.set(name, '')
      }
      if (words[0]) index.set(words.join(' '), ` ${parts.join(' ')}`)
    }
  }
  return index
}

function product(lists: readonly (readonly string[])[]): readonly (readonly string[])[] {
  return lists.reduce<readonly (readonly string[])[]>(
    (all, list) => all.flatMap((words) => list.map((word) => [...words, word])),
    [[]],
  )
}

function parseEntry(name: string, line: string): Known {
  const [options = '', operands = '', more = ''] = line.split(/\s\|(?=\s|$)/).map((part) => part.trim())
  const extras = more.split(/\s+/).filter(Boolean)
  const extra = (key: string) => extras.find((each) => each.startsWith(`${key}=`))?.slice(key.length + 1)
  const flags = new Set(extras)
  const shapes = new Map<string, OptionShape>()
  const prefixes: [string, Kind][] = []
  for (const token of options.split(/\s+/).filter(Boolean)) addOption(token, flags.has('long'), shapes, prefixes)
  return {
    name,
    options: shapes,
    prefixes,
    operands: operands.split(/\s+/).filter(Boolean).map(operand),
    needs: extra('needs')?.split(',') ?? [],
    rule: extra('rule'),
    prints: extra('prints'),
    code: extra('code')?.split(',') ?? [],
    flags,
  }
}

function addOption(token: string, isLong: boolean, shapes: Map<string, OptionShape>, prefixes: [string, Kind][]): void {
  const [, name = '', sign, kind = 'text'] = /^([^:?*]+)([:?*])?:?(\w+)?$/.exec(token) ?? []
  if (sign === '*') prefixes.push([name, kind as Kind])
  else if (sign === ':') shapes.set(name, { value: 'required', kind: kind as Kind })
  else if (sign === '?') shapes.set(name, { value: 'optional', kind: kind as Kind })
  else if (name.startsWith('--') || isLong || name.length === 2) shapes.set(name, { value: 'none', kind: 'none' })
  else for (const letter of name.slice(1)) shapes.set(`-${letter}`, { value: 'none', kind: 'none' })
}

function operand(token: string): Operand {
  const [, kind = 'none', many, unless] = /^(\w+)(\*)?(?:!(\S+))?$/.exec(token) ?? []
  return { kind: kind as Kind, many: many === '*', unless: unless?.split(',') ?? [] }
}

/** `git stash list`: the longest line that the tables have. */
export function findVerb(name: string, args: readonly { readonly text: string }[]): Known | undefined {
  const [verb] = args
  return verb && /^[\w:.@-]+$/.test(verb.text) ? findKnown(`${name} ${verb.text}`) : undefined
}
