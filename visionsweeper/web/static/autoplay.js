// Playing by itself: what is certain is opened after each move, and where nothing is, the best guess if wanted.

import { post } from "./api.js";

/** Go on with a game of the Play page for as long as that is wanted; `wanted` gives "", "certain" or "guess". */
export async function playOn(page, wanted) {
  const { game } = page, begun = () => page.board.cells.some((code) => code <= 8); // before that the player clicks
  const goesOn = () => game === page.game && page.state === "playing" && begun() && wanted();
  while (goesOn()) {
    if (await page.move("certain", 0, true)) continue;
    if (!goesOn() || wanted() !== "guess") return;
    const { board } = page;
    const { advice } = await post("advise", { board: board.toRows(), mines: game.mines });
    if (board !== page.board || !goesOn() || !advice.ranking.length) return;
    const best = board.index(advice.ranking[0].tile);
    page.unflag(best);
    if (!(await page.move("open", best, true))) return;
  }
}
