// Pixels as a BMP file, the plainest of pictures.

const HEADER = 54; // bytes before the pixels

/** The file of an ImageData; how transparent its pixels are is lost. */
export function bitmap({ data, width, height }) {
  const line = Math.ceil((3 * width) / 4) * 4, size = HEADER + line * height; // lines are whole words
  const bytes = new Uint8Array(size), head = new DataView(bytes.buffer);
  bytes.set([0x42, 0x4d]); // BM
  // The size of the file, where its pixels begin; then 40 bytes about the picture, its lines from top to bottom.
  [[2, size], [10, HEADER], [14, 40], [18, width], [22, -height]].forEach(([at, value]) => head.setInt32(at, value, true));
  [[26, 1], [28, 24]].forEach(([at, value]) => head.setInt16(at, value, true)); // planes, bits of a pixel
  for (let row = 0, from = 0; row < height; row++)
    for (let column = 0, to = HEADER + row * line; column < width; column++, from += 4) {
      bytes[to++] = data[from + 2];
      bytes[to++] = data[from + 1];
      bytes[to++] = data[from];
    }
  return bytes;
}
