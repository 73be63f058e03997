/** Stands in for pino in files that are bundled apart: whatever would be logged there is not. */
const say = () => {}
const silent = { level: 'silent', trace: say, debug: say, info: say, warn: say, error: say, fatal: say }
silent.child = () => silent
const same = (value) => value
const facts = {
  symbols: { serializersSym: Symbol('serializers') },
  stdSerializers: { req: same, res: same, err: same },
}
module.exports = Object.assign(() => silent, facts)
