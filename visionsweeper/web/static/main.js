// Start: the three pages, what all of them share, and what is dropped or pasted anywhere.

import { BoardPage } from "./boardpage.js";
import { $, show, toast, typing } from "./dom.js";
import { isPicture } from "./decoding.js";
import { Live } from "./live.js";
import { LearnPage } from "./learn.js";
import { countFrom, countedFrom } from "./naming.js";
import { loadCommon } from "./odds.js";
import { PlayPage } from "./play.js";
import { Recorder } from "./recorder.js";
import { isReplay } from "./replay.js";
import { keep, kept } from "./settings.js";
import { isVideo } from "./video.js";

const LOOKS = ["system", "light", "dark"];
const PAGES = ["board", "play", "learn"];

await loadCommon().catch((error) => console.error(error));

const board = new BoardPage();
const live = new Live(board);
new Recorder(live, board.replay);
board.drawn = () => live.companion.render();
const play = new PlayPage((position, mines) => {
  board.load(position, mines, { said: "The position of your game." });
  open("board");
}, (game) => {
  open("board");
  board.replay.start(game);
});
const learn = new LearnPage((position, pattern) => {
  board.load(position, null, { said: `${pattern.title}: ${pattern.note}`, scope: "local" });
  open("board");
});

$("play-on").addEventListener("click", board.trying(async () => {
  await board.bestWork.run((signal) => play.takeUp(board.position(), signal));
  open("play");
}));

function open(name, focus = false) {
  for (const page of PAGES) {
    const chosen = page === name;
    show($(`page-${page}`), chosen);
    $(`tab-${page}`).setAttribute("aria-selected", String(chosen));
    $(`tab-${page}`).tabIndex = chosen ? 0 : -1;
    if (chosen && focus) $(`tab-${page}`).focus();
  }
  if (name === "learn") learn.start();
  if (name === "play") play.grid.fit();
}

PAGES.forEach((page, at) => {
  $(`tab-${page}`).addEventListener("click", () => open(page));
  $(`tab-${page}`).addEventListener("keydown", (event) => {
    const to = { ArrowLeft: at + PAGES.length - 1, ArrowRight: at + 1, Home: 0, End: PAGES.length - 1 }[event.key];
    if (to !== undefined) open(PAGES[to % PAGES.length], true);
  });
});

const current = () => PAGES.find((page) => !$(`page-${page}`).hidden);

document.addEventListener("keydown", (event) => {
  const digit = /^Digit([123])$/.exec(event.code); // with Alt the key itself may be another sign
  if (event.altKey && digit) {
    if (!document.querySelector("dialog[open]")) open(PAGES[Number(digit[1]) - 1], true);
    event.preventDefault();
  } else if (event.key === "F1" || (event.key === "?" && !event.defaultPrevented && !typing(event))) {
    if (!document.querySelector("dialog[open]")) $("help").showModal();
    event.preventDefault();
  } else if ((event.ctrlKey || event.metaKey) && current() !== "play" && !typing(event) && !document.querySelector("dialog[open]")) {
    const key = event.key.toLowerCase(), { store } = current() === "board" ? board : learn;
    if (key === "z" && !event.shiftKey) store.undo();
    else if (key === "y" || key === "z") store.redo();
    else return;
    event.preventDefault();
  }
});

// Dropping and pasting

function openAnything(file) {
  if (current() === "play" && ![isPicture, isReplay, isVideo].some((one) => one(file))) return play.openFile(file);
  open("board");
  return board.intake.open(file);
}

/** Whether there was a link in the text, whole or not. */
function openLink(text) {
  if (play.openLink(text)) {
    open("play");
    if (location.hash.startsWith("#g=")) history.replaceState(null, "", location.pathname); // reloading goes on with it
    return true;
  }
  try {
    if (!board.intake.openLink(text)) return false;
  } catch (error) {
    board.fail(error);
  }
  open("board");
  return true;
}

let within = 0;
const carriesFiles = (event) => [...(event.dataTransfer?.types ?? [])].includes("Files");
document.addEventListener("dragenter", (event) => { if (carriesFiles(event) && ++within) show($("dropping"), true); });
document.addEventListener("dragleave", (event) => { if (carriesFiles(event) && --within <= 0) { within = 0; show($("dropping"), false); } });
document.addEventListener("dragover", (event) => { if (carriesFiles(event)) event.preventDefault(); });
document.addEventListener("drop", (event) => {
  within = 0;
  show($("dropping"), false);
  const [file, ...more] = event.dataTransfer?.files ?? [];
  if (!file) return;
  if (more.length) toast(`Only ${file.name} is opened: one at a time`);
  event.preventDefault();
  document.querySelectorAll("dialog[open]").forEach((dialog) => dialog.close());
  openAnything(file);
});

document.addEventListener("paste", async (event) => {
  const [file] = event.clipboardData.files;
  if (document.querySelector("dialog[open]") || (!file && typing(event))) return;
  const text = event.clipboardData.getData("text/plain");
  if (!file && !text.trim()) return;
  event.preventDefault();
  if (file) openAnything(file);
  else if (openLink(text)) return;
  else if (/^\s*https?:\/\/\S+\s*$/.test(text)) openAnything(new File([text], "link.txt", { type: "text/plain" })); // of another program: a whole position
  else if (board.grid.focused || learn.grid.focused) {
    try {
      await (board.grid.focused ? board : learn).editor.paste(text);
    } catch (error) {
      toast(error.message);
    }
  } else openAnything(new File([text], "pasted.txt", { type: "text/plain" }));
});

// Light and dark

function setLook(look) {
  document.documentElement.dataset.look = look;
  $("look").textContent = `Colours: ${look}`;
}
$("look").addEventListener("click", () => {
  const next = LOOKS[(LOOKS.indexOf(document.documentElement.dataset.look) + 1) % LOOKS.length];
  setLook(next);
  keep("look", next);
});
setLook(LOOKS.includes(kept("look")) ? kept("look") : "system");

const sayCount = () => ($("count-from").textContent = `Rows and columns from ${countedFrom()}`);
$("count-from").addEventListener("click", () => { countFrom(1 - countedFrom()); sayCount(); });
sayCount();

// A menu closes once something was chosen from it, or elsewhere.
document.addEventListener("click", (event) => {
  for (const menu of document.querySelectorAll(".menu[open]"))
    if (!menu.contains(event.target) || event.target.closest("button:not(#look):not(#count-from)")) menu.open = false;
});
document.addEventListener("keydown", (event) => {
  const menu = event.key === "Escape" && document.querySelector(".menu[open]");
  if (!menu) return;
  menu.open = false;
  menu.querySelector("summary").focus();
});

$("to-board").addEventListener("click", (event) => {
  event.preventDefault();
  open("board");
  board.grid.focus();
});
$("help-open").addEventListener("click", () => $("help").showModal());
window.addEventListener("hashchange", () => openLink(location.hash));
openLink(location.hash);

// The file that the program was started with.
async function openGiven() {
  const answer = await fetch("opened");
  if (!answer.ok) return;
  const name = /filename\*?="?(?:utf-8'')?([^";]*)/i.exec(answer.headers.get("content-disposition") ?? "")?.[1] ?? "picture.png";
  board.intake.open(new File([await answer.blob()], decodeURIComponent(name)));
}
if (location.search === "?opened") openGiven();
document.documentElement.dataset.ready = "true";
