/**
 * Locations that tools, commands and sandboxes keep away from: where secrets are kept, and what belongs to svc. Text only:
 * a real path (absolute, links resolved) and a path in the text of a command get the same answer. Names are compared
 * without case, because some file systems do.
 */

/**
 * A file or folder that holds secrets, below a folder of a user or, when it starts with a slash, of the system.
 * @since 0.1
 */
export interface SecretLocation {
  /** With slashes, without one at the end: `.ssh`, `.docker/config.json`, `/etc/shadow`. */
  readonly path: string
  /** A phrase for "<path> ...": `holds passwords or keys`. */
  readonly reason: string
}

/** An operation on a file. @since 0.2 */
export type FileOperation = 'read' | 'write'

const KEYS = 'may hold a private key'
const TOKENS = 'holds passwords or keys'
const CLOUD = 'holds keys of a cloud service'
const BROWSER = 'belongs to a browser and holds its cookies and passwords'
const VAULT = 'holds the passwords of the user'
const HISTORY = 'is a history of commands, which often holds passwords'
const MAIL = 'holds mail and its passwords'
const WALLET = 'holds a wallet'
const MEMORY = 'shows the memory or the open files of a process, which hold secrets'

/** Below the folder of a user. A folder includes everything in it. */
const OF_USERS: readonly (readonly [reason: string, paths: readonly string[]])[] = [
  [KEYS, ['.ssh', '.gnupg', '.config/age', '.config/sops', '.age', '.pki', '.putty', 'AppData/Roaming/gnupg']],
  [
    TOKENS,
    [
      ...['.netrc', '_netrc', '.authinfo', '.authinfo.gpg', '.git-credentials', '.config/git/credentials', '.npmrc'],
      ...['.yarnrc.yml', '.bunfig.toml', '.pypirc', '.pip/pip.conf', '.config/pip/pip.conf', '.docker/config.json'],
      ...['.config/containers/auth.json', '.config/helm/registry', '.cargo/credentials', '.cargo/credentials.toml'],
      ...[
        '.gem/credentials',
        '.local/share/gem/credentials',
        '.bundle/config',
        '.m2/settings.xml',
        '.sbt/.credentials',
      ],
      ...['.m2/settings-security.xml', '.ivy2/.credentials', '.gradle/gradle.properties', '.composer/auth.json'],
      ...[
        '.config/composer/auth.json',
        '.nuget/NuGet/NuGet.Config',
        '.config/NuGet',
        '.config/configstore',
        '.config/gh',
      ],
      ...['.config/hub', '.config/glab-cli', '.config/tea', '.config/github-copilot', '.circleci/cli.yml', '.travis'],
      ...['.pgpass', '.my.cnf', '.mylogin.cnf', '.dbt/profiles.yml', '.snowsql/config', '.snowflake', '.databrickscfg'],
      ...['.vault-token', '.terraform.d/credentials.tfrc.json', '.terraformrc', '.kaggle/kaggle.json'],
      ...['.huggingface/token', '.cache/huggingface/token', '.cache/huggingface/stored_tokens', '.claude.json'],
      ...[
        '.claude/.credentials.json',
        '.codex/auth.json',
        '.gemini/oauth_creds.json',
        '.local/share/opencode/auth.json',
      ],
      ...[
        '.config/openai',
        '.config/anthropic',
        '.config/rclone',
        '.config/filezilla',
        '.smbcredentials',
        '.vnc/passwd',
      ],
      ...[
        '.local/share/remmina',
        '.config/remmina',
        '.ngrok2',
        '.config/ngrok',
        '.cloudflared',
        '.Xauthority',
        '.krb5',
      ],
      ...['.ICEauthority', '.htpasswd', '.config/Slack', '.config/discord', '.config/Signal', '.config/keybase'],
      ...['.netlify/config.json', '.config/netlify', '.vercel/auth.json', '.local/share/com.vercel.cli'],
      ...[
        'AppData/Roaming/com.vercel.cli',
        '.wrangler/config',
        '.config/.wrangler',
        '.fly',
        '.config/stripe',
        '.wgetrc',
      ],
      ...['.curlrc', 'Library/Application Support/Slack', 'Library/Application Support/Signal'],
      ...['AppData/Roaming/Microsoft/Credentials', 'AppData/Local/Microsoft/Credentials', 'AppData/Roaming/GitHub CLI'],
      ...['AppData/Roaming/Microsoft/Protect'],
    ],
  ],
  [
    CLOUD,
    [
      ...['.aws', '.azure', '.config/gcloud', '.kube', '.oci', '.aliyun', '.bluemix', '.ibmcloud', '.config/doctl'],
      ...['.config/hcloud', '.config/scw', '.config/linode-cli', '.linode-cli', '.s3cfg', '.boto', '.config/b2'],
      ...['.b2_account_info', '.openstack', '.config/openstack', '.digitalocean', '.minikube/certs', '.mc/config.json'],
      ...['AppData/Roaming/gcloud', '.config/azure', '.config/flyctl', '.pulumi/credentials.json'],
    ],
  ],
  [
    VAULT,
    [
      ...['.password-store', '.local/share/gopass', '.config/gopass', '.local/share/keyrings', '.gnome2/keyrings'],
      ...['.local/share/kwalletd', '.kde/share/apps/kwallet', 'Library/Keychains', '.config/op', '.op', '.lpass'],
      ...['.local/share/lpass', '.config/Bitwarden', '.config/Bitwarden CLI', '.config/rbw', '.local/share/rbw'],
      ...['.config/1Password', '.config/keepassxc', 'Library/Application Support/Bitwarden'],
      ...['Library/Application Support/1Password', 'AppData/Local/1Password', 'AppData/Roaming/Bitwarden'],
    ],
  ],
  [
    BROWSER,
    [
      ...['.mozilla', '.librewolf', '.waterfox', '.zen', '.config/google-chrome', '.config/google-chrome-beta'],
      ...['.config/chromium', '.config/BraveSoftware', '.config/microsoft-edge', '.config/vivaldi', '.config/opera'],
      ...['.var/app/org.mozilla.firefox', '.var/app/com.google.Chrome', '.var/app/org.chromium.Chromium'],
      ...['.var/app/com.brave.Browser', 'snap/firefox', 'snap/chromium', 'snap/brave', '.local/share/epiphany'],
      ...['.tor-browser', 'Library/Cookies', 'Library/Safari', 'Library/Application Support/Firefox'],
      ...['Library/Application Support/Google/Chrome', 'Library/Application Support/Chromium'],
      ...['Library/Application Support/BraveSoftware', 'Library/Application Support/Microsoft Edge'],
      ...['Library/Application Support/Vivaldi', 'Library/Application Support/Arc', 'AppData/Roaming/Mozilla'],
      ...['AppData/Local/Google/Chrome/User Data', 'AppData/Local/Microsoft/Edge/User Data'],
      ...['AppData/Local/BraveSoftware', 'AppData/Local/Chromium/User Data', 'AppData/Roaming/Opera Software'],
    ],
  ],
  [
    HISTORY,
    [
      ...['.bash_history', '.zsh_history', '.zhistory', '.zsh_sessions', '.bash_sessions', '.sh_history', '.history'],
      ...['.ksh_history', '.local/share/fish/fish_history', '.python_history', '.node_repl_history', '.psql_history'],
      ...['.mysql_history', '.sqlite_history', '.rediscli_history', '.mongosh', '.dbshell', '.irb_history'],
      ...['.local/share/powershell/PSReadLine', 'AppData/Roaming/Microsoft/Windows/PowerShell/PSReadLine'],
      ...['.local/share/atuin', '.local/state/bash/history'],
    ],
  ],
  [
    MAIL,
    [
      ...['.thunderbird', '.msmtprc', '.config/msmtp', '.mbsyncrc', '.fetchmailrc', '.offlineimaprc', '.getmail'],
      ...['Library/Thunderbird', 'AppData/Roaming/Thunderbird', '.config/evolution', '.local/share/evolution'],
    ],
  ],
  [WALLET, ['.bitcoin', '.ethereum', '.electrum', '.monero', '.config/solana', '.config/Exodus', '.foundry/keystores']],
]
const OF_SYSTEM: readonly (readonly [reason: string, paths: readonly string[]])[] = [
  [
    'holds the passwords of the machine',
    [
      ...['/etc/shadow', '/etc/shadow-', '/etc/gshadow', '/etc/gshadow-', '/etc/security/opasswd', '/etc/sudoers'],
      ...['/etc/sudoers.d', '/etc/master.passwd', '/etc/krb5.keytab', '/etc/ssl/private', '/etc/pki/tls/private'],
      ...['/etc/letsencrypt/archive', '/etc/letsencrypt/keys', '/etc/letsencrypt/accounts', '/etc/wireguard'],
      ...['/etc/NetworkManager/system-connections', '/etc/wpa_supplicant', '/etc/ppp/chap-secrets', '/etc/openvpn'],
      ...['/etc/ppp/pap-secrets', '/etc/ipsec.secrets', '/etc/rancher/k3s/k3s.yaml', '/etc/kubernetes/pki'],
      ...['/etc/kubernetes/admin.conf', '/var/lib/sss/secrets', '/var/lib/NetworkManager', '/var/lib/bluetooth'],
      ...['/var/db/dslocal', '/Library/Keychains', '/run/secrets', '/var/run/secrets', '/run/credentials'],
    ],
  ],
  [MEMORY, ['/dev/mem', '/dev/kmem', '/dev/port', '/proc/kcore', '/proc/kmem']],
]

