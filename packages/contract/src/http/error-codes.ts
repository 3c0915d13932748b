import { z } from "zod";
import { receivedErrorSchema } from "./error.ts";

/**
 * Every code of a refused or failed call, with what it means. Programs decide by these: the sentences beside them may be
 * reworded or translated, a code keeps its meaning.
 */
export const errorCodes = {
  // The request itself
  VALIDATION_FAILED: "A parameter, query or field is missing or not valid; `errors` names each.",
  INVALID_REQUEST: "The request is not valid HTTP, or not as this call takes it.",
  INVALID_JSON: "The body is not valid JSON.",
  INVALID_CONTENT_LENGTH: "The body is not as long as its Content-Length says.",
  INVALID_URL: "The address is not valid.",
  URL_TOO_LONG: "A part of the address is too long.",
  BODY_TOO_LARGE: "The body is larger than this call takes.",
  UNSUPPORTED_MEDIA_TYPE: "The body has a media type that this call does not take.",
  UNKNOWN_CALL: "No call has this path.",
  METHOD_NOT_ALLOWED: "The call exists with another method.",
  UNKNOWN_HOST: "The Host header is not a name of this installation.",
  CONNECTION_CLOSED: "The connection was closed before the request was processed.",

  // Signing in, accounts and permissions
  NOT_SIGNED_IN: "No session, or one that has ended: sign in.",
  TOKEN_EXPIRED: "The session's token has expired: sign in.",
  SERVICE_TOKEN_REQUIRED: "Only a service that sends the configured token may call this.",
  INVALID_CREDENTIALS: "Unknown username or wrong password.",
  PASSWORD_EXPIRED: "The generated password was not replaced in time.",
  SIGN_IN_LOCKED: "Too many failed sign-ins: wait.",
  PASSWORD_CHECK_LOCKED: "Too many wrong passwords of a signed-in person: wait.",
  WRONG_PASSWORD: "The password that confirms the change is wrong.",
  WEAK_PASSWORD: "The new password does not meet the rules.",
  FORBIDDEN: "The role does not allow this call.",
  PARTNER_CHANGE_FORBIDDEN: "The role does not allow changing a site's maintenance partner.",
  SPEED_CHANGE_FORBIDDEN: "The role does not allow changing motor speeds.",
  USERNAME_TAKEN: "Another account has this username.",
  OWN_ACCOUNT: "Nobody removes or resets their own account here.",
  DEMO_ACCOUNT: "The account belongs to the demo and cannot be changed.",
  WALLBOARD_ENDED: "The wallboard's link was withdrawn, or must be opened again in this browser.",
  WALLBOARD_LINKS_LIMIT: "The person has as many open links to wallboards as one may have.",
  METRICS_NOT_SHARED: "Metrics are shown to other machines only with a configured token.",

  // Too much at once
  ADDRESS_RATE_LIMITED: "Too many sign-ins or password changes from this address: wait a minute.",
  ACCOUNT_RATE_LIMITED: "Too many requests of this account within a minute.",
  SIGN_IN_BUSY: "Too many people are signing in at the moment.",
  OWN_TASKS_PENDING: "The person has too many files and reports waiting already.",
  SERVER_BUSY: "The server has too many files and reports to work on.",
  TASK_TOO_LARGE: "The work was too much for the server: try with less.",
  TEST_MESSAGES_LIMITED: "The person sent too many test messages within a minute.",
  STREAMS_OF_SESSION: "The session has too many live streams open.",
  STREAM_OPENINGS: "The session opened too many live streams within a minute.",
  STREAMS_OF_NETWORK: "Too many live streams are open from this network.",
  STREAMS_OF_SERVER: "The server has as many live streams open as it can serve.",

  // The server and what it depends on
  INTERNAL_ERROR: "Something went wrong on the server; its log has the reason.",
  SERVER_STOPPING: "This server is stopping: try again.",
  NOT_READY: "The server cannot serve yet, or not now.",
  SERVER_DISK_FULL: "The server's disk is full or cannot be written.",
  SERVER_CLOCK_WRONG: "The clocks of server and database do not agree, so no robot is started.",
  DATABASE_UNREACHABLE: "The database cannot be reached at the moment.",
  DATABASE_UNWRITABLE: "The database can be read but not written at the moment.",
  BROKER_UNREACHABLE: "The robots' broker cannot be reached.",
  NOTHING_REACHABLE: "Neither the database nor the broker can be reached.",
  WEATHER_UNAVAILABLE: "The weather service does not answer.",
  REPORT_TIMEOUT: "The report took too long: choose a shorter range.",

  // Changes that conflict with what is stored
  EDIT_CONFLICT: "Somebody else changed the same since the edit began; nothing was stored.",
  CONCURRENT_CHANGE: "Others changed the same at this moment: try again.",
  SCOPE_CHANGED: "What the person may see has changed: try again.",
  IMPORT_REFUSED: "The file has problems; `errors` names them, and nothing was imported.",
  UNKNOWN_PARTNER: "There is no such maintenance partner.",
  SITE_NAME_TAKEN: "Another site has this name.",
  SITE_LOCATION_TAKEN: "Another site has these coordinates.",
  SITE_HAS_MOVING_ROBOTS: "A robot of the site may be moving.",
  GROUP_NAME_TAKEN: "Another group of the site has this name.",
  GROUP_SITE_FIXED: "A group stays at its site.",
  ROBOT_IN_OTHER_GROUP: "A robot is in another group already.",
  ROBOT_NOT_AT_SITE: "A robot is not at the site.",
  NOT_OF_GROUP: "The site or a robot does not belong to the group.",
  SCHEDULE_EXISTS: "The group has a schedule already.",
  SCHEDULE_GROUP_FIXED: "A schedule stays with its group.",
  SITE_MISMATCH: "The site is not that of the group, robot or schedule.",
  ROBOT_MISMATCH: "Two fields name different robots.",
  START_TIME_PAST: "The start is before today at the site.",
  PARTNER_BUILT_IN: "This partner belongs to every installation.",
  PARTNER_HAS_SITES: "The partner still has sites.",
  TEMPLATE_NAME_TAKEN: "Another report template has this name.",
  TEMPLATE_IN_USE: "Monthly reports use the template.",
  TEMPLATE_INACTIVE: "The report template is inactive.",
  INVALID_RANGE: "The range ends before it begins, or is too long.",
  NO_ACTIVITY: "There is no activity in the range.",
  ALERT_CLEARED: "The alert is over.",
<<<<<<< HEAD
  CONTACT_POINTS_LIMIT: "The person, partner, site or team has as many contact points as one may have.",
  CONTACT_POINT_UNSIGNED: "Only calls to webhooks are signed.",
  SUBSCRIPTIONS_LIMIT: "The person has as many subscriptions as one may have.",
  NAMED_BY_RULE: "A notification rule or subscription tells it; the sentence has its name.",
  TEAM_NAME_TAKEN: "Another team has this name.",
  ROTA_NAME_TAKEN: "Another rota has this name.",
=======
  ALERT_ACKNOWLEDGED: "Somebody has acknowledged all of it before.",
  LINK_NOT_VALID: "The link was not made by this installation, or is not complete.",
  LINK_EXPIRED: "The link has expired.",
  LINK_CLOSED: "The link is of no use any more: its contact point was deleted, or may not see the site any more.",
>>>>>>> 5702e440 (Links in messages: acknowledge without signing in, unsubscribe with one press, on record and in no log)

  // Robots and devices as entries
  ROBOT_NAME_TAKEN: "Another robot of the site has this name.",
  SERIAL_UNKNOWN: "No such device was provisioned, or it is not allocated to the caller's company.",
  SERIAL_TAKEN: "Another robot or device has this serial number.",
  DEVICE_RETIRED: "The device was retired.",
  DEVICE_OF_OTHER_PARTNER: "The device is allocated to another partner than the site.",
  DEVICE_ASSIGNED: "A robot has the device.",
  ROBOT_NOT_REPLACEABLE:
    "Site or serial number cannot be changed while the robot may move, is locked or is in a group.",
  ROBOT_NOT_REMOVABLE: "The robot may be moving, or is in a group.",
  ROBOT_MAY_BE_MOVING: "The robot may be moving.",
  SERIAL_RANGE: "The serial numbers are no range, or too many.",
  ACCOUNT_NAME_TAKEN: "The broker has an account of this name that is not Suncrew's.",
  PROVISIONING_BUSY: "Somebody else is provisioning devices.",
  PROVISIONING_LOST: "Provisioning was interrupted; nothing was stored.",
  ROTATION_BUSY: "Somebody else is changing this device's secret.",
  BROKER_REFUSED: "The broker did not take the change.",
  SECRET_NOT_STORED: "The broker has a new secret that could not be stored: change it again.",

  // Commands
  COMMAND_REFUSED: "The command was refused before, by a server of an older version; the sentence says why.",
  ROBOT_MISSING_OR_BUSY: "There is no such robot, or it is already being started.",
  IDEMPOTENCY_KEY_REUSED: "The Idempotency-Key was used for another command.",
  ROBOT_DEVICE_RETIRED: "The robot's device was retired, so nothing reaches it.",
  ROBOT_IN_MAINTENANCE: "The robot is in maintenance.",
  ROBOT_NOT_IN_MAINTENANCE: "The robot is not in maintenance.",
  ROBOT_INSTALLING: "The robot is installing firmware.",
  ROBOT_AWAY: "The robot has no connection.",
  ROBOT_SILENT: "The robot has not reported for 45 seconds.",
  ROBOT_MOVING: "The robot is already cleaning.",
  ROBOT_CLOCK_WRONG: "The robot's clock is wrong, so it cannot be started safely.",
  STOP_UNCONFIRMED: "The robot has not confirmed its last Stop.",
  LOCK_UNCONFIRMED: "The robot has not confirmed its lock.",
  RELEASE_PENDING: "The robot is already being released.",
  STOPPED_SINCE: "Stop was pressed after this Start.",
  LOCKED_SINCE: "The robot was put in maintenance after this Start.",
  START_TOO_LATE: "The Start took too long to be carried out.",
  ROBOT_REFUSED: "The robot refused the command.",
  COMMAND_NOT_SENT: "The command was not sent in time.",
  COMMAND_UNCONFIRMED: "The robot did not confirm the command in time.",
  COMMAND_SUPERSEDED: "A newer command came before the robot confirmed this one.",
  COMMAND_PENDING: "The Stop or lock is stored, and repeated until the robot confirms it.",
  RESULT_UNKNOWN: "The result of the command is not known yet.",
  STATUS_TIMEOUT: "The robot did not answer in time.",

  // Firmware
  FIRMWARE_VERSION_TAKEN: "The version exists with different content.",
  FIRMWARE_IN_USE: "The firmware is being deployed.",
  ROBOT_IN_OTHER_ROLLOUT: "A robot is in another rollout that has not ended.",
  PUBLIC_URL_MISSING: "Robots cannot download firmware: the server does not know its own address.",
  ROLLOUT_OVER: "The rollout has ended or was cancelled.",
  DOWNLOAD_LINK_INVALID: "The address of a firmware file is not valid.",
  DOWNLOAD_LINK_EXPIRED: "The address of a firmware file has expired.",
  OFFER_OVER: "The firmware offer is over.",

  // What does not exist, or belongs to others
  PAGE_NOT_FOUND: "There is no such page or file.",
  SITE_NOT_FOUND: "There is no such site, or it is not the caller's.",
  ROBOT_NOT_FOUND: "There is no such robot, or it is not the caller's.",
  GROUP_NOT_FOUND: "There is no such group, or it is not the caller's.",
  SCHEDULE_NOT_FOUND: "There is no such schedule, or it is not the caller's.",
  PARTNER_NOT_FOUND: "There is no such partner.",
  DEVICE_NOT_FOUND: "There is no such device, or it is not the caller's.",
  ALERT_NOT_FOUND: "There is no such alert, or it is not the caller's.",
  ATTENTION_NOT_FOUND: "The attention list has no such item for the caller, or not any more.",
  REPORT_NOT_FOUND: "There is no such monthly report, or it is not the caller's.",
  TEMPLATE_NOT_FOUND: "There is no such report template, or it is inactive.",
  FIRMWARE_NOT_FOUND: "There is no such firmware.",
  ROLLOUT_NOT_FOUND: "There is no such rollout.",
  ADMIN_NOT_FOUND: "There is no such Super Admin.",
  USER_NOT_FOUND: "There is no such person, or the caller may not name them.",
  CONTACT_POINT_NOT_FOUND: "There is no such contact point, or it is not the caller's.",
  RULE_NOT_FOUND: "There is no such notification rule.",
  SUBSCRIPTION_NOT_FOUND: "There is no such subscription, or it is not the caller's.",
  TEAM_NOT_FOUND: "There is no such team, or the caller may not name it.",
  ROTA_NOT_FOUND: "There is no such rota.",
  MUTE_NOT_FOUND: "There is no such mute, it is over, or it is not of the caller's sites.",
  WALLBOARD_LINK_NOT_FOUND: "There is no such open link to a wallboard, or it is not the caller's.",
} as const satisfies Readonly<Record<string, string>>;

export type ErrorCode = keyof typeof errorCodes;

export const errorCodeSchema = z.enum(Object.keys(errorCodes) as ErrorCode[]).describe(
  Object.entries(errorCodes)
    .map(([code, meaning]) => `- \`${code}\`: ${meaning}`)
    .join("\n"),
);

/** Every refused or failed call answers this; device calls add `success` and `pending`. */
export const errorResponseSchema = receivedErrorSchema.extend({ code: errorCodeSchema });
export type ErrorResponse = z.output<typeof errorResponseSchema>;
