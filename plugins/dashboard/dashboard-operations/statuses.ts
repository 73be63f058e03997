/** HTTP statuses of what the services behind the routes refuse. */
export const STATUSES: Readonly<Record<string, number>> = {
  APPROVAL_UNKNOWN: 404,
  APPROVAL_CHOICE: 400,
  CHECKPOINT_UNKNOWN: 404,
  CHECKPOINT_PATH: 400,
  LOG_FILE_UNKNOWN: 404,
  PLUGIN_LEFT_OUT: 409,
  CONFIG_CHANGE_DENIED: 403,
  UPDATE_METHOD: 409,
  UPDATE_SOURCE: 502,
}
