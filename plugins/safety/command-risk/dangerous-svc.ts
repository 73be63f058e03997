/** Patterns about svc itself: its commands, its home, what answers for a person. */
import { containsSvcHome, findSvcLocation } from 'svc/sdk/safety'
import { extractCode } from './code.ts'
import { UNKNOWN } from './expand.ts'
import { mayLie } from './globs.ts'
import type { Script } from './normalise.ts'
import { option } from './options.ts'
import { absolutePath, isInside } from './paths.ts'
import type { Matchers } from './pattern.ts'
import { isSvcProgram } from './svc-program.ts'
import type { Command } from './walk.ts'
import { type NamedPath, namedPaths } from './word-paths.ts'

/** What svc may be asked without changing anything: the command, and its verbs. */
const READ_ONLY: Readonly<Record<string, RegExp>> = {
  help: /^/,
  why: /^/,
  usage: /^/,
  'prompt-size': /^/,
  sessions: /^(list|search|show|stats)$/,
  config: /^(get|show|path|check|list)$/,
  plugins: /^(list|info|show|search)$/,
  approvals: /^(list|pending)$/,
  model: /^(list|show|info)$/,
  tools: /^(list|show)$/,
  auth: /^(list|status)$/,
  gateway: /^status$/,
  outbox: /^(list|show)$/,
  checkpoints: /^(list|show|diff)$/,
  webhook: /^list$/,
  pairing: /^list$/,
}
const COMMANDS =
  /^(chat|config|approvals|pairing|webhook|tools|model|sessions|auth|login|gateway|plugins|outbox|checkpoints|profile|cron|update|uninstall|fork|replay|skills|memory)$/
