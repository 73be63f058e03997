/** Confinement on macOS, by the profile language of sandbox-exec(1). */
import type { View } from './view.ts'

export const SANDBOX_EXEC = '/usr/bin/sandbox-exec'
/** Programs and their libraries. */
const SYSTEM = [
  ...[
    '/usr',
    '/bin',
    '/sbin',
    '/System',
    '/Library',
    '/Applications/Xcode.app',
    '/opt',
    '/nix',
    '/dev',
    '/private/etc',
  ],
  ...['/private/var/db/timezone', '/private/var/db/dyld', '/private/var/select', '/private/var/db/xcode_select_link'],
]
/** Services without which no program starts. */
const SERVICES = [
  ...['com.apple.system.notification_center', 'com.apple.system.opendirectoryd.libinfo', 'com.apple.system.logger'],
  ...['com.apple.SystemConfiguration.configd', 'com.apple.trustd.agent', 'com.apple.logd', 'com.apple.cfprefsd.agent'],
]
const DEVICES = ['/dev/null', '/dev/zero', '/dev/tty', '/dev/random', '/dev/urandom', '/dev/dtracehelper']

/** The profile for sandbox-exec. The last matching rule counts. Names are compared as in the file system. */
export function seatbeltProfile(view: View, proxyPort?: number): string {
  const has = (kind: string) => view.needs.some((need) => need.kind === kind)
  const guarded = [...view.guarded.kept, ...view.guarded.absent.map(({ path }) => path), ...view.guarded.links]
  const own = [view.temporary, view.privateHome]
  return [
    '(version 1)',
    '(deny default)',
    '(allow process-exec process-fork sysctl-read)',
    '(allow signal process-info* (target same-sandbox))',
    ...(has('processes') ? ['(allow signal process-info*)'] : []),
    `(allow mach-lookup ${SERVICES.map((name) => `(global-name ${quoteString(name)})`).join(' ')})`,
    '(allow ipc-posix-sem ipc-posix-shm-read* pseudo-tty)',
    '(allow file-read-metadata (literal "/") (subpath "/Users") (subpath "/private") (literal "/var") (literal "/tmp"))',
    `(allow file-read* ${paths([...SYSTEM, ...view.shown, ...view.writable, ...own])})`,
    `(allow file-write* ${paths([...view.writable, ...own])})`,
    `(allow file-write-data file-ioctl ${DEVICES.map((path) => `(literal ${quoteString(path)})`).join(' ')} (regex #"^/dev/ttys[0-9]+$"))`,
    ...(view.hidden.length > 0 ? [`(deny file-read* file-write* ${paths(view.hidden)})`] : []),
    ...(guarded.length > 0 ? [`(deny file-write* ${paths(guarded)})`] : []),
    // A folder above something guarded must keep its name.
    ...(view.pinned.length > 0
      ? [`(deny file-write-unlink ${view.pinned.map((path) => `(literal ${quoteString(path)})`).join(' ')})`]
      : []),
    ...network(view, proxyPort),
    ...(has('display') ? ['(allow mach-lookup (global-name "com.apple.windowserver.active"))'] : []),
    '',
  ].join('\n')
}

function network({ needs }: View, proxyPort: number | undefined): string[] {
  if (needs.some(({ kind }) => kind === 'network')) return ['(allow network*)', '(allow system-socket)']
  // There is no separate loopback here, so listening is permitted, and connections only to granted addresses.
  const ports = needs.flatMap((need) => (need.kind === 'port' ? [need.port] : []))
  return [
    '(allow system-socket)',
    '(deny network*)',
    ...ports.map((port) => `(allow network-bind network-inbound (local ip "localhost:${port}"))`),
    ...ports.map((port) => `(allow network-outbound (remote ip "localhost:${port}"))`),
    ...(proxyPort === undefined ? [] : [`(allow network-outbound (remote ip "localhost:${proxyPort}"))`]),
    ...needs.flatMap((need) =>
      need.kind === 'socket' && need.name === 'docker'
        ? ['(allow network-outbound (literal "/private/var/run/docker.sock"))']
        : [],
    ),
  ]
}

function paths(all: readonly string[]): string {
  return all.map((path) => `(subpath ${quoteString(path)})`).join(' ')
}

function quoteString(text: string): string {
  return `"${text.replace(/["\\]/g, '\\$&')}"`
}
