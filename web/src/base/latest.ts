// Wishes that come quicker than they can be fulfilled.

/** Calls at once, then at most one at a time: while one is under way, the newest wish waits. */
export function latest<T>(act: (value: T) => Promise<unknown>): (value: T) => void {
  let isBusy = false;
  let waiting: { value: T } | null = null;
  const go = async (value: T): Promise<void> => {
    isBusy = true;
    await act(value).catch(() => undefined);
    isBusy = false;
    const next = waiting;
    waiting = null;
    if (next) void go(next.value);
  };
  return (value) => {
    if (isBusy) waiting = { value };
    else void go(value);
  };
}
