// The log-in page: trades the one-time code of the link, a password or a passkey's answer for a cookie and a secret. The code sits in the
// URL's fragment, which browsers never send, and leaves the address bar at once. A static file, so that the Content-Security-Policy needs no inline script.
const said = document.getElementById('login-state');
const form = document.getElementById('login-form');
const byPassword = document.getElementById('login-password');
const byPasskey = document.getElementById('login-passkey');
const provider = document.getElementById('login-provider');
const copy = document.getElementById('login-copy');

const fragment = new URLSearchParams(location.hash.slice(1));
// Browsers bring along where on its page a link led to.
const place = fragment.has('c') || fragment.has('again') ? '' : location.hash;
// What the server gave the page with it.
const came = said.dataset;
history.replaceState(null, '', came.logIn ? verbatim.at('/login') : location.pathname + location.search);

// The first page's days and times are those of where the reader is already.
const { timeZone } = Intl.DateTimeFormat().resolvedOptions();
if (timeZone) document.cookie = `zone=${timeZone}; Path=/; Max-Age=31536000; SameSite=Strict`;

// The mark of a log-in page that another site opened: the page that it leads to asks first.
const OUTSIDE = 'outside';

// Where the page goes on to is kept for a while: the link of `verbatim open` names no page, and may open in another tab.
const NEXT = 'next';
const KEPT = 15 * 60_000;

function keepWanted() {
  const wanted = wantedPage();
  try {
    if (!['', '/'].includes(wanted.to)) localStorage.setItem(NEXT, JSON.stringify({ ...wanted, at: Date.now() }));
  } catch { /* A browser that keeps nothing goes to the first page. */ }
}

// What is said in the address, else what was kept.
function wantedPage() {
  // Who comes back from a provider goes where they wanted to before.
  if (came.next) return { to: came.next, outside: false };
  const given = new URLSearchParams(location.search);
  const said = { to: given.get('next') ?? '', outside: given.has(OUTSIDE) };
  // The printed link leads to the first page: it names none.
  if (!['', '/'].includes(said.to)) return { ...said, to: said.to + place };
  try {
    const kept = JSON.parse(localStorage.getItem(NEXT)) ?? {};
    if (Date.now() - kept.at < KEPT) return { to: String(kept.to), outside: kept.outside || said.outside };
  } catch { /* As above. */ }
  return said;
}

// Only a page of this very site is a place to go on to. Its whole address is what was checked: a path by itself, as `//host`,
// would be read anew, as another site.
function nextPage() {
  const { to: wanted, outside } = wantedPage();
  const home = new URL(verbatim.at('/sessions'), location.origin);
  const url = URL.canParse(wanted, location.origin) && wanted ? new URL(verbatim.at(wanted), location.origin) : home;
  const isOurs = url.origin === location.origin && url.protocol === location.protocol;
  const next = isOurs && !url.pathname.startsWith('//') && !url.username && !url.password ? url : home;
  if (outside) next.searchParams.set(OUTSIDE, '1');
  return next.href;
}

function goTo(page) {
  try { localStorage.removeItem(NEXT); } catch { /* Nothing is kept. */ }
  location.replace(page);
}

// Of this browser: `logged_in`, and `may_change` if its secret is that of the log-in.
async function state() {
  const secret = await verbatim.secret();
  const answer = await fetch(verbatim.at('/v1/login'), { headers: { accept: 'application/json', ...(secret && { 'x-verbatim-secret': secret }) } });
  return { secret, ...(answer.ok && await answer.json()) };
}

let isOurs = false;
// Who came to log in again, though the browser is logged in. Who comes back from a provider did that there.
const isAgain = fragment.has('again') || Boolean(came.next);

function showForms() {
  for (const one of [form, byPassword]) if (one) one.hidden = false;
  if (byPasskey) byPasskey.hidden = !verbatim.hasPasskeys;
}

async function logIn(given) {
  said.textContent = 'Signing in';
  isOurs = true;
  // Before the other tabs hear of it: they go on, too, and what was kept is gone then.
  const next = nextPage();
  try {
    // A link that is opened once more stays good for another browser.
    if (!given.code || isAgain || !(await state()).may_change) {
      const answer = await fetch(verbatim.at('/v1/login'), {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(given),
      });
      if (!answer.ok) {
        const problem = await answer.json().catch(() => ({}));
        said.textContent = [problem.title ?? 'This link can not be used', problem.hint ?? 'Open a fresh link with `verbatim open`'].join('. ');
        isOurs = false;
        showForms();
        return;
      }
      const { secret } = await answer.json();
      // A browser that keeps nothing can read, and the next page says that it can do no more.
      await verbatim.keep(secret).catch(() => {});
    }
    goTo(next);
  } catch {
    said.textContent = 'The server can not be reached. Is it running?';
    isOurs = false;
    showForms();
  }
}

// The browser asks for the passkey, whosever it is.
async function withPasskey() {
  said.textContent = '';
  try {
    const answer = await fetch(verbatim.at('/v1/login/passkey'), { method: 'POST', headers: { 'content-type': 'application/json' }, body: '{}' });
    const told = await answer.json();
    if (!answer.ok) {
      said.textContent = [told.title, told.hint].filter(Boolean).join('. ');
      return;
    }
    const passkey = await verbatim.usePasskey(told.options);
    await logIn({ passkey });
  } catch (error) {
    // Who closes the browser's question has changed their mind.
    said.textContent = error.name === 'NotAllowedError' ? 'No passkey was used.' : `The browser refused: ${error.message}`;
  }
}

showForms();
if (provider) {
  const { to } = wantedPage();
  if (to) provider.href = verbatim.at(`/login/oidc?next=${encodeURIComponent(to)}`);
}
byPasskey?.addEventListener('click', withPasskey);
byPassword?.addEventListener('submit', (event) => {
  event.preventDefault();
  const typed = new FormData(byPassword);
  logIn({ name: typed.get('name'), password: typed.get('password') });
});
form.addEventListener('submit', (event) => {
  event.preventDefault();
  const typed = new FormData(form).get('code').trim();
  logIn({ code: typed.includes('#c=') ? typed.slice(typed.indexOf('#c=') + 3) : typed });
});

if (navigator.clipboard) {
  copy.hidden = false;
  copy.addEventListener('click', async () => {
    await navigator.clipboard.writeText('verbatim open');
    copy.lastChild.textContent = 'Copied';
  });
}

// A browser without a log-in keeps nothing of what it read, no secret, and no number on its icon. The worker sees to the first;
// this is for pages without it. The number is the page's alone: a browser without icons ends a worker that asks for one.
async function forget(secret) {
  navigator.clearAppBadge?.().catch(() => {});
  await verbatim.forget(secret).catch(() => {});
  for (const name of await self.caches?.keys() ?? []) if (name.includes(' session ')) await caches.delete(name);
}

// Another tab signed in: this one goes on, too.
verbatim.channel().onmessage = () => { if (!isOurs) goTo(nextPage()); };

const code = fragment.get('c') ?? came.logIn;
if (code) {
  logIn({ code });
} else {
  keepWanted();
  const { logged_in, secret } = await state().catch(() => ({}));
  if (logged_in === false) forget(secret);
  // Who came to log in again stays.
  else if (logged_in && !isAgain) goTo(nextPage());
}
