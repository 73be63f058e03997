/** Judges files by what they are, not by what they say: links, programs, archives, names. */
import { posix } from 'node:path'
import { leadsOut, type SkillFile } from './files.ts'
import type { Draft } from './findings.ts'
import { isProgram } from './text/decode.ts'

const MAX_TOTAL = 10 * 2 ** 20
const MAX_SKILL = 100_000
const MAX_FILE = 2 ** 20
const USUAL_FILES = 200
const PROGRAM_NAME =
  /\.(?:exe|dll|scr|com|pif|msi|so(?:\.\d+)*|dylib|a|o|bin|elf|class|jar|war|apk|app|deb|rpm|pkg|dmg|iso|img|vhd|lnk|url|scf|chm|hta|cpl|jse|vbe|wsf|pyc|pyo|pyd|node|wasm|xll|msix|appimage|run)$/i
const ARCHIVE_NAME = /\.(?:zip|rar|7z|tar|tgz|tar\.\w+|gz|bz2|xz|zst|cab|ace|arj|lzh|skill)$/i
const MACRO_NAME = /\.(?:docm|dotm|xlsm|xltm|xlam|pptm|potm|ppam|one)$/i
const PICKLE_NAME = /\.(?:pkl|pickle|joblib|pt|pth|dill)$/i
const SPECIAL_NAME =
  /(?:^|\/)(?:\.git\/|\.envrc$|\.bashrc$|\.bash_profile$|\.zshrc$|\.profile$|\.npmrc$|\.pypirc$|\.ssh\/|\.vscode\/(?:tasks|settings|launch)\.json$|\.idea\/|\.devcontainer\/|\.githooks\/|\.husky\/|\.claude\/(?:settings|hooks)|\.mcp\.json$|\.cursor\/|sitecustomize\.py$|usercustomize\.py$|conftest\.py$|autorun\.inf$|desktop\.ini$)|\.pth$/i
const DOUBLE_NAME =
  /\.(?:pdf|docx?|xlsx?|txt|md|png|jpe?g|gif|mp[34]|csv|json)\.(?:exe|scr|com|bat|cmd|js|vbs|ps1|sh|py|hta|lnk|jar|command)$/i
const MEDIA_NAME = /\.(?:png|jpe?g|gif|webp|ico|bmp|pdf|mp[34]|wav|ttf|otf|woff2?|docx|xlsx|pptx)$/i

export function judgeFolder(files: readonly SkillFile[]): Draft[] {
  const total = files.reduce((sum, file) => sum + file.size, 0)
  const skill = files.find(({ path }) => path === 'SKILL.md')
  const names = new Map<string, string>()
  const clashes = files.filter(({ path }) => {
    const key = path.normalize('NFKC').toLowerCase()
    const other = names.get(key)
    names.set(key, path)
    return other !== undefined
  })
  return [
    ...(skill?.kind === 'file'
      ? []
      : [draft('no-skill-file', 'high', 'SKILL.md', 'there is no SKILL.md that is a file')]),
    ...(skill && skill.size > MAX_SKILL
      ? [draft('large-file', skill.size > 2 ** 20 ? 'high' : 'medium', 'SKILL.md', `SKILL.md has ${skill.size} bytes`)]
      : []),
    ...(total > MAX_TOTAL ? [draft('large-skill', 'high', '', `the skill has ${total} bytes`)] : []),
    ...(files.length > USUAL_FILES ? [draft('many-files', 'medium', '', `the skill has ${files.length} files`)] : []),
    ...clashes.map(({ path }) => draft('name-clash', 'high', path, 'two files have one name on some systems')),
    ...files.flatMap((file) => judgeFile(file)),
  ]
}

function draft(rule: string, severity: Draft['severity'], file: string, message: string, excerpt = ''): Draft {
  return { rule, category: 'structure', severity, path: file, message, excerpt }
}

function judgeFile(file: SkillFile): Draft[] {
  const { path } = file
  if (file.kind === 'link') return [judgeLink(file)]
  if (file.kind === 'other') return [draft('special-file', 'critical', path, 'is a device, a pipe or a socket')]
  const found: Draft[] = [...judgeName(path)]
  if (file.mode & 0o6000) found.push(draft('set-user', 'critical', path, 'runs with the rights of its owner'))
  if (file.links > 1) found.push(draft('hard-link', 'medium', path, 'is also a file outside of the skill'))
  if (file.size > MAX_FILE) found.push(draft('large-file', 'medium', path, `has ${file.size} bytes`))
  return [...found, ...judgeReadable(file)]
}

/** What cannot be read is reported where its text is scanned. */
function judgeReadable(file: SkillFile): Draft[] {
  if ((file.mode & 0o444) === 0) return []
  return judgeContent(file.path, file.read())
}

function judgeLink({ path, target = '' }: SkillFile): Draft {
  return leadsOut(path, target)
    ? draft('link-outside', 'critical', path, 'is a link that leads out of the skill', target)
    : draft('link', 'low', path, 'is a link', target)
}

