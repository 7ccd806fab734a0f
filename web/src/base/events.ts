// Listeners by name: small, typed.

export class Events<Map extends Record<string, unknown>> {
  private readonly listeners: { [Name in keyof Map]?: Set<(value: Map[Name]) => void> } = {};

  on<Name extends keyof Map>(name: Name, listener: (value: Map[Name]) => void): void {
    (this.listeners[name] ??= new Set()).add(listener);
  }

  emit<Name extends keyof Map>(name: Name, value: Map[Name]): void {
    for (const listener of this.listeners[name] ?? []) listener(value);
  }
}
