/** The library that takes mail apart, apart from the rest: it is imported when something comes. */
// biome-ignore-all lint/performance/noBarrelFile: the build puts this file apart, and with it the library.
export { addressParser, default as PostalMime } from 'postal-mime'
