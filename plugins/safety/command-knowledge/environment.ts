/** Variables whose value programs run or that change what a word means. */

/** Names that a program or the shell could take as a command, a file to load, or a place to look for either. */
const POWERFUL =
  /^(?:PATH|IFS|HOME|SHELL|ENV|PWD|OLDPWD|CDPATH|TMPDIR|PS\d|FPATH|MANPATH|INFOPATH|TERMINFO|TERMCAP|DISPLAY|CC|CXX|LD|AR|CPP|FC|MAKE|SUDO_.*|OPENSSL_.*|BASH.*|ZSH.*|ZDOTDIR|SHELLOPTS|PROMPT.*|HIST.*|GLOBIGNORE|POSIXLY_CORRECT|OPT(?:IND|ARG)|MAIL.*|LD_.*|DYLD_.*|GIT_.*|NPM_.*|PNPM_.*|YARN_.*|BUN_.*|DENO_.*|COREPACK_.*|NODE_.*|PYTHON.*|PIP_.*|UV_.*|POETRY_.*|VIRTUAL_ENV|CONDA_.*|PERL.*|RUBY.*|GEM_.*|BUNDLE_.*|PHP.*|COMPOSER.*|JAVA_.*|JDK_.*|_JAVA_.*|MAVEN_.*|GRADLE_.*|KOTLIN_.*|SCALA_.*|SBT_.*|GO[A-Z]*|CGO_.*|CARGO.*|RUST.*|DOTNET_.*|MSBUILD.*|COMPLUS_.*|CORECLR_.*|CMAKE_.*|CTEST_.*|MAKE.*|DOCKER_.*|COMPOSE_.*|KUBE.*|HELM_.*|AWS_.*|GOOGLE_.*|CLOUDSDK_.*|AZURE_.*|TF_.*|SSH_.*|SVN_.*|RSYNC_.*|GPG_.*|CURL_.*|SSL_.*|ALL_PROXY|HTTPS?_PROXY|FTP_PROXY|NO_PROXY|SVC_.*|XDG_.*|ELECTRON_.*|CHROME_.*|PLAYWRIGHT_.*|PUPPETEER_.*|JEST_.*|ESLINT_.*|TS_NODE_.*|PG.*|MYSQL_.*|REDISCLI_.*|AWK.*|LUA_.*|R_.*|.*(?:EDITOR|VISUAL|PAGER|BROWSER|LESS|OPEN|ASKPASS|PRELOAD|WRAPPER|LAUNCHER|COMMAND|_CMD|EXEC|OPTS|OPTIONS|FLAGS|PATH|SHELL|HOOKS?|PLUGINS?|STARTUP|INITRC|_RC|CONFIG|CONF))$/i
/** Among them, those that are harmless with such a value. */
const HARMLESS: readonly (readonly [RegExp, RegExp])[] = [
  [/^NODE_ENV$/, /^\w*$/],
  [/^NODE_(?:NO_WARNINGS|DISABLE_COLORS|TEST_CONTEXT)$/, /^\w*$/],
  [
    /^NODE_OPTIONS$/,
    /^(?:\s*--(?:max[-_]old[-_]space[-_]size=\d+|no-warnings|trace-warnings|enable-source-maps|experimental-vm-modules))+\s*$/,
  ],
  [/^(?:GIT_|MAN)?PAGER$/, /^(?:cat|less|more|)$/],
  [/^GIT_TERMINAL_PROMPT$/, /^[01]$/],
  [/^GIT_(?:AUTHOR|COMMITTER)_(?:NAME|EMAIL|DATE)$/, /^[\w .:@+<>-]*$/],
  [/^(?:GIT_)?(?:SEQUENCE_)?EDITOR$/, /^(?:true|:|cat)$/],
  [
    /^PYTHON(?:UNBUFFERED|DONTWRITEBYTECODE|HASHSEED|UTF8|WARNINGS|FAULTHANDLER|ASYNCIODEBUG|IOENCODING|VERBOSE)$/,
    /^[\w.:-]*$/,
  ],
  [/^PYTHONPATH$/, /^(?:\.|(?:\.\/)?(?!\.\.)[\w-][\w./-]*)$/],
  [/^RUST_(?:LOG|BACKTRACE|TEST_THREADS)$/, /^[\w:=,*.-]*$/],
  [/^CARGO_(?:TERM_COLOR|INCREMENTAL|BUILD_JOBS)$/, /^\w*$/],
  [/^GO(?:OS|ARCH|ARM|MAXPROCS|GC)$/, /^\w*$/],
  [/^CGO_ENABLED$/, /^[01]$/],
  [/^CC$|^CXX$/, /^(?:gcc|g\+\+|clang|clang\+\+|cc|c\+\+)(?:-\d+)?$/],
  [/^AWS_(?:REGION|DEFAULT_REGION|PROFILE)$/, /^[\w-]*$/],
  [/^RAILS_ENV$|^TERM$/, /^[\w-]*$/],
  [/^(?:DOTNET_(?:CLI_TELEMETRY_OPTOUT|NOLOGO|ENVIRONMENT))$/, /^\w*$/],
  [/^TF_(?:LOG|IN_AUTOMATION|INPUT)$/, /^\w*$/],
  [/^COMPOSE_PROJECT_NAME$/, /^[\w-]*$/],
  [/^NPM_CONFIG_(?:LOGLEVEL|FUND|AUDIT|COLOR|PROGRESS)$/i, /^\w*$/],
  [/^PYTEST_ADDOPTS$/, /^[-\w= ]*$/],
]

/** Why setting this variable is more than a value, or undefined. */
export function findPower(name: string, value: string): string | undefined {
  const harmless = HARMLESS.filter(([names]) => names.test(name))
  if (harmless.some(([, values]) => values.test(value)) && !/(?:^|\/)\.\.(?:\/|$)/.test(value)) return undefined
  return harmless.length || POWERFUL.test(name) ? `the variable ${name}, which programs act on` : undefined
}
