/** What no other plugin is responsible for: the config files, the plugins themselves, the clock and the disk. */
import { accessSync, constants, readdirSync, statSync } from 'node:fs'
import { chmod, statfs } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import type { Clock, Config, Home } from 'svc/sdk'
import type {
  ConfigEdit,
  ConfigFile,
  ConfigProblem,
  HealthCheck,
  HealthFinding,
  PluginInfo,
  Plugins,
} from 'svc/sdk/host'
import type { ConfigRepair } from 'svc/sdk/operations'

const DAY_MS = 24 * 60 * 60_000
/** Databases, their backups and one large session. */
const LOW_BYTES = 200 * 2 ** 20
const FULL_BYTES = 20 * 2 ** 20

export function configCheck({
  config,
  file,
}: {
  readonly config: () => Config
  readonly file: () => Promise<ConfigFile | undefined>
}): HealthCheck {
  return {
    name: 'config',
    title: 'Config',
    order: 10,
    async check() {
      const writer = await file()
      const problems = (await writer?.check()) ?? config().problems()
      if (problems.length === 0) return [{ state: 'ok', text: `${config().file} has no errors.` }]
      return problems.map((problem) => configFinding(problem, writer))
    },
  }
}

function configFinding(problem: ConfigProblem, writer: ConfigFile | undefined): HealthFinding {
  const { severity, path, message, hint, line, repair } = problem
  const place = [line === undefined ? '' : `line ${line}`, path].filter(Boolean).join(', ')
  return {
    state: severity === 'error' ? 'problem' : 'warning',
    text: `${place ? `${place}: ` : ''}${message}`,
    fix: hint ?? 'svc config edit',
    ...(repair && writer && { repair: () => repairConfig(repair, writer, message) }),
  }
}

const UNDO = 'To take it back: svc config undo'

async function repairConfig(repair: ConfigRepair, writer: ConfigFile, message: string): Promise<string> {
  const by = { author: 'svc doctor --fix', reason: message }
  switch (repair.kind) {
    case 'close':
      await chmod(repair.file, 0o600)
      return `${repair.file} is its owner's alone.`
    case 'write': {
      await writer.write(repair.edits, by)
      const [set] = repair.edits
      return `${set?.path} was written. ${UNDO}`
    }
    case 'tidy':
      // One call mends all such lines.
      await writer.tidy(by)
      return `Lines of .env that are not read are comments now. ${UNDO}`
    case 'restore':
      await writer.restore()
      return `The last good config.yaml is back. ${UNDO}`
    case 'migrate': {
      const { to, backup } = await writer.migrate()
      return `config.yaml has version ${to}${backup === undefined ? '' : `; the old file is ${backup}`}. ${UNDO}`
    }
  }
}

/** Plugins that config.yaml has on and that do not run, such as one that adds what another plugin has already. */
function leftOut({ plugins, config, file }: PluginsDeps): HealthFinding[] {
  const named: unknown = config().get('plugins.enabled')
  const on: unknown[] = Array.isArray(named) ? named : []
  const known = new Set(
    plugins()
      .list()
      .map(({ manifest }) => manifest.name),
  )
  const missing = on.filter((name) => typeof name === 'string' && !known.has(name)).map((name) => String(name))
  const unknown = missing.map(
    (name): HealthFinding => ({
      state: 'warning',
      text: `plugins.enabled names ${JSON.stringify(name)}, and there is no such plugin.`,
      fix: `svc plugins install ${name}, or remove it from plugins.enabled with svc config edit`,
      repair: async () => {
        const now: unknown = config().get('plugins.enabled')
        const value = (Array.isArray(now) ? now : []).filter((each) => !missing.includes(String(each)))
        await write(await file(), [{ path: 'plugins.enabled', value }], `${name} does not exist`)
        return `plugins.enabled names it no more. ${UNDO}`
      },
    }),
  )
  const out = plugins()
    .list()
    .filter(({ status, manifest }) => status === 'left-out' && on.includes(manifest.name))
    .map(
      ({ manifest: { name }, reason = '' }): HealthFinding => ({
        state: 'problem',
        text: `The plugin ${name} is named in plugins.enabled, but does not run: ${reason}`,
        fix: `svc plugins info ${name}`,
      }),
    )
  return [...unknown, ...out]
}

async function write(file: ConfigFile | undefined, edits: readonly ConfigEdit[], reason: string): Promise<void> {
  if (!file) throw new Error('no plugin writes config.yaml')
  await file.write(edits, { author: 'svc doctor --fix', reason })
}