/** What is public in a folder of keys. */
const PUBLIC_KEY_FILE = /(?:\.pub|\/(?:known_hosts[^/]*|config|authorized_keys2?|allowed_signers))$/
/** `.env`, `.env.local`, `.env~`; but not templates such as `.env.example`. */
const ENVIRONMENT_FILE = /^\.env(?:[._~-].*)?$/
const SHARED_ENVIRONMENT_FILE = /[._-](?:example|sample|template|tmpl|tpl|dist|defaults?|schema|d\.ts)$/
const KEY_NAME = new RegExp(
  [
    /^id_(?:rsa|dsa|ecdsa|ed25519|xmss)(?:_sk)?(?:[._-](?!pub$).*)?$/,
    /^ssh_host_[a-z0-9]+_key$/,
    /^privkey\d*\.pem$/,
    /(?:^|[._-])private[._-]?key(?:\.(?:pem|der|asc|gpg|txt|json))?$/,
    /\.(?:ppk|p12|pfx|jks|keystore|kdbx?|agekey)$/,
  ]
    .map(({ source }) => source)
    .join('|'),
)
const TOKEN_NAME =
  /^(?:client_secrets?(?:[._-].*)?\.json|service[_-]account(?:[._-].*)?\.json|application_default_credentials\.json|krb5cc_.*|\.vault[_-](?:token|pass(?:word)?))$/
