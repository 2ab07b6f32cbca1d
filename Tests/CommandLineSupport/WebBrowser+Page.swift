package import JSON

extension WebBrowser {
  /// The window's width in CSS pixels, and whether the person likes dark pages.
  package func show(width: Int, isDark: Bool) async throws {
    try await tool(
      "Emulation.setDeviceMetricsOverride",
      ["width": .number(Double(width)), "height": 800, "deviceScaleFactor": 1, "mobile": false])
    try await tool(
      "Emulation.setEmulatedMedia",
      ["features": [["name": "prefers-color-scheme", "value": .string(isDark ? "dark" : "light")]]])
  }

  /// Returns the page's problems for people with poor sight, screen readers or phones. There should be none.
  package func problems() async throws -> [String] {
    let answer = try await run(Self.check)
    return answer.array?.compactMap(\.string) ?? ["the check did not run"]
  }

  /// Runs a function with this body in the page, and returns its result.
  package func run(_ script: String) async throws -> JSON {
    try await send("POST", "\(session)/execute/sync", ["script": .string(script), "args": []])
  }

  private func tool(_ command: String, _ parameters: JSON) async throws {
    try await send("POST", "\(session)/goog/cdp/execute", ["cmd": .string(command), "params": parameters])
  }

  /// Labels, descriptions, focus, titles, contrast (WCAG 2.2, 1.3.1, 1.4.3, 1.4.10, 2.4.2, 2.5.8, 3.3.1).
  private static let check = #"""
    const problems = [];
    const expect = (good, problem) => { if (!good) problems.push(problem); };
    const text = element => (element?.textContent ?? "").trim();
    const heading = document.querySelectorAll("h1");
    expect(document.documentElement.lang, "the page has no language");
    expect(heading.length === 1, "the page has not one heading");
    expect(document.title.includes(text(heading[0])), "the title does not say the step");
    expect(document.documentElement.scrollWidth <= innerWidth, "the page is wider than the window");
    expect(document.scripts.length === 0, "the page has a script");
    const alert = document.querySelector("[role=alert]");
    expect(!alert || document.title.includes(": "), "the title does not say that something is wrong");
    const wrong = [...document.querySelectorAll("[aria-invalid=true]")];
    const focused = document.activeElement;
    expect(wrong.length === 0 || focused === wrong[0], "the first wrong field has not the focus");
    // Where nothing has the focus, the browser may be about to give it: taken now, it would never get there.
    if (alert && (focused !== document.body || wrong.length === 0)) {
      alert.focus();
      expect(document.activeElement === alert, "the summary of what is wrong takes no focus");
      focused.focus();
    }
    for (const field of document.querySelectorAll("input:not([type=hidden])")) {
      expect(text(field.labels[0]), `${field.id} has no label`);
      expect(field.autocomplete, `${field.id} does not say what it is for`);
      const described = (field.getAttribute("aria-describedby") ?? "").split(" ").filter(Boolean);
      for (const id of described) expect(text(document.getElementById(id)), `there is no ${id} to describe ${field.id}`);
      const tells = described.some(id => id === "error" || id === `${field.id}-problem`);
      expect(tells === wrong.includes(field), `${field.id} is not tied to what is wrong with it`);
    }
    for (const link of document.querySelectorAll("a[href^='#']"))
      expect(document.getElementById(link.hash.slice(1)), `nothing is where ${link.hash} leads`);
    for (const target of document.querySelectorAll("button, input:not([type=hidden])"))
      expect(target.getBoundingClientRect().height >= 24, `${text(target)} is too small to be hit`);
    const ids = [...document.querySelectorAll("[id]")].map(element => element.id);
    expect(new Set(ids).size === ids.length, "an id stands twice");

    const color = value => value.match(/[\d.]+/g).map(Number);
    const luminance = value => {
      const [red, green, blue] = color(value).map(part => part / 255)
        .map(part => part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4);
      return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
    };
    const contrast = (first, second) => {
      const [dark, light] = [luminance(first), luminance(second)].sort((a, b) => a - b);
      return (light + 0.05) / (dark + 0.05);
    };
    const background = element => {
      for (; element; element = element.parentElement) {
        const value = getComputedStyle(element).backgroundColor;
        if (color(value)[3] !== 0) return value;
      }
      return "rgb(255, 255, 255)";
    };
    for (const element of document.body.querySelectorAll("*")) {
      const isText = [...element.childNodes].some(node => node.nodeType === 3 && node.data.trim());
      if (!element.checkVisibility() || !isText && element.tagName !== "INPUT") continue;
      const style = getComputedStyle(element);
      const ground = background(element);
      expect(contrast(style.color, ground) >= 4.5, `${style.color} on ${ground} is hard to read: ${text(element)}`);
      if (element.tagName === "INPUT")
        expect(contrast(style.borderTopColor, background(element.parentElement)) >= 3, `${element.id} is hard to see`);
    }
    return problems;
    """#
}
