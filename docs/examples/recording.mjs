// Reads a recording of taut from an ArrayBuffer. docs/recording.md has the format.
export function openRecording(buffer) {
  const view = new DataView(buffer);
  const text = (at, size) => new TextDecoder().decode(new Uint8Array(buffer, at, size));
  if (buffer.byteLength < 16 || text(1, 4) !== "TAUT" || view.getUint32(8, true) !== 1)
    throw new Error("not a recording of taut, version 1");
  const chunk = (at) => {
    if (at + 16 > buffer.byteLength) return null;
    const size = Number(view.getBigUint64(at + 8, true));
    const next = at + 16 + Math.ceil(size / 8) * 8;
    return next > buffer.byteLength ? null : { kind: text(at, 4), content: at + 16, size, next };
  };
  let at = 16, head = null, found;
  const surfaces = [], links = [], frames = [];
  for (; (found = chunk(at)); at = found.next) {
    const { kind, content, size } = found;
    if (kind === "HEAD") head = JSON.parse(text(content, size));
    if (kind === "SURF") {
      const vertices = view.getUint32(content, true), faces = view.getUint32(content + 4, true);
      surfaces.push({
        name: head.surfaces[surfaces.length].name,
        bodies: new Uint32Array(buffer, content + 8, vertices),
        faces: new Int32Array(buffer, content + 8 + 4 * vertices, 4 * faces),
      });
    }
    for (let i = content; kind === "LINK" && i < content + size; i += 36)
      links.push({
        a: { body: view.getInt32(i, true), place: new Float32Array(buffer, i + 4, 3) },
        b: { body: view.getInt32(i + 16, true), place: new Float32Array(buffer, i + 20, 3) },
        type: head.links.types[view.getUint32(i + 32, true)],
      });
    if (kind === "FRAM") frames.push(content);  // a player of large files takes them from INDX
  }
  const particles = head.particles.count, rigid = head.rigid.length;
  return {
    head, surfaces, links, frameCount: frames.length,
    time: (frame) => view.getFloat64(frames[frame], true),
    /// x, y, z of the particles, and x, y, z, w, x, y, z of the rigid bodies.
    read(frame) {
      const start = frames[frame] + 16, behind = start + 28 * rigid;
      const bodies = new Float32Array(buffer, start, 7 * rigid);
      if (view.getUint32(frames[frame] + 8, true) === 0)
        return { bodies, positions: new Float32Array(buffer, behind, 3 * particles) };
      const blocks = Math.ceil(particles / 256), positions = new Float32Array(3 * particles);
      const boxes = new Float32Array(buffer, behind, 6 * blocks);
      const numbers = new Uint16Array(buffer, behind + 24 * blocks, 3 * particles);
      for (let i = 0; i < particles; ++i)
        for (let k = 0, box = 6 * (i >> 8); k < 3; ++k)
          positions[3 * i + k] = boxes[box + k] + boxes[box + 3 + k] * numbers[3 * i + k];
      return { bodies, positions };
    },
  };
}
