/** Error codes of the platform Matrix. */
import type { ErrorMessages } from 'svc/sdk'

export default {
  MATRIX_CLOSED: 'Something was to be sent while Matrix was not connected. It is tried again once it is.',
  MATRIX_DEVICE_TAKEN:
    'The device of svc on Matrix has keys that the home does not have: another client uses the same access token, or the keys were lost. Give svc a device of its own: MATRIX_USER_ID and MATRIX_PASSWORD, or another access token.',
  MATRIX_ENCRYPTED:
    'Something was to be sent to an encrypted room, which svc cannot encrypt for. It is never sent in clear: set platforms.matrix.encryption to optional, or use another room.',
  MATRIX_KEYS_DAMAGED:
    'The stored keys of a Matrix device are damaged or incomplete. Move the folder named in the message away and log in as a new device.',
  MATRIX_KEYS_UNSTORED:
    'The keys of Matrix could not be written to the disk, so nothing was sent with them. Free space or correct the rights of the folder.',
  MATRIX_NOT_ENCRYPTED:
    'Encryption is required (platforms.matrix.encryption), and a message was for a room without it. Turn it on in the room, or set the key to optional.',
  MATRIX_FAILED:
    'The homeserver could not be asked, refused, or answered something strange: see the reason in the message.',
  MATRIX_NOT_VERIFIED:
    'The setting platforms.matrix.encryption_devices is cross_signed, and the device of svc itself is not cross-signed. The log says why: set MATRIX_RECOVERY_KEY, or MATRIX_USER_ID and MATRIX_PASSWORD.',
  MATRIX_RECOVERY_KEY:
    'MATRIX_RECOVERY_KEY is missing, is not a recovery key, or is that of another account. Set it to the one that the other client of the account shows.',
  MATRIX_OTHER_ACCOUNT:
    'The access token belongs to another account than MATRIX_USER_ID. Set the token of that account, or remove MATRIX_USER_ID.',
  MATRIX_UNAUTHORIZED:
    'The homeserver does not accept the access token or the password. Set MATRIX_ACCESS_TOKEN, or MATRIX_USER_ID and MATRIX_PASSWORD, to valid ones.',
} satisfies ErrorMessages
