import fc from 'fast-check'
import { containsSvcHome, findSecretLocation, findSvcLocation, listSecretLocations } from 'svc/sdk/safety'
import { describe, expect, it } from 'vitest'

const HOME = '/home/ann'
const secret = (path: string) => findSecretLocation(path, HOME)
const part = fc.stringMatching(/^[A-Za-z0-9_]{1,8}$/)
const parts = fc.array(part, { maxLength: 4 })

describe('locations of secrets', () => {
  const below = [
    ...['.ssh/id_work', '.ssh', '.gnupg/private-keys-v1.d/a.key', '.aws/credentials', '.aws/config', '.kube/config'],
    ...[
      '.docker/config.json',
      '.netrc',
      '.npmrc',
      '.pypirc',
      '.git-credentials',
      '.config/gh/hosts.yml',
      '.azure/token',
    ],
    ...['.config/gcloud/credentials.db', '.cargo/credentials', '.cargo/credentials.toml', '.password-store/a/b.gpg'],
    ...[
      '.mozilla/firefox/x/logins.json',
      '.config/google-chrome/Default/Cookies',
      '.local/share/keyrings/login.keyring',
    ],
    ...[
      '.bash_history',
      '.zsh_history',
      '.local/share/fish/fish_history',
      '.python_history',
      '.pgpass',
      '.vault-token',
    ],
    ...['Library/Keychains/login.keychain-db', '.terraform.d/credentials.tfrc.json', '.claude/.credentials.json'],
  ]
  it.each(below)('%s of the user holds secrets, also of another user', (path) => {
    for (const home of [HOME, '/home/bob', '/Users/bob', '/root', 'C:\\Users\\bob'])
      expect(secret(`${home}/${path}`)).toBeTypeOf('string')
  })

  const anywhere = [
    ...['/etc/shadow', '/etc/gshadow-', '/private/etc/sudoers', '/etc/ssl/private/a.pem', '/run/secrets/token'],
    ...['/proc/1/environ', '/proc/self/environ', '/proc/thread-self/environ', '/proc/4/task/4/environ', '/proc/7/mem'],
    ...[
      '/proc/7/fd/3',
      '/proc/self/fd/9',
      '/proc/self/root/etc/shadow',
      '/proc/1/root/home/bob/.ssh/id_x',
      '/proc/kcore',
    ],
    ...[
      '/proc/1/cwd/.env',
      '/proc/self/cwd/a',
      '/srv/app/.env',
      '/srv/app/.env.local',
      '/srv/app/.env.production.local',
    ],
    ...['/srv/app/.env~', '/srv/app/.env.bak', '/srv/id_rsa', '/srv/id_ed25519_sk', '/srv/id_rsa.old', '/srv/a.p12'],
    ...['/etc/ssh/ssh_host_ed25519_key', '/srv/private-key.pem', '/srv/privkey1.pem', '/mnt/c/stick/.ssh/key'],
    ...['/srv/client_secret_12.json', '/tmp/krb5cc_1000', '/ETC/SHADOW', '/home/ann/.SSH/key', '/srv/.Env'],
  ]
  it.each(anywhere)('%s holds secrets', (path) => expect(secret(path)).toBeTypeOf('string'))

  const harmless = [
    ...['/srv/app/.env.example', '/srv/app/.env.sample', '/srv/app/.env.template', '/srv/app/.env.dist', '/srv/.envoy'],
    ...[
      '/srv/app/.env.local.example',
      '/home/ann/.ssh/id_work.pub',
      '/home/ann/.ssh/known_hosts',
      '/home/ann/.ssh/config',
    ],
    ...['/home/ann/.sshx/a', '/home/ann/.config/ghostty/config', '/srv/private-key.ts', '/srv/.npmrc', '/proc/cpuinfo'],
    ...[
      '/proc/self/status',
      '/proc/self/fd/1',
      '/proc/sys/kernel/hostname',
      '/etc/hosts',
      '/home/ann/notes/history.md',
    ],
    ...['/home/ann', '/', '/home/ann/id_rsa.pub', '/home/ann/.dockerfile', '/home/ann/src/keys.ts'],
  ]
  it.each(harmless)('%s is not one of them', (path) => expect(secret(path)).toBeUndefined())

  it('each entry of the list is found by its path, in any case of letters, and so is what is below it', () => {
    const entry = fc.constantFrom(...listSecretLocations(HOME))
    fc.assert(
      fc.property(entry, parts, fc.boolean(), ({ path, reason }, more, upper) => {
        const full = [path, ...more].join('/')
        const asked = upper ? full.toUpperCase() : full
        expect([reason, 'may hold a private key']).toContain(secret(asked))
      }),
    )
  })

  it('the root of the file system as home does not make everything a secret', () => {
    expect(findSecretLocation('/srv/a', '/')).toBeUndefined()
  })
})

