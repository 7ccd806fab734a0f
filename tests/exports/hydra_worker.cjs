// Pixar's library, built for browsers, looks for these when a thread of it begins.
globalThis.location ??= { pathname: '/' };
globalThis.fetch = undefined;
globalThis.XMLHttpRequest ??= class { open() {} send() {} };
