// What a person has chosen for good: kept by the browser, as long as it allows that.

export function kept(name, otherwise) {
  try {
    return JSON.parse(localStorage.getItem(name)) ?? otherwise;
  } catch {
    return otherwise;
  }
}

export function keep(name, value) {
  try {
    localStorage.setItem(name, JSON.stringify(value));
    return true;
  } catch {
    // Some browsers forbid it, and all bound it: the choice then lasts as long as the page.
    return false;
  }
}
