"use strict";
// Shows and hides pairs that are already on the page. Writes no text but numbers, and reads none as anything but text.
for (const form of document.querySelectorAll("form.filter")) {
  const pairs = [...form.parentElement.querySelectorAll(":scope > .pair")];
  const none = form.parentElement.querySelector(":scope > .none");
  const output = form.querySelector("output");
  const fits = (pair, name, wanted) => {
    const has = pair.dataset[name];
    if (!wanted) return true;
    if (wanted === "*") return has !== "";
    return name === "outcome" || name === "reason" ? has.split(" ").includes(wanted) : has === wanted;
  };
  const apply = () => {
    const wanted = Object.fromEntries(new FormData(form));
    let shown = 0;
    for (const pair of pairs) {
      pair.hidden = !Object.entries(wanted).every(([name, value]) => fits(pair, name, value));
      shown += pair.hidden ? 0 : 1;
    }
    none.hidden = shown > 0;
    output.textContent = `${shown} of ${pairs.length} pairs`;
  };
  form.addEventListener("change", apply);
  form.querySelector("button").addEventListener("click", () => {
    form.reset();
    apply();
  });
  form.addEventListener("submit", (event) => event.preventDefault());
  form.hidden = false;
  apply();
}
// Paper can't be unfolded.
const folded = [];
addEventListener("beforeprint", () => {
  for (const details of document.querySelectorAll("details:not([open])")) {
    details.open = true;
    folded.push(details);
  }
});
addEventListener("afterprint", () => {
  for (const details of folded.splice(0)) details.open = false;
});
