/** Loaded first with `--require`: says on descriptor 3, at the very end, how much memory the process used at its peak. */
const { writeSync } = require('node:fs')

process.on('exit', () => writeSync(3, String(process.resourceUsage().maxRSS)))
