/** Addresses: whose they are, as far as a text can tell. */

/** Publishers of tools that are usually installed by a script of theirs, or downloaded from them. */
const PUBLISHERS = [
  ...[
    'sh.rustup.rs',
    'rustup.rs',
    'rust-lang.org',
    'get.docker.com',
    'docker.com',
    'brew.sh',
    'astral.sh',
    'bun.sh',
    'deno.land',
  ],
  ...[
    'deno.com',
    'get.pnpm.io',
    'pnpm.io',
    'install.python-poetry.org',
    'python-poetry.org',
    'nodejs.org',
    'go.dev',
    'golang.org',
  ],
  ...['dl.k8s.io', 'k8s.io', 'kubernetes.io', 'helm.sh', 'hashicorp.com', 'awscli.amazonaws.com', 'aws.amazon.com'],
  ...[
    'cloud.google.com',
    'google.com',
    'microsoft.com',
    'azure.com',
    'azureedge.net',
    'aka.ms',
    'visualstudio.com',
    'apple.com',
  ],
  ...[
    'nvidia.com',
    'ollama.com',
    'ollama.ai',
    'python.org',
    'pypa.io',
    'pypi.org',
    'npmjs.com',
    'npmjs.org',
    'rubygems.org',
  ],
  ...[
    'ruby-lang.org',
    'get.rvm.io',
    'sdkman.io',
    'nixos.org',
    'determinate.systems',
    'starship.rs',
    'fly.io',
    'vercel.com',
  ],
  ...[
    'netlify.com',
    'heroku.com',
    'railway.app',
    'supabase.com',
    'planetscale.com',
    'stripe.com',
    'twilio.com',
    'sentry.io',
  ],
  ...[
    'datadoghq.com',
    'grafana.com',
    'elastic.co',
    'postgresql.org',
    'mysql.com',
    'mongodb.com',
    'redis.io',
    'sqlite.org',
  ],
  ...['debian.org', 'ubuntu.com', 'fedoraproject.org', 'redhat.com', 'archlinux.org', 'alpinelinux.org', 'kernel.org'],
  ...['apache.org', 'gnu.org', 'eclipse.org', 'adoptium.net', 'oracle.com', 'jetbrains.com', 'gradle.org', 'maven.org'],
  ...[
    'cli.github.com',
    'gitlab.com',
    'bitbucket.org',
    'mozilla.org',
    'videolan.org',
    'ffmpeg.org',
    'johnvansickle.com',
  ],
  ...[
    'imagemagick.org',
    'pandoc.org',
    'latex-project.org',
    'tug.org',
    'yihui.org',
    'posit.co',
    'r-project.org',
    'julialang.org',
  ],
  ...['anaconda.com', 'conda.io', 'micro.mamba.pm', 'pytorch.org', 'openai.com', 'anthropic.com', 'claude.ai'],
  ...[
    'cursor.com',
    'tailscale.com',
    'cloudflare.com',
    'letsencrypt.org',
    'caddyserver.com',
    'nginx.org',
    'jenkins.io',
    'circleci.com',
  ],
  ...[
    'codecov.io',
    'sonarqube.org',
    'snyk.io',
    'aquasec.com',
    'anchore.io',
    'semgrep.dev',
    'trivy.dev',
    'mise.run',
    'mise.jdx.dev',
  ],
  ...[
    'volta.sh',
    'yarnpkg.com',
    'playwright.dev',
    'typst.app',
    'zed.dev',
    'warp.dev',
    'modal.com',
    'pulumi.com',
    'terraform.io',
  ],
  ...[
    'opentofu.org',
    'dot.net',
    'flutter.dev',
    'dart.dev',
    'ziglang.org',
    'haskell.org',
    'ocaml.org',
    'elixir-lang.org',
    'temporal.io',
  ],
  ...[
    'getcomposer.org',
    'wordpress.org',
    'drupal.org',
    'magento.com',
    'foundry.paradigm.xyz',
    'solana.com',
    'k3s.io',
    'rancher.com',
    'fnm.vercel.app',
    'ohmyposh.dev',
    'atuin.sh',
    'moonrepo.dev',
    'linkerd.io',
    'istio.io',
    'fluxcd.io',
    'dagger.io',
    'doppler.com',
    'wasmtime.dev',
    'wasmer.io',
    'nim-lang.org',
    'crystal-lang.org',
    'swift.org',
    'scala-lang.org',
    'sst.dev',
    'encore.dev',
  ],
]

