// A push service on this machine, and the browser's side of what it takes: RFC 8291. A server takes `--channel-host 127.0.0.1` to
// reach it.
import { createDecipheriv, createECDH, hkdfSync, randomBytes } from 'node:crypto';
import { createServer } from 'node:http';

const url64 = (bytes) => bytes.toString('base64url');
const derive = (salt, material, info, length) =>
  Buffer.from(hkdfSync('sha256', material, salt, Buffer.concat(info.map((part) => Buffer.from(part))), length));

// The message in what was sent to a browser with these keys.
function opened(sent, keys, secret) {
  const [salt, length] = [sent.subarray(0, 16), sent[20]];
  const sender = sent.subarray(21, 21 + length);
  const sealed = sent.subarray(21 + length);
  const material = derive(secret, keys.computeSecret(sender), ['WebPush: info\0', keys.getPublicKey(), sender], 32);
  const key = derive(salt, material, ['Content-Encoding: aes128gcm\0'], 16);
  const cipher = createDecipheriv('aes-128-gcm', key, derive(salt, material, ['Content-Encoding: nonce\0'], 12));
  cipher.setAuthTag(sealed.subarray(-16));
  const record = Buffer.concat([cipher.update(sealed.subarray(0, -16)), cipher.final()]);
  // The last record ends with a 2.
  if (record.at(-1) !== 2) throw new Error('not the last record');
  return JSON.parse(record.subarray(0, -1));
}

// `{ subscription, came, stop }`: what a browser gives as its subscription, and the messages that came for it.
export async function pushService() {
  const keys = createECDH('prime256v1');
  keys.generateKeys();
  const secret = randomBytes(16);
  const came = [];
  const server = createServer((request, response) => {
    const parts = [];
    request.on('data', (part) => parts.push(part));
    request.on('end', () => {
      came.push(opened(Buffer.concat(parts), keys, secret));
      response.writeHead(201).end();
    });
  });
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
  const stop = () => {
    server.closeAllConnections();
    return new Promise((resolve) => server.close(resolve));
  };
  const endpoint = `http://127.0.0.1:${server.address().port}/browser`;
  const subscription = { endpoint, keys: { p256dh: url64(keys.getPublicKey()), auth: url64(secret) } };
  return { subscription, came, stop };
}
