// JSON as coloured HTML.

const escapes: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;' };
const token = /("(?:\\.|[^"\\\n])*"?)(\s*:)?|(-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?)|\b(true|false|null)\b|[^"\d\-tfn]+|./gs;

function escaped(text: string): string {
  return text.replace(/[&<>]/g, (c) => escapes[c] ?? c);
}

export function colouredJson(text: string): string {
  return text.replace(token, (all, quoted?: string, colon?: string, digits?: string, word?: string) => {
    if (quoted) {
      const kind = colon ? 'key' : quoted.startsWith('"=') ? 'formula' : 'string';
      return `<span class="j-${kind}">${escaped(quoted)}</span>${colon ?? ''}`;
    }
    if (digits) return `<span class="j-number">${digits}</span>`;
    if (word) return `<span class="j-word">${word}</span>`;
    return escaped(all);
  });
}
