/**
 * Whether a command may change files. A short list of programs that only read: everything else counts as writing, so a
 * mistake costs a snapshot and never loses a file.
 */
import { UNKNOWN } from './expand.ts'
import { operands } from './options.ts'
import type { Command } from './walk.ts'

/** Programs that only read, whatever their options are. */
const READERS = new Set(
  (
    '[ : basename cat cd cksum cmp comm cut df diff dirname du echo egrep false fgrep grep groups head id ls lsblk lscpu ' +
    'md5sum nl nproc printenv printf ps pwd readlink realpath seq sha1sum sha256sum sleep stat tac tail test tr true ' +
    'type uname uptime wc which who whoami'
  ).split(' '),
)
/** Programs that read, and their options that write or run something, also shortened. */
const READERS_BUT: ReadonlyMap<string, RegExp> = new Map([
  ['date', /^(-\w*s|--s)/],
  ['file', /^(-\w*C|--c)/],
  ['git', /^(-\w*O|-o|--out|--op|--ext)/],
  ['hostname', /^([^-]|-\w*[Fb]|--f)/],
  ['jq', /^(-\w*i|--in)/],
  ['lsof', /^-\w*D/],
  ['rg', /^--(pre(=|$)|hostname-bin)/],
  ['tree', /^-\w*[oR]/],
  ['uniq', /^$/],
])
const GIT_READERS = new Set(
  'blame cat-file describe diff grep log ls-files ls-tree rev-list rev-parse shortlog show status'.split(' '),
)

/** Judges one command without those that it runs: they are judged on their own. */
export function mayWrite({ name, program, args, redirects, wrappers, assigned }: Command): boolean {
  const isPlain = program === name && wrappers.length === 0 && assigned.length === 0
  if (!isPlain || redirects.some(redirectWrites)) return true
  if (READERS.has(name)) return false
  const writing = READERS_BUT.get(name)
  if (writing === undefined || args.some((word) => mayBeOption(word) || writing.test(word))) return true
  if (name === 'git') return !GIT_READERS.has(args[0] ?? '')
  // The second operand of uniq is its output.
  return name === 'uniq' && operands(args).length > 1
}

/** A word that is not known may be any option, and so may a file whose name a pattern matches. */
function mayBeOption(word: string): boolean {
  return word.includes(UNKNOWN) || /^[*?[]/.test(word)
}

function redirectWrites({ operator, target }: Command['redirects'][number]): boolean {
  if (operator === '<' || operator === '<<' || operator === '<<<' || operator === '<&') return false
  if (operator === '>&' && /^(\d+|-)$/.test(target)) return false
  return target !== '/dev/null' || operator === '<>'
}
