/** Everything that is wrong or useless in config.yaml and `.env`, with line and advice. */
import { stat } from 'node:fs/promises'
import { basename } from 'node:path'
import { Config, errorCode, errorMessage, Home, type PluginContext } from 'svc/sdk'
import type { YamlError } from 'svc/sdk/host'
import { type ConfigProblem, formatConfigPath, getAtPath } from 'svc/sdk/host'
import { readText } from './atomic-write.ts'
import { isUnder, unknownKey } from './config-blocks.ts'
import { configText } from './config-text.ts'
import { findStrayLines, parseAssignments } from './env-edit.ts'
import { isSecretAt, type Path } from './json-schema.ts'
import { CONFIG_VERSION, stepsAfter } from './migrations.ts'
import { nameProblems } from './name-checks.ts'
import { isVariable, listReferences } from './secrets.ts'
import { findFindings } from './validate.ts'
import { listLeaves, readView, type View } from './view.ts'

type Context = PluginContext<unknown>

/** All problems of both files; `draft` stands in for config.yaml. */
export async function findProblems(ctx: Context, draft?: string): Promise<ConfigProblem[]> {
  let text: string | undefined
  try {
    text = draft ?? (await readText(ctx.use(Config).file)).text
  } catch (error) {
    if (errorCode(error) !== 'CONFIG_UNREADABLE') throw error
    return [{ severity: 'error', path: '', message: errorMessage(error) }, ...(await lossProblems(ctx))]
  }
  const parsed = await configText(ctx).parse(text ?? '')
  const lost = draft === undefined ? await lossProblems(ctx) : []
  if (!('values' in parsed))
    return [...machineProblems(ctx.use(Config)), toProblem(parsed), ...lost, ...(await checkModes(ctx))]
  const view = await readView(ctx, { text })
  // Of a file with nothing in it there is nothing more to say.
  if (lost.length > 0) return [...machineProblems(view), ...lost]
  return [
    ...machineProblems(view),
    ...versionProblems(view),
    ...(await schemaProblems(view)),
    ...(draft === undefined ? await unknownNames(ctx, view) : []),
    ...schemaFailures(view),
    ...keyProblems(view),
    ...missingVariables(view),
    ...variableProblems(view),
    ...(await checkModes(ctx)),
  ]
}

/** What the owners of blocks do not accept of what is set; the others are not asked. */
export async function refusedBlocks(ctx: Context): Promise<(ConfigProblem & { readonly plugin: string })[]> {
  const view = await readView(ctx, { paths: 'set' })
  const all = await Promise.all(
    view.blocks.map(async (block) => {
      const problems = await schemaProblems({ ...view, blocks: [block] })
      return problems.map((problem) => ({ plugin: block.plugin, ...problem }))
    }),
  )
  return all.flat()
}

function machineProblems({ machine }: Pick<Config, 'machine'>): ConfigProblem[] {
  if (machine?.problem === undefined) return []
  const message = `${machine.file}, which holds the rules of this machine, cannot be used: ${machine.problem}`
  return [
    { severity: 'error', path: '', message, hint: 'no turn runs until the administrator of this machine mends it' },
  ]
}

async function lossProblems(ctx: Context): Promise<ConfigProblem[]> {
  const config = ctx.use(Config)
  const lost = await config.lost()
  if (lost === undefined) return []
  const message = `${config.file} is gone, empty, cut off or broken; its state of ${new Date(lost.at).toISOString()} holds`
  return [
    {
      severity: 'error',
      path: '',
      message,
      hint: 'svc config restore, or svc config accept if it is meant',
      repair: { kind: 'restore' },
    },
  ]
}

function toProblem({ line, column, message, hint }: YamlError): ConfigProblem {
  return { severity: 'error', path: '', message: `column ${column}: ${message}`, hint, line }
}

function versionProblems({ yaml, text }: View): ConfigProblem[] {
  const path = 'config_version'
  const version = text === undefined ? CONFIG_VERSION : (yaml.values[path] ?? 0)
  if (typeof version !== 'number' || version === CONFIG_VERSION) return []
  // If no step would change the file, the number is meaningless: it was written by hand.
  if (version < CONFIG_VERSION && stepsAfter(version).every(({ changes }) => !changes?.(yaml.values).length)) return []
  if (version < CONFIG_VERSION)
    return [
      {
        severity: 'warning',
        path,
        message: `is ${version}, not ${CONFIG_VERSION}`,
        hint: 'svc config migrate',
        repair: { kind: 'migrate' },
      },
    ]
  return [{ severity: 'error', path, message: `is ${version}; this svc knows ${CONFIG_VERSION}`, hint: 'update svc' }]
}

async function schemaProblems(view: View): Promise<ConfigProblem[]> {
  const findings = await findFindings(view.effective, view.blocks, view.whole, view.names)
  return findings.map(({ path, message, hint }) =>
    locateProblem(view, path, { severity: 'error', message, ...(hint ? { hint } : {}) }),
  )
}

async function unknownNames(ctx: Context, view: View): Promise<ConfigProblem[]> {
  const found = await nameProblems(ctx, view.yaml.values)
  return found.map(({ at, ...problem }) => locateProblem(view, at, problem))
}

