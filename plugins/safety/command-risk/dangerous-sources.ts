/** Patterns about where code comes from, and settings that outlast a command. */
import { isUnknown } from './expand.ts'
import type { Script } from './normalise.ts'
import { listOperands, operands, option } from './options.ts'
import { absolutePath, isInside } from './paths.ts'
import { type Matchers, says } from './pattern.ts'
import type { Command } from './walk.ts'
import { listWritten } from './written-paths.ts'

const REMOTE = /^(?:[\w.-]+@)?(?:git\+|https?:|git:|ssh:|github:|gitlab:|bitbucket:|gist:|npm:https?:|data:)/i
const PACKAGERS =
  /^(npm|pnpm|yarn|bun|npx|bunx|pip\d*|pipx|uv|uvx|gem|cargo|go|deno|composer|brew|poetry|pdm|conda|mamba|luarocks|helm|mix|dart|flutter|nix|nix-env|easy_install|pacman|apt|apt-get|dpkg|rpm|yum|dnf|snap|flatpak)$/
const SOURCE_OPTION =
  /^(--registry|--index-url|--extra-index-url|--index|--default-index|--find-links|-i|--source|--git|--from|--channel|--repository-url|--repo|--trusted-host)(?:=|$)/
/** Variables that decide what programs run or load. */
const RULING =
  /^(PATH|NODE_OPTIONS|LD_PRELOAD|LD_LIBRARY_PATH|LD_AUDIT|DYLD_\w+|BASH_ENV|ENV|PROMPT_COMMAND|GIT_SSH|GIT_SSH_COMMAND|GIT_EXEC_PATH|GIT_TEMPLATE_DIR|GIT_EXTERNAL_DIFF|GIT_CONFIG(?:_\w+)?|PYTHONPATH|PYTHONSTARTUP|PYTHONHOME|PERL5LIB|PERL5OPT|RUBYOPT|RUBYLIB|JAVA_TOOL_OPTIONS|_JAVA_OPTIONS|MAVEN_OPTS|GRADLE_OPTS|NPM_CONFIG_\w+|npm_config_\w+|PIP_INDEX_URL|PIP_EXTRA_INDEX_URL|SSH_ASKPASS|SUDO_ASKPASS|EDITOR|VISUAL|PAGER|SHELL|IFS|http_proxy|https_proxy|HTTP_PROXY|HTTPS_PROXY|ALL_PROXY|NODE_TLS_REJECT_UNAUTHORIZED|GIT_SSL_NO_VERIFY|SSL_CERT_FILE|NODE_EXTRA_CA_CERTS|RUSTC_WRAPPER|CARGO_BUILD_RUSTC_WRAPPER|GOFLAGS|GOPROXY|GOPATH|CC|CXX|HOME|ZDOTDIR)$/
const HARMLESS_VALUE: Readonly<Record<string, RegExp>> = {
  NODE_OPTIONS:
    /^(?:\s*(?:--max[-_]old[-_]space[-_]size=\d+|--enable-source-maps|--no-warnings|--inspect(?:-brk)?(?:=[\w:.]+)?|--openssl-legacy-provider|--trace-\w+|--experimental-[\w-]+|--preserve-symlinks|--dns-result-order=\w+|--conditions=\w+|--stack-size=\d+|--expose-gc))*\s*$/,
  GIT_SSH_COMMAND: /^ssh(?: -(?:[io46vqaxTF]|[op] ?)(?: ?[\w~./=-]+)?)*$/,
  EDITOR: /^(vim?|nvim|nano|emacs|code( --wait)?|true|cat|ed|:)$/,
  VISUAL: /^(vim?|nvim|nano|emacs|code( --wait)?|true|cat|:)$/,
  PAGER: /^(cat|less|more)?( -\w+)*$/,
  SHELL: /^\/(usr\/)?bin\/\w+$/,
  CC: /^(gcc|clang|cc)[\w.-]*$/,
  CXX: /^(g\+\+|clang\+\+|c\+\+)[\w.+-]*$/,
  PYTHONPATH: /^(?:(?:\.|\$?\w*|(?:\.\/)?(?:src|lib|app|tests?))(?:\/[\w-]+)*:?)*$/,
  IFS: /^/,
  GOFLAGS: /^(-mod=\w+|-race|-count=\d+|\s)*$/,
  GOPATH: /^/,
  HOME: /^~?$|^\/(tmp|home)\//,
}
const BIN_FOLDER =
  /(?:^|\/)(?:\.local\/bin|bin|\.bin|sbin|\.cargo\/bin|go\/bin|\.npm-global\/bin|\.bun\/bin|\.deno\/bin)\/[^/]*$/

