/** `svc plugins new NAME`: a plugin that runs, to be changed into another one. */
import { existsSync, lstatSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join, relative, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { type CliArguments, type CliContext, errorMessage, type PluginContext, SvcError } from 'svc/sdk'
import { Plugins } from 'svc/sdk/host'
import { hasFlag, printJson, quotePath } from 'svc/sdk/kit/terminal'
import { type Runner, runners } from './template-tests.ts'
import { filesFor, isKind, kinds, type Language } from './templates.ts'

export async function create(ctx: PluginContext<undefined>, input: CliArguments, io: CliContext): Promise<number> {
  const name = input.args[0] as string
  const kind = input.options['kind'] ?? 'tool'
  if (typeof kind !== 'string' || !isKind(kind))
    throw usage(`--kind is "${String(kind)}"; it can be ${kinds.join(', ')}.`)
  refuseName(ctx, name)
  const dir = resolve(io.cwd, typeof input.options['dir'] === 'string' ? input.options['dir'] : name)
  const { files, trial } = filesFor(kind, name, chooseLanguage(input), chooseRunner(input))
  write(dir, files)
  const linked = linkProgram(dir)
  const shown = relative(io.cwd, dir) || '.'
  const next = [
    `svc plugins verify ${quotePath(shown)}`,
    `svc plugins install ${quotePath(pathLike(shown))}`,
    `svc ${trial}`,
  ]
  if (hasFlag(input, 'json')) printJson(io, { name, kind, dir, files: Object.keys(files), next })
  else {
    io.out(
      `Made ${dir}\n${Object.keys(files)
        .map((file) => `  ${file}\n`)
        .join('')}`,
    )
    if (!linked) io.err('node_modules could not be linked to this svc, so an editor will not find svc/sdk.\n')
    io.out(`Next\n${next.map((command) => `  ${command}\n`).join('')}`)
  }
  return 0
}

/**
 * Links `node_modules/svc` and `node_modules/zod` of a folder to those of this installation, so that editors, tsc and
 * tests find what the plugin will get when it runs. False when the system refuses.
 */
export function linkProgram(dir: string): boolean {
  const resolver = createRequire(import.meta.url)
  try {
    mkdirSync(join(dir, 'node_modules'), { recursive: true })
    for (const name of ['svc', 'zod']) {
      const link = join(dir, 'node_modules', name)
      if (lstatSync(link, { throwIfNoEntry: false })?.isSymbolicLink()) rmSync(link)
      const inside = name === 'svc' ? fileURLToPath(import.meta.url) : resolver.resolve(name)
      if (!existsSync(link)) symlinkSync(findPackageRoot(inside, name), link, 'junction')
    }
    return true
  } catch (error) {
    if ((error as NodeJS.ErrnoException).syscall) return false
    throw error
  }
}

/** The folder of a package, from a file in it. The program is known by its command: it is published with a scope. */
function findPackageRoot(file: string, name: string): string {
  for (let dir = dirname(file); dir !== dirname(dir); dir = dirname(dir)) {
    const own = join(dir, 'package.json')
    if (!existsSync(own)) continue
    const found = JSON.parse(readFileSync(own, 'utf8')) as { name?: unknown; bin?: Record<string, string> }
    if (found.name === name || found.bin?.[name] !== undefined) return dir
  }
  throw new SvcError('PLUGIN_FOLDER', `The folder of the package ${name} was not found above ${file}.`)
}

function refuseName(ctx: PluginContext<undefined>, name: string): void {
  if (!/^[a-z][a-z0-9-]{0,63}$/.test(name))
    throw usage(`"${name}" cannot be a plugin's name: lower-case letters, digits and hyphens, a letter first.`)
  const other = ctx.use(Plugins).info(name)
  if (!other) return
  const message = `A plugin "${name}" is there already (${other.origin}). Choose another name.`
  throw new SvcError('PLUGIN_NAME_TAKEN', message, { status: 409 })
}

function chooseLanguage(input: CliArguments): Language {
  if (hasFlag(input, 'typescript') && hasFlag(input, 'javascript'))
    throw usage('Choose one of --typescript and --javascript.')
  return hasFlag(input, 'javascript') ? 'js' : 'ts'
}

function chooseRunner(input: CliArguments): Runner {
  const given = input.options['tests'] ?? 'node'
  const runner = runners.find((each) => each === given)
  if (runner === undefined) throw usage(`--tests is "${String(given)}"; it can be ${runners.join(', ')}.`)
  return runner
}

/** Into a folder that is not there or empty: nothing is overwritten. */
function write(dir: string, files: Readonly<Record<string, string>>): void {
  try {
    mkdirSync(dirname(dir), { recursive: true })
    mkdirSync(dir)
  } catch (cause) {
    const taken = (cause as NodeJS.ErrnoException).code === 'EEXIST'
    const message = taken
      ? `${dir} is there already; nothing was overwritten. Choose another with --dir.`
      : errorMessage(cause)
    throw new SvcError('PLUGIN_FOLDER', message, { cause })
  }
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(dir, name)), { recursive: true })
    writeFileSync(join(dir, name), text)
  }
}

/** A relative folder is told from an npm package by its first character. */
function pathLike(path: string): string {
  return /^[./\\]|^[A-Za-z]:/.test(path) ? path : `./${path}`
}

function usage(message: string): SvcError {
  return new SvcError('CLI_USAGE', message, { status: 400 })
}
