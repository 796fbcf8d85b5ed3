// throng-panel.js: asks visitors what throng.js may count, and shows them all that it sent. It needs throng.js on the page:
//
//   <script defer src="https://count.example.com/throng.js" data-app="shop"></script>
//   <script defer src="https://count.example.com/throng-panel.js"></script>
//   <throng-panel></throng-panel>
//
// <throng-panel ask> is there only as long as something is to be asked. What the visitor says is in localStorage, under
// "throng consent APP PURPOSE": "no", or the version of the purpose that they agreed to. Nothing else is kept, and nothing
// but the plan is asked for. Everything is in a shadow tree, so that neither style changes the other.
(() => {
  "use strict";
  const beacon = document.querySelector('script[data-app][src$="/throng.js"]');
  if (!beacon || customElements.get("throng-panel")) return;
  const { app, adult, server = beacon.src } = beacon.dataset;
  const address = (path) => new URL(path, server).href;
  const answers = {};
  let plan;

  // What was said about a purpose: false for no, true for yes to this version of it, nothing where they are to be asked.
  const keyOf = (purpose) => "throng consent " + app + " " + purpose.name;
  const answerOf = (purpose) => {
    let kept = answers[purpose.name];
    try {
      kept ??= localStorage[keyOf(purpose)];
    } catch {
      // Switched off: an answer lasts as long as the page.
    }
    return kept == "no" ? false : kept >= (purpose.consent_version || 1) ? true : undefined;
  };
  const tell = (purpose) => {
    const answer = answerOf(purpose);
    if (answer != null) throng.consent(purpose.name, answer && (purpose.consent_version || 1));
  };
  const keep = (purpose, isGiven) => {
    answers[purpose.name] = isGiven ? String(purpose.consent_version || 1) : "no";
    try {
      localStorage[keyOf(purpose)] = answers[purpose.name];
    } catch {
      // As above.
    }
    tell(purpose);
  };

  const make = (tag, attributes, ...children) => {
    const element = document.createElement(tag);
    for (const name in attributes) if (attributes[name] != null) element.setAttribute(name, attributes[name]);
    element.append(...children.filter((child) => child != null));
    return element;
  };
  // A text of the plan, with its language where the plan says it.
  const spoken = (tag, place, text) => {
    const texts = plan.translations || {};
    const lang = Object.keys(texts).find((each) => texts[each][place] == text);
    return make(tag, lang ? { lang, dir: "auto" } : {}, text);
  };
  const duration = (seconds) => {
    const [unit, size] = [["day", 86400], ["hour", 3600], ["minute", 60], ["second", 1]].find(([, size]) => seconds % size == 0);
    return seconds / size + " " + unit + (seconds == size ? "" : "s");
  };
  const listed = (words) => (words.length > 16 ? words.slice(0, 12).join(", ") + ", … (" + words.length + " in all)" : words.join(", "));

  // Why nothing is counted whatever is answered; nothing where it is up to the visitor.
  const refusal = ({ refused_by }) =>
    refused_by.includes("global_privacy_control") && navigator.globalPrivacyControl
    || refused_by.includes("do_not_track") && navigator.doNotTrack == "1"
      ? "Not counted: your browser says no, and that is honoured."
      : refused_by.includes("age_signal") && adult == null ? "Not counted: nobody has said that you are grown up." : "";
  const state = (purpose) => {
    const answer = answerOf(purpose);
    return refusal(purpose)
      || (answer == false ? "Not counted: you said no."
        : answer ? "Counted: you agreed."
        : purpose.needs_consent ? "Not counted until you agree." : "Counted unless you say no.");
  };

  const metricOf = (metric) => {
    const parts = metric.dimensions.map((name) => plan.dimensions.find((dimension) => dimension.name == name)).filter(Boolean);
    return [
      spoken("dt", "metrics." + metric.name + ".title", metric.title),
      make("dd", {}, spoken("p", "metrics." + metric.name + ".question", metric.question),
        make("ul", {}, ...parts.map((part) => make("li", {},
          spoken("span", "dimensions." + part.name + ".title", part.title), ": " + listed(part.buckets))),
          ...metric.sums.map((sum) => make("li", {}, sum.name + ": from " + sum.lowest + " to " + sum.highest + " " + sum.unit)),
          make("li", {}, "when: by " + metric.period))),
    ];
  };

  const factsOf = (purpose) =>
    make("dl", {}, ...plan.metrics.filter((metric) => metric.purpose == purpose.name).flatMap(metricOf),
      make("dt", {}, "Identifier"),
      make("dd", {}, "A random one, another every " + duration(purpose.rotation_seconds).replace(/^1 /, "") + " and in every tab."),
      make("dt", {}, "Kept"), make("dd", {}, "Numbers are kept for " + duration(purpose.retention_seconds) + "."),
      make("dt", {}, "Who receives numbers"),
      make("dd", {}, plan.title + plan.recipients.map(({ title }) => ", " + title).join("") + ": published ones only."));

  const questionOf = (purpose, changed) => {
    const words = make("p", { class: "state" });
    const heading = spoken("h3", "purposes." + purpose.name + ".explanation", purpose.explanation);
    heading.id = "purpose-" + purpose.name;
    const yes = purpose.consent_of_parent && (adult == null || plan.directed_to == "children") ? "I am a parent and agree" : "Yes, count it";
    const buttons = [[true, yes], [false, "No, don’t count it"]].map(([isGiven, text]) => {
      const button = make("button", { type: "button" }, text);
      button.addEventListener("click", () => {
        keep(purpose, isGiven);
        changed(state(purpose));
      });
      return button;
    });
    const update = () => {
      words.textContent = state(purpose);
      buttons.forEach((button, place) => button.setAttribute("aria-pressed", answerOf(purpose) === (place == 0)));
    };
    update();
    const article = make("article", {}, heading, words,
      make("div", { role: "group", class: "answers", "aria-labelledby": heading.id }, ...buttons),
      make("details", {}, make("summary", {}, "What is counted, how coarsely, for how long"), factsOf(purpose)));
    return { article, update };
  };

  const sentOf = ({ purpose, explanation, body, answer }) =>
    make("li", {}, spoken("p", "purposes." + purpose + ".explanation", explanation),
      make("pre", { tabindex: 0, role: "group", "aria-label": "The request" }, JSON.stringify(JSON.parse(body), null, 1)),
      make("p", {}, answer == null ? "No answer yet."
        : answer.error ? "Refused: " + answer.error + "."
        : "Counted " + answer.accepted + ", refused " + answer.refused.map(({ reason }) => reason).join(", ").replace(/^$/, "none") + "."));

  const sentList = () => {
    const list = make("ol", {}), summary = make("summary", {});
    const look = () => {
      summary.textContent = "What this page sent (" + throng.sent.length + ")";
      list.replaceChildren(...throng.sent.map(sentOf).reverse());
    };
    const again = make("button", { type: "button" }, "Look again");
    const details = make("details", {}, summary, make("p", {}, again), list);
    again.addEventListener("click", look);
    details.addEventListener("toggle", look);
    look();
    return details;
  };

  const style = `
    :host { display: block; color-scheme: light dark; color: CanvasText; background: Canvas; font: 1rem/1.5 system-ui, sans-serif; }
    :host([hidden]) { display: none; }
    section { max-width: 44rem; margin: 0 auto; padding: 0.5rem 1rem; border: 1px solid; border-radius: 0.5rem; overflow-wrap: anywhere; }
    article { border-top: 1px solid; margin-top: 1rem; }
    h2 { font-size: 1.25rem; } h3 { font-size: 1rem; margin-bottom: 0; } .state { margin-top: 0.25rem; }
    .answers { display: flex; flex-wrap: wrap; gap: 0.5rem; }
    button { font: inherit; color: inherit; background: none; border: 2px solid; border-radius: 0.4rem; min-height: 44px; padding: 0.25rem 1rem; }
    button[aria-pressed="true"] { color: Canvas; background: CanvasText; border-color: CanvasText; }
    summary { padding: 0.6rem 0; cursor: pointer; } a { color: inherit; }
    :focus-visible { outline: 3px solid; outline-offset: 3px; }
    dt { font-weight: 600; } dd { margin: 0 0 0.5rem; } dd p { margin: 0; } ul, ol { padding-inline-start: 1.25rem; }
    pre { white-space: pre-wrap; border: 1px solid; border-radius: 0.3rem; padding: 0.5rem; max-height: 16rem; overflow-y: auto; }`;

  // Without a plan nothing is counted, and there is nothing to show.
  const loaded = fetch(address("v1/plan/" + app), { credentials: "omit", referrerPolicy: "no-referrer" })
    .then((answer) => answer.json())
    .then((document) => {
      plan = document;
      plan.purposes.forEach(tell);
    });
  loaded.catch((error) => console.warn(error));

  customElements.define("throng-panel", class extends HTMLElement {
    connectedCallback() {
      loaded.then(() => this.shadowRoot || this.show());
    }

    show() {
      const root = this.attachShadow({ mode: "open" });
      const sheet = new CSSStyleSheet();
      sheet.replaceSync(style);
      root.adoptedStyleSheets = [sheet];
      const told = make("p", { role: "status" });
      const isOpen = (purpose) => purpose.needs_consent && !refusal(purpose) && answerOf(purpose) == null;
      const asked = this.hasAttribute("ask") ? plan.purposes.filter(isOpen) : plan.purposes;
      const questions = asked.map((purpose) => questionOf(purpose, (words) => {
        questions.forEach(({ update }) => update());
        told.textContent = words;
        if (this.hasAttribute("ask")) this.hidden = !asked.some(isOpen);
      }));
      this.hidden = !asked.length;
      root.append(make("section", { lang: "en", "aria-labelledby": "title" },
        make("h2", { id: "title" }, "What ", spoken("span", "app.title", plan.title), " counts"),
        make("p", {}, "What a crowd does, and nothing about anybody: a published number stands for " + plan.threshold
          + " devices or more."),
        ...questions.map(({ article }) => article), told, sentList(),
        make("p", {}, make("a", { href: address("apps/" + app) }, "Everything that is counted"), ". Questions: " + plan.contact)));
    }
  });
})();