/** Blocks whose owners could not be asked. */
function schemaFailures({ blocks }: View): ConfigProblem[] {
  return blocks.flatMap(({ plugin, path, problem }): ConfigProblem[] => {
    if (!problem) return []
    const message = `cannot be checked, ${plugin} does not load: ${problem}`
    return [{ severity: 'warning', path: formatConfigPath(path), message }]
  })
}

/** Keys that nothing reads, and secrets that stand in the open. */
function keyProblems(view: View): ConfigProblem[] {
  const seen = new Set<string>()
  return listLeaves(view.yaml.values).flatMap((path) => {
    const value = getAtPath(view.yaml.values, path)
    const isOpenSecret = isVariable(path) || (isSecretAt(view.whole, path) && typeof value === 'string')
    if (isOpenSecret && value !== '' && listReferences(String(value)).length === 0) {
      const hint = `svc config set ${formatConfigPath(path)} <value> puts it into .env`
      const edits = [{ path: formatConfigPath(path), value }]
      const problem = { severity: 'warning', message: 'is a secret and belongs into .env', hint } as const
      return [locateProblem(view, path, { ...problem, repair: { kind: 'write', edits } })]
    }
    const unknown = unknownKey(view.whole, path)
    const key = unknown && formatConfigPath(unknown.path)
    if (!unknown || !key || seen.has(key)) return []
    seen.add(key)
    const meant = unknownKey(view.whole, unknown.path)?.nearest
    const hint = meant
      ? { hint: `did you mean ${formatConfigPath(meant)}?`, ...renaming(view, unknown.path, meant) }
      : {}
    return [
      locateProblem(view, unknown.path, {
        severity: 'warning',
        message: 'unknown setting (left in the file)',
        ...hint,
      }),
    ]
  })
}

/** A misspelt key becomes the one that is meant, unless that is set, too. */
function renaming({ yaml }: View, from: Path, to: Path): Pick<ConfigProblem, 'repair'> {
  if (getAtPath(yaml.values, to) !== undefined) return {}
  const edits = [
    { path: formatConfigPath(to), value: getAtPath(yaml.values, from) },
    { path: formatConfigPath(from), value: undefined },
  ]
  return { repair: { kind: 'write', edits } }
}

function missingVariables(view: View): ConfigProblem[] {
  return listLeaves(view.yaml.values).flatMap((path) => {
    const value = getAtPath(view.yaml.values, path)
    const names = typeof value === 'string' ? listReferences(value) : []
    return names
      .filter((name) => view.lookup(name) === undefined)
      .map((name) => {
        const hint = `svc config set ${name} <value>`
        return locateProblem(view, path, { severity: 'error', message: `refers to ${name}, which is not set`, hint })
      })
  })
}

/** Variables that nothing reads, names that are there twice, and lines that are no assignments. */
function variableProblems({ envText, declared, text }: View): ConfigProblem[] {
  const read = new Set([...declared.map(({ name }) => name), ...listReferences(text ?? '')])
  const found = parseAssignments(envText)
  const warning = (path: string, offset: number, message: string): ConfigProblem => {
    return { severity: 'warning', path, message, line: envText.slice(0, offset).split('\n').length }
  }
  const problems = found.flatMap(({ name, nameStart }, at) => {
    if (found.slice(at + 1).some((later) => later.name === name))
      return [{ ...warning(name, nameStart, 'is set again below in .env; the last one counts'), ...tidying }]
    return read.has(name)
      ? []
      : [warning(name, nameStart, 'no plugin and no key of config.yaml reads this variable of .env')]
  })
  return [
    ...problems,
    ...findStrayLines(envText).map((index) => ({
      ...warning('', index, 'this line of .env is not NAME=value and is not read'),
      ...tidying,
    })),
  ]
}

/** Lines of .env that are not read become comments. */
const tidying = { hint: 'svc doctor --fix makes it a comment', repair: { kind: 'tidy' } } as const

/** Both files say what the agent may do and hold what only the user should know. */
async function checkModes(ctx: Context): Promise<ConfigProblem[]> {
  if (process.platform === 'win32') return []
  const files = [ctx.use(Config).file, ctx.use(Home).path('.env')]
  const found = await Promise.all(
    files.map(async (file) => ({ file, mode: (await stat(file).catch(missing))?.mode ?? 0 })),
  )
  return found
    .filter(({ mode }) => (mode & 0o077) !== 0)
    .map(({ file, mode }) => {
      const who = (mode & 0o022) === 0 ? 'read' : 'changed'
      const message = `${basename(file)} can be ${who} by others (mode ${(mode & 0o777).toString(8)})`
      return { severity: 'warning', path: '', message, hint: `chmod 600 ${file}`, repair: { kind: 'close', file } }
    })
}

function locateProblem(view: View, path: Path, problem: Omit<ConfigProblem, 'path' | 'line'>): ConfigProblem {
  const line = findLine(view, path)
  return { path: formatConfigPath(path), ...problem, ...(line === undefined ? {} : { line }) }
}

/** The line of a key, or of the nearest that is there around it. */
function findLine({ yaml: { places } }: View, path: Path): number | undefined {
  const around = places.filter((place) => isUnder(path, place.path))
  return around.toSorted((a, b) => b.path.length - a.path.length)[0]?.line
}

function missing(error: unknown): undefined {
  if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error
}
