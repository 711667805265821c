// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0

/** The colours of the theme, as a canvas needs them; read again when the theme changes. */
class Colours {
  constructor() {
    this.refresh();
  }

  refresh() {
    this.style = getComputedStyle(document.documentElement);
  }

  get(name) {
    return this.style.getPropertyValue(`--${name}`).trim();
  }

  category(category) {
    return this.get(`c-${category.key}`) || this.get("c-unknown");
  }
}

const THEMES = [
  { key: "system", sign: "◐", label: "Colours: same as the system" },
  { key: "light", sign: "☀", label: "Colours: light" },
  { key: "dark", sign: "☾", label: "Colours: dark" },
];

/** The button that goes through the themes; `changed` is called after each change, the system's included. */
function themeButton(button, changed) {
  const dark = matchMedia("(prefers-color-scheme: dark)");
  let chosen = 0;
  const apply = () => {
    const { key, sign, label } = THEMES[chosen];
    document.documentElement.dataset.theme = key === "system" ? (dark.matches ? "dark" : "light") : key;
    button.textContent = sign;
    button.setAttribute("aria-label", label);
    button.title = label;
    changed();
  };
  button.addEventListener("click", () => {
    chosen = (chosen + 1) % THEMES.length;
    apply();
  });
  dark.addEventListener("change", apply);
  apply();
}
