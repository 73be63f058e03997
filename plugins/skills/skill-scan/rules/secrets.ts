/** Where secrets are kept, and how they leave the machine. */
import { COLLECTOR } from './hosts.ts'
import { defineRules, pattern } from './rule.ts'

/** Files that hold keys or passwords and that few programs have a reason to read. */
export const SECRET_FILE = String.raw`(?<![A-Za-z0-9@])(?:\.ssh/(?:id_\w+(?!\w*\.pub)|identity|\*|authorized_keys|config)?(?!\S*\.pub)|\bid_(?:rsa|ed25519|ecdsa|dsa)\b(?!\.pub)|\.aws/(?:credentials|\*|config)?|\.config/gcloud|application_default_credentials|\.azure/|\.kube/config|\.docker/config\.json|\.netrc|\.git-credentials|\.npmrc|\.pypirc|\.pgpass|\.my\.cnf|\.gnupg|\.password-store|\.config/gh/hosts\.yml|\.vault-token|\.cargo/credentials|\.config/op\b|/etc/shadow|/etc/gshadow|/etc/sudoers\b|/etc/master\.passwd|NTDS\.dit|\bSAM\b(?=\s+(?:hive|file))|Login\s?Data|cookies\.sqlite|logins\.json|key[34]\.db|Local\s?State|User\s?Data[/\\]+Default|Cookies(?=["'/\\]|$)|(?:Library|AppData)[\w\s/\\.]*(?:Chrome|Chromium|Brave|Firefox|Edge|Safari)|\.mozilla|google-chrome|BraveSoftware|keychains?\b(?=[/\\-])|login\.keychain|\.local/share/keyrings|wallet\.dat|\.(?:bitcoin|ethereum|electrum|monero)\b|\.config/solana|Exodus[/\\]|MetaMask|Local\s?Extension\s?Settings|keystore/UTC|\.(?:bash|zsh|python|psql|mysql|node_repl)_history|fish_history|ConsoleHost_history|(?:\.claude|\.codex|\.gemini|\.svc|\.hermes|\.openclaw|\.cursor|\.config/(?:openai|anthropic|github-copilot))/\S*(?:auth|cred|token|oauth|key|\.env|config|hosts|sessions?|memor)\w*|/proc/(?:self|\d+|\*|\$\w+)/environ|169\.254\.169\.254|metadata\.google\.internal|fd00:ec2::254|100\.100\.100\.200)`

/** Files of secrets that belong to a project, and which its programs read with reason. */
export const PROJECT_SECRET = String.raw`(?:(?<![\w$])\.env(?!\.(?:example|sample|template|dist))(?:\.\w+)?\b(?!\s*=)|secrets?\.(?:json|ya?ml|toml)\b|credentials\.json\b|service[-_]account\S*\.json\b|\.pem\b|private[_-]key\b)`

