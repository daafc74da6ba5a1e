"use strict";
// Everything works without this file; it only saves clicks.
document.addEventListener("change", (event) => {
  const field = event.target.closest("[data-submit]");
  if (!field) return;
  if (field.dataset.submit) { // as the button that is there without scripts
    const named = Object.assign(document.createElement("input"), { type: "hidden", name: field.dataset.submit, value: "1" });
    field.form.append(named);
  }
  field.form.requestSubmit();
});
document.addEventListener("keydown", (event) => {
  const form = document.querySelector("[data-review]");
  if (!form || event.altKey || event.ctrlKey || event.metaKey || /INPUT|TEXTAREA|SELECT/.test(event.target.tagName) && event.target.type !== "checkbox") return;
  const rows = [...form.querySelectorAll("article[tabindex]")], at = rows.indexOf(document.activeElement.closest("article"));
  const row = rows[at];
  if (event.key === "u") document.querySelector("form[action='/review/undo'] button")?.click();
  else if (event.key === "j") (rows[at + 1] || rows[0])?.focus();
  else if (event.key === "k") (rows[at - 1] || rows[rows.length - 1])?.focus();
  else if (row && event.key === "x") row.querySelector("input[type=checkbox]").click();
  else if (row && event.key === "a") row.querySelector("[name=approve]")?.click();
  else if (row && event.key === "r") row.querySelector("[name=reject]")?.click();
});
