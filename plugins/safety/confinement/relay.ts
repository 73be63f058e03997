/**
 * Inside a confinement with its own loopback: forwards connections from a port there to a socket of svc, and
 * connections to sockets of svc on to ports there. The network itself is not shared.
 */

/** Where programs inside find the proxy. */
export const PROXY_PORT = 18_099

/** Of Node, with the folder of sockets and the ports as arguments. */
const RELAY = `
const net = require('node:net'), fs = require('node:fs')
const [folder, proxy, ...ports] = process.argv.slice(1)
process.on('uncaughtException', () => {})
const join = (one, two) => {
  for (const [from, to] of [[one, two], [two, one]]) { from.on('error', () => to.destroy()); from.on('close', () => to.destroy()) }
  one.pipe(two).pipe(one)
}
let waiting = 0
const ready = () => { waiting -= 1; if (waiting === 0) fs.writeFileSync(folder + '/ready', '') }
const serve = (at, next, ...more) => { waiting += 1; net.createServer((socket) => join(socket, next())).listen(at, ...more, ready) }
if (proxy !== '0') serve(Number(proxy), () => net.connect(folder + '/proxy'), '127.0.0.1')
for (const port of ports) serve(folder + '/port-' + port, () => net.connect(Number(port), '127.0.0.1'))
`

/** Of a shell: begins the relay, waits until it listens, and becomes the program. */
const START = `
( exec "$1" -e "$2" "$3" "$4" $5 ) </dev/null >/dev/null 2>&1 3>&- 4>&- 5>&- 6>&- 7>&- 8>&- 9>&- &
folder=$3
tries=0
while [ ! -e "$folder/ready" ] && [ "$tries" -lt 250 ]; do sleep 0.02; tries=$((tries + 1)); done
shift 5
exec "$@"
`

/** The program with the relay beside it. */
export function withRelay(
  program: readonly string[],
  { folder, hosts, ports }: { readonly folder: string; readonly hosts: boolean; readonly ports: readonly number[] },
): string[] {
  const proxy = hosts ? String(PROXY_PORT) : '0'
  return ['sh', '-c', START, 'sh', process.execPath, RELAY, folder, proxy, ports.join(' '), ...program]
}

/** What programs read to find the proxy. Their own loopback is theirs. */
export function proxyVariables(port: number): Record<string, string> {
  const proxy = `http://127.0.0.1:${port}`
  const here = 'localhost,127.0.0.1,::1'
  const names = ['http_proxy', 'https_proxy', 'HTTP_PROXY', 'HTTPS_PROXY', 'ALL_PROXY', 'all_proxy']
  return { ...Object.fromEntries(names.map((name) => [name, proxy])), no_proxy: here, NO_PROXY: here }
}
