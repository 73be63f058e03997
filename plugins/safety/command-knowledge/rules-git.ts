/** git: which remote, which folder, and what would be lost. */
import { statSync } from 'node:fs'
import { posix } from 'node:path'
import { type Invocation, type Outcome, same } from './outcome.ts'
import { parseRemoteHost, readRemotes } from './remotes.ts'
import type { Rule } from './rules.ts'
import { PATHS, TOKEN } from './values.ts'
import type { Walk } from './walk.ts'

const HARMLESS_KEY =
  /^(?:color\.[\w.-]+=\w+|core\.(?:quotepath|quotePath|pager)=(?:cat|true|false|on|off)|user\.(?:name|email)=[^$`]*|advice\.\w+=\w+|log\.\w+=\w+|diff\.(?:renames|colorMoved|algorithm)=\w+|commit\.gpgsign=\w+|init\.defaultBranch=[\w./-]+|pull\.rebase=\w+|core\.autocrlf=\w+|column\.ui=\w+|protocol\.version=\d|gc\.auto=\d+|safe\.directory=.*)$/i
const READS =
  /^(?:user\.(?:name|email)|core\.\w+|remote\.[\w.-]+\.(?:url|fetch)|branch\.[\w./-]+\.\w+|init\.defaultbranch|pull\.\w+|push\.\w+|commit\.\w+|color\.\w+|merge\.\w+|diff\.\w+)$/i
const WRITES =
  /^(?:user\.(?:name|email)|pull\.(?:rebase|ff)|push\.(?:default|autosetupremote)|init\.defaultbranch|core\.(?:autocrlf|filemode|ignorecase|quotepath|eol)|commit\.gpgsign|merge\.conflictstyle|rebase\.auto\w+|fetch\.prune|rerere\.enabled|color\.ui)$/i

function git(walk: Walk, call: Invocation): Outcome | undefined {
  const { given, state, args, known, program, assigned } = call
  for (const setting of given.get('-c') ?? [])
    if (!HARMLESS_KEY.test(setting)) walk.refuse(`the setting ${setting} of git`)
  let now = state
  for (const folder of given.get('-C') ?? []) {
    const real = walk.world.paths.real(folder, now.cwd)
    if (!walk.world.paths.isInProject(real)) walk.refuse(`a folder outside the project: ${folder}`)
    now = { ...now, cwd: real }
  }
  // A folder with these is a repository to git, and its settings are programs.
  for (let at = now.cwd; walk.world.paths.isInProject(at) && !exists(posix.join(at, '.git')); at = posix.dirname(at))
    if (exists(posix.join(at, 'HEAD')) && exists(posix.join(at, 'objects')) && exists(posix.join(at, 'refs')))
      walk.refuse('a folder that is a bare repository')
  if (now === state) return undefined
  const start = args.findIndex(({ text }, at) => !text.startsWith('-') && !/^-[Cc]$/.test(args[at - 1]?.text ?? ''))
  if (start < 0) return undefined
  walk.run([{ text: program, loose: false }, ...args.slice(start)], now, assigned)
  return known ? same(state) : undefined
}

const exists = (path: string) => statSync(path, { throwIfNoEntry: false }) !== undefined

function remote(walk: Walk, call: Invocation): undefined {
  const {
    operands: [name],
    given,
    state,
  } = call
  const folder = walk.git(state)?.folder
  const remotes = folder === undefined ? new Map<string, string>() : readRemotes(folder)
  const wanted =
    given.has('--all') || given.has('--multiple') || name === undefined ? [...remotes.values()] : [remotes.get(name)]
  if (name !== undefined && !remotes.has(name)) walk.refuse(`the remote ${name}, which git does not know here`)
  for (const host of wanted) {
    if (host === undefined) walk.refuse(`the remote ${name}, which git does not know here`)
    else walk.need(host === '' ? 'network' : `network:${host}`)
  }
  if (!wanted.length) walk.need('network')
  return undefined
}

function push(walk: Walk, call: Invocation): undefined {
  remote(walk, call)
  for (const word of call.operands.slice(1))
    if (/^[+:]|^--/.test(word)) walk.refuse(`a push that overwrites or deletes: ${word}`)
  return undefined
}

function clone(walk: Walk, { operands: [address = '', target], given, state }: Invocation): undefined {
  const host = parseRemoteHost(address)
  if (host === undefined) walk.refuse(`the address ${address}`)
  else walk.need(`network:${host}`)
  if (target === undefined) walk.accept('write', posix.basename(address, '.git') || 'x', state, '')
  if (given.has('--recurse-submodules') || given.has('--recursive')) walk.need('network')
  return undefined
}

function checkout(walk: Walk, { operands: [target = ''], given, state, args }: Invocation): undefined {
  const isNew = ['-b', '--orphan', '--detach', '-t', '--track', '-d'].some((name) => given.has(name))
  // `git checkout src` throws changes away; a branch of this name would be taken before it.
  if (
    args.some(({ text }) => text === '--') ||
    (!isNew && target !== '-' && (/[*?[\ue000]|^\.|^:/.test(target) || exists(posix.join(state.cwd, target))))
  )
    walk.refuse('changes that git checkout throws away')
  if (!isNew && target === '') walk.refuse('git checkout as it is used')
  return undefined
}

function config(walk: Walk, { operands: [first = '', second, third], given }: Invocation): undefined {
  const isReading = ['--get', '--get-all', '--get-regexp', '-l', '--list'].some((name) => given.has(name))
  const [key, value] = /^(?:get|set)$/.test(first)
    ? [second ?? '', first === 'set' ? third : undefined]
    : [first, second]
  if (isReading || value === undefined) {
    const asked = [...(given.get('--get') ?? []), ...(given.get('--get-all') ?? []), ...(key ? [key] : [])]
    for (const each of asked) if (!READS.test(each)) walk.refuse(`the setting ${each} of git`)
    if (given.has('--get-regexp')) walk.refuse('settings of git by a pattern')
    if (!isReading && !key && !given.has('-l')) walk.refuse('git config as it is used')
    if (given.has('-l') || given.has('--list'))
      walk.check(
        given.has('--global') || given.has('--system') ? 'the settings of git for all repositories' : undefined,
      )
  } else if (!WRITES.test(key) || given.has('--global') || given.has('--system') || given.has('--unset'))
    walk.refuse(`a change of the setting ${key} of git`)
  if (given.has('--unset')) walk.refuse('a change of the settings of git')
  return undefined
}

function checkGitReads(walk: Walk, call: Invocation): undefined {
  for (const word of call.operands)
    if (/(?:^|:|\/)\.env(?!\.(?:example|sample|template|dist))/.test(word))
      walk.refuse(`${word}, which may hold secrets`)
  const format = [...(call.given.get('--format') ?? []), ...(call.given.get('--pretty') ?? [])].join()
  if (/^(?:format:|tformat:)?%[hHtT]$/.test(format)) walk.printed = TOKEN
  else if (call.given.has('--name-only') || call.given.has('-l')) walk.printed = PATHS
  return undefined
}

/** Files added to git are no longer trusted because they are in git. */
function add(walk: Walk, call: Invocation): undefined {
  const isAll = ['-A', '-a', '--all', '-u', '--update'].some((name) => call.given.has(name))
  for (const path of isAll ? ['.'] : call.operands)
    walk.world.added(walk.world.paths.real(path.replace(/[\ue000-\ue002]/g, '.'), call.state.cwd))
  return undefined
}

export const GIT_RULES: Readonly<Record<string, Rule>> = {
  git: { run: git },
  gitRemote: { run: remote },
  gitPush: { run: push },
  gitClone: { run: clone },
  gitCheckout: { run: checkout },
  gitConfig: { run: config },
  gitRead: { run: checkGitReads },
  reflog: {
    run: (walk, { operands: [verb] }) =>
      walk.check(/^(?:expire|delete)$/.test(verb ?? '') ? `git reflog ${verb}` : undefined) as undefined,
  },
  gitAdd: { run: add },
  restore: {
    run: (walk, { given }) =>
      walk.check(
        (given.has('--staged') || given.has('-S')) && !given.has('--worktree') && !given.has('-W')
          ? undefined
          : 'changes that git restore throws away',
      ) as undefined,
  },
  cleanDry: {
    run: (walk, { given }) =>
      walk.check(given.has('-n') || given.has('--dry-run') ? undefined : 'files that git clean deletes') as undefined,
  },
  gitTop: {
    run: (walk, { given, state }) => {
      if (given.has('--show-toplevel')) walk.printed = walk.git(state)?.top ?? walk.printed
      return undefined
    },
  },
}
