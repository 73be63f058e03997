/** The library that reads mailboxes, apart from the rest: it is imported when something connects. */
// biome-ignore-all lint/performance/noBarrelFile: the build puts this file apart, and with it the library.
export { ImapFlow } from 'imapflow'
