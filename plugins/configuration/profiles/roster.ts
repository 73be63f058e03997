/** What is known of profiles without running svc in them. */
import { existsSync, lstatSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { Control, type ControlAnswer, Plugins } from 'svc/sdk/host'
import { parse } from 'yaml'
import { readDescription } from './description.ts'
import { type Context, DEFAULT, listFolders, type ProfileFolder, readActive } from './profile-folders.ts'

/** As `svc profile list --json` prints it. */
export interface ProfileFacts {
  readonly name: string
  readonly path: string
  readonly is_default: boolean
  /** The profile of commands that name none. */
  readonly is_active: boolean
  readonly gateway_running: boolean
  /** What runs there and can be asked, such as `chat`. */
  readonly running: readonly { readonly pid: number; readonly command: string }[]
  /** As config.yaml says; null where it says nothing. */
  readonly model: string | null
  readonly provider: string | null
  readonly has_env: boolean
  readonly skill_count: number
  readonly description: string
  readonly description_auto: boolean
}

const ASK_MS = 2000
const MAX_SKILLS = 5000

export async function listProfiles(ctx: Context): Promise<readonly ProfileFacts[]> {
  return await Promise.all(listFolders(ctx).map((folder) => readProfile(ctx, folder)))
}

export async function readProfile(ctx: Context, folder: ProfileFolder): Promise<ProfileFacts> {
  const running = (await findRunning(ctx, folder)).map(({ pid, command }) => ({ pid, command }))
  return {
    ...readFiles(folder),
    is_active: folder.name === readActive(ctx),
    gateway_running: running.some(({ command }) => command === 'gateway'),
    running,
  }
}

/** What its files say; nothing that runs is asked. */
export function readFiles({
  name,
  dir,
}: ProfileFolder): Omit<ProfileFacts, 'is_active' | 'gateway_running' | 'running'> {
  return {
    name,
    path: dir,
    is_default: name === DEFAULT,
    ...readModel(dir),
    has_env: existsSync(join(dir, '.env')),
    skill_count: findSkills(dir).length,
    ...readDescription(dir),
  }
}

/** Processes of a profile that others can reach. One that does not answer is among them. */
export async function findRunning(ctx: Context, { dir }: ProfileFolder): Promise<readonly ControlAnswer[]> {
  const control = await ctx.use(Plugins).bring(Control)
  const answers = (await control?.ask('plugins.list', {}, { home: dir, timeoutMs: ASK_MS })) ?? []
  return answers.filter(({ pid }) => pid !== process.pid)
}

/** Folders of skills: `<category>/<skill>` and `<skill>`, as the SDK says of folders of skills. Links are not followed. */
export function findSkills(dir: string): readonly string[] {
  const root = join(dir, 'skills')
  const firsts = listSubfolders(root)
  const seconds = firsts.flatMap((first) => listSubfolders(first))
  return [...firsts, ...seconds].filter((each) => existsSync(join(each, 'SKILL.md'))).slice(0, MAX_SKILLS)
}

function listSubfolders(dir: string): readonly string[] {
  if (!lstatSync(dir, { throwIfNoEntry: false })?.isDirectory()) return []
  const entries = readdirSync(dir, { withFileTypes: true })
  return entries
    .filter((entry) => entry.isDirectory() && !entry.name.startsWith('.'))
    .map(({ name }) => join(dir, name))
    .sort()
}

/** A config.yaml that cannot be read says nothing here; svc in that profile says what is wrong with it. */
function readModel(dir: string): Pick<ProfileFacts, 'model' | 'provider'> {
  try {
    const config = parse(readFileSync(join(dir, 'config.yaml'), 'utf8')) as { readonly model?: unknown } | null
    const { model } = config ?? {}
    if (typeof model === 'string') return { model, provider: null }
    const { default: name, provider } = (model ?? {}) as { readonly default?: unknown; readonly provider?: unknown }
    return { model: toText(name), provider: toText(provider) }
  } catch {
    return { model: null, provider: null }
  }
}

function toText(value: unknown): string | null {
  return typeof value === 'string' && value !== '' ? value : null
}
