/** Which address a key may be sent to: a typing mistake in config.yaml must not give one away. */

/** This machine: `localhost`, 127.0.0.0/8, `::1`. @since 0.1 */
export function isLoopback({ hostname }: URL): boolean {
  return isLoopbackHost(hostname.replace(/^\[|\]$/g, ''))
}

/** The same for a host name or address alone, as used for listening. Other names may lead anywhere. @since 0.1 */
export function isLoopbackHost(host: string): boolean {
  return /^(localhost|127(\.\d{1,3}){3}|::1)$/i.test(host)
}

/**
 * Whether the key of a service goes there: to its own hosts and those below them by HTTPS, and to this machine.
 * @since 0.2
 */
export function isKeyAllowedAt(url: URL, hosts: readonly string[]): boolean {
  const isOwn = hosts.some((own) => url.hostname === own || url.hostname.endsWith(`.${own}`))
  return isLoopback(url) || (url.protocol === 'https:' && isOwn)
}