const PROCESS_MEMORY =
  /^\/proc\/(?!sys\/).+\/(?:environ|mem|maps|smaps|pagemap|auxv|stack|syscall|fd|fdinfo|map_files)(?:\/.*)?$/
/** The standard streams of a process itself lead to nothing that it does not have. */
const OWN_STREAM = /^\/proc\/(?:self|thread-self)\/fd(?:\/[012])?$/
const THROUGH_PROCESS = /^\/proc\/(?!sys\/).+?\/(root|cwd)(\/.*)?$/
const USER_FOLDER = /^(?:\/(?:home|users|var\/home|export\/home)\/[^/]+|\/root|\/var\/root|[a-z]:\/users\/[^/]+)\/(.+)$/

const USER_ENTRIES = new Map(OF_USERS.flatMap(([reason, paths]) => paths.map((path) => [path.toLowerCase(), reason])))
const SYSTEM_ENTRIES = new Map(
  OF_SYSTEM.flatMap(([reason, paths]) => paths.map((path) => [path.toLowerCase(), reason])),
)
/** Recognised in any folder: a copy, a mounted home, the home of another user. */
const ANYWHERE =
  /\/(\.(?:ssh|gnupg|aws|azure|kube|password-store|mozilla|netrc|pgpass|git-credentials|docker\/config\.json)(?:\/.*)?)$/

/**
 * Why a path holds secrets, as a phrase for "<path> ...", such as `holds passwords or keys`; undefined when no list names
 * it. `path` is absolute and normalised, best with links resolved; `home` is the folder of the user, without a slash at
 * the end. Also what is in the folders of other users, and what is reached through `/proc/<process>/root`.
 * @since 0.1
 */
export function findSecretLocation(path: string, home: string): string | undefined {
  const plain = comparable(path)
  const through = THROUGH_PROCESS.exec(plain)
  if (through?.[1] === 'cwd') return 'leads to a folder that only a process knows'
  if (through) return findSecretLocation(through[2] ?? '/', home)
  if (PROCESS_MEMORY.test(plain) && !OWN_STREAM.test(plain)) return MEMORY
  return reasonOfName(plain.slice(plain.lastIndexOf('/') + 1)) ?? reasonOfPlace(plain, comparable(home))
}

/**
 * Whether it is a file of environment variables such as `.env`, by its name. It is a secret location like any other, but
 * in a project tools may write one.
 * @since 0.1
 */
