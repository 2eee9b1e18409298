// The page that stands for one that isn't kept: lists the sessions that are, and goes on when the server answers.
// The path of the public URL.
const BASE = document.documentElement.getAttribute('data-base') ?? '';
const by = (id) => document.getElementById(id);

// The page was drawn when the worker was installed: since then somebody may have chosen another look.
for (const [, name, value] of document.cookie.matchAll(/\b(theme|contrast)=(\w+)/g)) document.documentElement.dataset[name] = value;

function goOn() {
  if (location.pathname === `${BASE}/offline`) location.replace(`${BASE}/`);
  else location.reload();
}

async function tryAgain() {
  const answers = await fetch(`${BASE}/healthz`).then((answer) => answer.ok, () => false);
  if (answers) goOn();
  return answers;
}

async function watch() {
  if (!(await tryAgain())) setTimeout(watch, 3_000);
}

// Of what the page's `title` element holds: without the count of what waited then, and the name of the program.
function words(title) {
  const text = new DOMParser().parseFromString(title, 'text/html').body.textContent;
  return text.replace(/^\(\d+!\) | · Verbatim$/g, '');
}

function row({ path, title, at }) {
  const row = by('kept-row').content.firstElementChild.cloneNode(true);
  const [link, time] = row.children;
  link.href = path;
  link.title = words(title);
  link.textContent = link.title;
  time.textContent = new Date(at).toLocaleString('en-GB', { day: 'numeric', month: 'short', hour: '2-digit', minute: '2-digit' });
  return row;
}

by('again').addEventListener('click', (event) => {
  event.preventDefault();
  goOn();
});
addEventListener('online', tryAgain);

by('not-kept').hidden = ['/', '/sessions'].includes(location.pathname.slice(BASE.length));
const sessions = await fetch(`${BASE}/offline/sessions`).then((answer) => (answer.ok ? answer.json() : []), () => []);
by('kept').querySelector('ul').append(...sessions.map(row));
by('kept').hidden = sessions.length === 0;
by('none').hidden = sessions.length > 0;
watch();
