/** Patterns about programs that look harmless and have others run: `tar --to-command`, `vim -c ':!...'`, `sed e`. */

import { after, operands } from './options.ts'
import type { Matchers } from './pattern.ts'
import type { Command } from './walk.ts'

const MAX_SCRIPT = 4000
/** `1e date`, and `s/x/date/e`, at the place of a command. */
const SED_RUNS = /(?:^|[;{}\n])\s*(?:(?:\d+|\$|\/(?:[^\\/\n]|\\.)*\/)\s*,?\s*){0,2}!?\s*e(?:\s+\S|\s*$)/
const SED_RUNS_RESULT =
  /(?:^|[;{}\n])\s*(?:(?:\d+|\$|\/(?:[^\\/\n]|\\.)*\/)\s*,?\s*){0,2}!?\s*s([/|#,!@:])(?:(?!\1)[^\\\n]|\\.)*\1(?:(?!\1)[^\\\n]|\\.)*\1[gpiIMm\d]*e/
const KNOWN_COMPRESSORS = /^(p?igz|gzip|p?l?bzip2|xz|pixz|zstd(mt)?|lz4|lzma|lzip|lzop|brotli)\b[\w\s-]*$/

/** Ways out, each by the programs that have it. */
const ways: readonly { readonly programs: RegExp; readonly leads: (command: Command) => boolean }[] = [
  { programs: /^(bsd)?tar$/, leads: byTar },
  { programs: /^git$/, leads: byGit },
  { programs: /^(vi|vim|nvim|view|ex)$/, leads: byVim },
  { programs: /^(ed|ex|vi|vim)$/, leads: ({ input }) => /^\s*(?:[rw]\s*)?!/m.test(input ?? '') },
  { programs: /^g?sed$/, leads: bySed },
  { programs: /^emacs(client)?$/, leads: byEmacs },
  { programs: /^(rsync|scp|sftp)$/, leads: byCopy },
  { programs: /^ssh$/, leads: ({ args }) => /ProxyCommand|LocalCommand/i.test(args.join(' ')) },
  {
    programs: /^make$/,
    leads: ({ args }) => /^(-|\/dev\/(stdin|fd\/\d+))$/.test(after(args, /^(-f|--file|--makefile)$/) ?? ''),
  },
  { programs: /^nsenter$/, leads: () => true },
]

export const toolPatterns = {
  'escape-from-tool': (command) =>
    ways.some(({ programs, leads }) => programs.test(command.name) && leads(command)) ||
    command.wrappers.some(([wrapper]) => /^(chroot|unshare|nsenter)$/.test(wrapper ?? '')),
} satisfies Matchers

function byTar({ args }: Command): boolean {
  if (args.some((word) => /^--(checkpoint-action|to-command|rsh-command)/.test(word))) return true
  const packer =
    after(args, /^(-[a-zA-Z]*I|--use-compress-program)$/) ?? findJoinedValue(args, '--use-compress-program=')
  return packer !== undefined && !KNOWN_COMPRESSORS.test(packer)
}

function byGit({ args }: Command): boolean {
  if (args.some((word) => /^ext::|^fd::/.test(word))) return true
  return args.some(
    (word, at) =>
      args[at - 1] === '-c' &&
      /^(core\.(sshcommand|editor|pager|hookspath|fsmonitor)|alias\.[^=]*=!|.*\.(helper|process|textconv)=)/i.test(
        word,
      ),
  )
}

function byVim({ args }: Command): boolean {
  const isScript = (word: string, at: number) => word.startsWith('+') || /^(-c|--cmd)$/.test(args[at - 1] ?? '')
  return args.some((word, at) => (isScript(word, at) && /(?:^\+?|[\s|:])!\s*\S/.test(word)) || /system\(/.test(word))
}

/** The command `e`, and the flag `e` of `s`, run a shell. */
function bySed({ args }: Command): boolean {
  const scripts = [
    ...operands(args),
    ...args.filter((_, at) => /^(-[a-zA-Z]*e|--expression)$/.test(args[at - 1] ?? '')),
  ]
  return scripts.some((script) => {
    const text = script.slice(0, MAX_SCRIPT)
    return SED_RUNS.test(text) || SED_RUNS_RESULT.test(text)
  })
}

function byEmacs({ args }: Command): boolean {
  const code = after(args, /^-{1,2}(eval|execute)$/) ?? findJoinedValue(args, '--eval=')
  const reaches = /delete|shell|process|write|rename|copy-file|save|load|eval|set-file|kill-emacs/
  return (
    (code !== undefined && reaches.test(code)) || args.some((word) => /^-{1,2}(script|load|l|funcall|f)$/.test(word))
  )
}

function byCopy({ args }: Command): boolean {
  return args.some(
    (word) =>
      /ProxyCommand|^-e$|--rsh=/.test(word) && args.some((each) => /\bsh\b|rm\s/.test(each) && !/^ssh\b/.test(each)),
  )
}

function findJoinedValue(args: readonly string[], option: string): string | undefined {
  return args.find((word) => word.startsWith(option))?.slice(option.length)
}