describe('locations of svc', () => {
  const homes = ['/home/ann/.svc', '/srv/other', '/srv/other/profiles/work']
  const reading = (path: string) => findSvcLocation(path, homes, 'read')
  const own = [
    ...[
      '',
      '/config.yaml',
      '/config.yml',
      '/config.json',
      '/.env',
      '/auth.json',
      '/plugins/a/index.ts',
      '/npm/a',
      '/SOUL.md',
    ],
    ...[
      '/cache/config.last-good.yaml',
      '/cache/plugins/a-1/index.js',
      '/scripts/a.sh',
      '/skills/a',
      '/data/config/undo.key',
    ],
    ...['/profiles', '/profiles/x', '/profiles/x/config.yaml', '/workspaces/a', '/constructor', '/workspace.yaml'],
    ...['/profiles/workspace', '/profiles/logs/.env', '/__proto__/a', '/CONFIG.YAML'],
  ]
  it.each(own)('%s of a home is closed for reading and writing', (path) => {
    for (const home of homes) {
      expect(reading(home + path)).toBe('closed')
      expect(findSvcLocation(home + path, homes)).toBe('closed')
    }
  })

  it('workspace is open, logs only for reading, in a home and in its profiles', () => {
    for (const home of [...homes, '/home/ann/.svc/profiles/x']) {
      expect(findSvcLocation(`${home}/workspace/a/config.yaml`, homes)).toBe('open')
      expect(reading(`${home}/logs/svc.log`)).toBe('open')
      expect(findSvcLocation(`${home}/logs/svc.log`, homes, 'write')).toBe('closed')
    }
  })

  it('a folder that a plugin opened is open for reading only', () => {
    const path = '/srv/other/data/pages/a.txt'
    expect(findSvcLocation(path, homes, 'read', ['/srv/other/data/pages'])).toBe('open')
    expect(findSvcLocation(path, homes, 'write', ['/srv/other/data/pages'])).toBe('closed')
    expect(findSvcLocation('/srv/other/data/pages2/a', homes, 'read', ['/srv/other/data/pages'])).toBe('closed')
  })

  it('a home inside the workspace of another is closed', () => {
    const inner = '/srv/other/workspace/home'
    expect(findSvcLocation(`${inner}/config.yaml`, [...homes, inner])).toBe('closed')
    expect(findSvcLocation(`${inner}/workspace/a`, [...homes, inner])).toBe('open')
  })

  it('only what is above a home, or is one, holds it', () => {
    for (const path of ['/', '/home', '/home/ann', '/home/ann/.svc', '/srv/other/profiles'])
      expect(containsSvcHome(path, homes)).toBe(true)
    for (const path of ['/home/ann/.svc/data', '/home/ann/.svcs', '/home/bob'])
      expect(containsSvcHome(path, homes)).toBe(false)
  })

  it('any path is open only below a folder of the allow-list', () => {
    fc.assert(
      fc.property(fc.constantFrom(...homes), parts, (home, names) => {
        const path = [home, ...names].join('/')
        const allowed = /^(profiles\/[^/]+\/)?workspace(\/|$)/i.test(names.join('/'))
        expect(findSvcLocation(path, homes)).toBe(allowed ? 'open' : 'closed')
      }),
    )
  })
})
