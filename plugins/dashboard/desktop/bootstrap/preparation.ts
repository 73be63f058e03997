/** The stages about the machine and the home: programs beside svc, the command on the path, settings, chat platforms. */
import { chmod, lstat, mkdir, open, readlink, stat, symlink } from 'node:fs/promises'
import { delimiter, join, resolve } from 'node:path'
import { SvcError, tryParseJson } from 'svc/sdk'
import { z } from 'zod'
import { runProgram } from '../child-program.ts'
import { AGENT_FOLDER } from './files.ts'
import { askVersion, broken, type StageDeps, type StageWork } from './stage-deps.ts'

const ASK_MS = 60_000
/** Programs that svc uses when they are there, the option that shows their version, and what for. */
const PACKAGES = [
  ['rg', '--version', 'searches in files are faster with it'],
  ['ffmpeg', '-version', 'voice messages are converted with it'],
] as const

const CONFIG = '# Settings of svc. `svc config list` shows all of them, `svc config set NAME VALUE` writes one here.\n'
const SECRETS = '# Keys and tokens of svc, one NAME=value a line. Only you may read this file.\n'

const plugins = z.object({
  plugins: z.array(
    z.object({ name: z.string(), kind: z.string(), status: z.string(), problem: z.string().optional() }),
  ),
})

export const checkPackages: StageWork = async (deps) => {
  const missing: string[] = []
  for (const [name, flag, use] of PACKAGES) {
    const version = await askVersion(name, deps, flag)
    if (version === undefined) missing.push(`${name} is not on the path: ${use}`)
    else deps.log(`${name}: ${version}`)
  }
  return missing.length === PACKAGES.length ? { skipped: `${missing.join('; ')}.` } : undefined
}

/** A link in `~/.local/bin`, where that folder is on the path and holds no other `svc`. */
export const linkCommand: StageWork = async (deps) => {
  const folders = (deps.environment['PATH'] ?? '').split(delimiter).filter((folder) => folder !== '')
  for (const folder of folders) {
    if (!(await stat(join(folder, 'svc')).catch(() => undefined))) continue
    return { skipped: `svc is on the path already: ${join(folder, 'svc')}` }
  }
  const target = join(deps.home, AGENT_FOLDER, 'bin', 'svc')
  const folder = join(deps.userFolder, '.local', 'bin')
  if (process.platform === 'win32' || !folders.some((each) => resolve(each) === folder))
    return { skipped: `${folder} is not on the path. To type svc, add ${join(deps.home, AGENT_FOLDER, 'bin')} to it.` }
  await mkdir(folder, { recursive: true })
  const link = join(folder, 'svc')
  // One that leads nowhere: what it led to is gone.
  const there = await lstat(link).catch(() => undefined)
  if (there) {
    const old = there.isSymbolicLink() ? await readlink(link) : 'a file'
    throw new SvcError('DESKTOP_STAGE', `${link} leads to ${old}, which is gone. Remove it.`)
  }
  await symlink(target, link)
  deps.log(`${link} leads to ${target}`)
  return undefined
}

/** Files that a person edits, only where there are none yet; then svc copies its skills into the home. */
export const writeTemplates: StageWork = async (deps) => {
  await mkdir(deps.home, { recursive: true, mode: 0o700 })
  await createFile(join(deps.home, 'config.yaml'), CONFIG, deps)
  await createFile(join(deps.home, '.env'), SECRETS, deps)
  if (process.platform !== 'win32') await chmod(join(deps.home, '.env'), 0o600)
  await askSvc('skills list --json', deps)
  deps.log('skills are in place')
  return undefined
}

/** Whether every chat platform of this installation can be loaded. */
export const checkPlatforms: StageWork = async (deps) => {
  const answer = await askSvc('plugins list --json', deps)
  const listed = plugins.safeParse(tryParseJson(answer)?.value).data?.plugins
  if (!listed) throw new SvcError('DESKTOP_STAGE', 'svc plugins list did not print its list. Run it in a terminal.')
  const platforms = listed.filter(({ kind }) => kind === 'platform')
  const bad = platforms.filter(({ status }) => status === 'failed')
  if (bad.length > 0) {
    const names = bad.map(({ name, problem = 'it failed' }) => `${name} (${problem})`).join(', ')
    throw new SvcError('DESKTOP_STAGE', `Not all chat platforms can be loaded: ${names}. svc plugins tells why.`)
  }
  deps.log(`${platforms.length} chat platforms can be set up`)
  return undefined
}

async function createFile(file: string, text: string, { log }: StageDeps): Promise<void> {
  try {
    await using handle = await open(file, 'wx', 0o600)
    await handle.writeFile(text)
    log(`${file} was made`)
  } catch (error) {
    const isThere = (error as NodeJS.ErrnoException).code === 'EEXIST'
    if (!isThere) throw error
    if (!(await stat(file)).isFile()) throw new SvcError('DESKTOP_STAGE', `${file} is not a file. Move it away.`)
    log(`${file} is there already`)
  }
}

async function askSvc(words: string, deps: StageDeps): Promise<string> {
  let out = ''
  const end = await runProgram([...deps.program, ...words.split(' ')], {
    ...deps,
    timeoutMs: ASK_MS,
    onLine: (line, stream) => {
      if (stream === 'stdout') out += `${line}\n`
    },
  })
  if (end.code !== 0) throw broken(`svc ${words}`, end)
  return out
}
