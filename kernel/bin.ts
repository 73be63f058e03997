#!/usr/bin/env node
// The one file every command runs. It stays free of imports: `--version` pays for them all.
const [first] = process.argv.slice(2)
if (first === '--version' || first === '-v' || first === '-V') {
  const { readFileSync } = await import('node:fs')
  const file = new URL('../../package.json', import.meta.url)
  console.log((JSON.parse(readFileSync(file, 'utf8')) as { version: string }).version)
} else {
  const { main } = await import('./main.ts')
  process.exitCode = await main(process.argv.slice(2))
}
