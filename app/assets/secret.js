// The second secret of the log-in. Cookies know no ports: every server of this machine gets ours, and could send it to us. So each
// request that changes something shows this as well, which browsers keep for one origin alone, its port included. All tabs
// share it, those that come later too.
// The path of the public URL: servers of one host, each with its own, share what browsers keep.
const BASE = document.documentElement.getAttribute('data-base') ?? '';
const NAME = `log-in${BASE}`;
// Where a tab that logged in says so.
const CHANNEL = NAME;

// Opened anew each time: a browser closes what a page holds open when it clears the data of a site.
function ask(mode, question) {
  return new Promise((resolve, reject) => {
    const opening = indexedDB.open('verbatim', 1);
    opening.onupgradeneeded = () => opening.result.createObjectStore('secrets');
    opening.onerror = () => reject(opening.error);
    opening.onsuccess = () => {
      const database = opening.result;
      const work = database.transaction('secrets', mode);
      const asked = question(work.objectStore('secrets'));
      work.oncomplete = () => resolve(asked.result);
      work.onabort = () => reject(work.error);
      // Once the work is done.
      database.close();
    };
  });
}

// What a page says where it can't change anything; the log-in page has nothing to say.
const bar = document.getElementById('read-only');
const out = document.getElementById('signed-out');

function show(bar, isShown) {
  bar.hidden = !isShown;
  document.body.classList.toggle('restricted', isShown);
}

// Until a tab logs in.
function say(bar) {
  if (!bar?.hidden) return;
  show(bar, true);
  verbatim.channel().onmessage = () => show(bar, false);
}

function sayReadOnly() {
  if (out?.hidden !== false) say(bar);
}

function saySignedOut() {
  if (!out) return;
  if (bar) show(bar, false);
  out.querySelector('a').href = verbatim.at('/login') + `?next=${encodeURIComponent(location.pathname + location.search + location.hash)}`;
  say(out);
}

globalThis.verbatim = {
  // Puts the path of the public URL before a path of the server that lacks it.
  at: (path) => (!path.startsWith('/') || path === BASE || path.startsWith(`${BASE}/`) ? path : BASE + path),
  channel: () => new BroadcastChannel(CHANNEL),
  // Undefined where there is none, or where the browser keeps nothing.
  async secret() {
    try {
      return await ask('readonly', (secrets) => secrets.get(NAME));
    } catch {
      return undefined;
    }
  },
  async keep(secret) {
    await ask('readwrite', (secrets) => secrets.put(secret, NAME));
    verbatim.channel().postMessage(null);
  },
  // Unless another tab has put a new one into its place.
  forget: (secret) => ask('readwrite', (secrets) => {
    const found = secrets.get(NAME);
    found.onsuccess = () => { if (found.result === secret) secrets.delete(NAME); };
    return found;
  }),
  // Browsers without these can't say in JSON what a passkey answers.
  hasPasskeys: Boolean(globalThis.PublicKeyCredential?.parseCreationOptionsFromJSON),
  // Asks for a new passkey. Options and answer are JSON.
  async newPasskey(options) {
    const publicKey = PublicKeyCredential.parseCreationOptionsFromJSON(JSON.parse(options));
    return JSON.stringify(await navigator.credentials.create({ publicKey }));
  },
  // Asks for a passkey that is there.
  async usePasskey(options) {
    const publicKey = PublicKeyCredential.parseRequestOptionsFromJSON(options);
    return (await navigator.credentials.get({ publicKey })).toJSON();
  },
  // The server wants one, or another one.
  refused: sayReadOnly,
  // The server knows no log-in of this browser any more.
  signedOut: saySignedOut,
};

if (bar && !(await verbatim.secret())) sayReadOnly();
