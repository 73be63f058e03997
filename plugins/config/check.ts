/** `svc config check`: everything that is wrong or useless in config.yaml and `.env`, with line and advice. */
import { stat } from 'node:fs/promises'
import { type CliInput, type CliIo, Config, type ConfigProblem, Home, type PluginContext } from 'svc/sdk'
import { readText } from './atomic-write.ts'
import { unknownKey } from './blocks.ts'
import { formatPath, valueAt } from './config-path.ts'
import { assignmentsOf } from './env-edit.ts'
import { isSecretSchema, schemaAt } from './json-schema.ts'
import { CONFIG_VERSION } from './migrations.ts'
import { isVariable, referencesIn } from './secret-names.ts'
import { findingsIn } from './validate.ts'
import { toJson } from './values.ts'
import { readView, type View } from './view.ts'
import { offsetOf } from './yaml-place.ts'
import { parseSource, type YamlFault } from './yaml-source.ts'
import type { Path } from './yaml-steps.ts'

type Context = PluginContext<unknown>

/** Prints all problems; exit code 1 when one of them is an error. */
export async function check(ctx: Context, { options }: CliInput, io: CliIo): Promise<number> {
  const problems = await problemsOf(ctx)
  if (options['json'] === true) io.out(toJson(problems))
  else for (const problem of problems) io.out(`${lineFor(problem)}\n`)
  const errors = problems.filter(({ severity }) => severity === 'error').length
  const warnings = problems.length - errors
  if (options['json'] !== true)
    io.out(problems.length === 0 ? 'No problems.\n' : `Errors: ${errors}, warnings: ${warnings}\n`)
  return errors > 0 ? 1 : 0
}

/** All problems of both files. */
export async function problemsOf(ctx: Context): Promise<ConfigProblem[]> {
  const { file } = ctx.use(Config)
  const text = (await readText(file)).text ?? ''
  const source = parseSource(text)
  if (!('values' in source)) return [faultOf(source), ...(await modeOf(ctx))]
  const view = await readView(ctx)
  return [
    ...versionProblems(view),
    ...(await schemaProblems(view)),
    ...view.blocks.flatMap(({ plugin, path, problem }): ConfigProblem[] =>
      problem
        ? [
            {
              severity: 'warning',
              path: formatPath(path),
              message: `cannot be checked, ${plugin} does not load: ${problem}`,
            },
          ]
        : [],
    ),
    ...keyProblems(view),
    ...missingVariables(view),
    ...(await envProblems(view)),
    ...(await modeOf(ctx)),
  ]
}

function lineFor({ severity, path, message, hint, line }: ConfigProblem): string {
  const place = [line === undefined ? '' : `line ${line}`, path].filter(Boolean).join(', ')
  return `${severity}: ${place ? `${place}: ` : ''}${message}${hint ? `\n  ${hint}` : ''}`
}

function faultOf({ line, column, message, hint }: YamlFault): ConfigProblem {
  return { severity: 'error', path: '', message: `column ${column}: ${message}`, hint, line }
}

function versionProblems({ source, exists }: View): ConfigProblem[] {
  const path = 'config_version'
  const version = exists ? (source.values[path] ?? 0) : CONFIG_VERSION
  if (typeof version !== 'number' || version === CONFIG_VERSION) return []
  if (version < CONFIG_VERSION)
    return [{ severity: 'warning', path, message: `is ${version}, not ${CONFIG_VERSION}`, hint: 'svc config migrate' }]
  return [{ severity: 'error', path, message: `is ${version}; this svc knows ${CONFIG_VERSION}`, hint: 'update svc' }]
}

async function schemaProblems(view: View): Promise<ConfigProblem[]> {
  const findings = await findingsIn(view.effective, view.blocks, view.whole)
  return findings.map(({ path, message, hint }) =>
    located(view, path, { severity: 'error', message, ...(hint ? { hint } : {}) }),
  )
}

