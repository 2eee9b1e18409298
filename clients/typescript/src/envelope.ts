// The envelope of a structured message: `{message_type, version, payload, ...extras}`.
import { EnvelopeError } from './errors.js';
import { isObject } from './names.js';

/** The version of a payload's format, unless stated otherwise. */
export const VERSION = 1;

const MAX_TYPE_CHARS = 200;
const RESERVED = ['message_type', 'version', 'payload'];

/** A structured message's metadata. */
export interface Envelope {
  message_type: string;
  version: number;
  payload: Record<string, unknown>;
  [extra: string]: unknown;
}

/**
 * Builds an envelope from its parts. Null and undefined fields at the top of the payload and of the extras are left out. The server
 * checks what is in the payload. Throws an `EnvelopeError`.
 */
export function build(messageType: string, payload: object | null | undefined, extras: object = {}, version = VERSION): Envelope {
  if (typeof messageType !== 'string' || messageType === '') {
    throw new EnvelopeError('message_type_invalid', '/message_type', 'a non-empty string');
  }
  if ([...messageType].length > MAX_TYPE_CHARS) {
    throw new EnvelopeError('message_type_invalid', '/message_type', `at most ${MAX_TYPE_CHARS} characters`);
  }
  const reserved = RESERVED.find((key) => Object.hasOwn(extras, key));
  if (reserved !== undefined) {
    throw new EnvelopeError('extra_reserved', `/${reserved}`, 'no extra of this name: it belongs to the envelope');
  }
  if (!Number.isSafeInteger(version) || version < 1)
    throw new EnvelopeError('version_invalid', '/version', 'an integer of at least 1');
  const fields = payload ?? {};
  if (!isObject(fields)) throw new EnvelopeError('payload_not_an_object', '/payload', 'an object');
  return { message_type: messageType, version, payload: present(fields), ...present(extras) };
}

/** Adds extras to a message's metadata; without any, to the envelope of a TEXT. Throws an `EnvelopeError` for a reserved name. */
export function withExtras(metadata: object | null | undefined, extras: object): object {
  const text = build('TEXT', undefined, extras);
  return metadata == null ? text : { ...metadata, ...extrasOf(text) };
}

/** Returns an envelope's keys beside its own three. */
export function extrasOf(metadata: Record<string, unknown> = {}): Record<string, unknown> {
  return Object.fromEntries(Object.entries(metadata).filter(([key]) => !RESERVED.includes(key)));
}

function present(fields: object): Record<string, unknown> {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value != null));
}
