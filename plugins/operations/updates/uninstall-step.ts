/** For `svc uninstall`: the program itself, by the method of its installation. */
import { existsSync, lstatSync, readFileSync, realpathSync, rmSync } from 'node:fs'
import { homedir } from 'node:os'
import { basename, delimiter, dirname, isAbsolute, join } from 'node:path'
import { Home, type PluginContext, Secrets } from 'svc/sdk'
import { type ChildRun, runChild } from 'svc/sdk/kit/process'
import { quotePath } from 'svc/sdk/kit/terminal'
import type { UninstallItem } from 'svc/sdk/operations'
import { createRun, detectInstallation } from './detect.ts'
import { getEntry, type Installation, METHOD_FILE } from './installation.ts'
import { runTool } from './tool.ts'

const COMMAND = 'svc'
/** Of git: nothing of the user's configuration runs. */
const SAFE = ['-c', 'core.hooksPath=/dev/null', '-c', 'core.fsmonitor=false']

/** Throws `UPDATE_METHOD` where it cannot be seen what runs. */
export async function findProgram(
  ctx: PluginContext<undefined>,
  signal: AbortSignal,
): Promise<readonly UninstallItem[]> {
  const run = createRun(ctx, signal)
  const { installation, system } = await detectInstallation(ctx.use(Home).root, run)
  const { method, base, versions } = installation
  const older = existsSync(versions) ? [removeFolder('the versions that updates installed', versions)] : []
  if (method === 'npm') return [...older, removePackage(installation, run)]
  if (method === 'git') {
    const own = await findOwnWork(base, run)
    // What starts it stays with it.
    if (own !== undefined) return [{ text: `${own} To remove it: rm -r ${quotePath(base)}` }]
    return [...listLinks(ctx, base).map(removeLink), ...older, removeFolder('the program', base)]
  }
  return [{ text: explain(installation, system?.remove) }]
}

/** What a person has to do for an installation that something else manages. */
function explain({ method, base, name }: Installation, systemCommand: string | undefined): string {
  switch (method) {
    case 'container':
      return 'Remove the container and its image: docker compose down --rmi local, or podman rm and podman rmi.'
    case 'nix':
      return 'Remove the input that svc comes from and rebuild, or run: nix profile remove svc'
    case 'homebrew':
      return 'Run: brew uninstall svc'
    case 'npx':
      return `npx keeps a copy of ${name} in its cache: rm -r ${quotePath(base)}`
    case 'system':
      return `Run: ${systemCommand ?? 'the command of your package manager that removes it'}`
    default:
      return `It cannot be seen what installed the svc in ${base}. If nothing else manages it: rm -r ${quotePath(base)}`
  }
}

/** npm knows where its links are. A package of a project is the project's. */
function removePackage({ base, name }: Installation, run: ChildRun): UninstallItem {
  const modules = base.slice(0, -name.length - 1)
  const prefix = basename(dirname(modules)) === 'lib' ? dirname(dirname(modules)) : dirname(modules)
  const isGlobal = base === join(modules, ...name.split('/')) && basename(modules) === 'node_modules'
  if (!isGlobal || existsSync(join(prefix, 'package.json')))
    return { text: `The package ${name} belongs to a project. In ${dirname(modules)} run: npm uninstall ${name}` }
  const words = ['uninstall', '--global', '--prefix', prefix, '--no-audit', '--no-fund', '--no-update-notifier', name]
  return {
    text: `Remove the package ${name} with npm (${base})`,
    async remove() {
      // npm was told other things by a command of npm that started svc.
      const env = { npm_config_global: undefined, npm_config_prefix: undefined }
      await runTool('npm', words, run, { cwd: homedir(), env })
    },
  }
}

/**
 * Why a checkout is not removed: svc did not make it, or it has work that is nowhere else. Undefined for one that `install.sh` made and
 * that has no changes.
 */
async function findOwnWork(base: string, run: ChildRun): Promise<string | undefined> {
  if (!existsSync(join(base, METHOD_FILE))) return `${base} is a checkout that install.sh did not make.`
  const ask = async (...words: string[]) => {
    const { code, out } = await runChild('git', [...SAFE, '-C', base, ...words], run, { cwd: base })
    return code === 0 ? out.trim() : 'unknown'
  }
  if ((await ask('status', '--porcelain', '--untracked-files=no')) !== '')
    return `${base} has changes that are not committed.`
  if ((await ask('log', '--format=%h', '--max-count=1', 'HEAD', '--branches', '--not', '--remotes', '--tags')) !== '')
    return `${base} has commits that are nowhere else.`
  return undefined
}

/** Links by which a shell finds the program. */
function listLinks(ctx: PluginContext<undefined>, base: string): string[] {
  const secrets = ctx.use(Secrets)
  const folders = (secrets.get('PATH') ?? '').split(delimiter).filter((folder) => isAbsolute(folder))
  const user = join(secrets.get('HOME') ?? homedir(), '.local', 'bin')
  const all = [...new Set([user, ...folders])]
  const shims = all.map((folder) => join(folder, `${COMMAND}.cmd`)).filter((file) => isShimOf(file, base))
  return [...all.map((folder) => join(folder, COMMAND)).filter((file) => leadsTo(file, getEntry(base))), ...shims]
}

/** What `install.ps1` writes where links need rights. */
function isShimOf(file: string, base: string): boolean {
  return existsSync(file) && readFileSync(file, 'utf8').includes(`rem Written by install.ps1 of svc: ${base}\r\n`)
}

function leadsTo(file: string, entry: string): boolean {
  try {
    return lstatSync(file).isSymbolicLink() && realpathSync(file) === realpathSync(entry)
  } catch {
    // There is no such file.
    return false
  }
}

function removeLink(file: string): UninstallItem {
  return { text: `Remove the link ${file}`, remove: async () => rmSync(file, { force: true }) }
}

function removeFolder(what: string, folder: string): UninstallItem {
  return {
    text: `Remove ${what} (${folder})`,
    remove: async () => rmSync(folder, { recursive: true, force: true }),
  }
}
