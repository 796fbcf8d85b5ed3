// A shop of one page. What throng.js needs of it: nothing for page views and for elements with data-throng-event; one call
// for the order, and one for the answer to the question.
"use strict";

const show = () => {
  for (const section of document.querySelectorAll("[data-page]"))
    section.hidden = section.dataset.page !== location.pathname;
};

const go = (path) => {
  history.pushState(null, "", path);
  show();
};

document.addEventListener("click", (event) => {
  const link = event.target.closest("a[data-inside]");
  if (!link) return;
  event.preventDefault();
  go(new URL(link.href).pathname);
});
addEventListener("popstate", show);

document.querySelector("#search").addEventListener("submit", (event) => {
  event.preventDefault();
  go("/?words=" + encodeURIComponent(document.querySelector("#words").value));
});

document.querySelector("#order").addEventListener("click", () => {
  throng.record("order", { amount: 308.5 });
  go("/thanks");
});

// The question is about the purpose in this consent_version; whoever agreed to an earlier one is asked again. The answer is
// where the panel of /privacy.html has it.
const version = 1;
const place = "throng consent webshop marketing";
const answered = (isAllowed) => {
  localStorage.setItem(place, isAllowed ? version : "no");
  throng.consent("marketing", isAllowed && version);
  document.querySelector("#question").hidden = true;
};
document.querySelector("#agree").addEventListener("click", () => answered(true));
document.querySelector("#decline").addEventListener("click", () => answered(false));
const answer = localStorage.getItem(place);
if (answer === "no" || answer === String(version)) answered(answer !== "no");

show();
