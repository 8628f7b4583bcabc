// What had the focus when the page was drawn anew gets it back: the control of the same kind and name in the same place,
// with what was typed into it and not yet taken.
(() => {
  let last = null;
  const typed = new WeakSet();
  const named = (e) => e.tagName + "|" + (e.getAttribute("aria-label") || e.closest("label")?.firstElementChild?.textContent || e.textContent || "");
  const alike = (name) => [...document.querySelectorAll("#content button, #content input, #content select, #content textarea, #content a, nav button, .tools *")].filter((e) => named(e) === name);
  const isField = (e) => e.matches?.("textarea, input:not([type=checkbox]):not([type=range]):not([type=file])");
  document.addEventListener("focusin", (event) => {
    const name = named(event.target);
    last = { element: event.target, name, place: alike(name).indexOf(event.target), typed: false };
  });
  document.addEventListener("input", (event) => {
    if (!isField(event.target)) return;
    typed.add(event.target);
    if (last && last.element === event.target) last.typed = true;
  }, true);
  document.addEventListener("change", (event) => {
    typed.delete(event.target);
    if (event.isTrusted && last && last.element === event.target) last.typed = false;
  }, true);
  document.addEventListener("focusout", (event) => {  // a field that was filled by us tells no change by itself
    if (event.target.isConnected && typed.has(event.target)) event.target.dispatchEvent(new Event("change", { bubbles: true }));
  }, true);
  document.addEventListener("pointerdown", (event) => { if (last && event.target !== last.element && !last.typed) last = null; }, true);
  new MutationObserver(() => {
    if (!last || last.element.isConnected || document.activeElement !== document.body) return;
    const gone = last, found = alike(gone.name)[Math.max(gone.place, 0)];
    if (!found || found.disabled) return;
    found.focus({ preventScroll: true });
    if (gone.typed && isField(found)) {
      found.value = gone.element.value;
      typed.add(found);
      last.typed = true;
    }
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
