// What had the focus when the page was drawn anew gets it back: the control of the same kind and name in the same place.
(() => {
  let last = null;
  const named = (e) => e.tagName + "|" + (e.getAttribute("aria-label") || e.closest("label")?.firstElementChild?.textContent || e.textContent || "");
  const alike = (name) => [...document.querySelectorAll("#content button, #content input, #content select, #content textarea, #content a, nav button, .tools *")].filter((e) => named(e) === name);
  document.addEventListener("focusin", (event) => {
    const name = named(event.target);
    last = { element: event.target, name, place: alike(name).indexOf(event.target) };
  });
  document.addEventListener("pointerdown", () => { last = null; }, true);
  new MutationObserver(() => {
    if (!last || last.element.isConnected || document.activeElement !== document.body) return;
    const found = alike(last.name)[Math.max(last.place, 0)];
    if (found && !found.disabled) found.focus({ preventScroll: true });
  }).observe(document, { childList: true, subtree: true });
})();
// Two tables side by side scroll together.
document.addEventListener("scroll", (event) => {
  const box = event.target.closest?.(".paired .scroll");
  if (!box) return;
  for (const other of box.closest(".paired").querySelectorAll(".scroll")) {
    if (other !== box && (other.scrollTop !== box.scrollTop || other.scrollLeft !== box.scrollLeft)) other.scrollTo(box.scrollLeft, box.scrollTop);
  }
}, true);
