// Recordings of games: read by the server, which says meanwhile how far it is.

import { ApiError, send } from "./api.js";
import { mostVideo } from "./odds.js";

export const isVideo = (file) => file.type.startsWith("video/") || /\.(mp4|m4v|mov|webm|mkv|avi)$/i.test(file.name ?? "");

/** The games of a recording; `told` gets how much was read, 0 to 1. */
export async function gamesOf(file, signal, told) {
  if (file.size > mostVideo)
    throw new ApiError("too_large", `This video is too large for the page, which takes ${Math.floor(mostVideo / 2 ** 20)} MB: cut it, or read it with \`visionsweeper video\`.`);
  return send("read-video", { file }, signal, told);
}

/** What came of reading a recording. */
export function videoText({ games, complete }) {
  const moves = games.map(({ boards }) => boards.length - 1), all = moves.reduce((sum, one) => sum + one, 0);
  const seen = all === 0 ? "No move was seen in the video: this is the board that it shows." : `Read ${all} move${all === 1 ? "" : "s"}${games.length > 1 ? ` of ${games.length} games` : ""} from the video.`;
  return complete ? seen : `${seen} It ends early, or is damaged: the rest is missing.`;
}
