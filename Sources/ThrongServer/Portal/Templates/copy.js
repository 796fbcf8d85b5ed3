"use strict";
// Shows the buttons that copy; without this script, people select the text themselves.
for (const button of document.querySelectorAll("button[data-copy]")) {
  const source = document.getElementById(button.dataset.copy);
  const label = button.textContent;
  button.hidden = !navigator.clipboard;
  button.addEventListener("click", async () => {
    await navigator.clipboard.writeText(source.textContent);
    button.textContent = button.dataset.copied;
    setTimeout(() => { button.textContent = label; }, 3000);
  });
}