/** A plugin of the user that fails at every start only takes time. A guard stays on: without it its gates deny. */
function failure({ plugins, config, file }: PluginsDeps, failed: PluginInfo): HealthFinding {
  const { manifest, origin, reason = '', status } = failed
  const { name } = manifest
  const finding: HealthFinding = {
    state: 'problem',
    text: `The plugin ${name} does not run: ${reason}`,
    fix: `svc plugins info ${name}`,
  }
  const isGuard = plugins()
    .guards()
    .some(({ plugin }) => plugin === name)
  if (origin === 'built-in' || isGuard || status !== 'failed') return finding
  return {
    ...finding,
    fix: `svc plugins disable ${name}`,
    repair: async () => {
      const off: unknown = config().get('plugins.disabled')
      const value = [...new Set([...(Array.isArray(off) ? off : []), name])]
      await write(await file(), [{ path: 'plugins.disabled', value }], reason)
      return `${name} is off. To try it again: svc plugins enable ${name}`
    },
  }
}

interface PluginsDeps {
  readonly file: () => Promise<ConfigFile | undefined>
  readonly plugins: () => Plugins
  readonly config: () => Config
}

export function pluginsCheck(deps: PluginsDeps): HealthCheck {
  const { plugins } = deps
  return {
    name: 'plugins',
    title: 'Plugins',
    order: 60,
    async check() {
      const failed = plugins()
        .list()
        .filter(({ status }) => status === 'failed' || status === 'suspended')
      const guards = plugins()
        .guards()
        .filter(({ state }) => state === 'disabled')
      const findings: HealthFinding[] = [
        ...failed.map((each) => failure(deps, each)),
        ...leftOut(deps),
        ...guards.map(({ plugin, gates, reason = '' }) => ({
          state: 'warning' as const,
          text: `${plugin} does not guard ${gates.join(', ')}: ${reason}`,
          fix: `svc plugins enable ${plugin}`,
        })),
      ]
      const loaded = plugins()
        .list()
        .filter(({ generation }) => generation > 0)
      return findings.length > 0
        ? findings
        : [{ state: 'ok', text: `${loaded.length} were loaded for this; none failed.` }]
    },
  }
}

/** Times in the future, or a clock that lies behind files that svc wrote, break retention, rests of keys and schedules. */
export function clockCheck({ clock, home }: { readonly clock: () => Clock; readonly home: () => Home }): HealthCheck {
  return {
    name: 'clock',
    title: 'Clock',
    order: 80,
    async check() {
      const now = clock().now()
      const newest = newestFile(home().dir)
      const said = new Date(now).toISOString()
      if (newest === undefined || newest - now < DAY_MS) return [{ state: 'ok', text: `It is ${said}.` }]
      return [
        {
          state: 'problem',
          text: `The clock says ${said}, but a file in SVC_HOME was written at ${new Date(newest).toISOString()}.`,
          fix: 'Set the clock of this machine (timedatectl set-ntp true on Linux).',
        },
      ]
    },
  }
}

function newestFile(folder: string): number | undefined {
  try {
    const times = readdirSync(folder).map(
      (name) => statSync(join(folder, name), { throwIfNoEntry: false })?.mtimeMs ?? 0,
    )
    return times.length > 0 ? Math.max(...times) : undefined
  } catch (error) {
    // There is no home yet.
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw error
  }
}

export function diskCheck(home: () => Home): HealthCheck {
  return {
    name: 'disk',
    title: 'Disk',
    order: 70,
    async check() {
      const { dir } = home()
      const folder = existingFolder(dir)
      const rights = writableFinding(folder)
      if (rights) return [rights]
      const { bavail, bsize } = await statfs(folder)
      const free = bavail * bsize
      const text = `${Math.round(free / 2 ** 20).toLocaleString('en')} MiB are free for ${dir}.`
      if (free >= LOW_BYTES) return [{ state: 'ok', text }]
      const fix = `Make room on the disk, or move SVC_HOME to another one. svc sessions prune --older-than 90d removes old conversations.`
      return [{ state: free < FULL_BYTES ? 'problem' : 'warning', text, fix }]
    },
  }
}

/** The folder itself, or the next one above it that exists. */
function existingFolder(folder: string): string {
  const isThere = statSync(folder, { throwIfNoEntry: false }) !== undefined
  return isThere || dirname(folder) === folder ? folder : existingFolder(dirname(folder))
}

function writableFinding(folder: string): HealthFinding | undefined {
  try {
    accessSync(folder, constants.W_OK | constants.X_OK)
    return undefined
  } catch (error) {
    const text = `${folder} cannot be written (${(error as NodeJS.ErrnoException).code}).`
    return {
      state: 'problem',
      text,
      fix: `chown -R "$USER" ${JSON.stringify(folder)}, or set SVC_HOME to a folder of yours.`,
    }
  }
}
