/** Programs for files and texts that could write, delete or run more than their words show. */
import { readdirSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { posix } from 'node:path'
import { findSecretLocation } from 'svc/sdk/safety'
import { type Invocation, type Outcome, same } from './outcome.ts'
import type { Rule } from './rules.ts'
import { isHarmlessAwk, isHarmlessSed } from './small-languages.ts'
import { ANY, PATHS, TOKEN } from './values.ts'
import type { Walk } from './walk.ts'

const has = (call: Invocation, ...names: readonly string[]) => names.some((name) => call.given.has(name))

/** `.env` and its like directly in a folder that is read as a whole. */
function checkSecretsIn(walk: Walk, folder: string, { state }: Invocation): void {
  const real = walk.world.paths.real(folder, state.cwd)
  try {
    const found = readdirSync(real).find((name) => findSecretLocation(posix.join(real, name), '/nonexistent'))
    if (found) walk.refuse(`${folder === '.' ? '' : `${folder}/`}${found}, which may hold secrets`)
  } catch {
    // Not a folder: it was checked as a file.
  }
}

const FIND_PLAIN =
  /^-(?:not|a|o|and|or|print|print0|ls|prune|depth|daystart|follow|xdev|mount|empty|readable|writable|executable|true|false|quit|noleaf|H|L|P|E|X|d|nouser|nogroup|warn|nowarn)$/
const FIND_VALUE =
  /^-(?:name|iname|path|ipath|wholename|iwholename|regex|iregex|regextype|type|xtype|size|mtime|mmin|atime|amin|ctime|cmin|perm|user|group|uid|gid|maxdepth|mindepth|links|inum|lname|ilname|printf|fstype|newermt|newerXY|newerat|newerct|used|context)$/

function find(walk: Walk, call: Invocation): Outcome {
  const { args, state } = call
  let named = false
  for (let at = 0; at < args.length; at++) {
    const { text, loose } = args[at] as { text: string; loose: boolean }
    const value = args[at + 1]?.text ?? ''
    if (loose) walk.refuse('a word of find that is not known before it runs')
    if (/^-i?(?:name|regex)$/.test(text) && /\.\w+['"$]?$/.test(value) && !/env|key|pem|p12|secret|cred/i.test(value))
      named = true
    if (FIND_VALUE.test(text)) at++
    else if (/^-(?:newer|anewer|cnewer|samefile)$/.test(text)) walk.accept('read', args[++at]?.text ?? '', state, text)
    else if (/^-(?:exec|execdir|ok|okdir)$/.test(text)) {
      const end = args.findIndex(
        (each, index) => index > at && (each.text === ';' || (each.text === '+' && args[index - 1]?.text === '{}')),
      )
      if (end < 0) walk.refuse('find -exec without its end')
      const words = args.slice(at + 1, end < 0 ? args.length : end)
      const mark = named ? PATHS : ANY
      walk.run(
        words.map((each) =>
          each.text === '{}'
            ? { text: deletable(walk, call, mark), loose: false }
            : each.text.includes('{}')
              ? { text: ANY, loose: false }
              : each,
        ),
        state,
      )
      at = end < 0 ? args.length : end
    } else if (text === '-delete') remove(walk, call, deletable(walk, call, PATHS))
    else if (/^[!(),]$/.test(text) || FIND_PLAIN.test(text)) continue
    else if (text.startsWith('-')) walk.refuse(`the option ${text} of find`)
    else walk.accept('read', text, state, '')
  }
  walk.printed = named || walk.printed === TOKEN ? PATHS : ANY
  return same(state)
}

/** Names that `{}` matches: build output may be deleted by name. */
function deletable({ world }: Walk, { args, state }: Invocation, mark: string): string {
  const roots = args
    .filter(({ text }, at) => !/^[-!(]/.test(text) && args.slice(0, at).every((each) => !each.text.startsWith('-')))
    .map(({ text }) => text)
  const isOutput =
    roots.length > 0 && roots.every((root) => world.paths.remove(`${root}/x`, state.cwd, 'folder') === undefined)
  const at = args.findIndex(({ text }) => text === '-name')
  const isMade =
    /^(?:\*\.(?:pyc|pyo|o|obj|class|tsbuildinfo)|__pycache__|\.DS_Store|\*~)$/.test(args[at + 1]?.text ?? '') &&
    !args.some(({ text }) => /^-(?:o|or|not)$|^[!,]$/.test(text))
  return (isOutput || (at >= 0 && isMade && roots.every((root) => world.paths.read(root, state.cwd) === undefined))) &&
    mark !== ''
    ? MADE_AGAIN
    : mark
}

const MADE_AGAIN = `${PATHS}${PATHS}`

function remove(walk: Walk, { state }: Invocation, path: string, how: 'file' | 'folder' = 'file'): void {
  if (path === MADE_AGAIN) return
  walk.check(
    path === PATHS ? 'a deletion of files that are found by a search' : walk.world.paths.remove(path, state.cwd, how),
  )
}

function rm(walk: Walk, call: Invocation): undefined {
  const isDeep = has(call, '-r', '-R', '--recursive')
  if (call.args.some(({ text }) => text === MADE_AGAIN) && !isDeep) return undefined
  if (!call.operands.length) walk.refuse('a deletion of nothing')
  for (const { pattern } of call.args)
    if (
      pattern !== undefined &&
      /^(?:\.\/)?[*?.]+$|^[^/]+\/[*?]+$/.test(pattern) &&
      walk.world.paths.remove(pattern.replace(/[*?]+$/, 'x'), call.state.cwd, 'folder')
    )
      walk.refuse(`a deletion by a wide pattern: ${pattern}`)
  if (call.operands.length > 50) walk.refuse('a deletion of very many files')
  for (const path of call.operands) remove(walk, call, path, isDeep ? 'folder' : 'file')
  return undefined
}

function grep(walk: Walk, call: Invocation): undefined {
  const { operands, known } = call
  const isDeep =
    known.name === 'rg'
      ? has(call, '--hidden', '-.', '-u', '--unrestricted', '--no-ignore')
      : known.name !== 'ag' && known.name !== 'ack'
        ? has(call, '-r', '-R', '--recursive', '--dereference-recursive')
        : has(call, '--hidden', '-u')
  const isNarrow =
    has(call, '--include', '-g', '--glob', '-t', '--type') &&
    !call.args.some(({ text }) => /env|\*$/.test(text) && !/^\*?\.\w+$/.test(text) && /include|glob/.test(text))
  const first = has(call, '-e', '-f', '--regexp', '--file', '--files') ? 0 : 1
  const folders = operands.slice(first)
  if (isDeep && !isNarrow)
    for (const folder of folders.length ? folders : ['.'])
      if (!folder.includes(PATHS)) checkSecretsIn(walk, folder, call)
  const isNames = has(call, '-l', '-L', '--files', '--files-with-matches', '--files-without-match')
  if (isNames) walk.printed = PATHS
  else if (known.name !== 'rg' && !folders.length && !has(call, '-o', '--only-matching')) walk.printed = call.input
  return undefined
}

/** `+command` is run at the start. */
function pager(walk: Walk, { operands, known }: Invocation): undefined {
  for (const word of operands)
    if (word.startsWith('+') && !/^\+(?:\d+|[GF])$/.test(word)) walk.refuse(`the word ${word} of ${known.name}`)
  return undefined
}

function sed(walk: Walk, call: Invocation): undefined {
  const inPlace = has(call, '-i', '--in-place')
  const scripts = [...(call.given.get('-e') ?? []), ...(call.given.get('--expression') ?? [])]
  const files = scripts.length ? call.operands : call.operands.slice(1)
  if (!scripts.length) scripts.push(call.operands[0] ?? '')
  for (const script of scripts) if (!isHarmlessSed(script)) walk.refuse(`the script of sed: ${script}`)
  if ([...(call.given.get('-i') ?? []), ...(call.given.get('--in-place') ?? [])].some((suffix) => suffix.includes('/')))
    walk.refuse('the option -i of sed with a folder')
  if (inPlace) for (const file of files) walk.accept('write', file, call.state, '')
  return undefined
}

function awk(walk: Walk, call: Invocation): Outcome {
  const { args, state } = call
  let program: string | undefined
  for (let at = 0; at < args.length; at++) {
    const { text, loose } = args[at] as { text: string; loose: boolean }
    if (loose) walk.refuse('a word of awk that is not known before it runs')
    if (program !== undefined) {
      if (!/^[A-Za-z_]\w*=/.test(text)) walk.accept('read', text, state, '')
    } else if (/^-[Fv]$/.test(text)) at++
    else if (!/^-F.+|^-v\w+=|^--(?:posix|csv|traditional)$|^-b$/.test(text)) {
      program = text
      if (text.startsWith('-') || text.includes(ANY) || !isHarmlessAwk(text)) walk.refuse(`the program of awk: ${text}`)
    }
  }
  if (program === undefined) walk.refuse('awk without a program')
  return same(state)
}

const TAR_READS = new Set('xtcruzjJavpkhmOwWSlPC'.split(''))

function tar(walk: Walk, call: Invocation): Outcome {
  const { args, state } = call
  const words = args.map(({ text }) => text)
  let mode = ''
  let folder = '.'
  const members: string[] = []
  let archive: string | undefined
  for (let at = 0; at < words.length; at++) {
    const word = words[at] as string
    if (args[at]?.loose) walk.refuse('a word of tar that is not known before it runs')
    const letters = at === 0 && /^[a-zA-Z]+$/.test(word) ? word : /^-([a-zA-Z]+)$/.exec(word)?.[1]
    if (letters !== undefined) {
      mode += letters
      for (const letter of letters) {
        if (letter === 'f') archive = words[++at]
        else if (letter === 'C') folder = words[++at] ?? ''
        else if (letter === 'X' || letter === 'T') walk.accept('read', words[++at] ?? '', state, `-${letter}`)
        else if (!TAR_READS.has(letter)) walk.refuse(`the option -${letter} of tar`)
      }
    } else if (
      /^--(?:exclude|strip-components|wildcards|no-same-owner|no-same-permissions|directory|file|create|extract|list|gzip|verbose|xz|zstd|bzip2|totals|owner|group|mtime|sort|transform|exclude-vcs|numeric-owner|auto-compress|one-top-level|keep-old-files|overwrite|skip-old-files|get)(?:=|$)/.test(
        word,
      )
    ) {
      if (word === '--create') mode += 'c'
      if (word === '--extract' || word === '--get') mode += 'x'
      if (word.startsWith('--directory=')) folder = word.slice(12)
      else if (word.startsWith('--file=')) archive = word.slice(7)
      else if (/^--(?:directory|file|exclude|transform|one-top-level)$/.test(word)) {
        const value = words[++at] ?? ''
        if (word === '--directory') folder = value
        if (word === '--file') archive = value
      }
      if (/transform.*[;e]$|one-top-level=.*(?:\.\.|^\/)/.test(word)) walk.refuse(`the option ${word} of tar`)
    } else if (word.startsWith('-')) walk.refuse(`the option ${word.split('=')[0]} of tar`)
    else members.push(word)
  }
  if (mode.includes('P')) walk.refuse('the option -P of tar')
  const makes = /[cru]/.test(mode)
  if (archive !== undefined && archive !== '-') walk.accept(makes ? 'write' : 'read', archive, state, '-f')
  if (mode.includes('x')) walk.accept('write', folder, state, '-C')
  else walk.accept('read', folder, state, '-C')
  if (makes)
    for (const member of members)
      walk.accept('read', member, { ...state, cwd: walk.world.paths.real(folder, state.cwd) }, '')
  return same(state)
}

function copy(walk: Walk, { operands, given, state }: Invocation): undefined {
  if (operands.length < 2 && !given.has('-t') && !given.has('--target-directory')) return undefined
  if (operands.slice(0, -1).includes('/dev/null')) walk.refuse('files that are emptied')
  // A program under another name is not what its name says.
  for (const source of operands)
    if (
      /^\/(?:usr\/)?(?:local\/)?s?bin\//.test(walk.world.paths.real(source.replace(/[\ue000-\ue002]/g, 'x'), state.cwd))
    )
      walk.refuse(`a program under another name: ${source}`)
  return undefined
}

function mv(walk: Walk, call: Invocation): undefined {
  const { paths } = walk.world
  const real = call.operands.map((path) => paths.real(path.replace(/[\ue000-\ue002]/g, 'x'), call.state.cwd))
  const target = real.at(-1) ?? ''
  if (real.slice(0, -1).some((path) => paths.isInProject(path)) && !paths.isInProject(target))
    walk.refuse(`a move out of the project: ${call.operands.at(-1)}`)
  if (real.slice(0, -1).includes(paths.project)) walk.refuse('a move of the project')
  return undefined
}

function link(walk: Walk, call: Invocation): undefined {
  const { operands, state } = call
  const folder = walk.world.paths.real(operands.at(-1) ?? '.', state.cwd)
  for (const source of operands.slice(0, -1)) {
    const isDeep = has(call, '-s', '--symbolic')
    // A relative link begins at its own place.
    for (const from of isDeep ? [posix.dirname(folder), folder] : [state.cwd])
      if (!walk.world.paths.isInProject(walk.world.paths.real(source, from)) && from !== folder)
        walk.refuse(`a link to a place outside the project: ${source}`)
    walk.check(walk.world.paths.write(source, isDeep ? posix.dirname(folder) : state.cwd))
  }
  return undefined
}

function chmod(walk: Walk, call: Invocation): undefined {
  const [mode = ''] = call.operands
  const isPlain = /^(?:[ugoa]*[+-=][rwxX]+,?)+$/.test(mode) || /^0?[0-7]{3}$/.test(mode)
  const isOpen =
    (/[2367]$/.test(mode) && /^\d/.test(mode) && /[2367]$/.test(mode.slice(-1))) ||
    (/(?:^|[oa,])[oa]?[+=][rx]*w/.test(mode) && !/^u\+/.test(mode))
  if (!isPlain || isOpen) walk.refuse(`the rights ${mode}`)
  return undefined
}

export const FILE_RULES: Readonly<Record<string, Rule>> = {
  find: { own: true, run: find },
  grep: { run: grep },
  rg: { run: grep },
  pager: { run: pager },
  sed: { run: sed },
  awk: { own: true, run: awk },
  rm: { run: rm },
  rimraf: {
    run: (walk, call) => {
      for (const path of call.operands) remove(walk, call, path, 'folder')
      return undefined
    },
  },
  cp: { run: copy },
  mv: { run: mv },
  ln: { run: link },
  chmod: { run: chmod },
  tar: { own: true, run: tar },
  zip: {
    run: (walk, call) => {
      if (has(call, '-T', '-m') || has(call, '-TT')) walk.refuse('the options -T and -m of zip')
      return undefined
    },
  },
  unzip: {
    run: (walk, call) => {
      const only = has(call, '-l', '-p', '-t', '-v', '-Z', '-z')
      if (has(call, '-:')) walk.refuse('the option -: of unzip')
      if (!only && !call.given.has('-d')) walk.accept('write', './x', call.state, '')
      return undefined
    },
  },
  archive: {
    run: (walk, { operands: [verb] }) =>
      walk.check(verb === 'l' || verb === 't' ? undefined : '7z as it is used') as undefined,
  },
  jq: {
    run: (walk, call) => {
      const programs = [call.operands[0] ?? '']
      if (programs.some((text) => /\$ENV|\benv\b|\binput_filename\b|\bimport\b|\binclude\b/.test(text)))
        walk.refuse('variables that jq reads')
      return undefined
    },
  },
  yq: {
    run: (walk, call) => {
      if (/\b(?:load|strload|env|envsubst|load_str|load_\w+|strenv)\b/.test(call.operands[0] ?? ''))
        walk.refuse('the expression of yq')
      if (has(call, '-i', '--inplace'))
        for (const file of call.operands.slice(1)) walk.accept('write', file, call.state, '')
      return undefined
    },
  },
  date: {
    run: (walk, { operands, given, args }) => {
      if (given.has('-s') || (operands[0] !== undefined && !operands[0].startsWith('+')))
        walk.refuse('a change of the clock')
      const format = args.find(({ text }) => text.startsWith('+'))?.text ?? ' '
      walk.printed = /^\+[\w%:.-]*$/.test(format) && !format.includes('..') && !format.includes('%n') ? TOKEN : ANY
      return undefined
    },
  },
  ps: {
    run: (walk, { args }) =>
      walk.check(
        args.some(({ text }) => /^-?[A-Za-z]*[eE]/.test(text) && /^[a-z]*e[a-z]*$/.test(text) && !text.startsWith('-'))
          ? 'the environment of other programs'
          : undefined,
      ) as undefined,
  },
  baseName: {
    run: (walk, { operands: [path = ''] }) => {
      walk.printed = path.includes(ANY) ? ANY : path === PATHS ? TOKEN : posix.basename(path)
      return undefined
    },
  },
  mktemp: {
    run: (walk) => {
      walk.printed = `${tmpdir()}/tmp.${TOKEN}`
      return undefined
    },
  },
}
