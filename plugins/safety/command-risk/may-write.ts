/**
 * Whether a shell command plainly writes no files. A short list of what is known to: everything else counts as writing,
 * so a mistake costs a snapshot and never lacks one.
 */

const READERS = new Set(
  `[ : basename cat cd cksum cmp comm cut date df diff dirname du echo egrep false fgrep file grep groups head hostname id
  jq ls lsblk lscpu lsof md5sum nl nproc printenv printf ps pwd readlink realpath rg seq sha1sum sha256sum sleep stat tac
  tail test tr tree true type uname uptime wc which who whoami`
    .split(/\s+/)
    .map((name) => name.trim()),
)
const GIT_READERS = new Set(
  'blame cat-file describe diff grep log ls-files ls-tree rev-list rev-parse shortlog show status'.split(' '),
)
/** Options by which a reader writes or runs something. */
const WRITES = /(^|\s)(--?o(utput)?\b|-\w*o\b|--pre\b|-C\b|-O\b|--open-files-in-pager\b|--ext-diff\b|-s\b.*\d{2}:\d{2})/
/** Output into nowhere, or from one stream into the other. */
const HARMLESS_REDIRECT = /(?:\d|&)?>{1,2}\s*\/dev\/null\b|\d?>&\d\b/g

/** Judges by the text alone. */
export function isReadOnly(command: string): boolean {
  const text = command.replace(HARMLESS_REDIRECT, ' ')
  if (/[><`(){}\\]|\$\(|&(?!&)(?<!&&)/.test(text)) return false
  return text
    .split(/&&|\|\||[;|\n]/)
    .map((part) => part.trim())
    .filter((part) => part !== '')
    .every(isReader)
}

function isReader(part: string): boolean {
  const [name = '', next = ''] = part.split(/\s+/)
  if (name === 'git') return GIT_READERS.has(next) && !WRITES.test(part)
  return READERS.has(name) && (WITHOUT_OPTIONS_THAT_WRITE.has(name) || !WRITES.test(part))
}

/** Whatever they are given, they read; `-o` means something else to them. */
const WITHOUT_OPTIONS_THAT_WRITE = new Set(
  'cat cd cut echo egrep fgrep grep head ls nl ps pwd sleep stat tail test tr wc which whoami'.split(' '),
)
