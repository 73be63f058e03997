/**
 * Who asks for the page that has the token in it. On this machine every program can connect; the token is for programs of the same
 * user, and not for those that the agent started: with it they would answer approvals and change settings.
 */
import { readdirSync, readFileSync, readlinkSync, statSync } from 'node:fs'
import type { AgentProcesses } from 'svc/sdk/shell'
import type { HttpRequest } from 'svc/sdk/web'

/** Of a connection in /proc/net/tcp (proc(5)): whose it is, and what its descriptor is linked to. */
interface Peer {
  readonly uid: number
  readonly inode: string
}

/** Whether the page may have the token. Where the system does not tell who asks it may. */
export function mayHaveToken(
  { address, remotePort }: Pick<HttpRequest, 'address' | 'remotePort'>,
  leash: AgentProcesses | undefined,
  platform: NodeJS.Platform = process.platform,
): boolean {
  if (platform !== 'linux' || remotePort === undefined) return true
  const peer = findPeer(address, remotePort)
  if (!peer || peer.uid !== process.getuid?.()) return false
  const pid = findHolder(peer.inode)
  // Browsers hide their processes from others of the same user.
  return pid === undefined || leash?.findMarked(pid) === undefined
}

/** The other end of a connection, by the address and port that it connected from. */
export function findPeer(address: string, port: number): Peer | undefined {
  const end = `:${port.toString(16).toUpperCase().padStart(4, '0')}`
  for (const file of address.includes(':') ? ['/proc/net/tcp6', '/proc/net/tcp'] : ['/proc/net/tcp', '/proc/net/tcp6'])
    for (const line of readLines(file)) {
      const [, local = '', , state, , , , uid, , inode = '0'] = line.trim().split(/\s+/)
      // 01 is an established connection.
      if (state === '01' && local.endsWith(end) && isLoopback(local)) return { uid: Number(uid), inode }
    }
  return undefined
}

/** 127.0.0.0/8, ::1 and 127.0.0.0/8 in IPv6, in the order of bytes of the machine. */
function isLoopback(local: string): boolean {
  const address = local.split(':')[0] ?? ''
  if (address.length === 8) return address.endsWith('7F')
  return address === '00000000000000000000000001000000' || /^0{16}FFFF0000.{6}7F$/.test(address)
}

/** The process of this user that has the connection open. */
function findHolder(inode: string): number | undefined {
  const link = `socket:[${inode}]`
  const own = process.getuid?.()
  const pids = readNames('/proc').filter((name) => /^\d+$/.test(name) && readOwner(`/proc/${name}`) === own)
  const pid = pids.find((each) =>
    readNames(`/proc/${each}/fd`).some((fd) => readLink(`/proc/${each}/fd/${fd}`) === link),
  )
  return pid === undefined ? undefined : Number(pid)
}

// What ends while it is looked at is not there.

function readLines(file: string): readonly string[] {
  try {
    return readFileSync(file, 'latin1').split('\n').slice(1)
  } catch {
    return []
  }
}

function readNames(folder: string): readonly string[] {
  try {
    return readdirSync(folder)
  } catch {
    return []
  }
}

function readOwner(path: string): number | undefined {
  return statSync(path, { throwIfNoEntry: false })?.uid
}

function readLink(path: string): string | undefined {
  try {
    return readlinkSync(path)
  } catch {
    return undefined
  }
}