/** Where any user can publish raw files; a known project there is named with its owner. */
const KNOWN_RAW =
  /^(?:Homebrew\/(?:install|brew)|nvm-sh\/nvm|ohmyzsh\/ohmyzsh|helm\/helm|rancher\/k3d|kubernetes(?:-sigs)?\/[\w-]+|anchore\/\w+|aquasecurity\/\w+|golangci\/golangci-lint|pyenv\/pyenv(?:-installer)?|rbenv\/\w[\w-]*|asdf-vm\/asdf|junegunn\/[\w.-]+|docker\/[\w-]+|hashicorp\/[\w-]+|microsoft\/[\w-]+|google\/[\w-]+|astral-sh\/\w+|denoland\/[\w-]+|cli\/cli|git-ecosystem\/[\w-]+|github\/[\w-]+|yt-dlp\/[\w-]+|BurntSushi\/\w+|sharkdp\/\w+|jqlang\/jq|mikefarah\/yq)$/

export const SHORTENER =
  /^(?:bit\.ly|tinyurl\.com|t\.co|goo\.gl|is\.gd|v\.gd|cutt\.ly|rebrand\.ly|t\.ly|rb\.gy|ow\.ly|shorturl\.at|tiny\.cc|s\.id|git\.io)$/i
export const PASTE =
  /^(?:pastebin\.com|paste\.ee|hastebin\.com|rentry\.(?:co|org)|ghostbin\.\w+|termbin\.com|ix\.io|sprunge\.us|dpaste\.\w+|controlc\.com|justpaste\.it|gist\.githubusercontent\.com|gist\.github\.com|glot\.io|0x0\.st|transfer\.sh|file\.io|anonfiles\.com|gofile\.io|catbox\.moe|litterbox\.catbox\.moe|mega\.nz|mediafire\.com|ufile\.io|bashupload\.com|temp\.sh|cdn\.discordapp\.com|telegra\.ph)$/i
/** Services whose only use is to show what was sent to them. */
export const COLLECTOR =
  /\b(?:[\w-]+\.)*(?:webhook\.site|requestbin\.(?:com|net|io)|requestcatcher\.com|hookbin\.com|interact\.sh|interactsh\.com|oast\.(?:pro|live|site|online|fun|me)|oastify\.com|burpcollaborator\.net|canarytokens\.(?:com|org)|dnslog\.(?:cn|link)|ceye\.io|beeceptor\.com|pipedream\.net|ptsv[23]\.com|typedwebhook\.tools|postb\.in|mockbin\.(?:io|org)|webhook-test\.com|smee\.io|ngrok(?:-free)?\.(?:io|app|dev)|loca\.lt|serveo\.net|trycloudflare\.com|localhost\.run|localtunnel\.me|bore\.pub)\b/i

export type HostKind = 'local' | 'publisher' | 'raw' | 'odd' | 'other'

/**
 * `raw`: files that anyone may publish on a host of good name; `odd`: an address, a shortener, a paste, an onion or a name in
 * Punycode. `other`: nothing is known of it.
 */
export function kindOfHost(url: string): HostKind {
  const clean = url.replace(/^["'`<(]+|["'`>),;]+$/g, '')
  if (!URL.canParse(clean)) return /^https?:/i.test(clean) && /[$<{]/.test(clean) ? 'other' : 'other'
  const { hostname, pathname, protocol } = new URL(clean)
  const host = hostname.toLowerCase()
  if (/^(?:localhost|127\.|\[::1\]|0\.0\.0\.0|host\.docker\.internal)/.test(host)) return 'local'
  if (isOdd(host)) return 'odd'
  if (
    /^(?:raw\.githubusercontent\.com|github\.com|gitlab\.com|codeload\.github\.com|objects\.githubusercontent\.com)$/.test(
      host,
    )
  ) {
    const project = pathname.split('/').slice(1, 3).join('/')
    return KNOWN_RAW.test(project) ? 'publisher' : 'raw'
  }
  if (protocol === 'http:') return 'other'
  return PUBLISHERS.some((known) => host === known || host.endsWith(`.${known}`)) ? 'publisher' : 'other'
}

function isOdd(host: string): boolean {
  if (/^\d{1,3}(?:\.\d{1,3}){3}$|^\[/.test(host)) return true
  if (SHORTENER.test(host) || PASTE.test(host) || COLLECTOR.test(host)) return true
  return /\.onion$|\.i2p$|(?:^|\.)xn--|\.(?:tk|ml|ga|cf|gq|top|xyz|click|zip|mov|rest|icu|cyou|sbs)$/.test(host)
}

const URL_IN = /https?:\/\/[^\s"'`<>|)\\]+/gi

export function urlsIn(text: string): string[] {
  return text.match(URL_IN) ?? []
}

/** The most suspicious kind among the addresses of a text. */
export function worstHost(text: string): HostKind | undefined {
  const kinds = urlsIn(text).map(kindOfHost)
  return (['odd', 'other', 'raw', 'publisher', 'local'] as const).find((kind) => kinds.includes(kind))
}
