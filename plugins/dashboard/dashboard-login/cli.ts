/** What this plugin adds to `svc dashboard`. */
import type { CliCommand } from 'svc/sdk'
import type { LoginDeps } from './deps.ts'

const json = { flags: '--json', description: 'As JSON' }

export function loginCommands(deps: LoginDeps): readonly CliCommand[] {
  return [
    {
      name: 'dashboard password',
      description:
        'Set the password of a person who signs in to the dashboard (default name: admin). It is typed, or read from standard input. Who is signed in under the name is signed out.',
      arguments: '[name]',
      options: [{ flags: '--remove', description: 'Remove the person instead' }, json],
      examples: ['dashboard password', 'dashboard password anna', 'dashboard password anna --remove'],
      run: async (input, io) => (await import('./change-password.ts')).changePassword(deps, input, io),
    },
    {
      name: 'dashboard logins',
      description: 'List who may sign in to the dashboard and who is signed in. With --end: sign people out.',
      arguments: '[id]',
      options: [{ flags: '--end', description: 'End all logins, or the one with this id' }, json],
      examples: ['dashboard logins', 'dashboard logins --end', 'dashboard logins 3f9a01bc --end'],
      run: async (input, io) => (await import('./list-logins.ts')).listLogins(deps, input, io),
    },
  ]
}
