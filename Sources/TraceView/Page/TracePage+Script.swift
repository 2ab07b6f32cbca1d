extension TracePage {
  /// The page's actions on clicks and keys. All text goes in as text, never as HTML.
  static let script = #"""
    "use strict";
    const find = (selector, root = document) => root.querySelector(selector);
    const all = (selector, root = document) => [...root.querySelectorAll(selector)];
    const make = (tag, attributes, ...children) => {
      const node = document.createElement(tag);
      for (const [name, value] of Object.entries(attributes || {})) node.setAttribute(name, value);
      node.append(...children.filter((child) => child !== null && child !== undefined && child !== ""));
      return node;
    };
    const traces = {};
    const events = (key) => traces[key] ??= new Map(
      JSON.parse(find("#data" + (key ? "-" + key : "")).textContent).map((event) => [event.id, event]));
    const time = (microseconds) => (microseconds / 1e6).toFixed(3) + " s";
    const span = (microseconds) => microseconds < 1e4 ? (microseconds / 1e3).toFixed(1) + " ms"
      : microseconds < 1e6 ? Math.round(microseconds / 1e3) + " ms" : (microseconds / 1e6).toFixed(2) + " s";
    const say = (value) => typeof value === "string" ? value : JSON.stringify(value);

    // Names of tokens lead to their claims.
    const linked = (text) => {
      const part = make("span");
      for (const piece of String(text).split(/(\[[a-zA-Z ]+ #\d+\])/)) {
        const token = /^\[/.test(piece) && all("details.token").find((one) => one.dataset.label === piece);
        part.append(token ? make("a", { href: "#" + token.id }, piece) : piece);
      }
      return part;
    };
    const table = (pairs) => pairs.length === 0 ? null : make("table", {}, make("tbody", {}, ...pairs.map(([name, value]) =>
      make("tr", {}, make("th", { scope: "row" }, name), make("td", {}, value instanceof Node ? value : make("code", {}, linked(say(value))))))));
    const titled = (title, ...parts) => parts.some(Boolean) ? [make("h3", {}, title), ...parts] : [];
    const bytes = (size) => size === undefined ? "" : size < 1024 ? size + " B" : (size / 1024).toFixed(1) + " KiB";

    const body = (message, most) => {
      const body = message && message.body;
      if (!body || (!body.size && !body.text && !body.form && body.json === undefined)) return [];
      const note = [body.type, bytes(body.size)].filter(Boolean).join(", ");
      const text = body.json !== undefined ? JSON.stringify(body.json, null, 2) : body.text || "";
      const content = body.form ? table(body.form)
        : text ? make("pre", { tabindex: "0" }, linked(text.length > most ? text.slice(0, most) + "…" : text)) : null;
      return [make("p", { class: "quiet" }, "Body: " + note), content, body.left_out ? make("p", { class: "warn" }, body.left_out) : null];
    };
    const problem = (error) => error ? make("p", { class: "problem" }, make("b", {}, error.code || "error"),
      error.meaning ? " – " + error.meaning : "", make("br"), error.message || "", ...(error.hint ? [make("br"), make("span", { class: "quiet" }, "→ " + error.hint)] : [])) : null;
    const query = (url) => {
      const mark = String(url).search(/[?#]/);
      return mark < 0 ? [] : url.slice(mark + 1).split(/[&#]/).map((pair) => {
        const [name, ...value] = pair.split("=");
        const decode = (text) => { try { return decodeURIComponent(text.replace(/\+/g, " ")); } catch { return text; } };
        return [decode(name), decode(value.join("="))];
      });
    };
    const phases = ["blocked", "dns", "connect", "tls", "send", "wait", "receive"];
    const origin = (event) => [["Began", time(event.at)], event.took !== undefined && ["Took", span(event.took)],
      event.line && ["Lua line", event.call ? event.line + "  " + event.call : event.line],
      ...(event.via || []).map((line) => ["Waited for at", line])].filter(Boolean);
    const article = (event, most = Infinity) => {
      const place = make("article");
      if (event.type === "exchange") {
        const { request, response } = event;
        place.append(make("h2", {}, `${request.method} ${request.url.split(/[?#]/)[0].replace(/^[a-z]+:\/\/[^/]*/, "") || "/"}`));
        const facts = [["From, to", `${event.from} → ${event.to}`], ["Address", request.url.split(/[?#]/)[0]], ...origin(event)];
        if (response) facts.unshift(["Status", `${response.status}` + (response.version ? `, HTTP/${String(response.version).replace(/^HTTP\//, "")}` : "")]);
        if (event.server) facts.push(["Server", `${event.server.address} ${event.server.port}` + (event.reused ? ", connection used before" : "")]);
        for (const name of ["Redirect", "Retry"]) if (event[name.toLowerCase()]) facts.push([name, String(event[name.toLowerCase()])]);
        const timings = phases.filter((name) => event.timings && event.timings[name] !== undefined).map((name) => [name, span(event.timings[name])]);
        place.append(...[problem(event.error), table(facts), ...titled("Query", table(query(request.url))),
          ...titled("Request", table(request.headers || []), ...body(request, most)),
          ...(response ? titled("Response", table(response.headers || []), ...body(response, most)) : [make("p", { class: "bad" }, "There was no answer.")]),
          ...titled("Timing", table(timings))].filter(Boolean));
      } else {
        const known = ["type", "id", "at", "took", "line", "call", "via", "error"];
        const rest = Object.entries(event).filter(([name, value]) => !known.includes(name) && value !== undefined);
        place.append(...[make("h2", {}, event.type.replace("_", "-")), problem(event.error),
          table([...origin(event), ...rest.map(([name, value]) => [name, typeof value === "object"
            ? make("pre", {}, linked(JSON.stringify(value, null, 2))) : value])])].filter(Boolean));
        if (event.url) place.append(...titled("Query", table(query(event.url))));
        if (event.error && event.error.traceback) place.append(make("pre", {}, event.error.traceback));
      }
      return place;
    };

    const panel = find("#panel");
    let chosen = null;
    const close = (returning) => {
      if (panel.hidden) return;
      panel.hidden = true;
      find(".layout").classList.remove("open");
      chosen?.classList.remove("chosen");
      if (returning) chosen?.focus();
    };
    const show = (button, content) => {
      chosen?.classList.remove("chosen");
      chosen = button;
      button.classList.add("chosen");
      find("div", panel).replaceChildren(content);
      panel.hidden = false;
      panel.scrollTop = 0;
      find(".layout").classList.add("open");
      // A panel that comes from below must not hide the row.
      const place = button.getBoundingClientRect();
      if (getComputedStyle(panel).position === "fixed" && place.bottom > innerHeight * 0.36)
        scrollBy(0, place.top - innerHeight * 0.15);
    };

    // A row of many requests opens below itself, a part at a time.
    const opened = new WeakMap();
    const atOnce = 200;
    const items = (button) => button.dataset.e.split(" ").flatMap((id) => {
      const event = events(key(button)).get(Number(id));
      if (event.type !== "exchanges") return [event];
      const column = Object.fromEntries(event.columns.map((name, index) => [name, index]));
      return event.rows.filter((row) => !button.dataset.s || String(row[column.status] || 0) === button.dataset.s).map((row) => ({
        type: "request", at: row[column.at], took: row[column.took], status: row[column.status], line: event.line,
        call: event.call, method: event.request.method, url: event.request.url, "bytes sent": row[column.sent],
        "bytes received": row[column.received], note: "headers and bodies were not kept",
      }));
    }).sort((one, other) => one.at - other.at);
    const unfold = (button) => {
      const isOpen = button.getAttribute("aria-expanded") === "true";
      button.setAttribute("aria-expanded", String(!isOpen));
      if (isOpen) return button.parentNode.querySelector(".unfolded").remove();
      const list = make("ol", { class: "unfolded" });
      const rest = items(button);
      const add = () => {
        find(".more", list)?.remove();
        for (const event of rest.splice(0, atOnce)) {
          const status = event.response ? event.response.status : event.status ?? event.limit ?? "";
          const text = event.error ? event.error.code : event.message || event.request && event.request.url || event["bytes sent"] !== undefined && `${event["bytes sent"]} B sent, ${event["bytes received"]} B received` || "";
          const one = make("button", { tabindex: "-1" }, make("span", {}, time(event.at)), make("span", {}, String(status)),
            make("span", {}, event.took === undefined ? "" : span(event.took)), make("span", {}, text));
          opened.set(one, event);
          list.append(make("li", event.error ? { class: "bad" } : {}, one));
        }
        if (rest.length > 0) {
          const more = make("button", {}, `Show ${Math.min(rest.length, atOnce)} more of ${rest.length}`);
          more.addEventListener("click", (event) => { event.stopPropagation(); add(); });
          list.append(make("li", { class: "more" }, more));
        }
      };
      add();
      button.after(list);
    };
    const key = (button) => button.closest("[data-trace]")?.dataset.trace || "";
    const choose = (button) => {
      if (opened.has(button)) return show(button, article(opened.get(button)));
      if (button.hasAttribute("aria-expanded")) return unfold(button);
      const event = events(key(button)).get(Number(button.dataset.e));
      if (!event) return;
      const { at, line, call, via, coroutine } = event;
      show(button, article("call" in button.dataset ? { type: call, at, line, via, coroutine } : event));
    };

    document.addEventListener("click", (event) => {
      const button = event.target.closest("button");
      const link = event.target.closest("a[href^='#token-']");
      if (link) find(link.getAttribute("href")).open = true;
      if (!button) return;
      if (button.id === "close") return close(true);
      if ("more" in button.dataset) {
        const item = button.parentNode;
        const template = item.nextElementSibling;
        const next = template.content.querySelector("button[data-e]");
        template.replaceWith(template.content);
        item.remove();
        next.focus();
        return;
      }
      if (button.dataset.e !== undefined || opened.has(button)) { rove(button); choose(button); }
    });

    // One row of a list is in the order of tabs, and the arrows go to the others.
    const rove = (button) => {
      const list = button.closest(".rows");
      for (const other of all("button[tabindex='0']", list)) other.tabIndex = -1;
      button.tabIndex = 0;
    };
    document.addEventListener("keydown", (event) => {
      if (event.key === "Escape") return close(true);
      if (event.key === "ArrowLeft" && event.target === panel) return chosen.focus();
      const button = event.target.closest(".rows button");
      if (!button || event.altKey || event.ctrlKey || event.metaKey) return;
      const buttons = all("button", button.closest(".rows"));
      const index = buttons.indexOf(button);
      const next = { ArrowDown: index + 1, ArrowUp: index - 1, Home: 0, End: buttons.length - 1,
        PageDown: Math.min(index + 10, buttons.length - 1), PageUp: Math.max(index - 10, 0) }[event.key];
      if (event.key === "ArrowRight" && button.getAttribute("aria-expanded") === "false"
        || event.key === "ArrowLeft" && button.getAttribute("aria-expanded") === "true") return unfold(button);
      if (event.key === "ArrowRight" && (button.dataset.e !== undefined || opened.has(button)) && !button.hasAttribute("aria-expanded")) {
        event.preventDefault();
        choose(button);
        return panel.focus({ preventScroll: true });
      }
      if (next === undefined || !buttons[next]) return;
      event.preventDefault();
      rove(buttons[next]);
      buttons[next].focus();
      if (!panel.hidden && buttons[next].dataset.e !== undefined && !buttons[next].hasAttribute("aria-expanded")) choose(buttons[next]);
    });

    // On paper, the details of rows stand behind the pictures, with the beginning of each body.
    addEventListener("beforeprint", () => {
      const rows = all(".diagram .rows > ol > li > button[data-e]:not([aria-expanded])").slice(0, 150);
      const details = rows.map((button) => [key(button), events(key(button)).get(Number(button.dataset.e))])
        .filter(([, event]) => event && event.type === "exchange").map(([, event]) => article(event, 1000));
      for (const one of all("details")) { one.dataset.was = one.open; one.open = true; }
      find("#appendix")?.replaceChildren(make("h2", {}, "Exchanges"), ...details);
    });
    addEventListener("afterprint", () => {
      for (const one of all("details")) one.open = one.dataset.was === "true";
      find("#appendix")?.replaceChildren();
    });

    """#
}