function judgeName(path: string): Draft[] {
  const found: Draft[] = []
  if (
    /[\u0000-\u001F\u007F-\u009F\u00AD\u200B-\u200F\u202A-\u202E\u2060-\u2069\uFEFF]|\\|(?:^|\/)\.\.(?:\/|$)/.test(path)
  )
    found.push(draft('strange-name', 'high', path, 'has characters in its name that hide what it is'))
  if (DOUBLE_NAME.test(path)) found.push(draft('double-name', 'high', path, 'is a program that looks like a document'))
  if (PROGRAM_NAME.test(path)) found.push(draft('program-file', 'high', path, 'is a program that cannot be read'))
  if (MACRO_NAME.test(path)) found.push(draft('macro-file', 'high', path, 'is a document with macros'))
  if (PICKLE_NAME.test(path)) found.push(draft('pickle-file', 'high', path, 'is data that can contain code'))
  if (SPECIAL_NAME.test(path))
    found.push(
      draft(
        'special-name',
        /\.git\/|\.envrc|rc$|profile$|\.ssh|customize|\.pth|autorun/.test(path) ? 'high' : 'medium',
        path,
        'is a file that programs read by itself',
      ),
    )
  if (
    /(?:^|\/)\.(?!gitignore|gitattributes|editorconfig|gitkeep|prettierrc|eslintrc|env\.example|skillignore)[^/]+\.(?:sh|py|js|ps1|bat|rb|pl)$/.test(
      path,
    )
  )
    found.push(draft('hidden-program', 'high', path, 'is a program whose name hides it'))
  return found
}

/** The first bytes, compared with the name. */
export function judgeContent(path: string, bytes: Buffer): Draft[] {
  if (isProgram(bytes) && !PROGRAM_NAME.test(path)) {
    const severity = MEDIA_NAME.test(path) ? 'critical' : 'high'
    return [draft('program-file', severity, path, 'is a program that cannot be read')]
  }
  if (MEDIA_NAME.test(path) && isText(bytes)) {
    const severity = CODE_START.test(bytes.toString('latin1').slice(0, 4000)) ? 'high' : 'medium'
    return [draft('false-type', severity, path, 'is a text, which its name does not say')]
  }
  const tail = trailing(posix.basename(path), bytes)
  if (tail !== undefined) return [draft('trailing-data', tail, path, 'has data after the end of its picture')]
  return judgeDocument(path, bytes)
}

const CODE_START = /^(?:#!|import |<\?php|@echo|function |eval|curl|from \w+ import|var |const )/m
const OPEN_SCRIPT = /<script\b|\bon\w+\s*=\s*["']|javascript:/i

function judgeDocument(path: string, bytes: Buffer): Draft[] {
  const kind = path.slice(path.lastIndexOf('.') + 1).toLowerCase()
  if (/^(?:docx|xlsx|pptx)$/.test(kind) && bytes.includes('vbaProject'))
    return [draft('macro-file', 'high', path, 'is a document with macros')]
  if (kind === 'pdf' && /\/(?:JavaScript|JS|Launch)\b/.test(bytes.toString('latin1')))
    return [draft('pdf-script', 'high', path, 'is a document that runs a script')]
  if (kind === 'svg' && OPEN_SCRIPT.test(bytes.toString('utf8')))
    return [draft('svg-script', 'high', path, 'is a picture that runs a script')]
  const isKnown = ARCHIVE_NAME.test(path) || MEDIA_NAME.test(path) || PROGRAM_NAME.test(path)
  return isKnown || isText(bytes) ? [] : [draft('binary-file', 'medium', path, 'cannot be read as text')]
}

export function isArchive(path: string, bytes: Buffer): boolean {
  const magic = bytes.subarray(0, 6).toString('hex')
  return ARCHIVE_NAME.test(path) || /^(?:504b0304|52617221|377abcaf|1f8b|425a68|fd377a58)/.test(magic)
}

/** UTF-8 and UTF-16 without control characters. */
export function isText(bytes: Buffer): boolean {
  const start = bytes.subarray(0, 8192)
  if ((start[0] === 0xff && start[1] === 0xfe) || (start[0] === 0xfe && start[1] === 0xff)) return true
  return !start.includes(0) && !start.toString('utf8').slice(0, -4).includes('\uFFFD')
}

function trailing(name: string, bytes: Buffer): Draft['severity'] | undefined {
  const end = /\.png$/i.test(name)
    ? bytes.lastIndexOf('IEND') + 8
    : /\.jpe?g$/i.test(name)
      ? bytes.lastIndexOf(Buffer.from([0xff, 0xd9])) + 2
      : /\.gif$/i.test(name)
        ? bytes.lastIndexOf(0x3b) + 1
        : 0
  if (end < 10 || bytes.length - end < 16) return undefined
  const rest = bytes.subarray(end)
  return isText(rest) || isProgram(rest) || rest.subarray(0, 2).toString() === 'PK' ? 'high' : 'medium'
}
