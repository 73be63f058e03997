/** The npm packages of a home. npm works on a copy of them, which then takes their place in one step. */
import { createHash } from 'node:crypto'
import { cpSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join, relative, sep } from 'node:path'
import { type CliContext, errorMessage, Home, type PluginContext, SvcError } from 'svc/sdk'
import { npm, npmRun } from './npm.ts'
import type { Candidate, Staging } from './staging.ts'

const MAX_TARBALL = 50 * 2 ** 20

/** What npm is to install. */
export type PackageSource =
  | { readonly kind: 'tarball'; readonly path: string }
  | { readonly kind: 'package'; readonly spec: string }

type Context = PluginContext<undefined>

/** Installs a package in the copy. Throws `PLUGIN_NPM_FAILED`, `PLUGIN_NAME_TAKEN` or, without the keyword, `PLUGIN_FOLDER`. */
export async function stagePackage(
  ctx: Context,
  source: PackageSource,
  staging: Staging,
  io: CliContext,
): Promise<Candidate> {
  const root = join(staging.home, 'npm')
  copyNpm(ctx, root)
  const before = packageJson(root).dependencies ?? {}
  const known = listPackages(root)
  const spec = source.kind === 'package' ? source.spec : keepTarball(source.path, root)
  await npm(['install', spec], root, npmRun(ctx, io))
  const name = installedName(source, spec, { before, after: packageJson(root).dependencies ?? {} })
  const dir = join(root, 'node_modules', name)
  const keywords = packageJson(dir).keywords ?? []
  if (!keywords.includes('svc-plugin'))
    throw new SvcError('PLUGIN_FOLDER', `The package ${name} is no plugin of svc: it lacks the keyword "svc-plugin".`)
  return {
    dir,
    packages: listPackages(root).filter((other) => other !== name && !known.includes(other)),
    place() {
      const undo = staging.swapNpm()
      return { dir: ctx.use(Home).path('npm', 'node_modules', name), undo }
    },
  }
}

/** Takes the package that lies in `dir` out of the copy. Throws `PLUGIN_NPM_FAILED`. */
export async function stageWithout(ctx: Context, dir: string, staging: Staging, io: CliContext): Promise<void> {
  const root = join(staging.home, 'npm')
  copyNpm(ctx, root)
  const name = relative(ctx.use(Home).path('npm', 'node_modules'), dir).split(sep).join('/')
  const spec = packageJson(root).dependencies?.[name] ?? ''
  await npm(['uninstall', name], root, npmRun(ctx, io))
  if (spec.startsWith('file:tarballs/')) rmSync(join(root, spec.slice('file:'.length)), { force: true })
}

/** Copies what npm has installed in the home so far; begins an empty one. */
function copyNpm(ctx: Context, to: string): void {
  const real = ctx.use(Home).path('npm')
  if (existsSync(real)) cpSync(real, to, { recursive: true, verbatimSymlinks: true })
  else {
    mkdirSync(to, { mode: 0o700 })
    writeFileSync(join(to, 'package.json'), `${JSON.stringify({ private: true }, undefined, 2)}\n`)
  }
}

/** A tarball is kept beside what npm makes of it, or npm would miss it at its next run. */
function keepTarball(path: string, root: string): string {
  const bytes = readFileSync(path)
  if (bytes.length > MAX_TARBALL) throw new SvcError('PLUGIN_UNSAFE', `${path} is over ${MAX_TARBALL / 2 ** 20} MiB.`)
  const file = `tarballs/${createHash('sha256').update(bytes).digest('hex').slice(0, 16)}.tgz`
  mkdirSync(join(root, 'tarballs'), { recursive: true })
  writeFileSync(join(root, file), bytes)
  return `./${file}`
}

/** The name under which npm wrote the package down. Throws `PLUGIN_NAME_TAKEN` when it had it before. */
function installedName(
  source: PackageSource,
  spec: string,
  { before, after }: Record<'before' | 'after', Dependencies>,
): string {
  const name =
    source.kind === 'package'
      ? spec.replace(/(.)@.*$/, '$1')
      : Object.keys(after).find((other) => after[other]?.endsWith(spec.replace('./', '')))
  if (name === undefined || !(name in after))
    throw new SvcError('PLUGIN_NPM_FAILED', `npm did not say what it made of ${spec}.`)
  if (!(name in before)) return name
  const message = `The package ${name} is installed already. svc plugins shows its plugin; remove that first.`
  throw new SvcError('PLUGIN_NAME_TAKEN', message, { status: 409 })
}

type Dependencies = Readonly<Record<string, string>>

interface PackageJson {
  readonly dependencies?: Dependencies
  readonly keywords?: readonly string[]
}

/** The relevant fields of a package.json; empty without the file. Throws `PLUGIN_NOT_USABLE`. */
export function packageJson(dir: string): PackageJson {
  const file = join(dir, 'package.json')
  if (!existsSync(file)) return {}
  try {
    return JSON.parse(readFileSync(file, 'utf8')) as PackageJson
  } catch (cause) {
    throw new SvcError('PLUGIN_NOT_USABLE', `${file} cannot be read: ${errorMessage(cause)}`, { cause })
  }
}

function listPackages(root: string): string[] {
  const file = join(root, 'package-lock.json')
  if (!existsSync(file)) return []
  const { packages = {} } = JSON.parse(readFileSync(file, 'utf8')) as { packages?: Record<string, unknown> }
  return Object.keys(packages).flatMap((path) => path.split('node_modules/').at(-1) || [])
}
