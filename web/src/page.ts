// The page: gallery or viewer, as the address says.

import { hideToken, readPlace, socketAddress, takeToken, unpack, type Place } from './app/address.ts';
import { Session, type Opening } from './app/session.ts';
import { h, isTyping } from './base/dom.ts';
import { startTheme, toggleTheme, type Theme } from './base/theme.ts';
import { startRenderMode } from './render_mode.ts';
import { GalleryScreen } from './ui/gallery_screen.ts';
import { Help } from './ui/help.ts';
import { toast } from './ui/toast.ts';
import { ViewerScreen } from './ui/viewer_screen.ts';

const query = new URLSearchParams(location.search);
const forced = query.get('theme');
startTheme(forced === 'dark' || forced === 'light' ? (forced as Theme) : undefined);
const token = takeToken();
if (query.get('render')) startRenderMode(query, token);
else startPage();

function startPage(): void {
  hideToken();
  const help = new Help();
  const session = new Session(socketAddress(token));
  const gallery = new GalleryScreen(session, help, token);
  const viewer = new ViewerScreen(session, help);
  const banner = h('div', { class: 'banner', role: 'alert', hidden: true });
  const screen = h('div', { class: 'screen' });
  document.body.replaceChildren(screen, banner);
  let isFirstHello = true;

  function present(element: HTMLElement): void {
    if (screen.firstElementChild !== element) screen.replaceChildren(element);
  }

  async function opening(place: Place): Promise<Opening> {
    const wish: Opening = { play: !place.paused };
    if (place.text) wish.text = await unpack(place.text);
    else if (place.scene) wish.scene = place.scene;
    if (place.parameters) wish.parameters = place.parameters;
    if (place.inputs) wish.inputs = place.inputs;
    if (place.runs) wish.runs = place.runs;
    return wish;
  }

  async function go(): Promise<void> {
    const place = readPlace(location.hash.slice(1));
    const start = session.hello?.start ?? null;
    if (!place.scene && !place.text && !(isFirstHello && start !== null)) {
      session.leave();
      present(gallery.element);
      gallery.show();
      return;
    }
    gallery.hide();
    present(viewer.element);
    try {
      await viewer.open(place);
      if (place.scene || place.text) await session.open(await opening(place));
      else if (start !== null) await session.watch(start);
    } catch (error) {
      toast(error instanceof Error ? error.message : String(error), 'error');
      location.hash = '';
    }
  }

  session.events.on('hello', (hello) => {
    banner.hidden = true;
    if (isFirstHello) void go().then(() => (isFirstHello = false));
    if (!hello.control) toast('You can watch only: the address that taut view prints has the key to more.');
    document.body.classList.toggle('watching', !hello.control);
  });
  session.events.on('lost', () => {
    banner.hidden = false;
    banner.textContent = 'The server is away. Trying to reach it again …';
  });
  session.events.on('trouble', (message) => toast(message, 'error'));
  for (const list of [session.gallery, session.methods]) list.catch((error: unknown) => toast(String(error), 'error'));
  window.addEventListener('hashchange', () => void go());
  window.addEventListener('keydown', (event) => {
    if (event.defaultPrevented || document.querySelector('dialog[open]')) return;
    const isPlain = !isTyping(event.target) && !event.ctrlKey && !event.metaKey && !event.altKey;
    let isUsed = true;
    if (isPlain && event.key === '?') help.toggle();
    else if (isPlain && event.key === 't') toggleTheme();
    else if (isPlain && event.key === 'g') location.hash = '';
    else if (isPlain && event.key === '/' && gallery.element.isConnected) gallery.focusSearch();
    else isUsed = viewer.element.isConnected && viewer.key(event);
    if (isUsed) event.preventDefault();
  });
  // For tests and for the curious.
  Object.assign(window, { taut: { session, viewer } });

  const loop = (now: number): void => {
    if (viewer.element.isConnected) viewer.update(now);
    requestAnimationFrame(loop);
  };
  requestAnimationFrame(loop);
}
