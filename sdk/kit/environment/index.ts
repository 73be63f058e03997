/** `svc/sdk/kit/environment`: the files of an environment that has only commands. */
export { createFilesOverCommands, type FilesOverCommandsOptions } from './files.ts'
export { type EnvironmentFolders, findEnvironmentFolders } from './folders.ts'
