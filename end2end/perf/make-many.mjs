// Writes sessions of one size until they have so many bytes together. The same arguments give the same bytes.
//
//   node make-many.mjs FOLDER BYTES SESSIONS
import { makeLong } from '../make-long.mjs';

// Of a message with its lines, in the mean.
const BYTES_PER_MESSAGE = 2_240;

const [folder, bytes, sessions] = [process.argv[2], Number(process.argv[3]), Number(process.argv[4])];
if (!folder || !(bytes > 0) || !(sessions > 0)) {
  console.error('usage: node make-many.mjs FOLDER BYTES SESSIONS');
  process.exit(2);
}
const messages = Math.max(2, Math.round(bytes / sessions / BYTES_PER_MESSAGE));
for (let seed = 1; seed <= sessions; seed += 1) await makeLong(folder, { messages, seed });
