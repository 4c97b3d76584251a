// GIF files that hold several pictures one after another: recordings of games rather than screenshots.

const EXTENSION = 0x21, PICTURE = 0x2c; // what a block begins with
const HEAD = 13, DESCRIPTOR = 10; // bytes of the file's head, and of a picture's

/** Bytes of the colour table that these flags announce. */
const table = (flags) => (flags & 0x80 ? 3 << ((flags & 7) + 1) : 0);

/** Whether there is more than one picture in the bytes of a GIF. */
function several(bytes) {
  let at = HEAD + table(bytes[10]), pictures = 0;
  while (at < bytes.length && pictures < 2) {
    if (bytes[at] === PICTURE) {
      pictures++;
      at += DESCRIPTOR + table(bytes[at + DESCRIPTOR - 1]) + 1; // the 1: how long its codes are
    } else if (bytes[at] === EXTENSION) at += 2;
    else break; // the end
    while (bytes[at]) at += bytes[at] + 1; // parts, each after its length
    at++;
  }
  return pictures > 1;
}

/** Whether a file is a GIF that moves. */
export async function isAnimation(file) {
  if (file.type !== "image/gif" && !/\.gif$/i.test(file.name ?? "")) return false;
  return several(new Uint8Array(await file.arrayBuffer()));
}
