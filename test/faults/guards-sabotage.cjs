/**
 * Stands before the built-in plugins in a copy of the built program. `SVC_TEST_SABOTAGE=<plugin>:<stage>` breaks one of
 * them: `import`, `setup`, `start` and `call` fail; `slow-setup` and `slow-start` do not end.
 */
const [victim, stage] = (process.env.SVC_TEST_SABOTAGE ?? '').split(':')
const never = () => new Promise(() => {})
const fail = (at) => {
  throw new Error(`sabotaged at ${at}`)
}

/** Every method of a service fails; what it tells of itself stays. */
function broken(service) {
  const handler = { get: (from, key) => (typeof from[key] === 'function' ? () => fail('call') : from[key]) }
  return new Proxy(service, handler)
}

/** Services and listeners are there and fail when they are called. */
const failing = (ctx) => ({
  ...ctx,
  on: (hook, _listener, options) => ctx.on(hook, () => fail('call'), options),
  provide: (token, make) => ctx.provide(token, () => broken(make())),
})

const setups = {
  setup: () => fail('setup'),
  'slow-setup': never,
  start: (setup, ctx) => {
    setup(ctx)
    ctx.onStart(() => fail('start'))
  },
  'slow-start': (setup, ctx) => {
    setup(ctx)
    ctx.onStart(never)
  },
  call: (setup, ctx) => setup(failing(ctx)),
}

module.exports = async (name, load) => {
  if (name !== victim) return load()
  if (stage === 'import') fail('import')
  const { default: plugin } = await load()
  return { default: { ...plugin, setup: (ctx) => setups[stage](plugin.setup, ctx) } }
}
