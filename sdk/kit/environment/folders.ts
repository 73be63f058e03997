/** The folders by which paths in an environment are meant. */
import type { ShellEnvironment } from '../../terminals.ts'
import type { FilesOverCommandsOptions } from './files.ts'
import { runScript } from './run-script.ts'
import { FOLDERS } from './scripts.ts'

/**
 * Absolute, without links.
 * @since 0.2
 */
export interface EnvironmentFolders {
  /** Where commands begin. */
  readonly folder: string
  /** Of the user there. */
  readonly home: string
}

/**
 * Asks the environment. Throws `ENVIRONMENT_LOST` where it runs no commands of a POSIX shell.
 * @since 0.2
 */
export async function findEnvironmentFolders(
  environment: Pick<ShellEnvironment, 'launch'>,
  { mark }: FilesOverCommandsOptions,
): Promise<EnvironmentFolders> {
  const { output } = await runScript(environment, mark(), { script: FOLDERS, args: [] })
  const [folder = '/', home = folder] = output.toString().split('\0')
  return { folder, home }
}