/** Files of a home of svc, wherever it is. */
const SENSITIVE_TAIL = /\/(?:config\.(?:ya?ml|json)|\.env(?:\.\w+)?|auth\.json|plugin\.json|SOUL\.md|approvals\.db)$/
const HOME_VARIABLE = /SVC_HOME|SVC_PROFILE/
/** Nothing of them reaches into folders. */
const SHALLOW =
  /^(ls|dir|cd|pushd|popd|pwd|stat|test|\[|\[\[|du|df|mkdir|realpath|readlink|basename|dirname|tree|file|find|fd|open|xdg-open|code|cat|head|tail|touch|set-location|get-childitem|test-path|git)$/
const MAY_BE_DEEP =
  /^(cp|mv|ln|install|scp|curl|wget|chmod|chown|grep|egrep|fgrep|tee|copy-item|move-item|sed|wc|diff|less|more)$/

export const svcPatterns = {
  'end-agent': (command, script) => changesSvc(command, script) || touchesHome(command, script),
} satisfies Matchers

/** Everything but a short list of questions. */
function changesSvc(command: Command, script: Script): boolean {
  const words = svcWords(command, script)
  return words !== undefined && !asksOnly(words)
}

/** The arguments of svc when the command runs it, under any name. */
function svcWords({ name, program, args, cwd }: Command, { home, state }: Script): readonly string[] | undefined {
  if (name === 'svc' || isSvcProgram(program, cwd, home)) return args
  if (/^(npm|pnpm|yarn|bun)$/.test(name) && /^(start|run|run-script|exec|x|dlx|svc)$/.test(args[0] ?? ''))
    return wordsOfScript(args)
  if (!/^(node|bun|deno|tsx|ts-node|nodejs|env)$/.test(name)) return undefined
  const isOurs = (word: string) =>
    isSvcProgram(word, cwd, home) || state.programs.get(absolutePath(word, cwd, home) ?? word) === 'svc'
  const at = args.findIndex((word) => !word.startsWith('-') && isOurs(word))
  return at < 0 ? undefined : args.slice(at + 1)
}

/** `npm start -- config set ...`, `npm exec svc ...` */
function wordsOfScript([verb = '', ...more]: readonly string[]): readonly string[] | undefined {
  const rest = [verb, ...more].slice(verb === 'svc' ? 0 : 1).filter((word) => word !== '--')
  const at = rest.findIndex((word) => word === 'svc' || word.startsWith('svc@') || COMMANDS.test(word))
  const word = rest[at] ?? ''
  const isOurs = word.startsWith('svc') || more.includes('--') || /^(exec|x|dlx)$/.test(verb)
  // `npm run config` is a script of that name.
  if (!isOurs || word === '' || (verb === 'run' && at === 0 && word !== 'svc')) return undefined
  return rest.slice(word.startsWith('svc') ? at + 1 : at)
}

function asksOnly(args: readonly string[]): boolean {
  if (args.some((word) => /^--(yolo|allow|dangerously|yes|plugin(=|$))/.test(word))) return false
  const rest = args.filter(
    (word, at) =>
      !/^(-p|--profile(=.*)?|--json|--verbose|--quiet)$/.test(word) && !/^(-p|--profile)$/.test(args[at - 1] ?? ''),
  )
  if (rest.some((word) => /^(--help|-h|--version|-V)$/.test(word))) return true
  const [command = '', verb = ''] = rest
  const verbs = Object.hasOwn(READ_ONLY, command) ? READ_ONLY[command] : undefined
  return verbs?.test(verb) === true && (verb !== '' || verbs.source === '^')
}

function touchesHome(command: Command, script: Script): boolean {
  const { name, args, cwd } = command
  const texts = [extractCode(command) ?? '', ...(NO_CODE.test(name) ? [] : args.filter((word) => /\(|\s/.test(word)))]
  if (texts.some((text) => HOME_VARIABLE.test(text))) return true
  const isInHome = cwd !== undefined && findSvcLocation(expandHome(cwd, script), script.ground.homes) === 'closed'
  if (isInHome && !SHALLOW.test(name) && name !== 'echo') return true
  return namedPaths(command, script).some((named) => isOfSvc(named, command, script))
}

/** Their words are texts for people. */
const NO_CODE = /^(echo|printf|grep|rg|git|export|gh)$/

function expandHome(path: string, { home }: Script): string {
  return path.startsWith('~') ? home + path.slice(1) : path
}

function isOfSvc({ path, access }: NamedPath, command: Command, script: Script): boolean {
  const { homes, real } = script.ground
  if (path.startsWith(UNKNOWN)) return ofUnknownFolder(path, access)
  const paths = real.has(path) ? [path, real.get(path) as string] : [path]
  return paths.some((each) => lies(each, /^(name|read)$/.test(access) ? 'read' : 'write', command, homes))
}

/** `$DIR/config.yaml` is written to: it may be anywhere. */
function ofUnknownFolder(path: string, access: NamedPath['access']): boolean {
  const isDeep = path.startsWith(`${UNKNOWN}/`) || /\/\.svc\//.test(path)
  if (/(?:^|\/)\.svc(?:\/(?!workspace\/)|$)/.test(path)) return true
  return (access === 'write' || access === 'any') && isDeep && SENSITIVE_TAIL.test(path)
}

function lies(path: string, access: 'read' | 'write', command: Command, homes: readonly string[]): boolean {
  const plain = path.replace(/\uE000[\s\S]*$/, '*')
  if (/[*?[\uE000]/.test(plain)) {
    const ways = homes.map((home) => mayLie(plain, home))
    if (ways.includes('in')) return !homes.some((home) => isOpen(plain, home, access))
    return ways.includes('above') && isDeep(command)
  }
  if (findSvcLocation(plain, homes, access) === 'closed') return true
  return containsSvcHome(plain, homes) && isDeep(command)
}

function isOpen(pattern: string, home: string, access: 'read' | 'write'): boolean {
  return isInside(pattern, `${home}/workspace`) || (access === 'read' && isInside(pattern, `${home}/logs`))
}

/** Whether it does something with all that is in a folder. */
function isDeep({ name, args }: Command): boolean {
  if (SHALLOW.test(name))
    return args.some((word) => /^(-exec|-delete|-execdir|-ok|-x|-X|--exec|-C)/.test(word)) && name !== 'git'
  if (MAY_BE_DEEP.test(name)) return name === 'mv' || option(args, 'rRa', ['--recursive', '--archive', '-recurse'])
  return true
}
