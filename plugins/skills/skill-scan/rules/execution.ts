/** What is fetched or decoded and then run. */
import { kindOfHost, urlsIn, worstHost } from './hosts.ts'
import { defineRules, pattern, type SkillSeverity } from './rule.ts'

const FETCH = String.raw`(?:curl|wget|aria2c|fetch|lwp-download|lynx|http(?:ie|s)?|iwr|irm|xh)\b`
const SHELL = String.raw`(?:(?:sudo|doas|env|nohup|exec|command|busybox)\s+(?:-\S+\s+|\w+=\S*\s+)*)?(?:/(?:usr/)?(?:local/)?bin/(?:env\s+)?)?(?:ba|z|da|k|fi|a|tc)?sh\b`
const INTERPRETER = String.raw`(?:${SHELL}|(?:(?:sudo|env)\s+)?(?:/usr/bin/(?:env\s+)?)?(?:python[\d.]*|node|perl|ruby|php|deno|bun|osascript|pwsh|powershell(?:\.exe)?)\b(?!\s+-m\s+json)(?!\s+-(?:c|e|ne|pe|n|p)\s+["'](?!\s*(?:exec|eval)\b)))`

/** What is given as a password: after a colon or "is", in quotes, or with a digit in it. */
const VALUE = String.raw`(?:\s*(?:[:=]|\bis\b\s*:?)\s*["'${'`'}*]{0,3}(?!(?:the|a|an|not|required|needed|optional|stored|kept|typed|asked|in|set|your|their|protected|correct|wrong|empty|\$\w*)\b)[\w!@#$%^&-]{3,}|\s+["'${'`'}*]{1,3}(?!\$|-)[\w!@#$%^&-]{3,}|\s+(?=\w*\d)[\w!@#%^&-]{3,})`

/** Known installers are told, and do not stop anything. */
function byHost(found: RegExpMatchArray): SkillSeverity | undefined {
  const kind = worstHost(found[0])
  if (kind === 'local') return 'low'
  if (kind === 'publisher' && !/http:\/\//.test(found[0])) return 'medium'
  return kind === 'odd' ? 'critical' : 'high'
}

/** A download that is made executable: what is usual for programs of known projects. */
function byFile(found: RegExpMatchArray): SkillSeverity | undefined {
  const kind = worstHost(found[0])
  if (kind === 'local') return 'low'
  if (kind === 'publisher' || (kind === 'raw' && /\/releases\/download\/|\/releases\/latest/.test(found[0])))
    return 'medium'
  return kind === 'odd' ? 'critical' : 'high'
}

export const EXECUTION = [
  ...defineRules('download-and-run', 'both', [
    {
      id: 'pipe-to-shell',
      severity: 'high',
      pattern: pattern(
        String.raw`${FETCH}[^\n;]{0,400}?\|\s*(?:tee\s+\S+\s*\|\s*|(?:gunzip|gzip\s+-d\w*|zcat|xz\s+-d\w*|base64\s+-\w+|tr\s[^|\n]+|sed\s[^|\n]+|cat|rev|openssl\s[^|\n]+)\s*\|\s*)*(?:${INTERPRETER}|source\b)`,
      ),
      message: 'runs what it downloads',
      weigh: byHost,
    },
    {
      id: 'substituted-download',
      severity: 'high',
      pattern: pattern(
        String.raw`(?:${INTERPRETER}\s+(?:-\w+\s+)*["']?|\beval\s+["']?|\bsource\s+|(?:^|[\s;&|])\.\s+|\bexec\s+["']?)(?:\$\(|<\s*\(|${'`'})\s*${FETCH}[^\n]{0,400}`,
      ),
      message: 'runs what it downloads',
      weigh: byHost,
    },
    {
      id: 'download-then-run',
      severity: 'high',
      subject: 'code',
      pattern: pattern(
        String.raw`(?:curl|wget|aria2c)\b[^\n]*?(?:-[a-zA-Z]{0,8}[oOJ]|--output|--output-document|>)[=\s]+["']?(?<file>[\w./~$\{\}-]+)["']?[^\n]*(?:\n[^\n]*){0,12}?(?:(?:^|[\s;&|])(?:sudo\s+)?(?:(?:ba|z|da)?sh|source|\.|python3?|node|perl|ruby|exec|nohup|setsid|open|installer\s+-pkg|dpkg\s+-i|rpm\s+-\w+)\s+(?:-\w+\s+)*["']?\k<file>|chmod\s+(?:-\w+\s+)*(?:\+x|a\+x|u\+x|0?[57]\d\d|ug?o?\+rwx?)\s+["']?\k<file>)`,
        'gim',
      ),
      message: 'downloads a program and runs it',
      weigh: byFile,
    },
    {
      id: 'download-then-run-named',
      severity: 'high',
      subject: 'code',
      pattern: pattern(
        String.raw`(?:curl|wget)\b[^\n]*https?://[^\s"']*/(?<file>[\w.-]{2,80})["']?[^\n]*(?:\n[^\n]*){0,8}?(?:(?:^|[\s;&|])(?:sudo\s+)?(?:(?:ba|z|da)?sh|source|python3?|node|perl)\s+(?:-\w+\s+)*["']?(?:\./)?\k<file>\b|(?:^|[\s;&|])(?:sudo\s+|nohup\s+)?\./\k<file>\b)`,
        'gim',
      ),
      message: 'downloads a program and runs it',
      weigh: byFile,
    },
    {
      id: 'execute-response',
      severity: 'critical',
      pattern: pattern(
        String.raw`\b(?:exec|eval|compile|new\s+Function|runIn(?:This|New)?Context|execSync|os\.system|subprocess\.\w+|system|instance_eval|assert|loadstring|load)\b\s*\(?\s*(?:await\s+|\(|compile\(|new\s+)*\s*(?:urllib\S*\.urlopen|urlopen|requests\.get|httpx\.get|fetch|axios(?:\.get)?|got|URI\.open|open\(\s*["']https?|Net::HTTP|file_get_contents\(\s*["']https?|LWP::Simple|get\(\s*["']https?)[^\n]*`,
      ),
      message: 'runs the answer of a server',
    },
    {
      id: 'evaluate-address',
      severity: 'critical',
      pattern: pattern(
        String.raw`(?<![.\w])(?:exec|eval|execSync|Function|instance_eval|Invoke-Expression|load|loadstring|dofile)\s*\(?[^\n]{0,120}?\(\s*["'${'`'}]https?://[^\n]{0,200}|\.(?:then|map|pipe|forEach|on\(\s*["']data["']\s*,)\s*\(?\s*(?:eval|exec|execSync|Function|vm\.runIn\w+)\s*\)|(?:^|\n)\s*(?:Execute|ExecuteGlobal|eval|iex|Invoke-Expression)\b[\s(]*\$?\w+\.(?:responseText|responseBody|Content|text|body)\b`,
      ),
      message: 'runs the answer of a server',
      weigh: (found) =>
        worstHost(found[0]) === 'local' || /\bregex|\.exec\(/i.test(found[0]) ? undefined : 'critical',
    },
    {
      id: 'powershell-download-run',
      severity: 'critical',
      pattern: pattern(
        String.raw`(?:\b(?:iex|invoke-expression)\b[^\n]{0,80}\b(?:iwr|irm|curl|wget|invoke-webrequest|invoke-restmethod|downloadstring|webclient)\b|\b(?:iwr|irm|curl|invoke-webrequest|invoke-restmethod|downloadstring|downloaddata)\b[^\n]{0,300}(?:\|\s*(?:iex|invoke-expression)\b|\|\s*&|start-process))[^\n]*`,
      ),
      message: 'runs what it downloads',
      weigh: (found) => (worstHost(found[0]) === 'publisher' ? 'medium' : 'critical'),
    },
    {
      id: 'windows-download-run',
      severity: 'high',
      pattern: pattern(
        String.raw`\bcertutil(?:\.exe)?\b[^\n]*-urlcache|\bbitsadmin\b[^\n]*/transfer|\bmshta(?:\.exe)?\s+["']?(?:https?:|javascript:|vbscript:)|\bregsvr32\b[^\n]*/i:\s*https?:|\brundll32\b[^\n]*(?:javascript:|https?:)|\bmsiexec\b[^\n]*/i\s+["']?https?://[^\n]*|\bwmic\b[^\n]*process\s+call\s+create|\b(?:cscript|wscript|rundll32|regsvr32|mshta|msiexec|powershell)\b[^\n]*\\\\[\w.-]+\\[^\n]*|Assembly\]::Load\w*\([^\n]*(?:Download(?:Data|String)|FromBase64)|DownloadFile\([^\n]*\)[^\n]*(?:\n[^\n]*){0,6}?(?:Start-Process|Invoke-Item|\&\s*\$)`,
      ),
      message: 'downloads a program by a tool of Windows and runs it',
    },
    {
      id: 'program-download-run',
      severity: 'high',
      subject: 'code',
      pattern: pattern(
        String.raw`(?:urlretrieve|requests\.get|urlopen|httpx\.(?:get|stream)|https?\.get|fetch|axios|got|URI\.open|file_get_contents)\s*\((?![^\n)]*(?:localhost|127\.0\.0\.1))[^\n]*(?:\n[^\n]*){0,30}?(?:os\.chmod|\.chmod\(|chmodSync|chmod\s*\()[^\n]*(?:\n[^\n]*){0,12}?(?:subprocess\.|os\.(?:system|exec\w*|popen|spawn\w*|startfile)|exec(?:File)?(?:Sync)?\(|spawn(?:Sync)?\()`,
      ),
      message: 'downloads a program and runs it',
    },
    {
      id: 'program-download-eval',
      severity: 'critical',
      subject: 'code',
      pattern: pattern(
        String.raw`(?<name>[A-Za-z_$]\w*)\s*=\s*(?:await\s+|\(|yield\s+)*(?:urllib\S*\.urlopen|urlopen|requests\.(?:get|post)|httpx\.get|fetch|axios(?:\.get)?|got(?:\.get)?|https?\.get)\s*\([^\n]*(?:\n[^\n]*){0,20}?\b(?:exec|eval|new\s+Function|Function|runIn\w*Context|_compile|os\.system|execSync|pickle\.loads|marshal\.loads)\s*\([^\n]*\k<name>`,
      ),
      message: 'runs the answer of a server',
    },
    {
      id: 'fetch-then-evaluate',
      severity: 'high',
      subject: 'code',
      pattern:
        /(?:https?\.get|\bfetch|\brequest|axios(?:\.get)?|\bgot|urlopen|requests\.get)\s*\((?![^\n)]*(?:localhost|127\.0\.0\.1))[\s\S]{0,900}?(?:new\s+Function\s*\(|(?<![.\w])eval\s*\(|vm\.\w+\(|\b_compile\s*\(|importlib\.util|child_process["']\s*\)\s*\.\s*exec(?:Sync)?\(\s*\w+\s*[,)]|(?<![.\w])exec\s*\(\s*(?:compile\(|\w+(?:\.\w+)*\s*[,)]))/g,
      message: 'runs what it gets from the net',
    },
    {
      id: 'remote-import',
      severity: 'high',
      subject: 'code',
      pattern: pattern(
        String.raw`\bimport\s*\(\s*["'${'`'}](?:https?:|data:text/javascript)[^)]*\)|require\(\s*["']https?:|importScripts\(\s*["']https?:|\b(?:deno|bun)\s+run\s+(?:-A|--allow-all)[^\n]*https?://[^\n]*|\bgo\s+run\s+\S+@(?:latest|main|master)|\bnpx\s+(?:-y\s+|--yes\s+)?(?:github:|git\+|https?://)\S+|\b(?:uvx|pipx\s+run)\s+--(?:from|spec)\s+["']?(?:git\+)?https?://\S+`,
      ),
      message: 'runs code from an address',
      weigh: (found) => (/go\s+run/.test(found[0]) ? 'medium' : worstHost(found[0]) === 'raw' ? 'high' : byHost(found)),
    },
    {
      id: 'package-from-address',
      severity: 'high',
      pattern: pattern(
        String.raw`\b(?:pip[\d.]*|uv\s+pip|pipx|poetry|npm|pnpm|yarn|bun|gem|cargo)\s+(?:install|add|i)\b[^\n${'`'}]{0,120}?(?:git\+)?(?:https?|git|ssh)://[^\s"'${'`'}]+`,
      ),
      message: 'installs a package from an address instead of a registry',
      weigh: (found) => {
        const kind = worstHost(found[0])
        if (/--?(?:extra-)?index-url|--registry|-i\s|--find-links|-f\s|--source/.test(found[0])) return undefined
        return kind === 'publisher' || kind === 'local'
          ? 'low'
          : kind === 'raw' || /git\+ssh|ssh:/.test(found[0])
            ? 'medium'
            : 'high'
      },
    },
    {
      id: 'foreign-registry',
      severity: 'high',
      pattern: pattern(
        String.raw`(?:--(?:extra-)?index-url|--registry|--find-links|--default-index|--trusted-host|PIP_(?:EXTRA_)?INDEX_URL\s*=|UV_INDEX_URL\s*=|npm_config_registry\s*=|registry\s*=|npm\s+config\s+set\s+registry|(?:extra-)?index-url\s*=|\bpip[\d.]*\s+config\s+set\s+\S*index-url|gem\s+sources\s+(?:-a|--add))[\s="']*(?:https?://[^\s"'${'`'}]+|(?<=trusted-host[\s=]{1,3})\S+)`,
      ),
      message: 'takes packages from another registry',
      weigh: (found) => {
        const kind = worstHost(found[0])
        return kind === 'publisher' || kind === 'local' ? undefined : kind === undefined ? 'medium' : 'high'
      },
    },
    {
      id: 'prose-download-run',
      severity: 'high',
      subject: 'prose',
      pattern: pattern(
        String.raw`\b(?:download|fetch|grab|get|pull|obtain|retrieve|visit|open)\b[^\n]{0,160}?https?://[^\s)>"'${'`'}]+[\s\S]{0,240}?\b(?:run|execute|launch|install|double-?click|start|open)\b[^\n]{0,40}`,
      ),
      message: 'asks to run something from the net',
      weigh: (found) => weighDownload(found[0]),
    },
    {
      id: 'run-from-address',
      severity: 'high',
      subject: 'prose',
      pattern: pattern(
        String.raw`\b(?:run|execute|launch|install|source|eval\w*)\b[^\n.]{0,80}?\b(?:script|binary|program|installer|executable|agent|helper|tool|code|file|payload|package|command)s?\b[^\n.]{0,60}?\b(?:from|at|hosted|found|located|served|available)\b[^\n]{0,40}?https?://[^\s)>"'${'`'}]+`,
      ),
      message: 'asks to run something from the net',
      weigh: (found) => weighDownload(found[0], true),
    },
  ]),
  ...defineRules('encoded-payload', 'both', [
    {
      id: 'decode-to-shell',
      severity: 'critical',
      pattern: pattern(
        String.raw`(?:base(?:64|32)\s+(?:-{1,2}d\w*|-D)|openssl\s+(?:enc\s+)?(?:-?base64|enc)\b[^|\n]*-d\b|xxd\s+(?:-\w+\s+)*-r|uudecode|gunzip|zcat|gzip\s+-dc?|rev|tr\s+["']?[A-Za-z-]+["']?\s+["']?[N-Zn-z]\S*)[^|\n]*\|\s*(?:(?:gunzip|zcat|gzip\s+-dc?|xxd\s+-r\s+-p|base64\s+-\w+|rev|tr\s[^|\n]+)\s*\|\s*)*${INTERPRETER}`,
      ),
      message: 'runs a command that is written in an encoded form',
    },
    {
      id: 'decode-substituted',
      severity: 'critical',
      pattern: pattern(
        String.raw`(?:${INTERPRETER}\s+(?:-\w+\s+)*|\beval\s+|\bsource\s+|(?:^|[;&|]\s*)\.\s+|\bexec\s+)["']?(?:\$\(|<\s*\(|${'`'}|<<<\s*["']?\$\()[^\n)]{0,4000}(?:base(?:64|32)\s+-\S*[dD]|xxd\s+-r|openssl\s[^\n)]*-d\b|\\x[0-9a-f]{2}|printf\s[^\n)]*\\[0-7x]|\brev\b|\btr\s+["']?[A-Za-z]-|gunzip|zcat)`,
      ),
      message: 'runs a command that is written in an encoded form',
    },
    {
      id: 'decode-and-evaluate',
      severity: 'critical',
      pattern: pattern(
        String.raw`\b(?:exec|eval|Function|compile|os\.system|os\.popen|execSync|system|popen|assert|create_function|runIn\w*Context|setTimeout|iex|Invoke-Expression|subprocess\.\w+)\s*\(?[^\n]{0,160}?(?:b(?:ase)?64_?decode|b(?:16|32|64|85)decode|a85decode|decodebytes|\batob\b|fromhex|unhexlify|Buffer\.from\([^\n]{0,20000}["'](?:base64|hex)["']|marshal\.loads|zlib\.decompress|bz2\.decompress|lzma\.decompress|codecs\.decode|rot_?13|FromBase64String|gzinflate|str_rot13|unescape\(|decodeURIComponent\(|fromCharCode|pack\(\s*["']H)`,
      ),
      message: 'decodes a text and runs it',
    },
    {
      id: 'decoded-variable-run',
      severity: 'critical',
      subject: 'code',
      pattern: pattern(
        String.raw`(?<![\w$])(?<name>[A-Za-z_$]\w{0,60})\s*=\s*[^\n]{0,4000}(?:b(?:16|32|64|85)decode|a85decode|decodebytes|b(?:ase)?64_?decode|\batob\b|fromhex|unhexlify|Buffer\.from\([^\n]*["'](?:base64|hex)["']|marshal\.loads|zlib\.decompress|codecs\.decode|FromBase64String|base64\s+-\S*[dD]|xxd\s+-r|\.map\(\s*\(?\w+\)?\s*=>\s*String\.fromCharCode|chr\(\w+\s*\^|\^\s*(?:0x)?\w+\s*for)[^\n]*(?:\n[^\n]*){0,20}?\b(?:exec|eval|Function|os\.system|os\.popen|execSync|runIn\w*Context|iex|Invoke-Expression|types\.FunctionType|subprocess\.\w+|(?:ba|z)?sh\s+-c|spawn(?:Sync)?|_compile)\b\s*\(?[^\n]*\k<name>\b`,
      ),
      message: 'decodes a text and runs it',
      weigh: (found) => (/subprocess|spawn/.test(found[0].slice(-200)) ? 'high' : 'critical'),
    },
    {
      id: 'powershell-encoded',
      severity: 'critical',
      pattern: /\b(?:powershell|pwsh)(?:\.exe)?\b[^\n]*\s[-/]e(?:n|nc|nco\w*|c)?\s+["']?[A-Za-z0-9+/=]{16,}/gi,
      message: 'runs a command that is written in an encoded form',
      cue: 'strict',
    },
    {
      id: 'powershell-built-command',
      severity: 'high',
      subject: 'code',
      pattern:
        /(?:-join|\[string\]::Join)[^\n]{0,300}\[char(?:\[\])?\][^\n]*(?:\n[^\n]*){0,6}?(?:&\s*\(?\s*\$\w|\biex\b|\bInvoke-Expression\b)/gi,
      message: 'builds a command from the numbers of its letters and runs it',
    },
    {
      id: 'hidden-window',
      severity: 'high',
      pattern:
        /\b(?:powershell|pwsh)(?:\.exe)?\b[^\n]*(?:-w(?:indowstyle)?\s+h(?:idden)?\b[^\n]*|-e(?:xecution)?p(?:olicy)?\s+bypass[^\n]*-(?:c|command|w)\b[^\n]*(?:iex|download|http))/gi,
      message: 'starts a program in a window that is not shown',
      weigh: (found) =>
        worstHost(found.input?.slice(found.index ?? 0, (found.index ?? 0) + 400).split('\n')[0] ?? '') === 'publisher'
          ? 'low'
          : 'high',
    },
    {
      id: 'dynamic-builtin',
      severity: 'high',
      subject: 'code',
      pattern:
        /getattr\(\s*(?:__builtins__|builtins|__import__\([^)]*\)|os|sys\.modules\[[^\]]*\])\s*,|__builtins__\s*(?:\.__dict__)?\s*\[|globals\(\)\s*\[\s*["'](?:exec|eval|__import__|__builtins__)|__import__\(\s*["'](?:os|subprocess|socket|pty)["']\s*\)\s*\.\s*(?:system|popen|Popen|call|run|spawn|socket)|(?:global|globalThis|window|this|process\.mainModule)\s*\[\s*["'](?:eval|Function|require|process)["']\s*\]|\[\s*["']constructor["']\s*\]\s*\(|\.constructor\.constructor\s*\(|vars\(\s*(?:os|builtins|__builtins__)\s*\)/g,
      message: 'calls a function by a name that is put together',
    },
    {
      id: 'obfuscated-names',
      severity: 'high',
      subject: 'code',
      pattern:
        /(?:\b_0x[0-9a-f]{3,8}\b[\s\S]{0,300}?){6}|(?:\\x[0-9a-f]{2}){24,}|(?:\[\]\[|!!\[\]|\(!\[\]\+\[\]\)){6,}|eval\(function\(p,a,c,k,e/gi,
      message: 'is made unreadable',
    },
    {
      id: 'run-data-file',
      severity: 'high',
      pattern:
        /(?:^|[\s;&|`"'(])(?:(?:ba|z|da)?sh|source|python3?|node|perl|ruby|pwsh(?:\s+-File)?)\s+(?:-\w+\s+)*["']?(?:[\w$./{}-]*\/)?[\w.-]+\.(?:png|jpe?g|gif|webp|ico|bmp|pdf|txt|dat|bin|log|csv|md|ttf|woff2?|mp[34]|db|tmp|cache|bak|svg|css)\b(?!\s*["']?\s*(?:-o|>))/gim,
      message: 'runs a file whose name says that it is no program',
      weigh: (found) => (/node\s.*(?:\.csv|\.md)|perl\s+-[np]/.test(found[0]) ? undefined : 'high'),
    },
    {
      id: 'evaluate-data-file',
      severity: 'high',
      subject: 'code',
      pattern:
        /\b(?:exec|eval|new\s+Function|iex|Invoke-Expression)\s*\(?\s*(?:compile\()?\s*(?:\(\s*)?(?:open\(|Path\(|pathlib|fs\.readFile|readFileSync|Get-Content|gc\s|cat\s|\$\(\s*cat\b|"\$\(\s*cat\b)[^\n]*/gi,
      message: 'runs the content of a file as code',
      weigh: (found) => (/\.(?:py|m?js|rb|ps1|sh)["']/i.test(found[0]) ? 'medium' : 'high'),
    },
    {
      id: 'joined-files-run',
      severity: 'high',
      subject: 'code',
      pattern: pattern(
        String.raw`\b(?:cat|tail|head|sed|awk|cut|strings|dd|unzip\s+-p|tar\s+-?\w*O)\b[^\n|;]*\|\s*(?:(?:tr|sed|cut|base64|xxd|rev|gunzip|sort|awk|head|tail)\b[^|\n]*\|\s*)*${SHELL}(?!\s+-c\s+["'][^"']*\bread\b)(?:\s+-\w+)*\s*(?:$|[;&|"'${'`'})])`,
        'gim',
      ),
      message: 'puts a program together from parts of files and runs it',
    },
    {
      id: 'unpickle',
      severity: 'medium',
      subject: 'code',
      pattern: /\b(?:pickle|marshal|dill|cPickle|jsonpickle|shelve)\.(?:loads?|open|decode)\(/g,
      message: 'loads data that can contain code',
    },
    {
      id: 'macro-document',
      severity: 'high',
      pattern:
        /\benable\s+(?:the\s+)?(?:macros?|content|editing)\b[^\n.]{0,80}\b(?:document|workbook|file|excel|word|continue|proceed|view)\b/gi,
      message: 'asks to allow macros of a document',
    },
  ]),
  ...defineRules('password-archive', 'both', [
    {
      id: 'archive-password-command',
      severity: 'high',
      pattern:
        /\bunzip\b[^\n]*\s-P\s*\S+|\b7z[az]?\s+[xe]\b[^\n]*\s-p\S+|\b(?:unrar|rar)\s+[xe]\b[^\n]*\s-p\S+|\bbsdtar\b[^\n]*--passphrase|Expand-\w+[^\n]*-Password|\.(?:extractall|extract|setpassword)\([^\n]*pwd\s*=|setpassword\(\s*b?["']|pyzipper|pyminizip|\bgpg\b[^\n]*--passphrase\s+\S+[^\n]*(?:-d\b|--decrypt)|openssl\s+(?:enc\s+)?-?(?:enc\s+)?-?aes[^\n]*\s-d\b[^\n]*(?:-k|-pass\s+pass:)\s*\S+/gi,
      message: 'unpacks an archive with a password, which no scanner can look into',
      weigh: (found) =>
        /-P\s*["']?\$|-p["']?\$|passphrase\s+["']?\$|pass:\$|-k\s+["']?\$/.test(found[0]) ? 'medium' : 'high',
    },
    {
      id: 'archive-password-prose',
      severity: 'high',
      pattern: pattern(
        String.raw`(?:\b(?:zip|rar|7z|archive|dmg|extract|unzip|unpack|decompress)\w*\b[^\n]{0,160}?\b(?:password|passphrase|pass(?:code)?|pwd)\b${VALUE}|\b(?:password|passphrase|pwd)\b${VALUE}[^\n]{0,120}?\b(?:zip|rar|7z|archive|extract|unzip|unpack)\w*\b)`,
      ),
      subject: 'prose',
      message: 'names the password of an archive, which no scanner can look into',
    },
  ]),
]

const PROGRAM_FILE =
  /\.(?:exe|msi|dmg|pkg|scr|bat|cmd|ps1|sh|bash|command|app|deb|rpm|apk|jar|vbs|hta|run|appimage|bin|elf|zip|rar|7z|tar\.gz|tgz|iso|img|py|js)(?=$|[\s?#"'`)\],;.])/i

function weighDownload(text: string, isScript = false): SkillSeverity | undefined {
  const urls = urlsIn(text)
  const kinds = urls.map((url) => kindOfHost(url.replace(/[.,;:!?]+$/, '')))
  const isProgram = urls.some((url) => PROGRAM_FILE.test(url))
  if (kinds.every((kind) => kind === 'publisher' || kind === 'local')) return isProgram ? 'low' : undefined
  if (kinds.includes('odd')) return 'high'
  if (isProgram && /\.(?:zip|rar|7z|tar\.gz|tgz|py|js)\b/i.test(text) && kinds.includes('raw')) return 'medium'
  if (isProgram) return /\/releases\/(?:download|latest)/.test(text) ? 'medium' : 'high'
  if (/http:\/\//i.test(text) && isScript) return 'high'
  return isScript && !kinds.includes('raw') ? 'medium' : undefined
}
