#!/usr/bin/env node
// The one file every command runs. It stays free of imports: `--version` pays for them all.
const [first] = process.argv.slice(2)
if (first === '--version' || first === '-v' || first === '-V') {
  import('./say.ts').then(({ sayVersion }) => sayVersion())
} else {
  import('./main.ts')
    .then(({ main }) => main(process.argv.slice(2)))
    .then((code) => {
      process.exitCode = code
    })
}
