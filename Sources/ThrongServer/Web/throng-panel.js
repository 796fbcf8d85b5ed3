// throng-panel.js: asks visitors what throng.js may count, and shows them all that it sent. It needs throng.js on the
// page:
//
//   <script defer src="https://count.example.com/throng.js" data-app="shop"></script>
//   <script defer src="https://count.example.com/throng-panel.js"></script>
//   <throng-panel></throng-panel>
//
// <throng-panel ask> is there only as long as something is to be asked. The visitor's last answer, here or by the page's
// own `throng.consent`, is in localStorage, under "throng consent APP PURPOSE": "no", or the version of the purpose that
// they agreed to. Nothing else is kept, and only the plan and its label are fetched, whose sentences and words these are,
// in the language that serves the visitor best. A shadow tree keeps styles apart.
(() => {
  "use strict";
  if (customElements.get("throng-panel")) return;
  // What shows the answers.
  const updates = [];
  let plan, label, app, adult;

  // What an answer means: false for no, true for yes to this version of a purpose, undefined if they are to be asked.
  const versionOf = (purpose) => purpose.consent_version || 1;
  const meaning = (purpose, answer) =>
    answer == "no" || answer === false || answer === 0 ? false : answer >= versionOf(purpose) ? true : undefined;
  const keyOf = (purpose) => "throng consent " + app + " " + purpose.name;
  const kept = (purpose) => {
    try {
      return localStorage[keyOf(purpose)];
    } catch {
      // Switched off: an answer lasts as long as the page.
    }
  };
  const answerOf = (purpose) => meaning(purpose, kept(purpose) ?? throng.answers[purpose.name]);
  const update = () => updates.forEach((step) => step());
  // The beacon hears what is remembered, and what it is told is remembered: an answer is in one place.
  const tell = (purpose) => {
    const answer = answerOf(purpose);
    if (answer != null && answer !== meaning(purpose, throng.answers[purpose.name]))
      throng.consent(purpose.name, answer && versionOf(purpose));
  };
  const keep = (purpose) => {
    const given = throng.answers[purpose.name], answer = meaning(purpose, given);
    if (answer != null && answer !== meaning(purpose, kept(purpose)))
      try {
        localStorage[keyOf(purpose)] = answer ? String(+given) : "no";
      } catch {
        // The beacon has it.
      }
  };

  const make = (tag, attributes, ...children) => {
    const element = document.createElement(tag);
    for (const name in attributes) if (attributes[name] != null) element.setAttribute(name, attributes[name]);
    element.append(...children.filter((child) => child != null));
    return element;
  };
  // A word of the label, with what its braces stand for.
  const say = (name, values = {}) =>
    (label.words[name] ?? "").replace(/\{(\w+)\}/g, (_, value) => values[value] ?? "");
  // A text of the plan, with its language if the plan says it.
  const spoken = (tag, lang, text) => make(tag, lang ? { lang, dir: "auto" } : {}, text);
  // The reason why nothing is counted in spite of any answer; an empty text if it is up to the visitor.
  const refusal = ({ refused_by }) =>
    refused_by.includes("global_privacy_control") && navigator.globalPrivacyControl
    || refused_by.includes("do_not_track") && navigator.doNotTrack == "1"
      ? say("panelNoSignal")
      : refused_by.includes("age_signal") && adult == null ? say("panelNoAge") : "";
  const knownOf = (purpose) => label.purposes.find(({ name }) => name == purpose.name);
  const isOver = ({ name }) =>
    plan.metrics.every(({ purpose, expires }) => purpose != name || expires <= new Date().toISOString().slice(0, 10));
  const state = (purpose) => {
    const answer = answerOf(purpose);
    return isOver(purpose) ? say("panelOver")
      : knownOf(purpose).sent_by_servers ? say("panelServers")
      : refusal(purpose)
      || (answer == false ? say("panelSaidNo")
        : answer ? say("panelSaidYes")
        : purpose.needs_consent ? say("panelUnasked") : say("panelUnrefused"));
  };

  const terms = (facts) => facts.flatMap(({ topic, text }, place) =>
    [topic == facts[place - 1]?.topic ? null : make("dt", {}, topic), make("dd", {}, text)]);
  const metricOf = (metric) =>
    make("section", {}, spoken("h4", metric.title_language, metric.title), spoken("p", metric.question_language, metric.question),
      make("dl", {}, ...terms(metric.facts)));
  const dimensionOf = ({ title, language, source, summary }) =>
    make("li", {}, spoken("span", language, title), ", " + source + ": " + summary);
  const recipientOf = ({ title, insights, languages }) =>
    make("li", {}, title, make("ul", {}, ...insights.map((insight, place) => spoken("li", languages[place], insight))));

  const factsOf = (purpose) =>
    make("div", {}, make("dl", {}, ...terms(purpose.facts)), ...purpose.metrics.map(metricOf),
      ...(purpose.dimensions[0] ? [make("h4", {}, say("coarsely")), make("ul", {}, ...purpose.dimensions.map(dimensionOf))] : []),
      make("h4", {}, say("recipients")), make("ul", {}, ...purpose.recipients.map(recipientOf)));

  const questionOf = (purpose, told) => {
    const words = make("p", { class: "state" }), known = knownOf(purpose);
    const heading = spoken("h3", known.language, known.explanation);
    heading.id = "purpose-" + purpose.name;
    const yes = purpose.consent_of_parent && (adult == null || plan.directed_to == "children") ? say("panelParent") : say("panelAgree");
    const buttons = [[true, yes], [false, say("panelRefuse")]].map(([isGiven, text]) => {
      const button = make("button", { type: "button" }, text);
      button.addEventListener("click", () => {
        throng.consent(purpose.name, isGiven && versionOf(purpose));
        told(state(purpose));
      });
      return button;
    });
    updates.push(() => {
      words.textContent = state(purpose);
      buttons.forEach((button, place) => button.setAttribute("aria-pressed", answerOf(purpose) === (place == 0)));
    });
    return make("article", {}, heading, words,
      known.sent_by_servers ? null : make("div", { role: "group", class: "answers", "aria-labelledby": heading.id }, ...buttons),
      make("details", {}, make("summary", {}, say("panelFacts")), factsOf(known)));
  };

  const sentOf = ({ purpose, explanation, body, answer }) => {
    const known = label.purposes.find(({ name }) => name == purpose);
    return make("li", {}, spoken("p", known?.language, known?.explanation ?? explanation),
      make("pre", { tabindex: 0, role: "group", "aria-label": say("panelRequest") }, JSON.stringify(JSON.parse(body), null, 1)),
      make("p", {}, answer == null ? say("panelNoAnswer")
        : answer.error ? say("panelRefused", { error: answer.error })
        : answer.receipt ? say("panelTakenBack")
        : say("panelCounted", { accepted: answer.accepted,
          refused: answer.refused.map(({ reason }) => reason).join(", ") || say("panelNone") })));
  };

  // The list of sent batches; it is renewed as long as the page is open.
  const sentList = () => {
    const list = make("ol", {}), summary = make("summary", {}), none = make("p", {});
    let shown;
    const look = () => {
      const sent = [...throng.sent], now = JSON.stringify(sent);
      if (now == shown) return;
      shown = now;
      summary.textContent = say(sent.length < 100 ? "panelSent" : "panelSentMost", { sent: sent.length });
      none.textContent = sent.length ? "" : say("panelNothing");
      list.replaceChildren(...sent.map(sentOf).reverse());
    };
    setInterval(look, 500);
    look();
    return make("details", {}, summary, none, list);
  };

  const style = `
    :host { display: block; color-scheme: light dark; color: CanvasText; background: Canvas; font: 1rem/1.5 system-ui, sans-serif; }
    :host([hidden]) { display: none; }
    :host > section { max-width: 44rem; margin: 0 auto; padding: 0.5rem 1rem; border: 1px solid; border-radius: 0.5rem; overflow-wrap: anywhere; }
    article { border-top: 1px solid; margin-top: 1rem; }
    h2 { font-size: 1.25rem; } h3 { font-size: 1rem; margin-bottom: 0; } .state { margin-top: 0.25rem; }
    .answers { display: flex; flex-wrap: wrap; gap: 0.5rem; }
    button { font: inherit; color: inherit; background: none; border: 2px solid; border-radius: 0.4rem; min-height: 44px; padding: 0.25rem 1rem; }
    button[aria-pressed="true"] { color: Canvas; background: CanvasText; border-color: CanvasText; }
    summary { padding: 0.6rem 0; cursor: pointer; } a { color: inherit; }
    :focus-visible { outline: 3px solid; outline-offset: 3px; }
    h4 { margin: 1rem 0 0; } dt { font-weight: 600; } dd { margin: 0 0 0.5rem; } dd p { margin: 0; } ul, ol { padding-inline-start: 1.25rem; }
    pre { white-space: pre-wrap; border: 1px solid; border-radius: 0.3rem; padding: 0.5rem; max-height: 16rem; overflow-y: auto; }`;

  // The beacon, which may come after this script and says where the daemon is.
  const ready = new Promise((found) => {
    const look = () => (window.throng?.settings ? found(throng.settings) : setTimeout(look, 50));
    look();
  });
  const get = async (server, path) =>
    (await fetch(new URL(path, server), { credentials: "omit", referrerPolicy: "no-referrer" })).json();
  // The panel shows nothing without a plan, as nothing is counted then.
  const loaded = ready.then(async (settings) => {
    ({ app, adult } = settings);
    [plan, label] = await Promise.all(["v1/plan/", "v1/label/"].map((path) => get(settings.server, path + app)));
    // A yes that the page said before this script was there does not undo a no that is remembered.
    for (const purpose of plan.purposes) if (kept(purpose) == null) keep(purpose);
    const hear = () => {
      plan.purposes.forEach(tell);
      update();
    };
    hear();
    // An answer by the page itself, in another tab, or on the page that was here before, holds here, too.
    addEventListener("throng-consent", ({ detail }) => {
      plan.purposes.filter(({ name }) => name == detail).forEach(keep);
      update();
    });
    addEventListener("storage", hear);
    addEventListener("pageshow", ({ persisted }) => persisted && hear());
    return settings;
  });
  loaded.catch((error) => console.warn(error));

  customElements.define("throng-panel", class extends HTMLElement {
    connectedCallback() {
      loaded.then((settings) => this.shadowRoot || this.show(settings));
    }

    show({ server }) {
      const root = this.attachShadow({ mode: "open" });
      const sheet = new CSSStyleSheet();
      sheet.replaceSync(style);
      root.adoptedStyleSheets = [sheet];
      const told = make("p", { role: "status" });
      const isOpen = (purpose) =>
        purpose.needs_consent && !knownOf(purpose).sent_by_servers && !refusal(purpose) && answerOf(purpose) == null;
      const asked = this.hasAttribute("ask") ? plan.purposes.filter(isOpen) : plan.purposes;
      const questions = asked.map((purpose) => questionOf(purpose, (words) => (told.textContent = words)));
      updates.push(() => (this.hidden = !(this.hasAttribute("ask") ? asked.some(isOpen) : asked[0])));
      update();
      root.append(make("section", { lang: label.language, dir: label.words.dir, "aria-labelledby": "title" },
        make("h2", { id: "title" }, label.title),
        make("p", {}, label.lede), make("ul", {},
          ...[...label.promises, ...label.rights].map((promise) => make("li", {}, promise))),
        ...questions, told, sentList(),
        make("p", {}, make("a", { href: new URL("apps/" + app, server).href }, say("panelAll")), " ", say("questions"))));
    }
  });
})();
