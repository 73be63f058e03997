/** Which internet addresses are public: those of the IANA special-purpose registries (RFC 6890) are not. */
import { BlockList, isIPv4 } from 'node:net'

/** Where clouds tell a machine who it is and which keys it has: never asked, whatever the configuration says. */
const metadata = createLazyBlockList([
  '169.254.0.0/16',
  '100.100.100.200/32',
  '168.63.129.16/32',
  '192.0.0.192/32',
  'fd00:ec2::254/128',
  'fd20:ce::254/128',
  'fe80::a9fe:a9fe/128',
])

/** This machine, its network, and addresses that do not belong to a single machine. */
const special4 = createLazyBlockList([
  '0.0.0.0/8',
  '10.0.0.0/8',
  '100.64.0.0/10',
  '127.0.0.0/8',
  '172.16.0.0/12',
  '192.0.0.0/24',
  '192.0.2.0/24',
  '192.88.99.0/24',
  '192.168.0.0/16',
  '198.18.0.0/15',
  '198.51.100.0/24',
  '203.0.113.0/24',
  '224.0.0.0/4',
  '240.0.0.0/4',
])

/** Inside `2000::/3`: protocol assignments with Teredo and ORCHID, documentation, 6to4. All outside of it is special. */
const special6 = createLazyBlockList(['2001::/23', '2001:db8::/32', '2002::/16', '3fff::/20'])
const global6 = createLazyBlockList(['2000::/3'])

/** The first six groups of `64:ff9b::/96`. */
const NAT64 = '100,65435,0,0,0,0'

/** Why an address (as text, no brackets) may not be asked; undefined when it may. */
export function addressProblem(address: string, rule: { readonly allowPrivate: boolean }): string | undefined {
  const reached = listReachedAddresses(address)
  if (reached === undefined) return `${address} is not an address`
  if (reached.some((each) => isInList(metadata(), each)))
    return `${address} is where a cloud keeps the keys of this machine`
  if (rule.allowPrivate) return undefined
  if (isIPv4(address)) return special4().check(address) ? `${address} is private or reserved` : undefined
  const [own = '', ...embedded] = reached
  // The network's translator (RFC 6052) writes public IPv4 addresses so.
  const isTranslated = parseIpv6Groups(own)?.slice(0, 6).join() === NAT64
  const isGlobal = isInList(global6(), own) && !isInList(special6(), own)
  const standsForPrivate = embedded.some((each) => special4().check(each))
  return (isTranslated || isGlobal) && !standsForPrivate ? undefined : `${address} is private or reserved`
}

/**
 * The address without its zone, and the IPv4 addresses that a network may take it for; undefined if it is not an
 * address.
 */
function listReachedAddresses(address: string): readonly string[] | undefined {
  if (isIPv4(address)) return [address]
  const [own = ''] = address.split('%')
  const groups = parseIpv6Groups(own)
  return groups && [own, ...listEmbeddedAddresses(groups)]
}

/** IPv4 inside IPv6: mapped, compatible, translated (RFC 4291, 6145), NAT64 (6052), 6to4 (3056), Teredo (4380), ISATAP (5214). */
function listEmbeddedAddresses(groups: readonly number[]): string[] {
  const [first, second = 0, third = 0, fourth = 0, fifth = 0, sixth, seventh = 0, last = 0] = groups
  const head = groups.slice(0, 6).join()
  const found: string[] = []
  const tails = ['0,0,0,0,0,65535', '0,0,0,0,0,0', '0,0,0,0,65535,0', NAT64]
  if (tails.includes(head) || (sixth === 0x5efe && (fifth & 0xfdff) === 0)) found.push(toDottedAddress(seventh, last))
  if (first === 0x2002) found.push(toDottedAddress(second, third))
  if (first === 0x2001 && second === 0)
    found.push(toDottedAddress(third, fourth), toDottedAddress(~seventh & 0xffff, ~last & 0xffff))
  return found
}

function toDottedAddress(high: number, low: number): string {
  return [high >> 8, high & 0xff, low >> 8, low & 0xff].join('.')
}

/** The eight groups of an IPv6 address. */
function parseIpv6Groups(address: string): number[] | undefined {
  // The URL parser rewrites a dotted tail as groups and refuses what is malformed.
  if (!URL.canParse(`http://[${address}]`)) return undefined
  const text = new URL(`http://[${address}]`).hostname.slice(1, -1)
  const [left = '', right] = text.split('::')
  const parts = (side: string) => (side === '' ? [] : side.split(':').map((part) => Number.parseInt(part, 16)))
  const [head, tail] = [parts(left), parts(right ?? '')]
  return [...head, ...Array<number>(8 - head.length - tail.length).fill(0), ...tail]
}

function isInList(list: BlockList, address: string): boolean {
  return list.check(address, isIPv4(address) ? 'ipv4' : 'ipv6')
}

/** Made when an address is first checked: most starts check none. */
function createLazyBlockList(subnets: readonly string[]): () => BlockList {
  let list: BlockList | undefined
  return () => {
    list ??= createBlockList(subnets)
    return list
  }
}

function createBlockList(subnets: readonly string[]): BlockList {
  const list = new BlockList()
  for (const subnet of subnets) {
    const [address = '', bits] = subnet.split('/')
    list.addSubnet(address, Number(bits), isIPv4(address) ? 'ipv4' : 'ipv6')
  }
  return list
}
