/** Error codes of the platform DingTalk. */
import type { ErrorMessages } from 'svc/sdk'

export default {
  DINGTALK_CLOSED: 'Something was to be sent while DingTalk was not connected. It is tried again once it is.',
  DINGTALK_FAILED:
    'DingTalk could not be asked, refused, or answered something strange: see the reason in the message.',
  DINGTALK_LIMITED: 'DingTalk limits how fast the robot may write. It is tried again later.',
  DINGTALK_CARD:
    'DingTalk did not show an interactive card. Check platforms.dingtalk.card_template and the permissions Card.Instance.Write and Card.Streaming.Write.',
  DINGTALK_UNAUTHORIZED:
    'DingTalk does not accept the client id and secret of the app. Set DINGTALK_CLIENT_ID and DINGTALK_CLIENT_SECRET to those of the app in the developer console.',
} satisfies ErrorMessages
