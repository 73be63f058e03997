/** Follows what a program reads to where it sends it, by the names of its variables. */
import { PROJECT_SECRET, SECRET_FILE, SECRET_FOLDER_NAME } from '../rules/secrets.ts'
import { countLines } from './segments.ts'

/** Where something secret, or of the net, ends up. */
export interface Flow {
  readonly rule: 'secret-to-net' | 'net-to-run' | 'secret-and-net'
  readonly line: number
  readonly excerpt: string
}

const SECRET_SOURCE = new RegExp(
  [
    SECRET_FILE,
    SECRET_FOLDER_NAME,
    String.raw`(?:open|read_text|read_bytes|readFile(?:Sync)?|Get-Content|File\.read|file_get_contents|\bcat|load_dotenv|dotenv_values|os\.ReadFile|fs::read\w*)\b[^\n]{0,80}${PROJECT_SECRET}`,
    String.raw`dict\(\s*os\.environ|os\.environ\.(?:items|copy)\(|os\.environ\s*[,)]|process\.env\s*[,;)}\n]|JSON\.stringify\(process\.env|Object\.entries\(process\.env|\bprintenv\b|(?:\$\(|${'`'})\s*(?:env|set|export)\s*[)|${'`'}]|Get-ChildItem\s+env:|gci\s+env:|\bENV\.(?:to_h|to_a|inspect|each)|os\.Environ\(\)|env::vars(?:_os)?\(\)|System\.getenv\(\)|System\.get_env\(\)|\bgetenv\(\)|\$_ENV\b(?!\[)|(?<![\w%])%ENV\b|GetEnvironmentVariables\(\)|ProcessInfo\.processInfo\.environment(?!\[)`,
    String.raw`security\s+find-\w+-password|secret-tool\s+lookup|keyring\.get_password|gh\s+auth\s+token|gcloud\s+auth\s+print|browser_?cookie3|pyperclip\.paste|pbpaste|Get-Clipboard|ImageGrab\.grab|\bhistory\b(?=\s*[|)])`,
  ].join('|'),
  'gi',
)
const NET_SINK =
  /(?:requests|httpx|session|http|client|axios|got|superagent)\s*\.\s*(?:post|put|patch|request)\s*\(|\burlopen\s*\(|urllib\.request\.Request\(|\bfetch\s*\(|https?\.request\s*\(|XMLHttpRequest|sendBeacon\(|\.send(?:all|to|mail|_message)?\s*\(|\bcurl\b|\bwget\b|\b(?:nc|ncat|netcat)\b\s|\/dev\/(?:tcp|udp)\/|\b(?:nslookup|dig)\b|\b(?:host|ping|getent|resolvectl)\s[^\n]*\$|Invoke-(?:RestMethod|WebRequest)|UploadString|UploadData|smtplib|storbinary|putObject|put_object|upload_file(?:obj)?\(|git\s+push|http\.Post\(|Net::HTTP|gethostbyname\(|dns\.(?:resolve|lookup)|socket\.(?:create_connection|socket)\(|\bscp\b|\brsync\b|websocket\w*\.\w+\(|curl_(?:exec\(|setopt(?:_array)?\([^\n]*POSTFIELDS)|reqwest::\w+|\bureq::|HttpClient\b[^\n]*\.(?:send|PostAsync)|LWP::UserAgent|HTTP::Tiny|\bhttpc:request|HTTPoison\.\w+|Req\.post|URLSession\b|OkHttpClient/gi
const LOCAL = /localhost|127\.0\.0\.1|\[::1\]/
const NET_SOURCE =
  /requests\.(?:get|post)\(|urlopen\(|httpx\.get\(|\bfetch\(|axios(?:\.get)?\(|https?\.get\(|\$\(\s*(?:curl|wget)\b|`(?:curl|wget)\b|Invoke-(?:RestMethod|WebRequest)|DownloadString|\birm\b|\biwr\b|file_get_contents\(\s*["']https?|\b(?:\w+\.)?(?:get|urlopen|open|request)\(\s*f?["']https?:|recv\(|popen\(\s*[rf]?["'](?:curl|wget)\b|reqwest::(?:\w+::)?get\(|\bureq::get\(|curl_exec\(|http\.Get\(|URLSession\b|HTTP::Tiny|LWP::\w+/i
const RUN_SINK =
  /\b(?:exec|eval|os\.system|os\.popen|execSync|new\s+Function|Function|runIn\w*Context|iex|Invoke-Expression|(?:ba|z)?sh\s+-c|subprocess\.\w+|spawn(?:Sync)?|Popen|popen|system|instance_eval|loadstring|AddScript|types\.FunctionType|importlib\.\w+|marshal\.loads|exec\.Command)\b\s*\(?|(?<![.\w:])load\s*\(|Command::new\(\s*"(?:ba|z)?sh"|\[ScriptBlock\]::Create|Assembly\]::Load|&\s*\$\w+|(?:ba|z)?sh\s*<<</i
const ASSIGN =
  /^\s*(?:export\s+|local\s+|const\s+|let\s+(?:mut\s+)?|var\s+|my\s+|readonly\s+)?\$?([A-Za-z_]\w*)(?:\s*:\s*[\w[\]<>, ]+)?\s*(?:\+?=|:=|<-)(?!=)\s*(.*)$/
const BINDING =
  /^\s*(?:with\s+(.*?)\s+as\s+([A-Za-z_]\w*)\s*:|for\s+(?:const\s+|let\s+)?\(?\[?([A-Za-z_]\w*)(?:\s*,\s*([A-Za-z_]\w*))?\]?\s+(?:in|of)\s+(.*)|(?:read|readarray|mapfile)\s.*?([A-Za-z_]\w*)\s*<\s*(.*))/
const APPEND = /\b([A-Za-z_]\w*)\s*(?:\.(?:append|push|update|extend|add|set|write|writestr)\(|\[[^\]]*\]\s*=)/
/** Their keys are for their own service: what is signed or authorised with them is no leak. */
const OWN_USE = /\bauthorization\b|\bbearer\b|api[_-]?key|x-api|\bauth\s*=|headers\s*[=:]|--user\b|\s-u\s|-H\s/i

export function findFlows(code: string): Flow[] {
  const steps = toSteps(code)
  return [...followSecrets(steps), ...followNet(steps), ...together(code)]
}

/** One statement, as far as a semicolon tells. */
interface Step {
  readonly text: string
  readonly line: number
}

function toSteps(code: string): Step[] {
  const lines = code.split('\n').slice(0, 5000)
  return lines.flatMap((content, at) =>
    content.split(/;(?=\s*[$\w])/).map((text) => ({ text: joinArguments(text), line: at + 1 })),
  )
}

/** `["security", "find-generic-password"]` as the command that it is. */
function joinArguments(text: string): string {
  return text.replace(/(?<=\w)["']\s*,\s*["'](?=[\w./~-])/g, ' ')
}

/** Step by step, twice, because functions may be used above where they are written. */
function followSecrets(steps: readonly Step[]): Flow[] {
  const tainted = new Set<string>()
  for (const { text } of steps) taintBySecret(text, tainted)
  return steps.flatMap(({ text: line, line: number }, at): Flow[] => {
    taintBySecret(line, tainted)
    if (!matchesOnce(NET_SINK, line)) return []
    const call = cutCall(
      steps
        .slice(at, at + 6)
        .map(({ text }) => text)
        .join('\n'),
    )
    if (LOCAL.test(call) || !uses(call, tainted) || isOwnUse(call)) return []
    return [{ rule: 'secret-to-net', line: number, excerpt: line.trim().slice(0, 160) }]
  })
}

function taintBySecret(line: string, tainted: Set<string>): void {
  taint(line, tainted, matchesOnce(SECRET_SOURCE, line) && !/\.pub\b|known_hosts/.test(line))
}

function isOwnUse(call: string): boolean {
  return OWN_USE.test(call) && !/\b(?:data|json|body|files|content|params)\s*[=:]/.test(call)
}

function followNet(steps: readonly Step[]): Flow[] {
  const tainted = new Set<string>()
  const flows: Flow[] = []
  for (const { text: line, line: number } of steps) {
    if (RUN_SINK.test(line) && uses(line.replace(ASSIGN, '$2'), tainted) && !/json\.loads|JSON\.parse/.test(line))
      flows.push({ rule: 'net-to-run', line: number, excerpt: line.trim().slice(0, 160) })
    const match = ASSIGN.exec(line)
    if (match?.[1] === undefined) continue
    if ((NET_SOURCE.test(match[2] ?? '') && !LOCAL.test(line)) || uses(match[2] ?? '', tainted)) tainted.add(match[1])
  }
  return flows
}

/** Reading such a file and writing to the net in one program, whatever the names in between are. */
function together(code: string): Flow[] {
  const strong =
    new RegExp(`["'\`/~][^\\n"'\`]{0,100}${SECRET_FILE}`, 'i').exec(code) ??
    new RegExp(`(?:dir|walk|glob|list|entries|find|ls)\\w*\\b[^\\n]{0,80}${SECRET_FOLDER_NAME}`, 'i').exec(code)
  if (!strong || /\.pub\b|\.ssh\/(?:config|known_hosts)|-i\s+\S*\.ssh/.test(strong[0])) return []
  const sinks = [...code.matchAll(NET_SINK)].filter(({ index, 0: found }) => {
    const line = code.slice(code.lastIndexOf('\n', index) + 1, code.indexOf('\n', index) + 1 || undefined)
    return !LOCAL.test(line) && !/^(?:git|scp|rsync|(?:curl|wget)(?!_))/i.test(found)
  })
  const sink = sinks[0]
  if (!sink || !/open\(|read|Get-Content|sqlite3|copy|glob|walk|cat\s/i.test(code)) return []
  return [{ rule: 'secret-and-net', line: countLines(code, strong.index), excerpt: strong[0].slice(0, 160) }]
}

function taint(line: string, tainted: Set<string>, secret: boolean): void {
  const mark = (names: readonly (string | undefined)[], from: string) => {
    if (secret || uses(from, tainted)) for (const name of names) if (name) tainted.add(name)
  }
  const match = ASSIGN.exec(line)
  if (match) mark([match[1]], match[2] ?? '')
  const binding = BINDING.exec(line)
  if (binding)
    mark(
      [binding[2], binding[3], binding[4], binding[6]],
      [binding[1], binding[5], binding[7]].map((each) => each ?? '').join(' '),
    )
  const append = APPEND.exec(line)
  if (append) mark([append[1]], line.slice(append.index + (append[1]?.length ?? 0)))
}

function uses(text: string, names: ReadonlySet<string>): boolean {
  if (names.size === 0) return false
  const words = text.match(/[A-Za-z_]\w*/g) ?? []
  return words.some((word) => names.has(word))
}

function matchesOnce(pattern: RegExp, text: string): boolean {
  pattern.lastIndex = 0
  return pattern.test(text)
}

/** Up to the bracket that closes the call, or the end of its line. */
function cutCall(text: string): string {
  const open = text.indexOf('(')
  const end = text.indexOf('\n')
  if (open < 0 || (end >= 0 && open > end)) return end < 0 ? text : text.slice(0, end)
  let depth = 0
  for (let at = open; at < text.length; at += 1) {
    if (text[at] === '(') depth += 1
    if (text[at] === ')') depth -= 1
    if (depth === 0) return text.slice(0, Math.max(at + 1, end < 0 ? 0 : end))
  }
  return text
}
