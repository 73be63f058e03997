/**
 * Loaded before the gateway (`node --require`). While the file `kill-at` of the home names one of two moments, the process is killed there,
 * once: `keep`, when the output of a run is about to be written, and `told`, when the chat has it.
 */
const fs = require('node:fs')
const { join } = require('node:path')
const order = join(process.env.SVC_HOME, 'kill-at')

function killAt(moment) {
  let wanted
  try {
    wanted = fs.readFileSync(order, 'utf8')
  } catch {
    return
  }
  if (wanted !== moment) return
  fs.rmSync(order)
  process.kill(process.pid, 'SIGKILL')
}

const { renameSync, appendFileSync } = fs
fs.renameSync = (from, to) => {
  if (/[\\/]output[\\/]/.test(String(to))) killAt('keep')
  return renameSync(from, to)
}
fs.appendFileSync = (file, ...rest) => {
  appendFileSync(file, ...rest)
  if (String(file).endsWith('out-spool.jsonl')) killAt('told')
}