export const sourcePatterns = {
  'foreign-package': (command) => foreignPackage(command),
  'lasting-settings': (command) => lasting(command),
  'program-path': (command, script) =>
    [...command.assigned.filter(([name]) => name !== 'LD_LIBRARY_PATH'), ...listExported(command)].some(
      ([name, value]) => rules(name, value, command, script),
    ) ||
    (command.name === 'enable' && option(command.args, 'f', [])) ||
    (command.name === 'hash' && option(command.args, 'p', [])) ||
    shadows(command, script),
} satisfies Matchers

function foreignPackage(command: Command): boolean {
  const { name, args, wrappers } = command
  const wrapper = wrappers.find(([first = '']) => /^(npx|bunx)$/.test(first))
  if (wrapper && [command.program, ...wrapper].some((word) => REMOTE.test(word))) return true
  if (/^(code|cursor|codium)$/.test(name)) return args.some((word) => word.startsWith('--install-extension'))
  if (name === 'go') return args[0] === 'run' && args.some((word) => /^[\w-]+\.[\w.-]+\/.*@/.test(word))
  if (!PACKAGERS.test(name)) return false
  const verb = listOperands(command)[0] ?? ''
  if (/^(search|view|info|show|audit|ping|list|ls|docs|publish|config|repo)$/.test(verb)) return false
  return args.some((_, at) => isSource(args, at)) || namesSource(name, verb, args)
}

/** `--registry https://...` */
function isSource(args: readonly string[], at: number): boolean {
  const word = args[at] as string
  if (word === '--git') return args[at + 1] !== undefined
  const value = word.includes('=') ? word.slice(word.indexOf('=') + 1) : (args[at + 1] ?? '')
  return SOURCE_OPTION.test(word) && REMOTE.test(value)
}

/** An address in the place of a package. */
function namesSource(name: string, verb: string, args: readonly string[]): boolean {
  const words = operands(args)
  if (/^(deno|bun)$/.test(name)) return words.slice(0, 4).some((word) => REMOTE.test(word) && !/^npm:|^jsr:/.test(word))
  if (/^(helm|nix-env|composer)$/.test(name)) return false
  if (name === 'nix') return verb === 'run' && REMOTE.test(words[1] ?? '')
  if (name === 'brew' && verb === 'tap') return words.length > 1
  // `owner/repository` of GitHub.
  const isShort = /^(npm|pnpm|yarn)$/.test(name) && /^(install|i|add|exec|x|dlx)$/.test(verb)
  return words.some((word, at) => REMOTE.test(word) || (isShort && at > 0 && /^[\w-]+\/[\w.-]+$/.test(word)))
}

const NPM_KEYS =
  /^(?:[^:]*:)?(registry|script-shell|shell|prefix|cafile|ca|strict-ssl|proxy|https-proxy|node-options|init-module|globalconfig|userconfig|git|editor|viewer|_auth\w*|ignore-scripts|npmRegistryServer|npmScopes.*|yarnPath|plugins)\b/i

const GIT_KEYS =
  /^(core\.(hookspath|sshcommand|fsmonitor|gitproxy|editor|pager|askpass)|alias\..*|.*\.(helper|process|textconv|clean|smudge|driver|cmd|command|insteadof|pushinsteadof|proxy|sslverify)|include(if.*)?\.path|http\..*|url\..*)$/i

/** Settings, by program and first words. */
const SETTINGS = [
  ...['git remote set-url', 'pip|pip3 config set|edit', 'gem sources -a|--add', 'go env -w', 'poetry source add'],
  ...['conda config --add|--set|--prepend|--append', 'poetry config *', 'cargo login', 'gh config|alias set'],
  ...['gh extension install', 'uv self *', 'corepack enable', 'git lfs install', 'update-alternatives *', 'chsh'],
  ...['xdg-mime default', 'defaults write|delete', 'gsettings set', 'dconf write|load', 'crontab *', 'nix-channel *'],
  ...['helm repo add', 'helm plugin install', 'kubectl config set|set-context|set-credentials|set-cluster'],
  ...['direnv edit', 'pre-commit init-templatedir', 'brew services start', 'docker|podman context use|create|update'],
  ...['systemctl enable|link|edit|set-property|import-environment', 'launchctl load|bootstrap|submit|setenv'],
  'systemd-run',
]

