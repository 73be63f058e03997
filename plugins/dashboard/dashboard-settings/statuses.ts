/** HTTP statuses of what the services behind the routes refuse. */
export const STATUSES: Readonly<Record<string, number>> = {
  CONFIG_INVALID: 400,
  CONFIG_UNREADABLE: 400,
  CONFIG_PATH: 400,
  CONFIG_EDIT_CONFLICT: 409,
  CONFIG_UNDO_CONFLICT: 409,
  CONFIG_CHANGE_DENIED: 403,
  CREDENTIALS_PLACEHOLDER: 400,
  CREDENTIALS_UNKNOWN: 404,
}
