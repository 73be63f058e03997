/** Lets the conformance program run on Node 20: it imports a function of Node 22 that its tests of servers do not call. */
import { register } from 'node:module'

register(
  `data:text/javascript,${encodeURIComponent(`
export async function load(url, context, next) {
  const loaded = await next(url, context)
  if (!url.includes('/@modelcontextprotocol/conformance/dist/index.js')) return loaded
  return { ...loaded, source: String(loaded.source).replace('globSync as', 'readdirSync as') }
}`)}`,
)
