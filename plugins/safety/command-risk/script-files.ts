/** Files that a command runs: which language they are in, and what they have a shell run. */
import { posix } from 'node:path'
import { interpreter } from './code.ts'
import { isUnknown } from './expand.ts'
import { type NestedText, quote } from './nested.ts'
import type { Command } from './walk.ts'

type Text = Pick<NestedText, 'text' | 'dialect'>

const BY_ENDING: Readonly<Record<string, string>> = {
  py: 'python',
  js: 'node',
  mjs: 'node',
  cjs: 'node',
  ts: 'node',
  mts: 'node',
  tsx: 'node',
  pl: 'perl',
  rb: 'ruby',
  php: 'php',
  lua: 'lua',
}

/** The interpreter whose code a file holds; undefined for shell text and lists of commands. */
export function detectLanguage(text: string, path: string, program: string): string | undefined {
  const base = interpreter(program)
  if (base !== undefined && base !== 'awk') return base === 'deno' || base === 'bun' ? 'node' : base
  const [, named] = /^#!.*?\b(python|node|perl|ruby|deno|bun|php|lua)[\d.]*\b/.exec(text.slice(0, 200)) ?? []
  if (named !== undefined) return named === 'deno' || named === 'bun' ? 'node' : named
  const ending = posix.extname(path).slice(1)
  return Object.hasOwn(BY_ENDING, ending) ? BY_ENDING[ending] : undefined
}

/** What the file has a shell run. */
export function scriptTexts(text: string, path: string, command: Command): readonly Text[] {
  const file = posix.basename(path)
  if (file === 'package.json') return packageScripts(text, command.args)
  if (/^(GNUmakefile|[Mm]akefile|.*\.mk|\.?[Jj]ustfile)$/.test(file) || /^(g?make|just)$/.test(command.name))
    return recipes(text)
  if (/^#!.*\bfish\b/.test(text) || command.name === 'fish' || file.endsWith('.fish'))
    return [{ text, dialect: 'fish' }]
  if (/^#!.*\bpwsh\b/.test(text) || file.endsWith('.ps1')) return [{ text, dialect: 'powershell' }]
  if (/\.(bat|cmd)$/.test(file)) return [{ text, dialect: 'cmd' }]
  return [{ text: withArguments(text, command) }]
}

/** A script sees the words after its name. */
function withArguments(text: string, { name, args }: Command): string {
  const given = /^(sh|bash|zsh|dash|ksh|source|\.)$/.test(name) ? args.slice(1) : args
  return given.length
    ? `set -- ${given
        .filter((word) => !isUnknown(word))
        .map(quote)
        .join(' ')}\n${text}`
    : text
}

/** The scripts that `npm run x` and its like run; all of them when it is not clear which. */
function packageScripts(text: string, args: readonly string[]): Text[] {
  let scripts: unknown
  try {
    scripts = (JSON.parse(text) as { scripts?: unknown }).scripts
  } catch {
    return [{ text: '\uE000' }]
  }
  if (typeof scripts !== 'object' || scripts === null) return []
  const entries = Object.entries(scripts).filter((entry): entry is [string, string] => typeof entry[1] === 'string')
  const [verb = '', name = ''] = args.filter((word) => !word.startsWith('-'))
  const isInstalling = /^(install|i|ci|add|update|rebuild|pack|publish|)$/.test(verb)
  const chosen = isInstalling ? ['install', 'prepare', 'prepublish', 'prepublishOnly', 'dependencies'] : [verb, name]
  const names = new Set(chosen.filter(Boolean).flatMap((each) => [each, `pre${each}`, `post${each}`]))
  const run = entries.filter(([each]) => names.has(each))
  // One script may run another.
  const isNested = run.some(([, script]) =>
    /\b(npm|pnpm|yarn|bun|run-[sp]|npm-run-all|concurrently|wireit|turbo|nx)\b/.test(script),
  )
  return (isNested ? entries : run).map(([, script]) => ({ text: script }))
}

/** Lines that begin with a blank, and what is computed while the file is read. */
function recipes(text: string): Text[] {
  const lines = text.replace(/\\\n/g, ' ').split('\n')
  const run = lines.filter((line) => /^[\t ]/.test(line)).map((line) => line.replace(/^\s+[@+-]*/, ''))
  const shells = [...text.matchAll(/\$\(shell\s+([^)]*)\)|!=\s*([^\n]*)/g)].map(([, one, two]) => one ?? two ?? '')
  const variables = lines.flatMap((line) => {
    const [, name, value] = /^([A-Za-z_]\w*)\s*[:?+]?=\s*(.*)$/.exec(line) ?? []
    return name === undefined ? [] : [`${name}=${quote(value ?? '')}`]
  })
  const body = run.map((line) => line.replace(/\$\$/g, '$').replace(/\$\((\w+)\)/g, '$${$1}'))
  return [{ text: [...variables, ...body, ...shells].join('\n') }]
}
