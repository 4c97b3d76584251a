// Pictures before they are sent: what the server does not read is decoded here, and what is too large is shrunk.

import { ApiError } from "./api.js";

const READ = /^image\/(png|jpeg|webp|bmp|gif|tiff)$/; // what the server reads as it is
const ENDINGS = /\.(png|jpe?g|webp|bmp|gif|tiff?|avif|hei[cf]|svg|jxl|ico)$/i;
const OTHERS = { heic: "HEIC", heif: "HEIC", avif: "AVIF", svg: "SVG", jxl: "JPEG XL" };

const MOST_PIXELS = 12e6; // the search for the board looks no closer
const MOST_BYTES = 24 * 2 ** 20; // of a file that is sent as it is
const DRAWN_WIDE = 1600; // px, of a drawing that has no size of its own

/** What is no picture, though it may show one: why, and what to do. */
const NO_PICTURES = {
  pdf: "A PDF is not read: take a screenshot of its page, and drop that.",
  zip: "A ZIP archive is not read: unpack it, and drop the picture.",
  docx: "A Word document is not read: copy the picture out of it, and paste it here.",
};

const ending = (file) => /\.([^.]+)$/.exec(file.name ?? "")?.[1].toLowerCase() ?? "";

export const isPicture = (file) => file.type.startsWith("image/") || ENDINGS.test(file.name);

/** Throws an ApiError for a file that is known to be neither a picture nor a board. */
export function refuseOthers(file) {
  const reason = NO_PICTURES[ending(file)] ?? (file.type === "application/pdf" ? NO_PICTURES.pdf : null);
  if (reason) throw new ApiError("not_a_picture", reason);
}

/** An image element with the picture; the browser decodes it only when it is drawn. */
function loaded(file) {
  return new Promise((resolve, reject) => {
    const image = new Image(), url = URL.createObjectURL(file);
    const done = (end) => () => { URL.revokeObjectURL(url); end(image); };
    image.onload = done(resolve);
    image.onerror = done(reject);
    image.src = url;
  });
}

function drawn(image, width, height) {
  const canvas = document.createElement("canvas");
  Object.assign(canvas, { width, height });
  const pen = canvas.getContext("2d");
  pen.fillStyle = "#fff"; // where it is transparent
  pen.fillRect(0, 0, width, height);
  pen.imageSmoothingQuality = "high";
  pen.drawImage(image, 0, 0, width, height);
  return new Promise((resolve) => canvas.toBlob(resolve, "image/png"));
}

/** The picture as it can be sent: the file itself where the server reads it, and it is not too large. */
export async function prepared(file) {
  const known = READ.test(file.type) || (file.type === "" && /\.(tiff?|png|jpe?g|webp|bmp|gif)$/i.test(file.name));
  let image;
  try {
    image = await loaded(file);
    if (known && image.naturalWidth * image.naturalHeight <= MOST_PIXELS && file.size <= MOST_BYTES) return file;
    await image.decode();
  } catch {
    if (known) return file; // the server may read what this browser cannot, as TIFF, and says what is wrong
    const kind = OTHERS[ending(file)] ?? "This kind of";
    throw new ApiError("not_a_picture", `${kind} pictures cannot be shown by this browser: save it as PNG or JPEG, and drop that.`);
  }
  const wide = image.naturalWidth || DRAWN_WIDE, high = image.naturalHeight || DRAWN_WIDE;
  const factor = Math.min(1, Math.sqrt(MOST_PIXELS / (wide * high)));
  const blob = await drawn(image, Math.round(wide * factor), Math.round(high * factor));
  if (!blob) throw new ApiError("too_large", "This picture is too large for this browser: crop it to the board.");
  return new File([blob], file.name, { type: "image/png" });
}
