// A machine without a name server: nothing but this machine is reached, whatever the commands of a document name.
const dns = require('node:dns')

const { lookup } = dns
const LOCAL = /^(?:localhost|127\.|::1$|0\.0\.0\.0$)/

dns.lookup = (name, options, callback) => {
  if (LOCAL.test(name)) return lookup(name, options, callback)
  const done = typeof options === 'function' ? options : callback
  const error = Object.assign(new Error(`getaddrinfo ENOTFOUND ${name}`), { code: 'ENOTFOUND', hostname: name })
  process.nextTick(() => done(error))
}