function lasting(command: Command): boolean {
  const { name, args, wrappers } = command
  const words = listOperands(command)
  if (/^(npm|pnpm|yarn|bun)$/.test(name) && /^(config|set|c)$/.test(words[0] ?? ''))
    return words.slice(1).some((word) => NPM_KEYS.test(word)) && !/^(get|list|ls)$/.test(words[1] ?? '')
  if (name === 'git' && words[0] === 'config') return words.length > 2 && words.some((word) => GIT_KEYS.test(word))
  if (name === 'curl')
    return args.some((_, at) => /^--\S*unix-socket\S* ?.*\.sock/.test(args.slice(at, at + 2).join(' ')))
  const isTimed = wrappers.some(
    ([wrapper, ...options]) => wrapper === 'systemd-run' && options.some((word) => TIMER.test(word)),
  )
  return isTimed || says(command, ...SETTINGS)
}

const TIMER = /^--(on-\w+|timer-property|path-property)/

function listExported({ name, args }: Command): [string, string][] {
  if (name === 'set') {
    const words = args.filter((word) => !/^-[a-zA-Z]+$/.test(word))
    return args.some((word) => /^-[a-zA-Z]*[gxU]/.test(word)) && words.length > 1
      ? [[words[0] as string, words.slice(1).join(':')]]
      : []
  }
  if (name === 'fish_add_path') return [['PATH', operands(args).join(':')]]
  if (name === 'setx') return [[args[0] ?? '', args[1] ?? '']]
  if (!/^(export|declare|typeset|local|readonly|setenv)$/.test(name)) return []
  return args.flatMap((word): [string, string][] => {
    const [, key, value] = /^([A-Za-z_]\w*)\+?=([\s\S]*)$/.exec(word) ?? []
    return key === undefined ? [] : [[key, value ?? '']]
  })
}

/** Whether setting the variable has later programs run or load something that the session may have written. */
function rules(name: string, value: string, command: Command, script: Script): boolean {
  if (!RULING.test(name)) return false
  if (name === 'PATH') return value.split(/[:;]/).some((folder) => mayHoldOwn(folder, command, script))
  const harmless = HARMLESS_VALUE[name]
  if (value === '' || (harmless && !isUnknown(value) && harmless.test(value))) return false
  if (/^(https?_proxy|HTTPS?_PROXY|ALL_PROXY)$/i.test(name)) return !/localhost|127\.0\.0\.1/.test(value)
  return true
}

/** Folders of tools are as good as the system's; the project, temporary folders and what is not known are not. */
function mayHoldOwn(folder: string, { cwd }: Command, { home, cwd: start }: Script): boolean {
  if (folder === '' || /(^|\/)(node_modules\/\.bin|\.?venv\/bin)\/?$/.test(folder)) return false
  if (/^\/(usr|bin|sbin|opt|nix|snap|usr\/local)(\/|$)/.test(folder)) return false
  const path = absolutePath(folder, cwd, home)
  if (path === undefined) return !/\/(bin|sbin|shims)$/.test(folder) || !/^\uE000/.test(folder)
  if (isInside(path, start) || /^\/(tmp|var\/tmp|dev\/shm)(\/|$)/.test(path)) return true
  return !(isInside(path, home) && /\/(bin|shims|sbin|current|cli)$/.test(path))
}

/** A program is put where shells look for programs. */
function shadows(command: Command, { home }: Script): boolean {
  if (
    !/^(cp|mv|ln|install|tee|curl|wget|copy-item|move-item|dd|rsync|scp)$/.test(command.name) &&
    !command.redirects.length
  )
    return false
  return listWritten(command).some((word) => {
    const path = absolutePath(word, command.cwd, home)
    if (path === undefined) return false
    const isOutside =
      path.startsWith(`${home}/.local/bin`) ||
      path.startsWith(`${home}/bin`) ||
      /^\/(usr\/(local\/)?)?s?bin(\/|$)/.test(path) ||
      /^\/opt\/[\w-]+\/bin\//.test(path)
    return (
      isOutside ||
      (BIN_FOLDER.test(path) && isInside(path, home) && /\/(\.cargo|go|\.npm-global|\.bun|\.deno)\/bin\//.test(path)) ||
      /node_modules\/\.bin\//.test(path)
    )
  })
}