/** Keys that nothing reads, and secrets that stand in the open. */
function keyProblems(view: View): ConfigProblem[] {
  const seen = new Set<string>()
  return leaves(view.source.values).flatMap((path) => {
    const value = valueAt(view.source.values, path)
    const isOpenSecret = isVariable(path) || (isSecretSchema(schemaAt(view.whole, path)) && typeof value === 'string')
    if (isOpenSecret && value !== '' && referencesIn(String(value)).length === 0) {
      const hint = `svc config set ${formatPath(path)} <value> puts it into .env`
      return [located(view, path, { severity: 'warning', message: 'is a secret and belongs into .env', hint })]
    }
    const unknown = unknownKey(view.whole, path)
    const key = unknown && formatPath(unknown.path)
    if (!unknown || !key || seen.has(key)) return []
    seen.add(key)
    const meant = unknownKey(view.whole, unknown.path)?.nearest
    const hint = meant ? { hint: `did you mean ${formatPath(meant)}?` } : {}
    return [located(view, unknown.path, { severity: 'warning', message: 'nothing reads this; it is kept', ...hint })]
  })
}

function missingVariables(view: View): ConfigProblem[] {
  return leaves(view.source.values).flatMap((path) => {
    const value = valueAt(view.source.values, path)
    const names = typeof value === 'string' ? referencesIn(value) : []
    return names
      .filter((name) => view.lookup(name) === undefined)
      .map((name) => {
        const hint = `svc config set ${name} <value>`
        return located(view, path, { severity: 'error', message: `refers to ${name}, which is not set`, hint })
      })
  })
}

/** Variables that nothing reads, lines that are none, and names that are there twice. */
async function envProblems({ envFile, declared, source }: View): Promise<ConfigProblem[]> {
  const text = (await readText(envFile)).text ?? ''
  const lineAt = (offset: number) => text.slice(0, offset).split('\n').length
  const referenced = new Set([...declared.map(({ name }) => name), ...referencesIn(source.text)])
  const found = assignmentsOf(text)
  const problems = found.flatMap(({ name, nameStart }, at): ConfigProblem[] => {
    const line = lineAt(nameStart)
    if (found.slice(at + 1).some((later) => later.name === name))
      return [{ severity: 'warning', path: name, message: 'is set again below in .env; the last one counts', line }]
    if (referenced.has(name)) return []
    return [
      {
        severity: 'warning',
        path: name,
        message: 'no plugin and no key of config.yaml reads this variable of .env',
        line,
      },
    ]
  })
  const inside = (offset: number) => found.some(({ nameStart, end }) => nameStart <= offset && offset <= end)
  let offset = 0
  for (const line of text.split('\n')) {
    const first = offset + line.length - line.trimStart().length
    const isAssigned =
      inside(first) || found.some(({ nameStart }) => nameStart >= offset && nameStart <= offset + line.length)
    if (line.trim() !== '' && !line.trim().startsWith('#') && !isAssigned)
      problems.push({
        severity: 'warning',
        path: '',
        message: 'this line of .env is not NAME=value and is not read',
        line: lineAt(offset),
      })
    offset += line.length + 1
  }
  return problems
}

async function modeOf(ctx: Context): Promise<ConfigProblem[]> {
  const file = ctx.use(Home).path('.env')
  const found = process.platform === 'win32' ? undefined : await stat(file).catch(missing)
  if (!found || (found.mode & 0o077) === 0) return []
  const mode = (found.mode & 0o777).toString(8)
  return [
    { severity: 'warning', path: '', message: `.env can be read by others (mode ${mode})`, hint: `chmod 600 ${file}` },
  ]
}

function located(view: View, path: Path, problem: Omit<ConfigProblem, 'path' | 'line'>): ConfigProblem {
  const offset = offsetOf(view.source, path)
  const { severity, ...rest } = problem
  return {
    severity,
    path: formatPath(path),
    ...rest,
    ...(offset === undefined ? {} : { line: view.source.line(offset) }),
  }
}

/** The paths of all values that hold no others. */
function leaves(value: unknown, path: Path = []): Path[] {
  const entries = typeof value === 'object' && value !== null ? Object.entries(value) : []
  if (entries.length === 0) return path.length > 0 ? [path] : []
  return entries.flatMap(([key, item]) => leaves(item, [...path, key]))
}

function missing(error: unknown): undefined {
  if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error
}
