/**
 * How each system is told that `svc://` links are opened with svc, as data: files and commands of the system, for this user only. The link
 * is one word behind `--`, so that it is never an option and never read by a shell.
 */
import { posix, win32 } from 'node:path'

export interface SchemePlan {
  readonly files: readonly { readonly path: string; readonly text: string }[]
  readonly folders: readonly string[]
  /** Run in this order. What `isOptional` says it may be missing. */
  readonly commands: readonly { readonly words: readonly string[]; readonly isOptional?: true }[]
}

export interface SchemeSystem {
  readonly platform: NodeJS.Platform
  readonly userFolder: string
  /** How svc is started: absolute words. */
  readonly program: readonly string[]
  /** Of the user, where that is not the usual one. */
  readonly dataFolder?: string | undefined
}

export const DESKTOP_FILE = 'svc-desktop.desktop'
const TYPE = 'x-scheme-handler/svc'
/** Of AppleScript: gives a line to a shell. */
const RUN = ['do', 'shell', 'script'].join(' ')
const WINDOWS_KEY = 'HKCU\\Software\\Classes\\svc'

/** Undefined: the system has no such registry that svc knows of. */
export function planRegistration(system: SchemeSystem): SchemePlan | undefined {
  if (system.platform === 'win32') return planWindows(system)
  if (system.platform === 'darwin') return planMac(system)
  return system.platform === 'linux' || system.platform === 'freebsd' ? planLinux(system) : undefined
}

/** What takes it back: `folders` and `files` are removed. */
export function planRemoval(system: SchemeSystem): SchemePlan | undefined {
  const plan = planRegistration(system)
  if (!plan) return undefined
  const { platform } = system
  if (platform === 'win32')
    return { ...plan, commands: [{ words: ['reg', 'delete', WINDOWS_KEY, '/f'], isOptional: true }] }
  if (platform === 'darwin') return { ...plan, commands: [] }
  return { ...plan, commands: plan.commands.filter(({ words: [name] }) => name === 'update-desktop-database') }
}

/** https://specifications.freedesktop.org/desktop-entry-spec/latest/ and .../mime-apps-spec/latest/ */
function planLinux({ userFolder, program, dataFolder }: SchemeSystem): SchemePlan {
  const folder = posix.join(dataFolder ?? posix.join(userFolder, '.local/share'), 'applications')
  const lines = [
    '[Desktop Entry]',
    'Type=Application',
    'Version=1.5',
    'Name=svc',
    'Comment=An AI agent in a window of its own',
    `Exec=${[...program, 'desktop', '--'].map(quoteExec).join(' ')} %u`,
    'Terminal=false',
    'Categories=Utility;',
    'StartupNotify=true',
    `MimeType=${TYPE};`,
  ]
  return {
    files: [{ path: posix.join(folder, DESKTOP_FILE), text: `${lines.join('\n')}\n` }],
    folders: [],
    commands: [
      { words: ['update-desktop-database', folder], isOptional: true },
      { words: ['xdg-mime', 'default', DESKTOP_FILE, TYPE] },
    ],
  }
}

/** Section "The Exec key": in quotes, with a backslash before what has a meaning there, which is itself written twice in a string. */
export function quoteExec(word: string): string {
  if (/^[\w@%+=:,./-]+$/.test(word)) return word.replaceAll('%', '%%')
  return `"${word
    .replace(/["`$\\]/g, '\\$&')
    .replaceAll('\\', '\\\\')
    .replaceAll('%', '%%')}"`
}

/**
 * An application bundle that a script editor of the system makes: links come to it as an event, not as a word.
 * https://developer.apple.com/documentation/bundleresources/information-property-list/cfbundleurltypes
 */
function planMac({ userFolder, program }: SchemeSystem): SchemePlan {
  const app = posix.join(userFolder, 'Applications', 'svc.app')
  const script = posix.join(userFolder, 'Applications', '.svc-links.applescript')
  const start = [...program, 'desktop'].map(quoteShell).join(' ')
  const lines = [
    'on open location link',
    `  ${RUN} ${quoteScript(`${start} -- `)} & quoted form of link & " > /dev/null 2>&1 &"`,
    'end open location',
    'on run',
    `  ${RUN} ${quoteScript(`${start} > /dev/null 2>&1 &`)}`,
    'end run',
  ]
  const info = posix.join(app, 'Contents', 'Info.plist')
  const set = (entry: string) => ({ words: ['/usr/libexec/PlistBuddy', '-c', entry, info] })
  return {
    files: [{ path: script, text: `${lines.join('\n')}\n` }],
    folders: [app],
    commands: [
      { words: ['osacompile', '-o', app, script] },
      set('Add :CFBundleIdentifier string app.svc.links'),
      set('Add :CFBundleURLTypes array'),
      set('Add :CFBundleURLTypes:0 dict'),
      set('Add :CFBundleURLTypes:0:CFBundleURLName string svc'),
      set('Add :CFBundleURLTypes:0:CFBundleURLSchemes array'),
      set('Add :CFBundleURLTypes:0:CFBundleURLSchemes:0 string svc'),
      { words: ['open', '-g', app], isOptional: true },
    ],
  }
}

/** https://learn.microsoft.com/en-us/previous-versions/windows/internet-explorer/ie-developer/platform-apis/aa767914(v=vs.85) */
function planWindows({ program }: SchemeSystem): SchemePlan {
  const command = `${[...program.map((word) => win32.normalize(word)), 'desktop', '--'].map((word) => `"${word}"`).join(' ')} "%1"`
  const add = (key: string, ...more: string[]) => ({ words: ['reg', 'add', key, ...more, '/f'] })
  return {
    files: [],
    folders: [],
    commands: [
      add(WINDOWS_KEY, '/ve', '/d', 'URL:svc'),
      add(WINDOWS_KEY, '/v', 'URL Protocol', '/d', ''),
      add(`${WINDOWS_KEY}\\shell\\open\\command`, '/ve', '/d', command),
    ],
  }
}

function quoteShell(word: string): string {
  return `'${word.replaceAll("'", "'\\''")}'`
}

function quoteScript(text: string): string {
  return `"${text.replaceAll('\\', '\\\\').replaceAll('"', '\\"')}"`
}
