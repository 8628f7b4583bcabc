// Two tables side by side scroll together.
document.addEventListener("scroll", (event) => {
  const box = event.target.closest?.(".paired .scroll");
  if (!box) return;
  for (const other of box.closest(".paired").querySelectorAll(".scroll")) {
    if (other !== box && (other.scrollTop !== box.scrollTop || other.scrollLeft !== box.scrollLeft)) other.scrollTo(box.scrollLeft, box.scrollTop);
  }
}, true);
