// Hands that a headset sees move the scene's hands of the same side.

import { latest } from '../base/latest.ts';
import type { SeenHand } from '../view/xr_view.ts';
import type { Session } from './session.ts';

export class XrHands {
  private readonly senders = new Map<number, (message: Record<string, unknown>) => void>();
  private complaint = '';

  constructor(private readonly session: Session) {}

  send(seen: SeenHand[], now: number): void {
    const hands = this.session.model?.message.hands ?? [];
    for (const { side, joints } of seen) {
      const hand = hands.findIndex((each) => each.side === side);
      if (hand < 0 || !this.session.canControl) continue;
      let sender = this.senders.get(hand);
      if (!sender) this.senders.set(hand, (sender = latest((message) => this.ask(message))));
      sender({ type: 'hand', hand, source: 'webxr', time: now / 1000, joints });
    }
  }

  private async ask(message: Record<string, unknown>): Promise<void> {
    try {
      await this.session.connection.ask(message);
      this.complaint = '';
    } catch (error) {
      // Said once, and not with each picture.
      const text = error instanceof Error ? error.message : String(error);
      if (text !== this.complaint) this.session.events.emit('trouble', text);
      this.complaint = text;
    }
  }
}
