/** Patterns about secrets: files that hold them, programs that print them, and ways to send them off. */
import { findSecretLocation, listSecretLocations } from 'svc/sdk/safety'
import { UNKNOWN } from './expand.ts'
import { fits, mayLie } from './globs.ts'
import type { Script } from './normalise.ts'
import { option } from './options.ts'
import { isInside } from './paths.ts'
import { type Matchers, says } from './pattern.ts'
import type { Command } from './walk.ts'
import { namedPaths } from './word-paths.ts'

const SENDERS =
  /^(curl|wget|nc|ncat|netcat|socat|telnet|ftp|sftp|scp|http|https|xh|httpie|mail|mailx|sendmail|openssl|ssh|aws|gsutil|rclone|invoke-webrequest|invoke-restmethod|invoke-expression|dig|nslookup|websocat|gh)$/
const KEY_NAMES = [
  '.env',
  '.env.local',
  '.env.production',
  'id_rsa',
  'id_ed25519',
  'id_ecdsa',
  'credentials',
  '.netrc',
  'server.key',
]
const MAX_WORDS = 4000
const SECRET_NAME =
  /(?:_|^)(?:KEY|TOKEN|SECRET|PASS|PASSWORD|PASSWD|CREDENTIALS?|PWD)$|^[A-Z_]*(?:API_?KEY|TOKEN|SECRET|PASSW)/

export const secretPatterns = {
  'sensitive-read': (command, script) => readsSecret(command, script),
  'print-secrets': (command) => printsSecrets(command),
  'send-environment': (command, { commands }) =>
    (SENDERS.test(command.name) && chain(command).some(listsSecrets)) ||
    (SENDERS.test(command.name) && command.args.some((word) => word.includes(UNKNOWN)) && commands.some(listsSecrets)),
  'foreign-remote': (command) =>
    says(command, 'git push|bundle !-n|--dry-run') &&
    command.args.some((word) =>
      /^(?:[a-z+]+:\/\/|[\w.-]+@[\w.-]+:|\/|\.\.?\/|file:|[\w.-]+\.[a-z]{2,}[:/])/i.test(word),
    ),
} satisfies Matchers

/** The commands that feed this one, nearest first. */
function chain(command: Command): Command[] {
  const found: Command[] = []
  for (let at = command.from; at && found.length < 20; at = at.from) found.push(at)
  return found
}

/** The whole environment, or what was typed. */
function listsSecrets({ name, args }: Command): boolean {
  if (/^(env|printenv)$/.test(name)) return args.length === 0 || name === 'printenv'
  if (/^(set|export|declare|compgen|get-childitem)$/.test(name))
    return args.length === 0 || args.every((word) => /^-[xpA-Z]+$|^env:/i.test(word))
  return name === 'history' || name === 'fc'
}

const DEEP = /^(find|fd|tar|bsdtar|zip|7z|7za|rsync|cpio|rclone|restic|borg|duplicity|syncthing|ditto|pax|robocopy)$/
const MAYBE_DEEP = /^(cp|scp|grep|egrep|fgrep|rgrep|copy-item|install)$/

function readsSecret(command: Command, script: Script): boolean {
  const { name, args } = command
  const isDeep =
    DEEP.test(name) || (MAYBE_DEEP.test(name) && option(args, 'rRa', ['--recursive', '--archive', '-recurse']))
  return namedPaths(command, script).some(({ path, access }) => {
    if (access === 'write') return false
    if (access === 'name') return /^(scp|sftp)$/.test(name) && !args.includes('-i') && isSecret(path, script)
    // Names of a repository's own files; only others are read past git.
    if (name === 'git' && isInside(path, command.cwd ?? script.cwd)) return false
    return isSecret(path, script) || (isDeep && holdsSecretFolder(path, script))
  })
}