export function isEnvironmentFile(path: string): boolean {
  const plain = comparable(path)
  const name = plain.slice(plain.lastIndexOf('/') + 1)
  return ENVIRONMENT_FILE.test(name) && !SHARED_ENVIRONMENT_FILE.test(name)
}

function reasonOfName(name: string): string | undefined {
  if (isEnvironmentFile(name)) return 'is a file for secrets'
  if (KEY_NAME.test(name)) return KEYS
  return TOKEN_NAME.test(name) ? TOKENS : undefined
}

function reasonOfPlace(path: string, home: string): string | undefined {
  const below = isWithin(path, home) && home !== '/' ? path.slice(home.length + 1) : USER_FOLDER.exec(path)?.[1]
  const reason = findEntry(below ?? '', USER_ENTRIES) ?? findEntry(ANYWHERE.exec(path)?.[1] ?? '', USER_ENTRIES)
  if (reason === KEYS && PUBLIC_KEY_FILE.test(path)) return undefined
  return reason ?? findEntry(path, SYSTEM_ENTRIES)
}

/**
 * The files and folders that the lists name, as absolute paths: for what hides them, such as a sandbox. What is found by
 * the name of a file alone (`.env`, `id_rsa` in any folder) is not in it. `home` as in `findSecretLocation`.
 * @since 0.1
 */
export function listSecretLocations(home: string): readonly SecretLocation[] {
  return [...OF_USERS, ...OF_SYSTEM].flatMap(([reason, paths]) =>
    paths.map((path) => ({ path: path.startsWith('/') ? path : `${home}/${path}`, reason })),
  )
}

/** Folders of a home that tools may use; everything else is svc's own. */
const OPEN_TO_TOOLS: ReadonlyMap<string, readonly FileOperation[]> = new Map([
  ['workspace', ['read', 'write']],
  ['logs', ['read']],
])

/** How a path relates to the homes of svc. @since 0.1 */
export type SvcLocation = 'outside' | 'open' | 'closed'

/**
 * Whether a path belongs to svc. `homes` are SVC_HOME and the folders of its profiles; all paths are absolute, normalised
 * and without links. `outside`: in none of them (see `containsSvcHome` for what is above one). `open`: tools may do that
 * there. `closed`: everything else, the home itself included, because what svc reads and runs is below. `access` is
 * what is to be done (default `write`, the stricter); `readable` are further folders that are open for reading, such as
 * those of `ReadableFolders`. A profile is a separate home, whether it is named or not.
 * @since 0.1
 */
export function findSvcLocation(
  path: string,
  homes: readonly string[],
  access: FileOperation = 'write',
  readable: readonly string[] = [],
): SvcLocation {
  const plain = comparable(path)
  const within = homes.map(comparable).filter((home) => isWithin(plain, home))
  const home = within.sort((one, two) => two.length - one.length)[0]
  if (home === undefined) return 'outside'
  if (access === 'read' && readable.some((folder) => isWithin(plain, comparable(folder)))) return 'open'
  const below = plain.slice(home === '/' ? 1 : home.length + 1).replace(/^profiles\/[^/]+(?:\/|$)/, '')
  return OPEN_TO_TOOLS.get(below.split('/')[0] ?? '')?.includes(access) ? 'open' : 'closed'
}

/** Whether a home of svc is this path or below it, so that what changes the path as a whole changes svc. @since 0.2 */
export function containsSvcHome(path: string, homes: readonly string[]): boolean {
  return homes.some((home) => isWithin(comparable(home), comparable(path)))
}

/** The deepest entry that the path is, or is in. */
function findEntry(path: string, entries: ReadonlyMap<string, string>): string | undefined {
  for (let end = path.length; end > 0; end = path.lastIndexOf('/', end - 1)) {
    const reason = entries.get(path.slice(0, end))
    if (reason !== undefined) return reason
  }
  return undefined
}

function isWithin(path: string, folder: string): boolean {
  return path === folder || path.startsWith(folder === '/' ? '/' : `${folder}/`)
}

/** Names as the most tolerant file system compares them; macOS shows `/etc` as `/private/etc`. */
function comparable(path: string): string {
  const slashes = /^[A-Za-z]:[\\/]|^\\\\/.test(path) ? path.replaceAll('\\', '/') : path
  const plain = slashes
    .normalize('NFC')
    .toLowerCase()
    .replace(/^\/private(?=\/(?:etc|var|tmp)(?:\/|$))/, '')
  return plain.length > 1 ? plain.replace(/\/+$/, '') : plain
}
