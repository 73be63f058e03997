/** Confined sessions for tests: a user, a project and what lies around them, all in temporary folders. */
import { spawnSync } from 'node:child_process'
import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type Tool, Tools } from 'svc/sdk'
import { lacks, openSession, type ToolSession } from '../../tools/shell/tool-terminal/session.ts'
import { temporaryFolder } from '../../tools/shell/tool-terminal/support.ts'

/** Why tests with real confinement are skipped; false where they run. */
export const cannotConfine = lacks('bwrap', '--ro-bind', '/', '/', '--unshare-all', '--cap-drop', 'ALL', 'true')
export const skipped = cannotConfine ? ' (skipped: bwrap does not work here)' : ''

/** A text that nothing confined may ever see. It is no secret that svc would mask. */
export const CANARY = 'canary-4f1d9c'

/** A user with a project. */
export interface World extends AsyncDisposable {
  readonly session: ToolSession
  /** The folder of the user. */
  readonly home: string
  readonly project: string
  readonly svcHome: string
  /** A folder of the user beside the project. */
  readonly beside: string
  /** Runs a command as the agent does once the gates have let it pass. */
  run(command: string, more?: object): ReturnType<ToolSession['terminal']>
  /** All files outside of what may be written to, and those in the project that may not, with their contents. */
  fingerprint(): string
}

/** Opens one. The project is a git repository with files that editors run. */
export async function openWorld(config: Readonly<Record<string, unknown>> = {}): Promise<World> {
  const folder = temporaryFolder()
  const [home, svcHome] = [join(folder.path, 'user'), join(folder.path, 'user/.svc')]
  const [project, beside] = [join(home, 'project'), join(home, 'beside')]
  for (const path of ['.ssh', '.svc/data', '.config/gh', '.config/git', 'beside', 'project/.vscode', 'project/src'])
    mkdirSync(join(home, path), { recursive: true })
  const files: Record<string, string> = {
    ...{
      '.ssh/id_ed25519': CANARY,
      '.svc/.env': 'SOME_API_KEY=other-value',
      '.svc/data/note': CANARY,
      '.config/gh/hosts.yml': CANARY,
    },
    ...{ '.bashrc': '# mine\n', '.profile': '# mine\n', 'beside/file': 'theirs', '.netrc': CANARY },
    ...{ 'project/.vscode/tasks.json': '{}', 'project/src/a.txt': 'one\n', '.git-credentials': CANARY },
    '.gitconfig': '[user]\n\tname = Somebody\n\temail = somebody@example.org\n',
  }
  for (const [name, text] of Object.entries(files)) writeFileSync(join(home, name), text)
  spawnSync('git', ['init', '-q', '-b', 'main', project])
  const before = process.env['HOME']
  process.env['HOME'] = home
  // What these tests try must not run where nothing holds it, nor with needs that no person has granted.
  const session = await openSession({
    cwd: project,
    plugins: ['confinement'],
    disabled: ['command-knowledge'],
    home: svcHome,
    config: { confine: 'required', ...config },
    env: withPath(),
  })
  const tool = session.kernel.all(Tools).get('terminal') as Tool
  return {
    ...{ session, home, project, svcHome, beside },
    async run(command, more = {}) {
      const input = { command, ...more }
      await tool.acts?.(input, { cwd: project, sessionId: 's' })
      return session.terminal(input)
    },
    fingerprint: () => {
      const kept = [
        '.git/hooks',
        '.git/config',
        '.git/modules',
        '.git/commondir',
        '.vscode',
        '.envrc',
        '.mcp.json',
        '.idea',
        '.svc',
      ]
      const places = [
        ...readdirSync(home).filter((name) => name !== 'project'),
        ...kept.map((name) => `project/${name}`),
      ]
      return places.map((name) => listing(join(home, name))).join('\n')
    },
    async [Symbol.asyncDispose]() {
      process.env['HOME'] = before
      await session[Symbol.asyncDispose]()
      folder[Symbol.dispose]()
    },
  }
}

function withPath(): Record<string, string> {
  return { PATH: process.env['PATH'] ?? '' }
}

function listing(path: string): string {
  try {
    const stats = statSync(path)
    const mode = `${path} ${(stats.mode & 0o7777).toString(8)}`
    if (!stats.isDirectory()) return `${mode} ${stats.isFile() ? readFileSync(path, 'latin1') : 'special'}`
    const names = readdirSync(path)
    // What stands in for a file that must not come to exist is an empty folder.
    return [mode, ...names.map((name) => listing(join(path, name)))].join('\n')
  } catch {
    return `${path} missing`
  }
}
