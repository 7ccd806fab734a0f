// Search, the menu of narrow windows, buttons that copy code, and the heading in view.

const up = document.body.dataset.up;
const input = document.getElementById('search');
const found = document.getElementById('found');
let loading = null;

/** The index is read when it is needed first; as a script, so that it works without a server. */
function loadIndex() {
  loading ??= new Promise((resolve, reject) => {
    const script = document.createElement('script');
    script.src = `${up}search.js`;
    script.onload = () => resolve(pages);
    script.onerror = reject;
    document.head.append(script);
  });
  return loading;
}

/** Names in code are words, too. */
const plain = (text) => text.replaceAll('_', ' ');

/** Sections that have all words; those with the phrase or with a word in the heading come first. */
function search(index, text) {
  const words = text.toLowerCase().split(/\s+/).filter(Boolean);
  const scored = [];
  for (const [page, anchor, title, heading, content] of index) {
    const head = heading.toLowerCase(), top = title.toLowerCase(), body = content.toLowerCase();
    let score = 0;
    for (const word of words) {
      const inHead = head.includes(word), inTop = top.includes(word);
      const count = body.split(word).length - 1;
      if (!inHead && !inTop && count === 0) { score = 0; break; }
      score += (head.split(/\W+/).includes(word) ? 30 : inHead ? 15 : 0) + (inTop && !inHead ? 8 : 0) + Math.min(count, 5);
    }
    if (score > 0 && words.length > 1 && plain(head + ' ' + body).includes(words.join(' '))) score += 25;
    if (page === 'changelog.html') score /= 4; // what there is comes before how it came about
    if (score > 0) scored.push({ score, page, anchor, title, heading, content });
  }
  return { words, hits: scored.sort((a, b) => b.score - a.score).slice(0, 12) };
}

function excerpt(content, words) {
  const lower = content.toLowerCase();
  const at = Math.max(0, Math.min(...words.map((w) => lower.indexOf(w)).filter((i) => i >= 0), content.length) - 50);
  const line = document.createElement('small');
  const piece = (at > 0 ? '… ' : '') + content.slice(at, at + 170) + (content.length > at + 170 ? ' …' : '');
  const pattern = new RegExp(`(${words.map((w) => w.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')).join('|')})`, 'ig');
  piece.split(pattern).forEach((part, i) => {
    const node = i % 2 ? document.createElement('mark') : document.createTextNode(part);
    if (i % 2) node.textContent = part;
    line.append(node);
  });
  return line;
}

async function show() {
  const text = input.value.trim();
  found.hidden = text === '';
  if (!text) return;
  const { words, hits } = search(await loadIndex(), text);
  found.replaceChildren(...hits.map((hit, i) => {
    const link = document.createElement('a');
    link.href = `${up}${hit.page}#${hit.anchor}`;
    if (i === 0) link.className = 'chosen';
    const name = document.createElement('b');
    name.textContent = hit.heading === hit.title ? hit.title : `${hit.title} › ${hit.heading}`;
    link.append(name, excerpt(hit.content, words));
    return link;
  }));
  if (hits.length === 0) {
    const none = document.createElement('p');
    none.textContent = 'Nothing has all these words.';
    found.append(none);
  }
}

input.addEventListener('input', show);
input.addEventListener('focus', show);
input.addEventListener('keydown', (event) => {
  const links = [...found.querySelectorAll('a')];
  const at = links.findIndex((link) => link.className === 'chosen');
  const move = { ArrowDown: 1, ArrowUp: -1 }[event.key];
  if (move && links.length > 0) {
    event.preventDefault();
    links[at].className = '';
    const next = links[(at + move + links.length) % links.length];
    next.className = 'chosen';
    next.scrollIntoView({ block: 'nearest' });
  } else if (event.key === 'Enter' && links[at]) {
    location.href = links[at].href;
    found.hidden = true;
  } else if (event.key === 'Escape') {
    found.hidden = true;
    input.blur();
  }
});
document.addEventListener('click', (event) => {
  if (!event.target.closest('.search')) found.hidden = true;
});
document.addEventListener('keydown', (event) => {
  if (event.key === '/' && document.activeElement !== input) {
    event.preventDefault();
    input.focus();
  }
});
document.getElementById('menu').addEventListener('click', () => document.body.classList.toggle('with-pages'));

for (const block of document.querySelectorAll('pre')) {
  const button = document.createElement('button');
  button.className = 'copy';
  button.textContent = 'copy';
  button.addEventListener('click', async () => {
    await navigator.clipboard.writeText(block.querySelector('code').textContent);
    button.textContent = 'copied';
    setTimeout(() => { button.textContent = 'copy'; }, 1200);
  });
  block.append(button);
}

const links = new Map([...document.querySelectorAll('.contents a')].map((a) => [a.hash.slice(1), a]));
const headings = [...links.keys()].map((id) => document.getElementById(id)).filter(Boolean);
function mark() {
  const here = headings.filter((h) => h.getBoundingClientRect().top < 120).at(-1);
  for (const [id, link] of links) link.classList.toggle('here', id === here?.id);
}
addEventListener('scroll', mark, { passive: true });
mark();
