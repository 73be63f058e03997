/** The programs that tests talk to for real. A machine without them skips those tests and says so; CI must have them. */
import { accessSync, constants, existsSync, readdirSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { expect, test } from 'vitest'

const programs = [
  'chromium',
  'sshd',
  'ssh',
  'bwrap',
  'podman',
  'docker',
  'busybox',
  'python3',
  'tmux',
  'git',
  'openssl',
  'ngircd',
  'dovecot',
  'smtpd',
  'initdb',
]
/** Where daemons are, which is not on everybody's PATH. */
const POSTGRES = '/usr/lib/postgresql'
const versions = existsSync(POSTGRES) ? readdirSync(POSTGRES).map((version) => join(POSTGRES, version, 'bin')) : []
const folders = [...(process.env['PATH'] ?? '').split(delimiter), '/usr/sbin', '/sbin', ...versions]

function isThere(program: string): boolean {
  return folders.some((folder) => {
    try {
      accessSync(join(folder, program), constants.X_OK)
      return true
    } catch {
      return false
    }
  })
}

const missing = programs.filter((program) => !isThere(program))
const why = missing.length > 0 ? ` (missing here: ${missing.join(', ')})` : ''

test.runIf(process.env['SVC_TEST_REQUIRE_PROGRAMS'] === '1' || missing.length === 0)(
  `every program that a test needs is installed${why}`,
  () => expect(missing).toEqual([]),
)
