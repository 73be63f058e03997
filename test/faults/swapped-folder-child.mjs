/** Lets a folder and a link to the home change places, as fast as it can, until it is killed. */
import { existsSync, renameSync, rmSync, symlinkSync } from 'node:fs'

/** A tool makes the folder that it misses, and files in it at this moment. */
function makeRoom(folder) {
  for (let tries = 0; existsSync(folder) && tries < 1000; tries++) {
    try {
      rmSync(folder, { recursive: true, force: true })
    } catch {
      // The next try.
    }
  }
}

const [, , project, home] = process.argv
const at = (name) => `${project}/${name}`
symlinkSync(home, at('link'))
process.stdout.write('ready\n')
for (;;) {
  renameSync(at('folder'), at('away'))
  try {
    renameSync(at('link'), at('folder'))
    renameSync(at('folder'), at('link'))
  } catch {
    makeRoom(at('folder'))
    if (!existsSync(at('link'))) symlinkSync(home, at('link'))
  }
  try {
    renameSync(at('away'), at('folder'))
  } catch {
    makeRoom(at('folder'))
    renameSync(at('away'), at('folder'))
  }
}
