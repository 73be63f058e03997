/** Packages that servers are run from, for `svc security audit`. */
import { basename } from 'node:path'
import type { AuditComponent, AuditList, AuditSource } from 'svc/sdk/safety'
import type { Config, ServerSettings } from './config.ts'

export function mcpAuditSource(config: Config): AuditSource {
  return {
    name: 'mcp',
    kind: 'mcp',
    async list() {
      const found = Object.entries(config).map(([name, settings]) => listServer(name, settings))
      return {
        components: found.flatMap(({ components }) => components),
        notes: found.flatMap(({ notes = [] }) => notes),
      }
    },
  }
}

/** The package that a server is run from; undefined where it is not run by a runner of packages, or in no exact version. */
export function findPinnedPackage(name: string, settings: ServerSettings): AuditComponent | undefined {
  return listServer(name, settings).components[0]
}

const RUNNERS: Readonly<Record<string, 'npm' | 'PyPI'>> = {
  npx: 'npm',
  bunx: 'npm',
  pnpx: 'npm',
  uvx: 'PyPI',
  pipx: 'PyPI',
}
/** Options of the runners that take a value; `--package` and `--from` name the package instead. */
const WITH_VALUE =
  /^(?:-c|--call|--python|-p|--index-url|--default-index|--with|--cache|--prefix|-w|--workspace|--registry)$/
const NAMES_PACKAGE = /^(?:--package|--from|--spec|-p)(?:=(.+))?$/

function listServer(name: string, { command, args }: ServerSettings): AuditList {
  const source = `MCP server ${name}`
  if (command === undefined)
    return { components: [], notes: [`${source} is not run here, so its packages are not known.`] }
  const program = basename(command).replace(/\.(?:cmd|exe)$/i, '')
  if (program === 'docker' || program === 'podman')
    return { components: [], notes: [`${source} runs in a container, whose packages are not known.`] }
  const ecosystem = RUNNERS[program]
  const words = program === 'pipx' && args[0] === 'run' ? args.slice(1) : args
  const spec = ecosystem && findPackage(words, ecosystem)
  if (ecosystem === undefined || spec === undefined)
    return { components: [], notes: [`${source} is the program ${program}, whose version is not known.`] }
  const component = parseSpec(spec, ecosystem, source)
  if (component) return { components: [component] }
  return { components: [], notes: [`${source} runs ${spec} without an exact version; pin one to have it audited.`] }
}

function findPackage(words: readonly string[], ecosystem: 'npm' | 'PyPI'): string | undefined {
  for (let at = 0; at < words.length; at += 1) {
    const word = words[at] as string
    const named = NAMES_PACKAGE.exec(word)
    // `-p` of uvx is the version of Python.
    if (named && !(word === '-p' && ecosystem === 'PyPI')) return named[1] ?? words[at + 1]
    if (WITH_VALUE.test(word)) at += 1
    else if (!word.startsWith('-')) return word
  }
  return undefined
}

function parseSpec(spec: string, ecosystem: 'npm' | 'PyPI', source: string): AuditComponent | undefined {
  const pattern =
    ecosystem === 'npm'
      ? /^((?:@[\w.-]+\/)?[\w.-]+)@v?(\d+\.\d+\.\d+[\w.+-]*)$/
      : /^([\w.-]+)(?:\[[\w,.-]*\])?(?:==|@)v?(\d[\w.+!-]*)$/
  const found = pattern.exec(spec)
  return found?.[1] && found[2] ? { name: found[1], version: found[2], ecosystem, source } : undefined
}
