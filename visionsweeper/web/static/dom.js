// Small helpers for building pages out of elements; text never becomes markup.

export const $ = (id) => document.getElementById(id);

/** An element with attributes, listeners (on…) and children; null children are left out. */
export function h(tag, attributes = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes ?? {})) {
    if (value === null || value === undefined || value === false) continue;
    if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else if (name === "style") Object.entries(value).forEach(([key, one]) => element.style.setProperty(key, one));
    else element.setAttribute(name, value === true ? "" : value);
  }
  element.append(...children.flat().filter((child) => child !== null && child !== undefined));
  return element;
}

/** What may be wider than its place, in a box that then scrolls: with the keys too, for which it needs the focus. */
export function scrolling(content) {
  const box = h("div", { class: "scroll" }, content);
  const fit = () => {
    const wide = box.scrollWidth > box.clientWidth;
    for (const [name, value] of [["tabindex", "0"], ["role", "group"], ["aria-label", "A wide table"]])
      if (wide) box.setAttribute(name, value);
      else box.removeAttribute(name);
  };
  const watch = new ResizeObserver(fit);
  [box, content].forEach((one) => watch.observe(one));
  return box;
}

const MATHS = "http://www.w3.org/1998/Math/MathML";

/** A MathML element. */
export function m(tag, ...children) {
  const element = document.createElementNS(MATHS, tag);
  element.append(...children.flat());
  return element;
}

/** Whether the keys of an event are meant for the field that has the focus. */
export const typing = (event) => event.target.closest?.("input:not([type=checkbox]):not([type=range]), textarea, select");

export function show(element, shown) {
  element.hidden = !shown;
}

/** Make the buttons of a group exclusive; `chosen` is told the value of their data attribute. */
export function segmented(buttons, attribute, chosen) {
  const list = [...buttons];
  const set = (value) => list.forEach((one) => one.setAttribute("aria-pressed", one.dataset[attribute] === value));
  list.forEach((one) =>
    one.addEventListener("click", () => {
      set(one.dataset[attribute]);
      chosen(one.dataset[attribute]);
    }),
  );
  return set;
}

let toastTimer = 0;

/** Say something for a few seconds. */
export function toast(text) {
  const place = $("toast");
  place.textContent = text;
  place.classList.add("shown");
  clearTimeout(toastTimer);
  toastTimer = setTimeout(() => place.classList.remove("shown"), 4000);
}

/** Offer bytes or text as a file. */
export function download(name, blob) {
  const url = URL.createObjectURL(blob);
  const link = h("a", { href: url, download: name });
  document.body.append(link);
  link.click();
  link.remove();
  setTimeout(() => URL.revokeObjectURL(url), 10000);
}

/** Whether the text is in the clipboard; the person is told either way. */
export async function copyText(text, said) {
  let copied = true;
  try {
    await navigator.clipboard.writeText(text);
  } catch {
    // Not allowed on plain http from another machine: the old way still works.
    const focused = document.activeElement;
    const area = h("textarea", { "aria-hidden": "true" });
    area.value = text;
    document.body.append(area);
    area.select();
    copied = document.execCommand("copy");
    area.remove();
    focused?.focus();
  }
  toast(copied ? said : "The browser does not let this page copy");
  return copied;
}
