// Tells which tests failed and why; the last lines say what `cargo xtask test` counts.
import { Transform } from 'node:stream';

let passed = 0;
let failed = 0;

const told = ({ type, data }) => {
  if (type === 'test:stdout' || type === 'test:stderr') return data.message;
  if ((type !== 'test:pass' && type !== 'test:fail') || data.details.type === 'suite') return '';
  if (type === 'test:pass') {
    passed += 1;
    return '';
  }
  failed += 1;
  const { error } = data.details;
  return `FAILED ${data.file}: ${data.name}\n${error.cause?.stack ?? error.stack ?? error}\n`;
};

export default new Transform({
  writableObjectMode: true,
  transform: (event, _, done) => done(null, told(event)),
  flush: (done) => done(null, `${failed} failed\n${passed} passed\n`),
});
