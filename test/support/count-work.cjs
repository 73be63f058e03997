/** Loaded before a program (`--require`): writes to the file WORK_COUNTS what the program opened, compiled and followed. */
const { createHook } = require('node:async_hooks')
const asyncHooks = require('node:async_hooks')
const fs = require('node:fs')
const vm = require('node:vm')

const opened = {}
const scripts = []
let follows = 0
const count = (path) => {
  if (typeof path === 'string') opened[path] = (opened[path] ?? 0) + 1
}
for (const name of ['openSync', 'readFileSync']) {
  const real = fs[name]
  fs[name] = (path, ...rest) => {
    count(path)
    return real(path, ...rest)
  }
}
const { Script } = vm
vm.Script = class extends Script {
  constructor(text, options) {
    super(text, options)
    scripts.push({ name: options?.filename, isCompiled: this.cachedDataRejected === false })
  }
}
asyncHooks.createHook = (callbacks) => {
  const hook = createHook(callbacks)
  const { enable } = hook
  hook.enable = () => {
    follows++
    return enable.call(hook)
  }
  return hook
}
const { run } = asyncHooks.AsyncLocalStorage.prototype
asyncHooks.AsyncLocalStorage.prototype.run = function (...given) {
  follows++
  return run.apply(this, given)
}
const { writeFileSync } = fs
process.on('exit', () => writeFileSync(process.env.WORK_COUNTS, JSON.stringify({ opened, scripts, follows })))
