/** Files and folders that a command writes to. */
import { extractCode } from './code.ts'
import { after, operands } from './options.ts'
import type { Command } from './walk.ts'

const OPENED_TO_WRITE =
  /(?:open|File\.(?:open|write|new)|file_put_contents|fopen)\s*\(\s*["'`]([^"'`\n]{1,1024})["'`]\s*,\s*["'][^"']*[wax+]|(?:writeFile|appendFile|writeFileSync|appendFileSync|createWriteStream|copyFile|copyFileSync|Path|writeTextFile)\s*\(\s*["'`]([^"'`\n]{1,1024})["'`]/g

/** Words that name what is written, as they are written. */
export function listWritten(command: Command): string[] {
  const files = command.redirects
    .filter(({ operator }) => operator.includes('>') && operator !== '>&')
    .map(({ target }) => target)
  return [...files, ...ofProgram(command), ...ofCode(command)].filter((word) => word !== '')
}

function ofCode(command: Command): string[] {
  const code = extractCode(command)
  if (code === undefined) return []
  return [...code.slice(0, 20_000).matchAll(OPENED_TO_WRITE)].map(([, one, two]) => one ?? two ?? '')
}

type Written = (args: readonly string[], targets: readonly string[]) => readonly (string | undefined)[]

const all: Written = (_args, targets) => targets
const last: Written = (args, targets) => [
  after(args, /^(-t|--target-directory)$/) ?? findJoinedValue(args, /^--target-directory=/) ?? targets.at(-1),
]

const PROGRAMS: readonly (readonly [RegExp, Written])[] = [
  [/^(tee|touch|truncate|vi|vim|nvim|view|ex|ed|nano|emacs|sponge|chattr|mkdir|ditto|micro|pico|joe)$/, all],
  [/^(cp|install|ln|copy-item|scp|rsync|pax|ditto)$/, last],
  [/^(mv|move-item|rename-item)$/, (args, targets) => [...last(args, targets), ...targets]],
  [/^(set-content|add-content|out-file|new-item|clear-content|tee-object)$/, all],
  [/^(g?sed|perl|ruby|gawk)$/, (args, targets) => (isInPlace(args) ? targets : [])],
  [
    /^(yq|dasel|toml|crudini|jq|sd|prettier|gofmt|black)$/,
    (args, targets) => (isInPlace(args) ? targets.slice(1).concat(targets.slice(0, 1)) : []),
  ],
  [/^dd$/, (args) => args.filter((word) => word.startsWith('of=')).map((word) => word.slice(3))],
  [
    /^patch$/,
    (args, targets) => [
      after(args, /^(-d|--directory|-o|--output)$/),
      findJoinedValue(args, /^(--directory=|-d(?=.))/),
      targets[0],
    ],
  ],
  [
    /^curl$/,
    (args) => [
      after(args, /^(-[a-zA-Z]*o|--output|--output-dir|-c|--cookie-jar|-D)$/),
      findJoinedValue(args, /^(--output=|-o(?=.))/),
    ],
  ],
  [
    /^wget$/,
    (args) => [
      after(args, /^(-[a-zA-Z]*O|--output-document|-P|--directory-prefix|-o)$/),
      findJoinedValue(args, /^(--output-document=|--directory-prefix=|-[OP](?=.))/),
    ],
  ],
  [
    /^(bsd)?tar$/,
    (args) =>
      isUnpacking(args)
        ? [
            after(args, /^(-[a-zA-Z]*C|--directory|--one-top-level)$/) ??
              findJoinedValue(args, /^(--directory=|-C(?=.))/),
          ]
        : [],
  ],
  [
    /^(unzip|7z|7za|unar|bsdtar|cabextract|unrar)$/,
    (args) => [after(args, /^-d$/), findJoinedValue(args, /^-(o|d)(?=.)/)],
  ],
  [
    /^git$/,
    (args) =>
      /^(clone|worktree|init|submodule|archive|format-patch|bundle)$/.test(operands(args)[0] ?? '')
        ? operands(args)
            .slice(1)
            .filter((word) => !/:\/\//.test(word))
        : [],
  ],
  [
    /^(sqlite3?|openssl|gpg|age|ffmpeg|pandoc|zip|esbuild)$/,
    (args, targets) => [
      after(args, /^(-o|--output|-out|--outfile)$/),
      ...(/^-/.test(targets[0] ?? '-') ? [] : targets.slice(0, 1)),
    ],
  ],
]

function ofProgram({ name, args }: Command): string[] {
  const targets = operands(args)
  return PROGRAMS.filter(([programs]) => programs.test(name)).flatMap(([, written]) =>
    written(args, targets).filter((word) => word !== undefined),
  )
}

function isInPlace(args: readonly string[]): boolean {
  return args.some((word) => /^(-[a-zA-Z]*i\S*|--in-?place.*|-w|--write)$/.test(word))
}

function isUnpacking(args: readonly string[]): boolean {
  return args.some(
    (word, at) => /^--(extract|get)$/.test(word) || /^-[a-zA-Z]*x/.test(word) || (at === 0 && /^[a-zA-Z]*x/.test(word)),
  )
}

function findJoinedValue(args: readonly string[], option: RegExp): string | undefined {
  return args.find((word) => option.test(word))?.replace(option, '')
}