function isSecret(path: string, { home, ground }: Script): boolean {
  const known = path.replaceAll(UNKNOWN, path.startsWith(UNKNOWN) ? '/x' : '0').replace(/^\/x\/+/, '/x/')
  const real = ground.real.get(path)
  if (
    findSecretLocation(known, home) !== undefined ||
    (real !== undefined && findSecretLocation(real, home) !== undefined)
  )
    return true
  if (/\/\.aws\/credentials$|\/etc\/(?:shadow|gshadow|sudoers)/.test(known)) return true
  return /[*?[]/.test(known) && matchesSecret(known, home)
}

/** `~/.n*rc`, `.en?`, `/proc/*` + `/environ`. */
function matchesSecret(pattern: string, home: string): boolean {
  const name = pattern.slice(pattern.lastIndexOf('/') + 1)
  if (name.replace(/[*?[\]]/g, '').length > 1 && KEY_NAMES.some((each) => fits(name, each))) return true
  if (/^\/proc\/.+\/(environ|mem|\*)/.test(pattern)) return true
  const parts = pattern.split('/')
  if ((parts.at(-1) ?? '').replace(/[*?[\]]/g, '') === '' && parts.slice(0, -1).every((part) => !/[*?[]/.test(part)))
    return false
  return listSecretLocations(home).some(({ path }) => mayLie(pattern, path) === 'in')
}

/** `tar c ~` takes the keys along. */
function holdsSecretFolder(path: string, { home }: Script): boolean {
  if (path.startsWith(UNKNOWN)) return false
  return [`${home}/.ssh`, `${home}/.aws`, `${home}/.gnupg`, '/etc/shadow'].some(
    (each) => mayLie(path, each) !== 'apart',
  )
}

/** Programs that print secrets, by their words. */
const PRINTERS: readonly (readonly [RegExp, (args: readonly string[], all: string) => boolean])[] = [
  [/^gpg2?$/, (args) => args.some((word) => /^--export-secret/.test(word))],
  [/^ssh-keygen$/, (args) => args.some((word) => /^-[py]$/.test(word))],
  [/^printenv$/, (args) => args.some((word) => SECRET_NAME.test(word))],
  [
    /^(pass|gopass|rbw|lpass|bw)$/,
    ([verb = '', ...more]) =>
      /^(show|get|otp|export|grep|-c)$/.test(verb) ||
      (!more.length && !/^(ls|list|help|git|version|sync|status|unlock|--.*|)$/.test(verb)),
  ],
  [/^security$/, ([verb = '']) => /^(find-.*-password|dump-keychain|export|cms)$/.test(verb)],
  [/^secret-tool$/, ([verb = '']) => /^(lookup|search)$/.test(verb)],
  [/^(docker|podman)$/, (args, all) => args.includes('inspect') && /\.env|env/i.test(all) && /format|-f/.test(all)],
  [
    /^(curl|wget)$/,
    (_args, all) => /169\.254\.169\.254|metadata\.google|\/latest\/meta-data|\/computeMetadata/.test(all),
  ],
  [
    /^(kubectl|oc)$/,
    (_args, all) =>
      /\bget\b.*\bsecrets?\b.*(-o|--output)[ =]?(yaml|json|jsonpath|go-template|custom)|\bget\b.*(-o|--output)\S* .*\bsecrets?\b|\bconfig view\b.*--raw|create token/.test(
        all,
      ),
  ],
]

function printsSecrets(command: Command): boolean {
  const all = command.args.join(' ').slice(0, MAX_WORDS)
  if (PRINTERS.some(([programs, prints]) => programs.test(command.name) && prints(command.args, all))) return true
  return says(
    command,
    'gh auth token|status -t|--show-token',
    'gh auth token',
    'glab auth token',
    'aws configure get|export-credentials',
    'aws ecr get-login-password',
    'aws sts get-session-token|assume-role',
    'aws secretsmanager get-secret-value',
    'aws ssm get-parameter|get-parameters|get-parameters-by-path --with-decryption',
    'gcloud auth print-access-token|print-identity-token',
    'gcloud auth application-default print-access-token',
    'gcloud secrets versions',
    'az account get-access-token',
    'az keyvault secret',
    'git credential fill',
    'git credential-store|credential-cache get',
    'op read|item|get|inject',
    'vault read|print|token',
    'vault kv get',
    'doppler secrets *',
    'heroku config *',
    'heroku auth:token|config',
    'fly|flyctl auth token',
    'fly|flyctl tokens *',
    'npm token *',
    'npm config get _authToken',
    'docker config inspect',
    'docker secret inspect',
    'sops -d|--decrypt',
    'age -d|--decrypt',
    'ansible-vault view|decrypt',
    'chamber read|export',
    'infisical secrets|export',
    'keyring get',
    'cmdkey *',
    'kwallet-query *',
    'netlify env:get|env:list',
    'vercel env pull',
    'wg show|showconf',
  )
}