/** Such a folder as the last part of a path in quotes, without a file that is no secret behind it. */
export const SECRET_FOLDER_NAME = String.raw`["'${'`'}/](?:\.ssh|\.aws|\.gnupg|\.kube|\.azure|\.password-store|\.mozilla)["'${'`'}](?![^\n]{0,24}(?:config|known_hosts|\.pub))`

/** The folders that hold them, as a whole. */
const SECRET_FOLDER = String.raw`(?:~|\$\{?HOME\}?|/root|/home/\S{1,40}|/Users/\S{1,40})/(?:\.ssh|\.aws|\.gnupg|\.kube|\.azure|\.docker|\.password-store|\.mozilla|\.config/(?:gcloud|gh|op|solana))/?(?=["'\s|;&)]|$)`
/** Commands that print what is kept as a secret. */
const SECRET_COMMAND = String.raw`(?:security\s+(?:find-\w+-password|dump-keychain)|secret-tool\s+lookup|\bpass\s+show|\bop\s+(?:read|item\s+get)|\bbw\s+get|\bgh\s+auth\s+token|\bgcloud\s+auth\s+print-\w+-token|\bgit\s+credential\s+fill|\bvault\s+(?:kv\s+get|print\s+token)|\bpbpaste\b|\bxclip\s+-o|\bwl-paste\b|\bgpg\s[^\n|]{0,60}--export-secret-keys)`

const READ = String.raw`(?:\b(?:cat|less|more|head|tail|cp|mv|tar|zip|7z|rsync|scp|base64|xxd|strings|gzip|grep|awk|sed|find|type|copy|Get-Content|gc|Copy-Item|Compress-Archive|sqlite3|dd|od|tee|pbcopy|xclip)\b(?![^\n]*\.pub\b))`
const SEND = String.raw`(?:\bcurl\b[^\n]{0,300}(?:-d\b|--data\S*|-F\b|--form\S*|-T\b|--upload-file|--json|-X\s*(?:POST|PUT))|\bwget\b[^\n]{0,200}--(?:post|body)-(?:data|file)|\b(?:nc|ncat|netcat|socat|telnet)\b\s+\S+|/dev/(?:tcp|udp)/|\bscp\b|\brsync\b|\bsendmail\b|\bmail(?:x)?\s+-s|\baws\s+s3\s+(?:cp|sync)|\bgh\s+gist\s+create|\bgit\s+push|Invoke-(?:RestMethod|WebRequest)[^\n]*-Method\s+(?:Post|Put)|UploadString|UploadFile|\bhttp\s+(?:POST|PUT|-f)|\b(?:nslookup|dig|host|ping)\b)`

export const SECRETS = [
  ...defineRules('secret-reading', 'both', [
    {
      id: 'read-secret-file',
      severity: 'high',
      subject: 'code',
      pattern: pattern(
        String.raw`${READ}[^\n]{0,200}?(?:~|\$\{?HOME\}?|\$env:\w+|%\w+%|/home/[\w*$]+|/Users/[\w*$]+|/root|/etc|/proc|\.{0,2}/|["'\s])\S{0,80}?${SECRET_FILE}`,
      ),
      message: 'reads a file of keys or passwords',
      weigh: (found) => {
        const text = found[0]
        if (
          /\.pub\b|known_hosts|\.ssh\/(?:config|authorized_keys)|(?:ssh|scp|rsync|sftp|git)\b[^\n]*\s-(?:i|e|o)\s/.test(
            text,
          )
        )
          return /\bcurl\b|\bnc\s/.test(text) ? 'high' : undefined
        if (/\b(?:find|grep|tee)\b/.test(text) && !/-exec|\|/.test(text)) return 'medium'
        if (
          /\.kube\/config|\.npmrc|\.aws\/config|\.docker\/config|\.pypirc|_history|(?:\.claude|\.codex|\.cursor|\.gemini|\.svc)\//.test(
            text,
          )
        )
          return 'medium'
        return 'high'
      },
    },
    {
      id: 'secret-file-in-program',
      severity: 'medium',
      subject: 'code',
      pattern: pattern(String.raw`["'${'`'}/~.][^\n"'${'`'}]{0,100}${SECRET_FILE}`),
      message: 'names a file of keys or passwords',
      weigh: (found) =>
        /Login\s?Data|cookies\.sqlite|logins\.json|key[34]\.db|wallet\.dat|MetaMask|Exodus|keystore\/UTC|\/environ|master\.passwd|\/etc\/shadow|Local\s?Extension/i.test(
          found[0],
        )
          ? 'high'
          : /\.pub\b|\.ssh\/(?:config|authorized_keys|$)/.test(found[0])
            ? 'low'
            : 'medium',
    },
    {
      id: 'cloud-metadata',
      severity: 'high',
      pattern:
        /[^\n]{0,80}(?:169\.254\.169\.254|metadata\.google\.internal|100\.100\.100\.200|fd00:ec2::254|2852039166|0xa9fea9fe)[^\n]{0,80}/gi,
      message: 'asks the cloud for the keys of the machine',
      weigh: (found) =>
        /https?:\/\/[^\s]*(?:169\.254|metadata|2852039166|0xa9fea9fe|100\.100|fd00)|\/latest\/|computeMetadata|curl|wget/i.test(
          found[0],
        )
          ? 'high'
          : 'low',
    },
    {
      id: 'keychain',
      severity: 'high',
      pattern:
        /\bsecurity\s+(?:find-(?:generic|internet)-password[^\n]*\s-[a-z]*w|dump-keychain|export\b)|\bsecret-tool\s+(?:lookup|search)|\bcmdkey\s+\/list|vaultcmd|\bop\s+item\s+get[^\n]*--reveal|\bpass\s+show\s|\bbw\s+(?:get|export|list)\b|gnome-keyring|CredRead|CryptUnprotectData|win32crypt|\bmimikatz\b|sekurlsa|\blsass\b|procdump[^\n]*lsass|\bhashdump\b|\blazagne\b|keyring\.get_password|browser_?cookie3?|pycookiecheat|chrome[-_]?cookies/gi,
      message: 'reads stored passwords',
      weigh: (found, text) =>
        /keyring\.get_password|secret-tool lookup|\bpass\s+show|\bbw\s+get|\bop\s+item|find-generic/.test(found[0]) &&
        !/dump|export/.test(found[0])
          ? text.length
            ? 'medium'
            : 'medium'
          : 'high',
    },
    {
      id: 'token-command',
      severity: 'medium',
      subject: 'code',
      pattern:
        /\bgh\s+auth\s+token|\bgcloud\s+auth\s+print-(?:access|identity)-token|\baws\s+(?:configure\s+get|sts\s+get-session-token|configure\s+export-credentials)|\baz\s+account\s+get-access-token|\bgit\s+credential(?:-\w+)?\s+(?:fill|get)|\bkubectl\s+get\s+secrets?\s+(?:-A|--all-namespaces)|\bdoctl\s+auth|\bheroku\s+auth:token|\bnpm\s+token\s+list|\bvault\s+(?:kv\s+get|print\s+token)/gi,
      message: 'reads a token',
    },
    {
      id: 'environment-dump',
      severity: 'medium',
      subject: 'code',
      pattern:
        /(?:^|[\s;&|`(])(?:env|printenv|export\s+-p|set)\s*(?:\||>|\)|`)|json\.dumps\(\s*dict\(\s*os\.environ|dict\(\s*os\.environ\s*\)|os\.environ\.(?:items|copy)\(\)|json\.dumps\(\s*(?:dict\()?os\.environ|JSON\.stringify\(\s*process\.env\s*[,)]|Object\.(?:entries|keys|assign)\(\s*(?:\{\}\s*,\s*)?process\.env\s*\)|Get-ChildItem\s+env:|gci\s+env:|ENV\.to_h|\$_ENV\b|\bgetenv\(\)/gim,
      message: 'takes all environment variables, which hold keys',
      weigh: (found) => (/copy\(\)|\bset\s*[>|)]/.test(found[0]) ? 'low' : 'medium'),
    },
    {
      id: 'secret-search',
      severity: 'high',
      subject: 'code',
      pattern:
        /(?:grep|rg|find|ag|Select-String)\b[^\n]*(?:~|\$HOME|\/home\b|\/Users\b|\/root\b|\s\/\s)[^\n]*(?:password|passwd|secret|api_?key|token|private_?key|BEGIN[^\n]*KEY|\.env\b|\.pem\b|id_rsa|wallet|mnemonic|seed)|(?:grep|rg|find|ag|Select-String)\b[^\n]*(?:password|passwd|secret|api_?key|token|private_?key|BEGIN[^\n]*KEY|\.env["']?|\.pem|id_rsa|wallet|mnemonic|seed)[^\n]*\s(?:~|\$HOME|"\$HOME"|\/home|\/Users|\/root|\/)(?:\/?[\s;|)]|$)/gim,
      message: 'searches the whole home or machine for secrets',
    },
    {
      id: 'keylogger',
      severity: 'high',
      pattern:
        /\bpynput\b[^\n]*(?:keyboard|Listener)|keyboard\.on_(?:press|release)|GetAsyncKeyState|SetWindowsHookEx|\bxinput\s+test|logkeys|\bscreencapture\s+-x|ImageGrab\.grab\(|pyautogui\.screenshot\([^\n]*(?:\n[^\n]*){0,12}?(?:requests\.post|urlopen|sendall)|(?:pyperclip\.paste|pbpaste|xclip\s+-o|Get-Clipboard)[^\n]*(?:\n[^\n]*){0,12}?(?:requests\.post|urlopen|curl|sendall|fetch\()/gi,
      message: 'records what is typed, shown or copied',
      weigh: (found) => (/ImageGrab|screencapture/.test(found[0]) ? 'medium' : 'high'),
    },
  ]),
  ...defineRules('exfiltration', 'both', [
    {
      id: 'send-secret-file',
      severity: 'critical',
      pattern: pattern(
        String.raw`(?:${SEND}[^\n]{0,300}(?:${SECRET_FILE}|(?:@|<\s*|cat\s+|\$\(|=)\S*${PROJECT_SECRET})|(?:${SECRET_FILE}|(?:cat|base64|gzip|tar\s\S+|zip)\s[^\n|]*${PROJECT_SECRET})[^\n]{0,300}\|[^\n]{0,200}${SEND})`,
      ),
      message: 'sends a file of secrets away',
      weigh: (found) =>
        /\b(?:scp|rsync|ssh|git|sftp)\b[^\n]*\s-(?:i|e)\s|\.pub\b|--(?:cert|key|cacert|netrc-file)\s|-K\s/.test(
          found[0],
        ) && !/[@<]\s*\S*id_/.test(found[0])
          ? 'low'
          : 'critical',
    },
    {
      id: 'send-secret-folder',
      severity: 'critical',
      pattern: pattern(
        String.raw`\b(?:tar|zip|7z|cat|find|cpio)\b[^\n|]{0,200}${SECRET_FOLDER}[^\n]{0,200}\|[^\n]{0,100}${SEND}|\b(?:rclone\s+(?:copy|copyto|sync|move)|scp|rsync|aws\s+s3\s+(?:cp|sync)|gsutil|azcopy)\b[^\n]{0,200}${SECRET_FOLDER}|${SECRET_COMMAND}[^\n|]{0,200}\|[^\n]{0,100}${SEND}|${SEND}[^\n]{0,200}\$\([^\n)]{0,100}(?:${SECRET_COMMAND}|${SECRET_FOLDER})`,
      ),
      message: 'sends stored secrets away',
      weigh: (found) => (/^(?:scp|rsync)/i.test(found[0]) ? 'high' : 'critical'),
    },
    {
      id: 'pack-then-send',
      severity: 'critical',
      subject: 'code',
      pattern: pattern(
        String.raw`(?:\btar\s+-?\w*f\s*|\bzip\s+(?:-\w+\s+)*|>\s*)["']?(?<file>[\w./~$\{\}-]{2,80})["']?\s[^\n]{0,200}(?:${SECRET_FOLDER}|${SECRET_FILE})[^\n]*(?:\n[^\n]*){0,8}?(?:curl|wget|scp|rsync|nc|rclone|aws)\b[^\n]{0,300}\k<file>`,
      ),
      message: 'packs secrets and sends them away',
    },
    {
      id: 'secret-to-chat',
      severity: 'high',
      subject: 'code',
      pattern:
        /(?:discord(?:app)?\.com\/api\/webhooks|hooks\.slack\.com|api\.telegram\.org\/bot)[^\n]{0,400}?\b(?:body|data|json|content|text|-d)\b[^\n]{0,200}?\b[A-Z_]*(?:SECRET|API_KEY|ACCESS_KEY|PASSWORD|PRIVATE_KEY|CREDENTIAL)\w*/g,
      message: 'sends keys to a chat',
    },
    {
      id: 'send-environment',
      severity: 'critical',
      pattern: pattern(
        String.raw`(?:(?:^|[\s;&|${'`'}(])(?:env|printenv|set|export\s+-p)\s*\|[^\n]{0,200}${SEND}|${SEND}[^\n]{0,300}(?:\$\(\s*(?:env|printenv|set|export)\b|${'`'}(?:env|printenv)\b|@<\(\s*env|os\.environ\s*[,)}]|dict\(os\.environ|process\.env\s*[,)}])|(?:requests\.(?:post|put)|urlopen|httpx\.post|fetch|axios\.post)\s*\([^\n]{0,300}(?:dict\(\s*os\.environ|os\.environ\s*[,)}]|os\.environ\.copy|JSON\.stringify\(\s*process\.env\s*[,)]|\.\.\.process\.env|json\s*=\s*os\.environ))`,
        'gim',
      ),
      message: 'sends all environment variables away',
    },
    {
      id: 'send-token-command',
      severity: 'critical',
      pattern: pattern(
        String.raw`${SEND}[^\n]{0,300}\$\(\s*(?:gh\s+auth\s+token|gcloud\s+auth\s+print|aws\s+configure|az\s+account|security\s+find|git\s+credential|cat\s+[^\n)]*(?:cred|token|key|secret|\.env|shadow|passwd|history)|whoami|hostname|id\b|uname)`,
      ),
      message: 'sends what a command says of the machine or its keys',
      weigh: (found) => {
        if (
          /-H\s*["']Authorization:[^"']*\$\((?:gh|gcloud|az)/i.test(found[0]) &&
          !/(?:-d|--data\S*)\s*["']?[^"'\n]*\$\((?:gh|gcloud|az)/.test(found[0])
        )
          return 'low'
        return /\$\(\s*(?:whoami|hostname|id\b|uname)/.test(found[0])
          ? /\b(?:nslookup|dig|nc|ping|host)\b|https?:\/\/\d/.test(found[0])
            ? 'high'
            : 'medium'
          : 'critical'
      },
    },
    {
      id: 'dns-tunnel',
      severity: 'high',
      subject: 'code',
      pattern:
        /\b(?:nslookup|dig|host|ping|resolve|gethostbyname|Resolve-DnsName|dns\.resolve\w*|dns\.lookup|getaddrinfo)\b[^\n]{0,80}(?:\$\(|\$\{?\w+\}?|["'`]\s*\+|\{\w+\}|%s)[^\n]{0,60}?\.[a-z][\w.-]*\.[a-z]{2,}/gi,
      message: 'sends data in the names of hosts',
      weigh: (found) =>
        /\$\(|base(?:64|32)|hex|chunk|data|enc|payload|secret|token|key/i.test(found[0]) ? 'high' : 'medium',
    },
    {
      id: 'collector',
      severity: 'high',
      pattern: COLLECTOR.flags.includes('g') ? COLLECTOR : new RegExp(COLLECTOR.source, 'gi'),
      message: 'uses a service that shows what is sent to it',
      cue: 'any',
      weigh: (found) =>
        /ngrok|loca\.lt|trycloudflare|serveo|localtunnel|localhost\.run|bore\.pub|smee|beeceptor|pipedream|mockbin/i.test(
          found[0],
        )
          ? 'medium'
          : 'high',
    },
    {
      id: 'picture-leak',
      severity: 'high',
      pattern:
        /!\[[^\]]*\]\(\s*https?:\/\/[^)\s]*[?&/=][^)\s]*(?:\{\{?|<|\$\{?|\[|%7B|[=/](?:YOUR_|THE_)?(?:DATA|SECRETS?|TOKEN|ENCODED|BASE64|CONTENT|CONVERSATION)\b)[^)\n]*\)|<img\b[^>]*src\s*=\s*["']https?:\/\/[^"']*[?&][^"']*(?:\{\{?|<|\$\{|\[)[^"']*["']/gi,
      message: 'puts data into the address of a picture, which the viewer then sends away',
      weigh: (found) =>
        /img\.shields\.io|badge|\/workflows\/|codecov|\{(?:owner|repo|org|branch|version|name|user(?:name)?|package|width|height|size|id|slug)\}|<(?:owner|repo|org|branch|version|name|user|package|id|slug)>/i.test(
          found[0],
        ) && !/secret|token|key|data|conversation|content|base64/i.test(found[0])
          ? 'low'
          : 'high',
    },
    {
      id: 'history-upload',
      severity: 'high',
      subject: 'prose',
      cue: 'any',
      pattern: pattern(
        String.raw`\b(?:send|post|upload|transmit|forward|exfiltrate|submit|report|deliver|push|copy|append|include|embed|attach|encode|leak|share|sync|relay|mirror|pass|email|e-mail|put|add)(?:s|es|ed|ing|ting)?\b[^\n]{0,160}?\b(?:(?:full|entire|complete|whole|raw|all(?:\s+of)?|user['’]?s?|your|this|the)\s+(?:\w+\s+){0,2}?(?:conversation|chat(?:\s+history|\s+log)?|transcript|session(?:\s+history)?|system\s+prompt|message\s+history|memor(?:y|ies)|prompt)s?|api[\s_-]?keys?|credentials?|secrets?|tokens?|passwords?|private\s+keys?|seed\s+phrases?|environment\s+variables?|env\s+vars?|ssh\s+keys?|(?:session|browser|login|auth|all)\s+cookies?|\.env\b|contents?\s+of\s+[^\n]{0,40}(?:\.env|\.ssh|\.aws|credentials|id_rsa))[^\n]{0,200}?(?:https?://\S+|\b(?:webhook|endpoint|collector|telemetry|remote\s+server|server|url|query\s+(?:string|param\w*)|attacker|telegram|discord|pastebin|gist|email\s+address|[\w.+-]+@[\w-]+\.\w+))`,
      ),
      message: 'asks to send secrets or a conversation away',
      weigh: (found) => weighSending(found[0]),
    },
    {
      id: 'collect-secrets',
      severity: 'high',
      subject: 'prose',
      pattern: pattern(
        String.raw`\b(?:read|open|cat|collect|gather|harvest|locate|find|search|scan|look|grab|extract|dump|retrieve|copy|capture|note|record|list|enumerate|get|print|show|load|include)\w*\b[^\n]{0,140}?(?:${SECRET_FILE}|\b(?:browser\s+(?:cookies|passwords|session)|saved\s+passwords?|seed\s+phrase|private\s+ssh\s+key|private\s+keys?\s+(?:of|in|from)\s+the\s+user|keychain\s+(?:entries|passwords|items)|crypto(?:currency)?\s+wallets?|clipboard\s+contents?|all\s+(?:the\s+)?(?:environment\s+variables|env\s+vars|api\s+keys|secrets|credentials|tokens|passwords)))[^\n]{0,120}`,
      ),
      message: 'asks to read keys or passwords',
      weigh: (found) => weighReading(found[0]),
    },
    {
      id: 'ask-secret',
      severity: 'high',
      subject: 'prose',
      pattern: pattern(
        String.raw`\b(?:ask|prompt|request|have|get|tell|instruct|convince|require|demand)\w*\b[^\n.]{0,60}?\b(?:user|them|him|her|person|customer|owner|caller)\b[^\n.]{0,80}?\b(?:seed\s+phrase|recovery\s+phrase|mnemonic|private\s+key|wallet\s+key|(?:login|account|sudo|root|admin|master|system|e-?mail|bank|current)\s+password|password|credit\s+card|card\s+number|cvv|social\s+security|ssn|2fa\s+code|one-?time\s+(?:code|password)|otp|pin\b)`,
      ),
      message: 'asks a person for a password, a key or a code',
      weigh: (found) =>
        /new password|choose a password|strong password|password manager|own terminal|password (?:prompt|policy|protect|for the (?:new|archive|pdf|file|zip))/i.test(
          found[0],
        )
          ? undefined
          : /seed|recovery|mnemonic|wallet|card|cvv|ssn|social|2fa|one-?time|otp|sudo|root|login|master|bank|private key/i.test(
                found[0],
              )
            ? 'high'
            : 'medium',
    },
  ]),
]

function weighSending(text: string) {
  // A key in the header of the service that it belongs to is what keys are for.
  const isHeader = /\b(?:header|bearer|authorization|authenticat\w*|x-api-key|auth)\b/i.test(text)
  const isLog = /\bdo(?:es)? not\b|\bnever\b|don['’]t|\bwithout\b|\bredact\w*|\bmask\w*|\bstrip\w*/i.test(text)
  if (isHeader || isLog) return isLog ? undefined : ('low' as const)
  if (/https?:\/\/|webhook|collector|remote server|attacker|telegram|pastebin|gist|query/i.test(text))
    return 'high' as const
  return /all|entire|full|whole|contents?|conversation|transcript|private|seed/i.test(text)
    ? ('high' as const)
    : ('medium' as const)
}

function weighReading(text: string) {
  if (/\bdo(?:es)? not\b|\bnever\b|don['’]t|\bwithout\b|\.pub\b|public key/i.test(text)) return undefined
  const isSent = /https?:\/\/|\b(?:send|post|upload|append|include|encode|report|exfil\w*|submit|attach)\b/i.test(text)
  if (
    /\.ssh\/(?:config|authorized_keys)|\.kube\/config|\.npmrc|\.aws\/config|_history|(?:\.claude|\.codex|\.cursor|\.gemini|\.svc)\//i.test(
      text,
    )
  )
    return isSent ? ('high' as const) : ('low' as const)
  if (/\.aws\/credentials|\.netrc|\.docker|\.pypirc|\.git-credentials|\.azure|gcloud|\.gnupg|\.pgpass/i.test(text))
    return isSent ? ('high' as const) : ('medium' as const)
  return 'high' as const
}
